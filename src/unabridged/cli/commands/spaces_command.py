"""``unabridged spaces``."""

from pathlib import Path

import click

from unabridged.cli.format import count, size
from unabridged.cli.open_from_options import open_home
from unabridged.cli.options import PLACE, Invocation, common, example, invoked
from unabridged.cli.other_profiles import under_profiles
from unabridged.cli.output import echo, echo_lines, plain
from unabridged.cli.paint import Column, paint, table, width
from unabridged.cli.parse_space import parse_space
from unabridged.cli.terminal_text import safe, wrap
from unabridged.domain.scope import SpaceId
from unabridged.errors import InputError, NotFoundError
from unabridged.factory.home import Home


@click.group(
    "spaces",
    invoke_without_command=True,
    epilog=example(
        "unabridged spaces",
        "unabridged spaces rename default/default ann/default",
        "unabridged spaces merge ann/work ann/default",
    ),
)
@common(*PLACE)
@click.pass_context
def command(ctx: click.Context) -> None:
    """List, rename or merge spaces: whose memory is kept apart.

    A space is written USER/AGENT, or USER/AGENT/MODEL where models are kept apart too.
    """
    if ctx.invoked_subcommand is None:
        ctx.invoke(list_command)


@command.command("list", epilog=example("unabridged spaces list --json"))
@common(*PLACE)
@invoked
def list_command(invocation: Invocation) -> None:
    """List the spaces."""
    spaces = open_home(invocation).spaces()
    if invocation.json:
        invocation.emit([{"name": _name(info.space, info.path), **plain(info)} for info in spaces])
        return
    apart = under_profiles(invocation.settings())
    if not spaces:
        echo("There is no space yet; `unabridged chat` begins one.", "dim")
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
        echo_lines(["", *wrap(safe(one.damaged), width())])
        echo_lines(paint(line, "dim") for line in wrap(safe(one.hint), width()))
    echo_lines([paint(apart, "dim")] if apart else [])


@command.command("rename", epilog=example("unabridged spaces rename default/default ann/default"))
@click.argument("old")
@click.argument("new")
@common(*PLACE)
@invoked
def rename_command(invocation: Invocation, old: str, new: str) -> None:
    """Rename a space."""
    home = open_home(invocation)
    source, target = find_space(home, old), _named(invocation, new)
    home.rename(source, target)
    invocation.answer(
        {"old": source.name, "new": target.name}, f"{source.name} is now {target.name}."
    )


@command.command("merge", epilog=example("unabridged spaces merge ann/work ann/default"))
@click.argument("source")
@click.argument("into")
@common(*PLACE)
@invoked
def merge_command(invocation: Invocation, source: str, into: str) -> None:
    """Copy everything of a space into another; the source stays as it is."""
    home = open_home(invocation)
    origin, target = find_space(home, source), find_space(home, into)
    added = home.merge(origin, target)
    invocation.answer(
        {"source": origin.name, "into": target.name, "added": added},
        f"{count(added, 'exchange')} of {origin.name} came into {target.name}.",
    )


@command.command("set-aside", epilog=example("unabridged spaces set-aside default/default"))
@click.argument("name")
@click.option("--force", is_flag=True, help="Also where no damage shows.")
@common(*PLACE)
@invoked
def quarantine_command(invocation: Invocation, name: str, *, force: bool) -> None:
    """Move a damaged space out of the way, so that a new one can begin; nothing is deleted."""
    home, space = open_home(invocation), _named(invocation, name)
    if not force and any(info.space == space and not info.damaged for info in home.spaces()):
        raise InputError(
            f"{name} shows no damage.",
            hint="`unabridged doctor` looks closer; --force sets it aside all the same.",
        )
    path = home.quarantine(space)
    invocation.answer(
        {"space": name, "path": path},
        f"{name} lies in {path} now; the next message begins a new space.",
    )


def _named(invocation: Invocation, text: str) -> SpaceId:
    return parse_space(text, invocation.settings().isolation)


def find_space(home: Home, text: str) -> SpaceId:
    """Give the space of that name, also where a name in it holds a slash.

    Raises:
        NotFoundError: There is none.
    """
    for info in home.spaces():
        if info.space and info.space.name == text:
            return info.space
    raise NotFoundError(f"There is no space {text!r}.", hint="`unabridged spaces` lists them.")


def _name(space: SpaceId | None, path: Path) -> str:
    return space.name if space else path.name
