"""Verifies the backups of a home, and says what was read."""

from collections.abc import Iterable, Iterator
from pathlib import Path

import click

from unabridged.cli.format import count, moment, size
from unabridged.cli.options import Invocation
from unabridged.cli.output import echo
from unabridged.cli.progress import Stages
from unabridged.clock import SystemClock
from unabridged.domain.backup_results import BackupRead

EMPTY = "There is no backup yet. Create one: unabridged backup create"


def verify_home(invocation: Invocation, *, read_data: bool, due: bool) -> None:
    """Read back backups of the home, or show when each was read; exit with 1 if one is damaged."""
    from unabridged.home.backup_reader import BackupReader  # noqa: PLC0415 - slow, and help needs none of it

    reading = BackupReader(invocation.settings(), SystemClock())
    if not (read_data or due):
        found = reading.states()
        invocation.answer(found, *map(_state_line, found), empty=EMPTY)
        _end(found)
        return
    try:
        with Stages(quiet=invocation.json) as stages:
            read = reading.read_all if read_data else reading.read_due
            found = list(_shown(invocation, read(stages.show)))
    except KeyboardInterrupt:
        echo("Interrupted. To continue, run the same command again.", err=True)
        raise
    bytes_read = sum(one.bytes for one in found if not one.earlier)
    earlier = sum(one.earlier for one in found)
    line = f"Read {count(len(found) - earlier, 'backup')} whole ({size(bytes_read)})"
    line += f"; {earlier:,} before the interruption." if earlier else "."
    empty = EMPTY if read_data and not reading.states() else "No backup is due."
    invocation.answer(found, *([line] if found else []), empty=empty)
    _end(found)


def _shown(invocation: Invocation, found: Iterable[BackupRead]) -> Iterator[BackupRead]:
    for one in found:
        if not invocation.json:
            _show(one)
        yield one


def _show(one: BackupRead) -> None:
    if one.trouble:
        echo(f"✗ {one.trouble}", "bad", err=True)
    elif not one.earlier:
        echo(f"✓ {Path(one.path).name}: every byte, digest and row ({size(one.bytes)})", "good")


def _state_line(one: BackupRead) -> str:
    if one.trouble:
        return f"✗ {one.trouble}"
    due = ", due" if one.due else ""
    return f"✓ {Path(one.path).name}: last read whole on {moment(one.read)}{due}"


def _end(found: Iterable[BackupRead]) -> None:
    if any(one.trouble for one in found):
        raise click.exceptions.Exit(1)
