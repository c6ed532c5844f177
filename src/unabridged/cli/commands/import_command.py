"""``unabridged import``."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import Any, BinaryIO

import click

from unabridged.cli.embedding import embed_recorded
from unabridged.cli.opening import open_memory
from unabridged.cli.options import MEMORY, Invocation, common, example, invoked
from unabridged.cli.output import echo, echo_error
from unabridged.cli.paint import width
from unabridged.cli.tending import tend_all
from unabridged.cli.text import safe, wrap
from unabridged.cli.words import count
from unabridged.domain.fact import Requirement
from unabridged.domain.record import Record
from unabridged.domain.views import Conversation, Unread
from unabridged.errors import TransferError, UnabridgedError
from unabridged.transfer.detect import known, open_file, titles
from unabridged.transfer.formats.longmemeval import dates_from
from unabridged.transfer.reader import Reader
from unabridged.wiring import Memory
from unabridged.wiring.encryption import unsealing

UNREAD_SHOWN = 20
"""Records that could not be read, as many as a person is shown."""
_STEPS = 1000
_PAGE = 200


@dataclass
class Report:
    """What became of one file."""

    file: str
    format: str = ""
    conversations: int = 0
    exchanges: int = 0
    added: int = 0
    records: int = 0
    records_added: int = 0
    requirements: int = 0
    unread: list[Unread] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    error: str = ""
    hint: str = ""


_HELP = f"""Take over conversations from other programs.

Reads, packed or not: {"; ".join(titles())}. A - stands for standard input. What is here already is
passed over, so an import that was interrupted is resumed by repeating it. Where a file names no model,
exchanges have none, unless --model says which it was. The exit code is 7 where a file could not be read
at all.
"""


@click.command(
    "import",
    help=_HELP,
    epilog=example(
        "unabridged import conversations.json --dry-run",
        "unabridged import chatgpt-export.zip",
        "unabridged export | unabridged import - --user ann",
    ),
)
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@click.option("--dry-run", is_flag=True, help="Only count what is there; nothing is stored.")
@click.option("--format", "form", metavar="NAME", help=f"Instead of looking: {known()}.")
@click.option(
    "--session-dates",
    metavar="FILE",
    help="The questions file of LongMemEval, for sessions that carry no dates.",
)
@common(*MEMORY, "model")
@invoked
def command(
    invocation: Invocation,
    files: tuple[str, ...],
    form: str | None,
    session_dates: str | None,
    *,
    dry_run: bool,
) -> None:
    """Take over conversations; what is said of it is ``_HELP``, which names the formats."""
    dates = dates_from(session_dates) if session_dates else None
    memory = None if dry_run else open_memory(invocation)
    reports = [Report(file) for file in files]
    opener = partial(open_file, format=form, dates=dates, model=invocation.given("model"))
    opener = partial(opener, unseal=unsealing(invocation.settings()))
    for report in reports:
        try:
            _take(report, memory, opener, quiet=invocation.json)
        except TransferError as error:
            report.error, report.hint = str(error), error.hint
        except KeyboardInterrupt:
            _tell(invocation, reports, dry_run=dry_run)
            raise
    _tell(invocation, reports, dry_run=dry_run)
    added = sum(report.added for report in reports)
    if memory is not None and added:
        _embed(memory, added, quiet=invocation.json)
        _tend(memory, quiet=invocation.json)
    if any(report.error for report in reports):
        raise click.exceptions.Exit(TransferError.exit_code)


def _take(
    report: Report,
    memory: Memory | None,
    opener: Callable[[str | BinaryIO], Reader],
    *,
    quiet: bool,
) -> None:
    """Read one file and store what is new, one conversation after the other."""
    kept: list[Record] = []
    origin: str | BinaryIO = sys.stdin.buffer if report.file == "-" else report.file
    with (
        opener(origin) as reader,
        _progress(reader, report, quiet) as moved,
    ):
        report.format = reader.format
        for item in reader:
            match item:
                case Unread():
                    report.unread.append(item)
                case Requirement():
                    report.requirements += memory.requirements.admit([item]) if memory else 1
                case Conversation():
                    report.conversations += 1
                    report.exchanges += len(item.exchanges)
                    if memory is not None:
                        report.added += memory.admit(item)
                        report.notes += memory.remarks()
                case Record():
                    report.records += 1
                    kept.append(item)
                    if len(kept) >= _PAGE:
                        _keep(report, memory, kept)
            moved()
        _keep(report, memory, kept)


def _keep(report: Report, memory: Memory | None, kept: list[Record]) -> None:
    """Store the records of a page, as far as they are new and what is here supports them."""
    if memory is not None:
        report.records_added += memory.admit_records(kept)
    kept.clear()


def _embed(memory: Memory, added: int, *, quiet: bool) -> None:
    """Embed what was added, with a bar where that takes its time."""
    hidden = quiet or not sys.stderr.isatty()
    notes: list[str] = []
    with click.progressbar(
        length=added, label="Embedding", file=sys.stderr, hidden=hidden, width=30
    ) as shown:

        def moved(done: int) -> None:
            shown.update(max(0, min(done, added) - shown.pos))

        embed_recorded(memory, notes.append, pages=None, moved=moved)
        if not notes:
            moved(added)
    for text in notes:
        _note(text)


def _tend(memory: Memory, *, quiet: bool) -> None:
    """Judge what was added, draw facts and condense; what fails or is stopped goes on later."""
    try:
        tend_all(memory, quiet=quiet)
    except KeyboardInterrupt:
        echo(err=True)
        _note("Put off. It goes on little by little as you talk, or at once: unabridged condense")
    except UnabridgedError as error:
        _note(f"What was added was not judged or condensed yet: {error}")


@contextmanager
def _progress(reader: Reader, report: Report, quiet: bool) -> Iterator[Callable[[], None]]:  # noqa: FBT001 - one caller
    """Show how far a file is read, where a terminal is there to show it."""
    hidden = quiet or not sys.stderr.isatty()
    length = None if reader.progress.share is None else _STEPS
    with click.progressbar(
        length=length or _STEPS, label=report.file, file=sys.stderr, hidden=hidden, width=30
    ) as shown:

        def moved() -> None:
            done = int((reader.progress.share or 0) * _STEPS)
            if done > shown.pos:
                shown.update(done - shown.pos)

        yield moved


def _tell(invocation: Invocation, reports: list[Report], *, dry_run: bool) -> None:
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
            _note(f"could not read {unread.where}: {unread.reason}")
        if len(report.unread) > UNREAD_SHOWN:
            _note(f"and {len(report.unread) - UNREAD_SHOWN:,} more; --json lists all")
        for note in dict.fromkeys(report.notes):
            _note(note)
        unread_said = f", {len(report.unread):,} not read" if report.unread else ""
        if report.records:
            kept = "nothing stored" if dry_run else f"{report.records_added:,} added"
            unread_said = f"; {count(report.records, 'record')}, {kept}{unread_said}"
        more = f", {count(report.requirements, 'requirement')}" if report.requirements else ""
        echo(
            f"{report.file}: {count(report.exchanges, 'exchange')}"
            f" in {count(report.conversations, 'conversation')} ({report.format}),"
            f" {'nothing stored' if dry_run else f'{report.added:,} added'}{more}{unread_said}"
        )


def _data(report: Report) -> dict[str, Any]:
    """Give a report as plain data, without what the unread records hold."""
    unread = [{"where": each.where, "reason": each.reason} for each in report.unread]
    return {**vars(report), "unread": unread}


def _note(text: str) -> None:
    for line in wrap(safe(text), width()):
        echo(f"  {line}", "warn", err=True)
