"""``unabridged profiles``."""

from pathlib import Path
from typing import Any

import click

from unabridged import config
from unabridged.cli.options import PLACE, Invocation, common, example, invoked
from unabridged.cli.output import echo, echo_lines, plain
from unabridged.cli.paint import Column, paint, table, width
from unabridged.cli.terminal_text import one_line, wrap
from unabridged.config.descriptions import meanings
from unabridged.config.file import write_text
from unabridged.config.profiles import (
    SUFFIX,
    Profile,
    check_new,
    names,
    own_folder,
    profile_of,
)
from unabridged.disk.folders import private_folder
from unabridged.domain.settings import Settings
from unabridged.errors import SettingError

_TEMPLATE = """title = "{title}"
extends = "{base}"

# Settings that shall differ; `unabridged profiles show {base}` lists those that it has,
# `unabridged config` all that there are.
[settings]
"""


@click.group(
    "profiles",
    invoke_without_command=True,
    epilog=example(
        "unabridged profiles",
        "unabridged profiles show companion",
        "unabridged chat --profile companion",
        "unabridged config set profile companion",
    ),
)
@common(*PLACE)
@click.pass_context
def command(ctx: click.Context) -> None:
    """List the profiles: settings that go together, under one name.

    A profile is chosen for one call (--profile NAME), for good (`unabridged config set profile NAME`), for one agent (the same with --agent), or for one key of the server (`unabridged keys create --profile NAME`). What you set yourself in the same place, or in one that counts for more, goes before what the profile says.
    """
    if ctx.invoked_subcommand is None:
        ctx.invoke(list_command)


@command.command("list", epilog=example("unabridged profiles list --json"))
@common(*PLACE)
@invoked
def list_command(invocation: Invocation) -> None:
    """List the profiles."""
    home = config.home_of(invocation.given("home"))
    chosen, trouble = "", ""
    try:
        chosen = invocation.reading().settings.profile
    except SettingError as error:  # who looks for the way out shall see what there is
        trouble = f"{error} {error.hint}"
    profiles = [_read(name, home) for name in names(home)]
    if invocation.json:
        invocation.emit(
            [{**_data(p), "chosen": p.name == chosen, "error": wrong} for p, wrong in profiles]
        )
        return
    if trouble:
        echo_lines([paint(line, "bad") for line in wrap(trouble, width())])
    rows = [("*" if p.name == chosen else "", p.name, *_about(p, wrong)) for p, wrong in profiles]
    columns = [Column(""), Column("profile"), Column("what it is", flexible=True)]
    echo_lines(table([*columns, Column("from", style="dim")], rows, width()))
    echo("\n`unabridged profiles show NAME` explains one; --profile NAME uses it.", "dim")


@command.command(
    "show", epilog=example("unabridged profiles show workspace", "unabridged profiles show mine")
)
@click.argument("name")
@common(*PLACE)
@invoked
def show_command(invocation: Invocation, name: str) -> None:
    """Say what each setting of a profile does, and where it comes from."""
    home = config.home_of(invocation.given("home"))
    profile = profile_of(name, home)
    reading = config.read(home=home, **{**invocation.chosen(), "profile": name})
    rows = [_row(profile, reading, setting) for setting in profile.values]
    if invocation.json:
        settings = {row.pop("setting"): row for row in rows}
        invocation.emit({**_data(profile), "about": profile.about, "settings": settings})
        return
    echo_lines([paint(profile.title, "bold"), *wrap(" ".join(profile.about.split()), width()), ""])
    for row in rows:
        echo_lines(_lines(row))
    echo_lines([paint(line, "dim") for line in wrap(_origin(profile), width())])


@command.command("new", epilog=example("unabridged profiles new tutor --extends companion"))
@click.argument("name")
@click.option("--extends", "base", required=True, metavar="NAME", help="The one it stands on.")
@common(*PLACE)
@invoked
def new_command(invocation: Invocation, name: str, base: str) -> None:
    """Begin a profile of your own that stands on another one.

    It is a short text file, to be changed with an editor.
    """
    home = config.home_of(invocation.given("home"))
    beneath = profile_of(base, home)
    check_new(name, home)
    path = own_folder(home) / f"{name}{SUFFIX}"
    config.folder(home, "config")
    private_folder(path.parent)
    write_text(path, _TEMPLATE.format(title=beneath.title.replace('"', "'"), base=base))
    invocation.answer(
        {"name": name, "path": path},
        f"Written: {path}",
        paint(
            f"Change it with an editor, look at it with `unabridged profiles show {name}`,", "dim"
        ),
        paint(f"and use it with `unabridged chat --profile {name}`.", "dim"),
    )


def _read(name: str, home: Path) -> tuple[Profile, str]:
    try:
        return profile_of(name, home), ""
    except SettingError as error:
        path = own_folder(home) / f"{name}{SUFFIX}"
        return Profile(name, "", "", {}, {}, {}, path=path), f"{error} {error.hint}"


def _about(profile: Profile, wrong: str) -> tuple[str, str]:
    if wrong:
        return f"cannot be used: {one_line(wrong)}", ""
    return profile.title, profile.seed or (f"on {profile.extends}" if profile.extends else "")


def _data(profile: Profile) -> dict[str, Any]:
    return {
        "name": profile.name,
        "title": profile.title,
        "seed": profile.seed,
        "extends": profile.extends,
        "path": profile.path,
    }


def _row(profile: Profile, reading: config.LoadedSettings, setting: str) -> dict[str, Any]:
    source = reading.sources[setting]
    return {
        "setting": setting,
        "value": plain(profile.values[setting]),
        "otherwise": plain(getattr(Settings(), setting)),
        "meaning": meanings().get(setting, ""),
        "reason": profile.reasons.get(setting, ""),
        "from": profile.origins[setting],
        "inherited": profile.origins[setting] != profile.name,
        "overruled_by": "" if source == f"profile {profile.name}" else source,
        "holds": plain(getattr(reading.settings, setting)),
    }


def _lines(row: dict[str, Any]) -> list[str]:
    value, otherwise = (_shown(row["setting"], row[key]) for key in ("value", "otherwise"))
    usual = "as everywhere" if value == otherwise else f"else {otherwise}"
    lines = [f"{paint(row['setting'], 'accent')} = {value}  {paint(f'({usual})', 'dim')}"]
    if row["inherited"]:
        row["reason"] += f" (from {row['from']})"
    if row["reason"]:
        lines += [f"  {line}" for line in wrap(row["reason"].strip(), width() - 2)]
    if row["overruled_by"]:
        told = f"overruled here: {_shown(row['setting'], row['holds'])}, by {row['overruled_by']}"
        lines += [paint(f"  {line}", "warn") for line in wrap(told, width() - 2)]
    meaning = row["meaning"].replace("``", "`")
    return [*lines, *(paint(f"  {line}", "dim") for line in wrap(meaning, width() - 2)), ""]


def _shown(setting: str, value: Any) -> str:
    return config.shown(setting, tuple(value) if isinstance(value, list) else value) or "nothing"


def _origin(profile: Profile) -> str:
    parts = [f"It comes from the design of {profile.seed}."] if profile.seed else []
    if profile.extends:
        parts.append(f"It stands on {profile.extends}.")
    if profile.path:
        parts.append(f"It is yours: {profile.path}")
    else:
        parts.append(f"One of your own: unabridged profiles new NAME --extends {profile.name}")
    return " ".join([*parts, f"Use it: unabridged chat --profile {profile.name}"])
