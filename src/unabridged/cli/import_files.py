"""Import files of other programs: read, store, keep failures aside, report."""

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import BinaryIO

import click

from unabridged import config
from unabridged.cli.format import count
from unabridged.cli.import_report import ImportReport, remark, report_data, show_reports
from unabridged.cli.maintain import embed_all, maintain_all, steps_after_import
from unabridged.cli.options import Invocation
from unabridged.cli.output import echo, echo_lines
from unabridged.cli.paint import width
from unabridged.cli.progress import Stages
from unabridged.cli.terminal_text import wrap
from unabridged.domain.session import Session
from unabridged.errors import TransferError, UnabridgedError
from unabridged.factory.file_transfer import import_all
from unabridged.home.encryption import sealer
from unabridged.space.space import Space
from unabridged.transfer.reader import FormatReader
from unabridged.transfer.unreadable import Aside

_PARTS = 1000
"""The steps of the progress bar of a file."""

Opener = Callable[[str | Path | BinaryIO], FormatReader]


class FileImport:
    """Imports files into a space, one after the other.

    Args:
        invocation: The call.
        space: The space to import into; None for a dry run without a space.
        opener: Opens a file.
        at: The time, for the names of files that keep failures.
        dry_run: Whether to store nothing.
    """

    def __init__(
        self,
        invocation: Invocation,
        space: Space | None,
        opener: Opener,
        at: datetime,
        *,
        dry_run: bool,
    ) -> None:
        self._invocation = invocation
        self._space = space
        self._opener = opener
        self._at = at
        self._dry_run = dry_run
        self._quiet = invocation.json

    def run(self, files: Sequence[str]) -> None:
        """Import files and report the results.

        Args:
            files: Paths, or ``-`` for standard input.

        Raises:
            Exit: Something could not be read or stored.
        """
        space = None if self._dry_run else self._space
        before = space.sessions.newest() if space else None
        after = steps_after_import(space) if space else ()
        reports = [ImportReport(file=file) for file in files]
        try:
            with Stages(quiet=self._quiet, first=1, of=1 + len(after)) as stages:
                for report in reports:
                    self._import(report, stages)
        except KeyboardInterrupt:
            self._report(reports)
            if space:
                remark("Interrupted. To continue, run the same command again.")
            raise
        self._report(reports)
        added = sum(report.added for report in reports)
        self._invocation.count = added
        if space is not None and added:
            self._continue(space, before, after, added)
        if not all(report.is_whole for report in reports):
            raise click.exceptions.Exit(TransferError.exit_code)

    def _import(self, report: ImportReport, stages: Stages) -> None:
        aside = Aside(report.file)
        origin: str | BinaryIO = sys.stdin.buffer if report.file == "-" else report.file
        store = not self._dry_run
        if not self._quiet and Path(report.file).is_fifo():
            remark(f"Waiting for data from {report.file}. Ctrl-C stops.")
        try:
            with self._opener(origin) as reader, _progress(reader, report, stages) as moved:
                import_all(
                    self._space, reader, report, store=store, aside=aside.add, moved=moved
                )  # fmt: skip
        except TransferError as error:
            report.error, report.hint = str(error), error.hint
        finally:
            if store:
                self._keep_aside(report, aside)

    def _keep_aside(self, report: ImportReport, aside: Aside) -> None:
        settings = self._invocation.settings()
        seal = sealer(settings) if settings.encrypt else None
        path = aside.write(config.folder(settings.home, "imports"), self._at, seal)
        report.kept_aside = str(path) if path else ""
        if path and aside.left:
            left = count(aside.left, "record")
            report.notes.append(f"{left} more are too large to keep and are only in the file.")

    def _report(self, reports: Sequence[ImportReport]) -> None:
        if self._invocation.json:
            self._invocation.emit(report_data(reports, dry_run=self._dry_run))
        else:
            show_reports(reports, dry_run=self._dry_run)

    def _continue(
        self, space: Space, before: Session | None, after: Sequence[str], added: int
    ) -> None:
        if not self._quiet:
            rest = f"steps 2 to {1 + len(after)}" if len(after) > 1 else "step 2"
            is_shown = after and sys.stderr.isatty()  # elsewhere no step is
            more = f" The rest ({rest}) can wait: Ctrl-C is safe." if is_shown else ""
            echo_lines(wrap(f"Imported and searchable now.{more}", width()))
        try:
            with Stages(quiet=self._quiet, first=2, of=1 + len(after), names=after) as stages:
                embed_all(space, stages, added, remark)
                maintain_all(space, before, stages=stages, expected=added)
        except KeyboardInterrupt:
            echo(err=True)
            remark(
                "Stopped. Everything is imported and searchable. The rest continues as you talk,"
                " or now with: unabridged condense"
            )
        except UnabridgedError as error:
            remark(f"What was imported is not annotated or condensed yet: {error}")


@contextmanager
def _progress(
    reader: FormatReader, report: ImportReport, stages: Stages
) -> Iterator[Callable[[], None]]:
    name = Path(report.file).name if report.file != "-" else "standard input"

    def moved() -> None:
        stages.show(f"Importing {name}", int((reader.progress.share or 0) * _PARTS), _PARTS)

    yield moved
