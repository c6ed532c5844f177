"""``unabridged config``."""

import click

from unabridged import config
from unabridged.cli.options import TALK, Invocation, common, example, invoked
from unabridged.cli.output import echo, echo_lines, plain
from unabridged.cli.paint import Column, table, width
from unabridged.cli.settings_file import Holder, write_setting
from unabridged.errors import InputError, SettingError

_OPTIONS = tuple(name for name in TALK if name not in {"session", "new", "ephemeral"})


@click.group(
    "config",
    invoke_without_command=True,
    epilog=example(
        "unabridged config",
        "unabridged config set model qwen3:8b",
        "UNABRIDGED_WINDOW=8192 unabridged config get window",
    ),
)
@common(*_OPTIONS)
@click.pass_context
def command(ctx: click.Context) -> None:
    """Show every setting and where it came from, or change one.

    Defaults yield to the settings file, that to UNABRIDGED_* variables, those to options.
    """
    if ctx.invoked_subcommand is not None:
        return
    invocation = Invocation(ctx)
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


@command.command("get", epilog=example("unabridged config get upstream"))
@click.argument("name")
@common(*_OPTIONS)
@invoked
def get_command(invocation: Invocation, name: str) -> None:
    """Print one setting as it holds now."""
    config.known(name, "config get")
    reading = invocation.reading()
    if invocation.json:
        invocation.emit({"name": name, **_data(reading, name)})
        return
    settings = reading.settings
    echo(config.shown(name, getattr(settings.for_model(settings.model), name)))


@command.command(
    "set",
    epilog=example(
        "unabridged config set upstream ollama",
        "unabridged config set tools tools.py,more.py",
        "unabridged config set max_turns 20 --agent tutor",
        "unabridged config set window 8192 --model qwen2.5:7b",
    ),
)
@click.argument("name")
@click.argument("value")
@common("home", "agent", "model", "json")
@invoked
def set_command(invocation: Invocation, name: str, value: str) -> None:
    """Write a setting into the settings file.

    Lists are separated by commas. "auto" leaves a number to the upstream. With --agent it holds for that agent alone, with --model for that model: its window, how much memory and answers take of it.
    """
    _change(invocation, name, value)


@command.command("unset", epilog=example("unabridged config unset upstream"))
@click.argument("name")
@common("home", "agent", "model", "json")
@invoked
def unset_command(invocation: Invocation, name: str) -> None:
    """Remove a setting from the settings file: its default holds again, or with --agent or --model what holds for all."""
    _change(invocation, name, None)


@command.command("path", epilog=example('$EDITOR "$(unabridged config path)"'))
@common("home", "json")
@invoked
def path_command(invocation: Invocation) -> None:
    """Print the path of the settings file, whether it is there or not."""
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
            told = f"It is overruled by {source}."
    except SettingError as error:
        told = f"Another setting is wrong, though: {error} {error.hint}"
    if invocation.json:
        invocation.emit({"name": name, "value": value, "path": path, "note": told})
        return
    whose = f" for the {holder[0].removesuffix('s')} {holder[1]}" if holder else ""
    verb = "set" if value is not None else "not set"
    done = f"{name} is {verb}{whose} in {path}."
    echo(f"{done} {told}".strip())


def _holder(invocation: Invocation) -> Holder | None:
    agent, model = invocation.given("agent"), invocation.given("model")
    if agent and model:
        raise InputError(
            "A setting holds for one agent or for one model.",
            hint="Keep one of --agent and --model.",
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
