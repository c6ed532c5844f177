"""``unabridged profiles``."""

from pathlib import Path
from typing import Any

import click

from unabridged import config
from unabridged.cli.options import Invocation
from unabridged.cli.output import echo, echo_lines, plain
from unabridged.cli.paint import Column, paint, table, width
from unabridged.cli.plain_command import PlainGroup
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

# Settings that differ. `unabridged profiles show {base}` lists its own,
# `unabridged config` lists all.
[settings]
"""


command = PlainGroup(
    "profiles",
    """List the profiles: named sets of settings.

    Choose a profile for one call (--profile NAME), for all calls (`unabridged config set profile NAME`), for one agent (the same with --agent), or for one API key (`unabridged keys create NAME --profile PROFILE`). A setting that you set yourself in the same place overrides the profile.
    """,
    "unabridged profiles",
    "unabridged profiles show companion",
    "unabridged chat --profile companion",
    "unabridged config set profile companion",
    default="list",
)


@command.sub("list", "unabridged profiles list --json")
def list_command(invocation: Invocation) -> None:
    """List the profiles."""
    home = config.home_of(invocation.given("home"))
    chosen, trouble = "", ""
    try:
        chosen = invocation.reading().settings.profile
    except SettingError as error:  # a person who corrects the settings needs the list
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
    columns = [Column(""), Column("profile"), Column("about", flexible=True)]
    echo_lines(table([*columns, Column("from", style="dim")], rows, width()))
    echo("\nExplain one: unabridged profiles show NAME. Use it: --profile NAME", "dim")


@command.sub("show", "unabridged profiles show workspace", "unabridged profiles show mine")
@click.argument("name")
def show_command(invocation: Invocation, name: str) -> None:
    """Explain each setting of a profile, and where it comes from."""
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


@command.sub("new", "unabridged profiles new tutor --extends companion")
@click.argument("name")
@click.option("--extends", "base", required=True, metavar="NAME", help="The profile to extend.")
def new_command(invocation: Invocation, name: str, base: str) -> None:
    """Create your own profile that extends another one.

    It is a short text file; change it with an editor.
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
        f"Created {path}.",
        paint(f"Change it with an editor. Show it: unabridged profiles show {name}", "dim"),
        paint(f"Use it: unabridged chat --profile {name}", "dim"),
    )


def _read(name: str, home: Path) -> tuple[Profile, str]:
    try:
        return profile_of(name, home), ""
    except SettingError as error:
        path = own_folder(home) / f"{name}{SUFFIX}"
        return Profile(name, "", "", {}, {}, {}, path=path), f"{error} {error.hint}"


def _about(profile: Profile, wrong: str) -> tuple[str, str]:
    if wrong:
        return f"invalid: {one_line(wrong)}", ""
    return profile.title, profile.seed or (f"extends {profile.extends}" if profile.extends else "")


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
    usual = "the default" if value == otherwise else f"default: {otherwise}"
    lines: list[str] = [
        paint(row["setting"], "accent") + f" = {value}  " + paint(f"({usual})", "dim")
    ]
    if row["inherited"]:
        row["reason"] += f" (from {row['from']})"
    if row["reason"]:
        lines += [f"  {line}" for line in wrap(row["reason"].strip(), width() - 2)]
    if row["overruled_by"]:
        told = f"overridden by {row['overruled_by']}: {_shown(row['setting'], row['holds'])}"
        lines += [paint(f"  {line}", "warn") for line in wrap(told, width() - 2)]
    meaning = row["meaning"].replace("``", "`")
    return [*lines, *(paint(f"  {line}", "dim") for line in wrap(meaning, width() - 2)), ""]


def _shown(setting: str, value: Any) -> str:
    return config.shown(setting, tuple(value) if isinstance(value, list) else value) or "nothing"


def _origin(profile: Profile) -> str:
    parts = [f"It follows the design of {profile.seed}."] if profile.seed else []
    if profile.extends:
        parts.append(f"It extends {profile.extends}.")
    if profile.path:
        parts.append(f"It is your own: {profile.path}.")
    else:
        parts.append(f"Create your own: unabridged profiles new NAME --extends {profile.name}.")
    return " ".join([*parts, f"Use it: unabridged chat --profile {profile.name}"])
