"""``unabridged config``."""

import click

from unabridged import config
from unabridged.cli.options import TALK, Invocation
from unabridged.cli.output import echo, echo_lines, plain
from unabridged.cli.paint import Column, table, width
from unabridged.cli.plain_command import PlainGroup
from unabridged.cli.settings_file import Holder, write_setting
from unabridged.errors import InputError, SettingError

_OPTIONS = tuple(name for name in TALK if name not in {"session", "new", "ephemeral"})


command = PlainGroup(
    "config",
    """Show or change settings.

    The settings file overrides the defaults, UNABRIDGED_* variables override the file, and options override both.
    """,
    "unabridged config",
    "unabridged config set model qwen3:8b",
    "UNABRIDGED_WINDOW=8192 unabridged config get window",
    options=_OPTIONS,
    default="list",
)


@command.sub("list", "unabridged config list --json")
def list_command(invocation: Invocation) -> None:
    """List every setting, its value, and where the value comes from."""
    reading = invocation.reading()
    if invocation.json:
        invocation.emit({row.name: _data(reading, row.name) for row in config.describe(reading)})
        return
    columns = [
        Column("setting"),
        Column("value", flexible=True),
        Column("from", flexible=True, style="dim"),
    ]
    rows = [(row.name, row.value, row.source) for row in config.describe(reading)]
    echo_lines(table(columns, rows, width()))
    echo(f"\nThe settings file: {reading.path}", "dim")


@command.sub("get", "unabridged config get upstream")
@click.argument("name")
def get_command(invocation: Invocation, name: str) -> None:
    """Print the current value of a setting."""
    config.known(name, "config get")
    reading = invocation.reading()
    if invocation.json:
        invocation.emit({"name": name, **_data(reading, name)})
        return
    settings = reading.settings
    echo(config.shown(name, getattr(settings.for_model(settings.model), name)))


@command.sub(
    "set",
    "unabridged config set upstream ollama",
    "unabridged config set tools tools.py,more.py",
    "unabridged config set max_turns 20 --agent tutor",
    "unabridged config set window 8192 --model qwen2.5:7b",
    options=("home", "agent", "model", "json"),
)
@click.argument("name")
@click.argument("value")
def set_command(invocation: Invocation, name: str, value: str) -> None:
    """Write a setting to the settings file.

    Separate the items of a list by commas. "auto" lets the model server choose a number. --agent sets it for one agent, --model for one model (its window, and the shares of memory and answer).
    """
    _change(invocation, name, value)


@command.sub(
    "unset", "unabridged config unset upstream", options=("home", "agent", "model", "json")
)
@click.argument("name")
def unset_command(invocation: Invocation, name: str) -> None:
    """Remove a setting from the settings file, so that its default applies.

    With --agent or --model, the value for all applies again.
    """
    _change(invocation, name, None)


@command.sub("path", '$EDITOR "$(unabridged config path)"', options=("home", "json"))
def path_command(invocation: Invocation) -> None:
    """Print the path of the settings file, even if it does not exist yet."""
    path = config.file_of(config.home_of(invocation.given("home")))
    invocation.answer({"path": path, "exists": path.exists()}, str(path))


def _change(invocation: Invocation, name: str, value: str | None) -> None:
    holder = _holder(invocation)
    path = write_setting(config.home_of(invocation.given("home")), name, value, holder)
    told: str = ""
    try:
        reading = invocation.reading()
        source = config.source_of(reading, name)
        if value is not None and not source.startswith(str(path)):
            told = f"It has no effect now: {source} overrides it."
    except SettingError as error:
        told = f"But another setting is invalid: {error} {error.hint}"
    if invocation.json:
        invocation.emit({"name": name, "value": value, "path": path, "note": told})
        return
    whose = f" for the {holder[0].removesuffix('s')} {holder[1]}" if holder else ""
    done = f"{'Set' if value is not None else 'Removed'} {name}{whose} in {path}."
    echo(f"{done} {told}".strip())


def _holder(invocation: Invocation) -> Holder | None:
    agent, model = invocation.given("agent"), invocation.given("model")
    if agent and model:
        raise InputError(
            "A setting is for one agent or for one model.",
            hint="Remove --agent or --model.",
        )
    if model:
        return config.MODELS, model
    return (config.AGENTS, agent) if agent else None


def _data(reading: config.LoadedSettings, name: str) -> dict[str, object]:
    value = getattr(reading.settings.for_model(reading.settings.model), name)
    secret = name in config.SECRETS
    return {
        "value": config.shown(name, value) if secret else plain(value),
        "source": config.source_of(reading, name),
    }
