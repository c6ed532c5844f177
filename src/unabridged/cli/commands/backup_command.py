"""``unabridged backup``."""

from pathlib import Path

import click

from unabridged.cli.format import count, moment, size
from unabridged.cli.open_from_options import named, open_safekeeping
from unabridged.cli.options import MEMORY, PLACE, Invocation, common, example, invoked
from unabridged.cli.output import echo, echo_lines
from unabridged.cli.paint import Column, table, width
from unabridged.cli.progress import Stages
from unabridged.domain.backup_results import Backup
from unabridged.errors import InputError


@click.group(
    "backup",
    invoke_without_command=True,
    epilog=example(
        "unabridged backup --keep 7",
        "unabridged backup --all -o /media/stick/memory.zip",
        "unabridged backup verify memory.zip",
    ),
)
@click.option("--all", "everything", is_flag=True, help="The whole home, with its settings.")
@click.option("-o", "--output", metavar="FILE", help="Where to; else into backups/ of the home.")
@click.option(
    "--keep",
    type=click.IntRange(1),
    metavar="N",
    help="Keep the newest N of this kind in backups/ and remove older ones.",
)
@common(*MEMORY)
@click.pass_context
def command(ctx: click.Context, *, everything: bool, output: str | None, keep: int | None) -> None:
    """Back up a space or the whole home, while others write; list or prove backups.

    A backup is one zip file, for its owner only: the space as it was at one moment, without the index, which is made anew. It gets its name when it was unpacked again, opened, and every row of it checked. An encrypted space stays encrypted in it; the settings of a home, which may hold keys of servers, do not.
    """
    if ctx.invoked_subcommand is None:
        _make(Invocation(ctx), output, keep, everything=everything)


def _make(
    invocation: Invocation, output: str | None, keep: int | None, *, everything: bool
) -> None:
    if keep and output:
        raise InputError("--keep is for backups in the home.", hint="Leave out --output or --keep.")
    if everything:
        make = open_safekeeping(invocation).backup_all
    else:
        make = open_safekeeping(invocation, named(invocation)).backup
    with Stages(quiet=invocation.json) as stages:
        made, gone = make(output=Path(output) if output else None, keep=keep, moved=stages.show)
    if invocation.json:
        invocation.emit({"backup": made, "removed": gone})
    else:
        echo(f"{_held(made)} in {made.path} ({size(made.bytes)}), proved by opening it.")
        for path in gone:
            echo(f"Removed {path}.", "dim")
    for name, reason in made.left_out:
        echo(f"Left out: {name} ({reason})", "bad", err=True)
    if made.left_out:
        raise click.exceptions.Exit(1)


@command.command("list", epilog=example("unabridged backup list --json"))
@common(*PLACE)
@invoked
def list_command(invocation: Invocation) -> None:
    """List the backups in the home, the newest first."""
    found = open_safekeeping(invocation).backups()
    if invocation.json:
        invocation.emit(found)
        return
    if not found:
        echo("There is no backup yet; `unabridged backup` makes one.", "dim")
        return
    columns = [
        Column("made"),
        Column("holds", flexible=True),
        Column("exchanges", right=True),
        Column("size", right=True),
        Column("file", flexible=True),
    ]
    rows = [
        (
            moment(one.at),
            one.trouble or _names(one),
            f"{sum(held.exchanges for held in one.spaces):,}",
            size(one.bytes),
            Path(one.path).name,
        )
        for one in found
    ]
    echo_lines(table(columns, rows, width()))


@command.command("verify", epilog=example("unabridged backup verify ~/memory.zip"))
@click.argument("file")
@common(*PLACE)
@invoked
def verify_command(invocation: Invocation, file: str) -> None:
    """Prove a backup: unpack it, open it, check every row."""
    with Stages(quiet=invocation.json) as stages:
        found = open_safekeeping(invocation).verify(file, stages.show)
    invocation.answer(found, f"Sound: {_held(found)}, of {moment(found.at)}.")


def _held(backup: Backup) -> str:
    exchanges = sum(one.exchanges for one in backup.spaces)
    return f"{_names(backup)}: {count(exchanges, 'exchange')}"


def _names(backup: Backup) -> str:
    if backup.home:
        return f"the whole home, {count(len(backup.spaces), 'space')}"
    return ", ".join(one.space.name for one in backup.spaces)
