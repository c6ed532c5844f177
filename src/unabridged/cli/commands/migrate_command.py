"""``unabridged migrate``."""

from pathlib import Path

import click

from unabridged.cli.format import count
from unabridged.cli.options import MEMORY, Invocation
from unabridged.cli.output import echo, echo_lines
from unabridged.cli.paint import Column, table, width
from unabridged.cli.plain_command import plain_command
from unabridged.cli.progress import counted
from unabridged.errors import InputError, TransferError
from unabridged.factory.migration import MigrationPlan, Migrations, State

_LAST = "last"
_OPTIONS = tuple(name for name in MEMORY if name != "model")
MISSED_SHOWN = 20
"""The most failed records to show."""


@plain_command(
    "migrate",
    "unabridged migrate WorkspaceAI --dry-run",
    "unabridged migrate WorkspaceAI --model qwen2.5:7b",
    "unabridged migrate ~/.dana --profile agent",
    "unabridged migrate --list",
    "unabridged migrate --rollback",
    audit="migrate",
    options=_OPTIONS,
)
@click.argument("folder", required=False, metavar="[FOLDER]")
@click.option("--model", metavar="NAME", help="The model that answered exchanges that name none.")
@click.option("--dry-run", is_flag=True, help="Only show what would be imported.")
@click.option(
    "--rollback",
    is_flag=False,
    flag_value=_LAST,
    metavar="[ID]",
    help="Go back to the old folder: of the last migration, or of this one.",
)
@click.option("--list", "listed", is_flag=True, help="List the migrations.")
def command(
    invocation: Invocation,
    folder: str | None,
    *,
    model: str | None,
    dry_run: bool,
    rollback: str | None,
    listed: bool,
) -> None:
    """Import the folder of an older program, or go back to it.

    The programs are WorkspaceAI, Dana, ReqVIBE and EMM.

    The folder is only read. First it is saved whole in a zip file. Then its memory is imported to a new place and each exchange is compared. Then the new spaces are put in place, all or none. Agents of Dana and users of ReqVIBE keep their names; everything else belongs to --user and --agent. A model that nothing names stays unknown.

    What could not be read is listed, and the exit code is 7; everything else is imported. --dry-run ends with the exit code of the real run.

    --rollback exports what was said since, restores the folder byte by byte, and sets the new spaces aside. If a run is interrupted, repeat it to continue.
    """
    if [rollback is None, not listed, folder is None].count(False) != 1:
        raise InputError(
            "Name a folder, --rollback or --list.",
            hint="`unabridged migrate --help` shows examples.",
        )
    settings = invocation.settings()
    migrations = Migrations(settings)
    if listed:
        _list(invocation, migrations)
    elif rollback is not None:
        _roll_back(invocation, migrations, None if rollback == _LAST else rollback)
    elif folder is not None:
        _migrate(invocation, migrations, Path(folder), model or None, dry_run=dry_run)


def _migrate(
    invocation: Invocation,
    migrations: Migrations,
    folder: Path,
    model: str | None,
    *,
    dry_run: bool,
) -> None:
    act = migrations.plan if dry_run else migrations.migrate
    with counted(quiet=invocation.json, unit=" files") as moved:
        outlook = act(folder, model=model, moved=moved)
    _tell(invocation, migrations, outlook)
    if not outlook.taken.complete:
        raise click.exceptions.Exit(TransferError.exit_code)


def _tell(invocation: Invocation, migrations: Migrations, outlook: MigrationPlan) -> None:
    taken, state = outlook.taken, outlook.state
    if invocation.json:
        invocation.emit(_data(migrations, outlook))
        return
    listed = sorted(taken.missed, key=lambda each: not each.failed)
    for missed in listed[:MISSED_SHOWN]:
        where = f"{missed.file}, {missed.where}: {missed.reason}"
        echo(f"  {'failed' if missed.failed else 'note'}: {where}", "warn", err=True)
    if len(taken.missed) > MISSED_SHOWN:
        echo(f"  and {len(taken.missed) - MISSED_SHOWN:,} more; --json lists all", "warn", err=True)
    files = count(len(outlook.found.sources), "file")
    what = f"{count(taken.exchanges, 'exchange')} in {count(taken.conversations, 'conversation')}"
    asked = f"; {count(taken.requirements, 'requirement')}" if taken.requirements else ""
    echo(f"{files}: {what}{asked}, for {', '.join(sorted(s.name for s in taken.spaces))}.")
    if taken.nameless:
        unknown = f"{count(taken.nameless, 'exchange')} without a model; it stays unknown."
        echo(f"{unknown} To name it: --model NAME", "dim")
    if state is None:
        echo("Nothing was written (--dry-run).", "dim")
        return
    echo(f"Imported and compared (migration {state.id}). The folder is unchanged.")
    echo(f"  Its files are saved in {migrations.archive(state.id)}", "dim")
    echo("  Facts are learned as you chat, or now: unabridged condense", "dim")
    echo(f"  Go back: unabridged migrate --rollback {state.id}", "dim")


def _data(migrations: Migrations, outlook: MigrationPlan) -> dict[str, object]:
    taken, state = outlook.taken, outlook.state
    return {
        "id": state.id if state else None,
        "folder": outlook.folder,
        "files": [{"name": s.name, "format": s.format} for s in outlook.found.sources],
        "left_alone": outlook.found.others,
        "spaces": {space.name: len(held) for space, held in sorted(taken.spaces.items())},
        "conversations": taken.conversations,
        "exchanges": taken.exchanges,
        "requirements": taken.requirements,
        "without_model": taken.nameless,
        "missed": taken.missed,
        "digest": taken.digest,
        "archive": migrations.archive(state.id) if state else None,
    }


def _roll_back(invocation: Invocation, migrations: Migrations, migration: str | None) -> None:
    state = migrations.roll_back(migration)
    if invocation.json:
        invocation.emit(_state_data(state) | {"aside": migrations.aside(state.id)})
        return
    for path in state.since:
        echo(f"Exported what was said since to {path}; `unabridged import` reads it.")
    for name in state.absent:
        echo(f"Skipped {name}: it was renamed or forgotten since.", "warn")
    if state.changed:
        echo(f"The changed folder is in {state.changed}.")
    echo(f"Restored {state.folder} as before migration {state.id}.")
    echo(f"  The spaces made from it are in {migrations.aside(state.id)}.", "dim")


def _list(invocation: Invocation, migrations: Migrations) -> None:
    states = migrations.list()
    if invocation.json:
        invocation.emit([_state_data(state) for state in states])
        return
    if not states:
        echo("Nothing was migrated.", "dim")
        return
    columns = [
        Column("id"),
        Column("state"),
        Column("folder", flexible=True),
        Column("exchanges", right=True),
        Column("spaces", flexible=True),
    ]
    rows = [
        (s.id, s.phase, s.folder, f"{s.exchanges:,}", ", ".join(n.name for n in s.named))
        for s in states
    ]
    echo_lines(table(columns, rows, width()))


def _state_data(state: State) -> dict[str, object]:
    return {name: getattr(state, name) for name in state.__struct_fields__ if name != "spaces"} | {
        "spaces": [space.name for space in state.named]
    }
