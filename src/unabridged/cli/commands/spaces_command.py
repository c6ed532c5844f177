"""``unabridged spaces``."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from unabridged.cli.format import count, size
from unabridged.cli.open_from_options import open_home
from unabridged.cli.options import Invocation
from unabridged.cli.other_profiles import under_profiles
from unabridged.cli.output import echo, echo_lines, plain
from unabridged.cli.paint import Column, paint, table, width
from unabridged.cli.parse_space import parse_space
from unabridged.cli.plain_command import PlainGroup
from unabridged.cli.terminal_text import wrap
from unabridged.domain.scope import SpaceId
from unabridged.errors import InputError, NotFoundError

if TYPE_CHECKING:
    from unabridged.factory.home import Home

command = PlainGroup(
    "spaces",
    """List, rename, merge or copy spaces.

    A space is one memory, kept apart from the others. Its name is USER/AGENT, or USER/AGENT/MODEL if each model has its own.
    """,
    "unabridged spaces",
    "unabridged spaces rename default/default ann/default",
    "unabridged spaces copy ann/default file:ann.db",
    default="list",
)


@command.sub("list", "unabridged spaces list --json")
def list_command(invocation: Invocation) -> None:
    """List the spaces."""
    spaces = open_home(invocation).spaces()
    if invocation.json:
        invocation.emit([{"name": _name(info.space, info.path), **plain(info)} for info in spaces])
        return
    apart = under_profiles(invocation.settings())
    if not spaces:
        echo("There is no space yet. Begin one: unabridged chat", "dim")
        echo_lines([paint(apart, "dim")] if apart else [])
        return
    columns = [
        Column("space", flexible=True),
        Column("sessions", right=True),
        Column("exchanges", right=True),
        Column("size", right=True),
        Column("", style="bad"),
    ]
    rows = [
        (
            _name(i.space, i.path),
            f"{i.sessions:,}",
            f"{i.exchanges:,}",
            size(i.bytes),
            "damaged" if i.damaged else "",
        )
        for i in spaces
    ]
    echo_lines(table(columns, rows, width()))
    for one in (info for info in spaces if info.damaged):
        echo_lines(["", *wrap(one.damaged, width())])
        echo_lines(paint(line, "dim") for line in wrap(one.hint, width()))
    echo_lines([paint(apart, "dim")] if apart else [])


@command.sub(
    "rename", "unabridged spaces rename default/default ann/default", audit="spaces.rename"
)
@click.argument("old")
@click.argument("new")
def rename_command(invocation: Invocation, old: str, new: str) -> None:
    """Rename a space."""
    home = open_home(invocation)
    source, target = find_space(home, old), _named(invocation, new)
    home.rename(source, target)
    invocation.answer(
        {"old": source.name, "new": target.name}, f"Renamed {source.name} to {target.name}."
    )


@command.sub("merge", "unabridged spaces merge ann/work ann/default", audit="spaces.merge")
@click.argument("source")
@click.argument("into")
def merge_command(invocation: Invocation, source: str, into: str) -> None:
    """Copy everything in a space into another; the source stays as it is."""
    home = open_home(invocation)
    origin, target = find_space(home, source), find_space(home, into)
    added = home.merge(origin, target)
    invocation.answer(
        {"source": origin.name, "into": target.name, "added": added},
        f"Merged {count(added, 'exchange')} of {origin.name} into {target.name}.",
    )


@command.sub("set-aside", "unabridged spaces set-aside default/default")
@click.argument("name")
@click.option("--force", is_flag=True, help="Set it aside even if no damage is found.")
def quarantine_command(invocation: Invocation, name: str, *, force: bool) -> None:
    """Set a damaged space aside, so that a new one can begin; nothing is deleted."""
    home, space = open_home(invocation), _named(invocation, name)
    if not force and any(info.space == space and not info.damaged for info in home.spaces()):
        raise InputError(
            f"No damage found in {name}.",
            hint="Check it: unabridged doctor. Set it aside anyway: --force.",
        )
    path = home.quarantine(space)
    invocation.answer(
        {"space": name, "path": path},
        f"Set {name} aside in {path}. The next message begins a new space.",
    )


def _named(invocation: Invocation, text: str) -> SpaceId:
    return parse_space(text, invocation.settings().isolation)


def find_space(home: "Home", text: str) -> SpaceId:
    """Return the space of a name, also if a part of it contains a slash.

    Raises:
        NotFoundError: There is no such space.
    """
    for info in home.spaces():
        if info.space and info.space.name == text:
            return info.space
    raise NotFoundError(f"There is no space {text!r}.", hint="List them: unabridged spaces")


def _name(space: SpaceId | None, path: Path) -> str:
    return space.name if space else path.name


@command.sub(
    "copy",
    "unabridged spaces copy ann/default ann/archive",
    "unabridged spaces copy sqlite: sqlite: --to-home /mnt/stick/memory",
    "unabridged spaces copy ann/default file:ann.db",
    "unabridged spaces copy file:ann.db sqlite:ann/default",
    audit="spaces.copy",
)
@click.argument("source", metavar="FROM")
@click.argument("target", metavar="TO")
@click.option("--from-home", metavar="FOLDER", help="The home of FROM, instead of this one.")
@click.option("--to-home", metavar="FOLDER", help="The home of TO, instead of this one.")
def copy_command(
    invocation: Invocation,
    source: str,
    target: str,
    from_home: str | None,
    to_home: str | None,
) -> None:
    """Copy spaces to another space, home or file, and compare them.

    FROM and TO are [STORE:][SPACE]: the store is sqlite, or that of the settings; a space is USER/AGENT[/MODEL]. Without a space every space is copied under its own name. file:PATH is a single SQLite file.

    FROM is only read, and what TO holds stays. If it is interrupted, copy again: nothing is added twice. Afterwards both are read again and must have the same digest.
    """
    from unabridged.cli.copy_spaces import copy_spaces  # noqa: PLC0415 - slow, and help needs none

    copy_spaces(invocation, (source, from_home), (target, to_home))
