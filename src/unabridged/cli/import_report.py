"""The results of imports, as text and as JSON."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from unabridged.cli.format import count
from unabridged.cli.output import echo, echo_error
from unabridged.cli.paint import width
from unabridged.cli.terminal_text import wrap
from unabridged.domain.results import Skip, SkippedRecord
from unabridged.errors import TransferError
from unabridged.factory.file_transfer import ImportResult

FAILURES_SHOWN = 5
"""The most failures to show; JSON lists more."""
_BROKEN_HINT = (
    "Everything before that place was read. Download or copy the file again and import it: what is"
    " here already is skipped."
)


@dataclass
class ImportReport(ImportResult):
    """The result of one file.

    Attributes:
        file: Its path, or ``-``.
        kept_aside: The file in the home with the unreadable records.
        error: Why the file could not be read, or not to its end.
        hint: What to do about it.
    """

    file: str = ""
    kept_aside: str = ""
    error: str = ""
    hint: str = ""

    @property
    def is_whole(self) -> bool:
        """Whether everything was read and stored."""
        return not self.error and not self.failed_count


def report_data(reports: Iterable[ImportReport], *, dry_run: bool) -> dict[str, Any]:
    """Return reports for JSON."""
    return {"dry_run": dry_run, "files": [_data(report) for report in reports]}


def _data(report: ImportReport) -> dict[str, Any]:
    held = {each.name: getattr(report, each.name) for each in fields(report)}
    failed = [{"where": each.where, "reason": each.reason} for each in report.failed]
    return {**held, "complete": report.is_whole, "failed": failed}


def show_reports(reports: Iterable[ImportReport], *, dry_run: bool) -> None:
    """Show reports to a person: failures first, then what was imported and skipped."""
    reports = list(reports)
    for report in reports:
        _show_failures(report)
    for report in reports:
        if report.format and (report.conversations or report.records or not report.error):
            name = f"{Path(report.file).name}: " if len(reports) > 1 else ""
            for line in wrap(name + " ".join(_sentences(report, dry_run=dry_run)), width()):
                echo(line)
        for note in dict.fromkeys(report.notes):
            remark(note)


def remark(text: str) -> None:
    """Write a remark to standard error."""
    for line in wrap(text, width()):
        echo(f"  {line}", "warn", err=True)


def _show_failures(report: ImportReport) -> None:
    if report.error:
        named = report.error if report.file in report.error else f"{report.file}: {report.error}"
        echo_error(TransferError(named, hint=report.hint), as_json=False)
    broken = [each for each in report.failed if each.kind is Skip.TRUNCATED]
    for each in broken:
        text = f"{report.file}: {each.reason} ({each.where})."
        echo_error(TransferError(text, hint=_BROKEN_HINT), as_json=False)
    others = [each for each in report.failed if each.kind is not Skip.TRUNCATED]
    for each in others[:FAILURES_SHOWN]:
        remark(_failure(each))
    if (more := report.failed_count - len(broken) - len(others[:FAILURES_SHOWN])) > 0:
        remark(f"{more:,} more could not be read or stored; --json lists them.")
    if report.kept_aside and report.failed_count:
        remark("Unreadable records are kept in:")
        echo(f"  {report.kept_aside}", "warn", err=True)


def _failure(record: SkippedRecord) -> str:
    times = f" ({record.count} times)" if record.count > 1 else ""
    return f"Could not read {record.where}: {record.reason}{times}."


def _sentences(report: ImportReport, *, dry_run: bool) -> Iterator[str]:
    yield _outcome(report, dry_run=dry_run)
    verb = "Would import" if dry_run else "Imported"
    records = report.records if dry_run else report.records_added
    if records:
        yield f"{verb} {count(records, 'record')} (facts, annotations, condensations)."
    if report.requirements:
        yield f"{verb} {count(report.requirements, 'requirement')}."
    if report.skipped and (report.added or not report.conversations_known):
        yield f"Skipped {kinds(report.skipped)}."
    if report.repaired:
        changed = "; ".join(f"{what} ({times:,})" for what, times in report.repaired.items())
        yield f"{verb} in another form: {changed}."


def _outcome(report: ImportReport, *, dry_run: bool) -> str:
    known = count(report.conversations_known, "conversation")
    known += f" {'is' if report.conversations_known == 1 else 'are'} here already."
    if report.added:
        verb = "Would import" if dry_run else "Imported"
        imported = count(report.conversations_added, "conversation")
        text = f"{verb} {imported} ({count(report.added, 'exchange')})."
        return f"{text} {known}" if report.conversations_known else text
    if report.conversations_known:
        return f"Nothing new: {known}"
    if report.conversations or report.records:
        return "Nothing new."
    return "Nothing to import: no conversation in it."


def kinds(counts: Mapping[str, int]) -> str:
    """Write counts by kind, the most frequent first."""
    ordered = sorted(counts.items(), key=lambda item: -item[1])
    *first, last = [count(number, what) for what, number in ordered]
    return f"{', '.join(first)} and {last}" if first else last
