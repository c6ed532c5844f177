"""``unabridged backup``."""

from pathlib import Path

import click

from unabridged.cli.confirm import confirm
from unabridged.cli.format import count, moment, size
from unabridged.cli.open_from_options import named, open_safekeeping
from unabridged.cli.options import MEMORY, PLACE, Invocation
from unabridged.cli.output import echo
from unabridged.cli.paint import paint, width
from unabridged.cli.parse_moment import parse_past, parse_time
from unabridged.cli.parse_space import parse_space
from unabridged.cli.plain_command import PlainGroup
from unabridged.cli.progress import Stages
from unabridged.cli.terminal_text import wrap
from unabridged.cli.verify_backups import verify_home
from unabridged.cli.views.forgetting import rewritten_lines
from unabridged.clock import SystemClock
from unabridged.domain.backup_results import Backup, RestoreResult
from unabridged.errors import InputError

command = PlainGroup(
    "backup",
    """Create, list, verify, restore or prune backups.

    A backup is one zip file that only you can read. It holds a space as it was at one moment, without the index, which is built again. An encrypted space stays encrypted in it; the settings of a home, which may hold API keys, do not.
    """,
    "unabridged backup create --keep 7",
    "unabridged backup list",
    "unabridged backup restore --at 2026-03-01",
    options=MEMORY,
    default="list",
)


@command.sub(
    "create",
    "unabridged backup create --keep 7",
    "unabridged backup create --all -o /media/stick/memory.zip",
    audit="backups.create",
)
@click.option("--all", "everything", is_flag=True, help="Back up the whole home, with settings.")
@click.option(
    "-o", "--output", metavar="FILE", help="Write this file.  [default: in backups/ of the home]"
)
@click.option(
    "--keep",
    type=click.IntRange(1),
    metavar="N",
    help="Then remove all but the newest N backups of the same space or home.",
)
def create_command(
    invocation: Invocation, output: str | None, keep: int | None, *, everything: bool
) -> None:
    """Create a backup of a space or of the whole home, while others write.

    Every backup is verified before it gets its name: unpacked, opened, each row checked.
    """
    if keep and output:
        raise InputError(
            "--keep works only in backups/ of the home.", hint="Remove --output or --keep."
        )
    if everything:
        make = open_safekeeping(invocation).backup_all
    else:
        make = open_safekeeping(invocation, named(invocation)).backup
    with Stages(quiet=invocation.json) as stages:
        made, gone = make(output=Path(output) if output else None, keep=keep, moved=stages.show)
    invocation.count = len(made.spaces)
    invocation.answer(
        {"backup": made, "removed": gone},
        f"Backed up {_held(made)} to {made.path} ({size(made.bytes)}).",
        *(paint(f"Removed {path}.", "dim") for path in gone),
    )
    for name, reason in made.left_out:
        echo(f"Left out: {name} ({reason})", "bad", err=True)
    if made.left_out:
        raise click.exceptions.Exit(1)


@command.sub("list", "unabridged backup list --json", options=PLACE)
def list_command(invocation: Invocation) -> None:
    """List the backups in the home, newest first."""
    found = open_safekeeping(invocation).backups()
    empty = "There is no backup yet. Create one: unabridged backup create"
    invocation.answer(found, *(line for one in found for line in _listed(one)), empty=empty)


@command.sub(
    "verify",
    "unabridged backup verify",
    "unabridged backup verify --read-data",
    "unabridged backup verify ~/memory.zip",
    options=PLACE,
)
@click.argument("file", required=False)
@click.option("--read-data", is_flag=True, help="Read back every backup in the home whole.")
@click.option("--due", is_flag=True, help="Read back those that `backup_verify_every` makes due.")
def verify_command(invocation: Invocation, file: str | None, *, read_data: bool, due: bool) -> None:
    """Verify backups: unpack them, open them, check every byte, digest and row.

    FILE is a path, or the name of a file in backups/ of the home; it is read whole. Without FILE, show when each backup in the home was last read whole, and read nothing. With --read-data, read them all; if you interrupt it, the next run continues. `unabridged serve` reads each one within `backup_verify_every` days; without a server, run --due every day.

    If a backup cannot be read, the exit code is 1.
    """
    if sum([file is not None, read_data, due]) > 1:
        raise InputError("These options exclude each other.", hint="Keep one of them.")
    if file is not None:
        with Stages(quiet=invocation.json) as stages:
            found = open_safekeeping(invocation).verify(file, stages.show)
        invocation.answer(found, f"Verified: {_held(found)}, from {moment(found.at)}.")
        return
    verify_home(invocation, read_data=read_data, due=due)


@command.sub(
    "restore",
    "unabridged backup restore --at 2026-03-01",
    "unabridged backup restore memory.zip --as ann/yesterday",
    "unabridged backup restore memory.zip --replace",
    audit="backups.restore",
)
@click.argument("file", required=False)
@click.option(
    "--at",
    metavar="TIME",
    help="Restore the space as it was then.",
)
@click.option(
    "--all",
    "everything",
    is_flag=True,
    help="With --at: the last backup of the whole home until then.",
)
@click.option("--as", "renamed", metavar="USER/AGENT", help="Restore it under another name.")
@click.option(
    "--replace", is_flag=True, help="Set an existing space aside first, and print its path."
)
@click.option("--with-forgotten", is_flag=True, help="Also restore what was forgotten since.")
def restore_command(
    invocation: Invocation,
    file: str | None,
    at: str | None,
    renamed: str | None,
    *,
    everything: bool,
    replace: bool,
    with_forgotten: bool,
) -> None:
    """Restore a backup, or a space as it was at a moment, without overwriting anything.

    FILE is a path, or the name of a file in backups/ of the home. TIME is a date or a date and a time, such as 2026-03-01T18:00; a date means the end of that day. With --at, the space itself is copied without what was said later; if it is gone or damaged, the next backup after TIME is. Titles, pins and withdrawn facts stay as they are now.

    An existing space is an error, unless --replace sets it aside first. What was forgotten since is left out, unless --with-forgotten is given; a space that was forgotten whole is an error. Everything is unpacked and verified before anything changes; if it is interrupted, each space is either as before or as in the backup. A backup of the whole home restores settings only if there are none.
    """
    if (file is None) == (at is None) or (everything and not at):
        raise InputError("Name one backup.", hint="Use FILE, or --at TIME (with or without --all).")
    space = parse_space(renamed, invocation.settings().isolation) if renamed else None
    safe = open_safekeeping(invocation, None if everything or file else named(invocation))
    moment = parse_time(at, is_end=True) if at is not None else None
    source = safe.newest_of_home(moment) if moment and everything else None
    with Stages(quiet=invocation.json) as stages:
        if moment is None or source is not None:
            done = safe.restore(
                str(source or file),
                renamed=space,
                replace=replace,
                with_forgotten=with_forgotten,
                moved=stages.show,
            )
        else:
            done, source = safe.restore_at(
                moment,
                renamed=space,
                replace=replace,
                with_forgotten=with_forgotten,
                moved=stages.show,
            )
    invocation.count = len(done)
    if at is not None:
        echo(f"Source: {source or 'the space itself'}", "dim", err=True)
    invocation.answer(done, *(line for one in done for line in _restored(one)))


@command.sub(
    "prune",
    "unabridged backup prune",
    "unabridged backup prune --keep 7",
    "unabridged backup prune --older-than 90d --yes",
    options=PLACE,
    audit="backups.prune",
)
@click.option(
    "--keep", type=click.IntRange(1), metavar="N", help="Keep the newest N of each space and home."
)
@click.option(
    "--older-than", metavar="WHEN", help="Remove only those older than 12h, 30d, 8w or a date."
)
@click.option("--dry-run", is_flag=True, help="Only list what would be removed.")
@click.option("--yes", is_flag=True, help="Do not ask.")
def prune_command(
    invocation: Invocation, keep: int | None, older_than: str | None, *, dry_run: bool, yes: bool
) -> None:
    """Take what was forgotten since out of the backups in the home; remove old ones.

    Every backup that holds forgotten content is rewritten without it, and the old file is overwritten with zeros. With --keep or --older-than, old backups are removed first: the newest one of each space, and of the home, always stays. With both, only those go that are beyond N and older.
    """
    before = parse_past(older_than, SystemClock().now()) if older_than else None
    safe = open_safekeeping(invocation)
    gone = safe.prunable(keep=keep or 1, before=before) if keep or before else []
    freed = size(sum(path.stat().st_size for path in gone))
    if not invocation.json:
        for path in gone:
            echo(f"  {path.name}")
    if gone and not dry_run:
        confirm(f"Remove {count(len(gone), 'backup')} ({freed})?", yes=yes)
        safe.prune(gone)
    with Stages(quiet=invocation.json) as stages:
        rewritten = list(safe.rewritten(dry_run=dry_run, moved=stages.show))
    verb = "Would remove" if dry_run else "Removed"
    lines = [f"{verb} {count(len(gone), 'backup')} ({freed})."] if gone else []
    lines += rewritten_lines(rewritten, dry_run=dry_run)
    removed = "would_remove" if dry_run else "removed"
    invocation.answer(
        {removed: gone, "would_rewrite" if dry_run else "rewritten": rewritten},
        *(lines or ["Nothing to remove, and no backup holds what was forgotten."]),
    )
    if any(one.trouble for one in rewritten):
        raise click.exceptions.Exit(1)


def _listed(one: Backup) -> list[str]:
    said = one.trouble or f"{_held(one)}, {size(one.bytes)}"
    head = f"{moment(one.at) or 'unreadable'}  {said}"
    return [*wrap(head, width()), paint(f"  {Path(one.path).name}", "dim")]


def _restored(one: RestoreResult) -> list[str]:
    if one.there:
        return [paint(f"Unchanged: {one.space.name} is already as in the backup.", "dim")]
    lines = [f"Restored {one.space.name}: {count(one.exchanges, 'exchange')}."]
    if one.forgotten:
        lines.append("What was forgotten since the backup was left out.")
    return [*lines, f"The earlier space is now in {one.quarantine}."] if one.quarantine else lines


def _held(backup: Backup) -> str:
    exchanges = sum(one.exchanges for one in backup.spaces)
    return f"{_names(backup)}: {count(exchanges, 'exchange')}"


def _names(backup: Backup) -> str:
    if backup.home:
        return f"the whole home, {count(len(backup.spaces), 'space')}"
    return ", ".join(one.space.name for one in backup.spaces)
