"""Taking over files of other programs: reading, storing, keeping aside, telling."""

import io
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any, BinaryIO

import click

from unabridged import config
from unabridged.cli.format import count
from unabridged.cli.maintain import embed_recorded, maintain_all
from unabridged.cli.options import Invocation
from unabridged.cli.output import echo, echo_error
from unabridged.cli.paint import width
from unabridged.cli.progress import bar
from unabridged.cli.terminal_text import safe, wrap
from unabridged.domain.fact import Requirement
from unabridged.domain.record import Record
from unabridged.domain.results import SkippedRecord, Transcript
from unabridged.domain.session import Session
from unabridged.errors import DuplicateIdError, TransferError, UnabridgedError
from unabridged.home.encryption import sealer
from unabridged.space.space import Space
from unabridged.transfer.native_jsonl import write_jsonl
from unabridged.transfer.reader import FormatReader
from unabridged.transfer.unreadable import Aside

UNREAD_SHOWN = 20
"""Records that could not be read, as many as a person is shown."""
UNREAD_LISTED = 10_000
"""As many as JSON lists; a hostile file has millions."""
_STEPS = 1000
_PAGE = 200

Opener = Callable[[str | Path | BinaryIO], FormatReader]


@dataclass
class ImportReport:
    """What became of one file."""

    file: str
    format: str = ""
    conversations: int = 0
    exchanges: int = 0
    added: int = 0
    records: int = 0
    records_added: int = 0
    requirements: int = 0
    unread: list[SkippedRecord] = field(default_factory=list)
    unread_count: int = 0
    kept_aside: str = ""
    notes: list[str] = field(default_factory=list)
    error: str = ""
    hint: str = ""

    def passed_over(self, unread: SkippedRecord) -> None:
        """Count a record that could not be read, and list it where there is room."""
        self.unread_count += 1
        if len(self.unread) < UNREAD_LISTED:
            self.unread.append(SkippedRecord(unread.where, unread.reason))


def take_all(
    invocation: Invocation,
    files: Sequence[str],
    space: Space | None,
    opener: Opener,
    at: datetime,
) -> None:
    """Take over files, one after the other, and tell what became of them.

    Args:
        invocation: The call.
        files: Paths, or ``-`` for standard input.
        space: Where they go; None only counts what is there.
        opener: Opens one.
        at: The time, for the names of what is kept aside.

    Raises:
        Exit: A file could not be read at all.
    """
    before = space.sessions.newest() if space else None
    reports = [ImportReport(file) for file in files]
    try:
        for report in reports:
            _take_or_tell(invocation, report, space, opener, at)
    except KeyboardInterrupt:
        _tell(invocation, reports, dry_run=space is None)
        raise
    _tell(invocation, reports, dry_run=space is None)
    added = sum(report.added for report in reports)
    if space is not None and added:
        _embed(space, added, quiet=invocation.json)
        _maintain(space, before, quiet=invocation.json)
    if any(report.error for report in reports):
        raise click.exceptions.Exit(TransferError.exit_code)


def _take_or_tell(
    invocation: Invocation, report: ImportReport, space: Space | None, opener: Opener, at: datetime
) -> None:
    aside = Aside(report.file)
    try:
        _take(report, space, aside, opener, quiet=invocation.json)
    except TransferError as error:
        report.error, report.hint = str(error), error.hint
    finally:
        if space is not None:
            settings = invocation.settings()
            seal = sealer(settings) if settings.encrypt else None
            path = aside.write(config.folder(settings.home, "imports"), at, seal)
            report.kept_aside = str(path) if path else ""
            if path and aside.left:
                left = count(aside.left, "record")
                report.notes.append(f"{left} more could not be read and are in the file only")


def _take(
    report: ImportReport, space: Space | None, aside: Aside, opener: Opener, *, quiet: bool
) -> None:
    kept: list[Record] = []
    origin: str | BinaryIO = sys.stdin.buffer if report.file == "-" else report.file
    with (
        opener(origin) as reader,
        _progress(reader, report, quiet) as moved,
        space.log.many_imports() if space else nullcontext(),
    ):
        report.format = reader.format
        for item in reader:
            match item:
                case SkippedRecord():
                    report.passed_over(item)
                    aside.add(item)
                case Requirement():
                    report.requirements += space.requirements.admit([item]) if space else 1
                case Transcript():
                    report.conversations += 1
                    report.exchanges += len(item.exchanges)
                    if space is not None:
                        _admit(report, space, aside, item)
                case Record():
                    report.records += 1
                    kept.append(item)
                    if len(kept) >= _PAGE:
                        _keep(report, space, kept)
            moved()
        _keep(report, space, kept)


def _admit(report: ImportReport, space: Space, aside: Aside, given: Transcript) -> None:
    try:
        imported = space.log.import_transcript(given)
        report.added += imported.added
        report.notes += imported.notes
    except DuplicateIdError as error:
        held = io.BytesIO()
        write_jsonl([given], held)
        where = f"conversation {given.session.foreign_id or given.session.id}"
        unread = SkippedRecord(where, f"not stored: {error}", held.getvalue())
        report.passed_over(unread)
        aside.add(unread)


def _keep(report: ImportReport, space: Space | None, kept: list[Record]) -> None:
    if space is not None:
        report.records_added += space.log.import_records(kept)
    kept.clear()


def _embed(space: Space, added: int, *, quiet: bool) -> None:
    notes: list[str] = []
    with bar("Embedding", added, quiet=quiet) as shown:

        def moved(done: int) -> None:
            shown.update(max(0, min(done, added) - shown.pos))

        embed_recorded(space, notes.append, pages=None, moved=moved)
        if not notes:
            moved(added)
    for text in notes:
        remark(text)


def _maintain(space: Space, session: Session | None, *, quiet: bool) -> None:
    try:
        maintain_all(space, session, quiet=quiet)
    except KeyboardInterrupt:
        echo(err=True)
        remark("Put off. It goes on little by little as you talk, or at once: unabridged condense")
    except UnabridgedError as error:
        remark(f"What was added was not judged or condensed yet: {error}")


@contextmanager
def _progress(
    reader: FormatReader,
    report: ImportReport,
    quiet: bool,  # noqa: FBT001 - one caller
) -> Iterator[Callable[[], None]]:
    with bar(report.file, _STEPS, quiet=quiet) as shown:

        def moved() -> None:
            done = int((reader.progress.share or 0) * _STEPS)
            if done > shown.pos:
                shown.update(done - shown.pos)

        yield moved


def _tell(invocation: Invocation, reports: list[ImportReport], *, dry_run: bool) -> None:
    if invocation.json:
        invocation.emit({"dry_run": dry_run, "files": [_data(report) for report in reports]})
        return
    for report in reports:
        if report.error:
            named = (
                report.error if report.file in report.error else f"{report.file}: {report.error}"
            )
            echo_error(TransferError(named, hint=report.hint), as_json=False)
            continue
        for unread in report.unread[:UNREAD_SHOWN]:
            remark(f"could not read {unread.where}: {unread.reason}")
        if report.unread_count > UNREAD_SHOWN:
            remark(f"and {report.unread_count - UNREAD_SHOWN:,} more; --json lists them")
        if report.kept_aside:
            remark(f"What could not be read is kept in {report.kept_aside}")
        for note in dict.fromkeys(report.notes):
            remark(note)
        unread_said = f", {report.unread_count:,} not read" if report.unread_count else ""
        if report.records:
            kept = "nothing stored" if dry_run else f"{report.records_added:,} added"
            unread_said = f"; {count(report.records, 'record')}, {kept}{unread_said}"
        more = f", {count(report.requirements, 'requirement')}" if report.requirements else ""
        echo(
            f"{report.file}: {count(report.exchanges, 'exchange')}"
            f" in {count(report.conversations, 'conversation')} ({report.format}),"
            f" {'nothing stored' if dry_run else f'{report.added:,} added'}{more}{unread_said}"
        )


def _data(report: ImportReport) -> dict[str, Any]:
    unread = [{"where": each.where, "reason": each.reason} for each in report.unread]
    return {**vars(report), "unread": unread}


def remark(text: str) -> None:
    """Say something beside what was asked for."""
    for line in wrap(safe(text), width()):
        echo(f"  {line}", "warn", err=True)
