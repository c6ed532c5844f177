"""Import files into a space, and export a space into a file."""

import io
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from unabridged.domain.condensation import Level
from unabridged.domain.record import Record
from unabridged.domain.results import Skip, SkippedRecord, Transcript
from unabridged.domain.scope import SpaceId
from unabridged.domain.session import Session
from unabridged.errors import DuplicateIdError, InputError
from unabridged.space.space import Space

if TYPE_CHECKING:
    from unabridged.transfer.export import Outgoing
    from unabridged.transfer.reader import FormatReader, Item

RECORDS_AT_ONCE = 200
"""Records to store together."""
EXCHANGES_AT_ONCE = 256
"""Exchanges after which the conversations read so far are stored in one transaction."""
FAILURES_LISTED = 10_000
"""The most failures that a result lists; a hostile file has millions."""


@dataclass(slots=True)
class ImportResult:
    """The result of an import.

    Attributes:
        format: The name of its format.
        conversations: Conversations in it.
        conversations_added: Those with something new.
        conversations_known: Those that were stored already.
        exchanges: Exchanges in it.
        added: Those that were new and are stored.
        records: Facts, requirements, annotations and condensations in it.
        records_added: Those that were new and belong to stored exchanges.
        requirements: Requirements written by a person that were new.
        skipped: Usual content of such files other than conversations, by kind.
        repaired: Content imported in another form, by kind.
        failed: Content that could not be read or stored, the first 10,000.
        failed_count: How many failures there are.
        notes: Notes on what was not stored.
    """

    format: str = ""
    conversations: int = 0
    conversations_added: int = 0
    conversations_known: int = 0
    exchanges: int = 0
    added: int = 0
    records: int = 0
    records_added: int = 0
    requirements: int = 0
    skipped: dict[str, int] = field(default_factory=dict)
    repaired: dict[str, int] = field(default_factory=dict)
    failed: list[SkippedRecord] = field(default_factory=list)
    failed_count: int = 0
    notes: list[str] = field(default_factory=list)

    @property
    def is_complete(self) -> bool:
        """Whether everything was read and stored."""
        return not self.failed_count

    def skip(self, record: SkippedRecord) -> None:
        """Count a record that was not imported as it is."""
        counts = {Skip.NORMAL: self.skipped, Skip.REPAIRED: self.repaired}.get(record.kind)
        if counts is not None:
            counts[record.reason] = counts.get(record.reason, 0) + record.count
            return
        self.failed_count += record.count
        if len(self.failed) < FAILURES_LISTED:
            self.failed.append(replace(record, raw=b""))


def import_file(
    space: Space,
    path: str | Path,
    *,
    format: str | None = None,  # noqa: A002 - the word of the glossary
    model: str | None = None,
) -> ImportResult:
    """Import a file of another program, or our own export; skip what is stored already.

    Args:
        space: The space to import into.
        path: The file.
        format: The name of its format; None to detect it.
        model: The model of exchanges for which the file names none.

    Raises:
        TransferError: Nothing in the file can be read.
    """
    from unabridged.transfer.detect_format import open_file  # noqa: PLC0415 - imports every format

    result = ImportResult()
    with open_file(path, format=format, model=model) as reader:
        import_all(space, reader, result)
    return result


def import_all(
    space: Space | None,
    reader: "FormatReader",
    result: ImportResult,
    *,
    store: bool = True,
    aside: Callable[[SkippedRecord], object] = lambda _: None,
    moved: Callable[[], object] = lambda: None,
) -> None:
    """Store everything from a reader; others may use the space at the same time.

    Args:
        space: The space to import into; None to count only.
        reader: An opened file.
        result: Counts what was done, even if this is interrupted.
        store: Whether to store anything; if not, ``added`` counts what would be new.
        aside: Receives what was not imported as it is, with its bytes.
        moved: Called after each item.

    Raises:
        TransferError: The file cannot be read.
    """
    _Import(space, result, aside, store=store).run(reader, moved)


class _Import:
    def __init__(
        self,
        space: Space | None,
        result: ImportResult,
        aside: Callable[[SkippedRecord], object],
        *,
        store: bool,
    ) -> None:
        self._space = space
        self._store = store
        self._result = result
        self._aside = aside
        self._waiting: list[Transcript] = []
        self._exchanges = 0
        self._records: list[Record] = []

    def run(self, reader: "FormatReader", moved: Callable[[], object]) -> None:
        self._result.format = reader.format
        with self._space.log.many_imports() if self._space else nullcontext():
            try:
                for item in reader:
                    self._take(item)
                    moved()
            finally:
                self._flush()

    def _take(self, item: "Item") -> None:
        match item:
            case SkippedRecord():
                self._skip(item)
            case Transcript():
                self._result.conversations += 1
                self._result.exchanges += len(item.exchanges)
                self._waiting.append(item)
                self._exchanges += len(item.exchanges)
            case Record():
                self._result.records += 1
                self._records.append(item)
            case _:
                stored = self._space is not None and self._store
                self._result.requirements += (
                    self._space.requirements.admit([item]) if self._space and stored else 1
                )
        if self._exchanges >= EXCHANGES_AT_ONCE or len(self._records) >= RECORDS_AT_ONCE:
            self._flush()

    def _skip(self, record: SkippedRecord) -> None:
        self._result.skip(record)
        self._aside(record)

    def _flush(self) -> None:
        waiting, records = self._waiting, self._records
        self._waiting, self._records, self._exchanges = [], [], 0
        if not self._store or self._space is None:
            for each in waiting:
                known = self._space.log.count_known(each) if self._space else 0
                self._count(len(each.exchanges) - known, known=True)
            return
        imported = self._space.log.import_transcripts(waiting)
        for transcript, done in zip(waiting, imported, strict=True):
            self._count(done.added, known=done.refused is None and not done.notes)
            self._result.notes += done.notes
            if done.refused is not None:
                self._refuse(transcript, done.refused)
        if records:
            self._result.records_added += self._space.log.import_records(records)

    def _count(self, added: int, *, known: bool) -> None:
        self._result.added += added
        self._result.conversations_added += added > 0
        self._result.conversations_known += known and not added

    def _refuse(self, transcript: Transcript, error: DuplicateIdError) -> None:
        from unabridged.transfer.native_jsonl import write_jsonl  # noqa: PLC0415 - seldom needed

        whole = io.BytesIO()
        write_jsonl([transcript], whole)
        name = transcript.session.foreign_id or transcript.session.id
        self._skip(SkippedRecord(f"conversation {name}", f"not stored: {error}", whole.getvalue()))


def outgoing_of(
    space: Space,
    session: str | None = None,
    *,
    name: SpaceId | None = None,
    contexts: bool = False,
) -> "Outgoing":
    """Return what an export of a space writes.

    Args:
        space: The space.
        session: The id of the only session to write; None for all.
        name: The space's name, if the file must contain it.
        contexts: Whether to include contexts.
    """
    from unabridged.transfer.export import Outgoing  # noqa: PLC0415 - only an export needs it

    said: dict[str, str] = {}

    def summary(session: Session) -> str:
        if not said:
            said.update(_conversation_summaries(space))
        return said.get(session.id, "")

    return Outgoing(
        lambda: (one for one in space.log.transcripts() if session in {None, one.session.id}),
        space.log.with_originals,
        lambda: space.log.records(contexts=contexts, session=session),
        name,
        space.settings.window,
        summary,
        lambda: space.log.records(contexts=True, session=session),
    )


def _conversation_summaries(space: Space) -> dict[str, str]:
    found = (one for one in space.condensations.condensations() if one.level is Level.CONVERSATION)
    return {one.session: " ".join(line.text for line in one.lines) for one in found} | {"": ""}


def export_file(
    space: Space,
    path: str | Path,
    *,
    format: str = "jsonl",  # noqa: A002 - the word of the glossary
) -> int:
    """Export a space into a new file, and return the number of exchanges.

    A path that is a folder, or ends with a slash, gets one file per conversation.

    Raises:
        InputError: There is no such format, or the file exists already.
        TransferError: The file cannot be written.
    """
    from unabridged.transfer.export import FORMS, Outgoing, write_export  # noqa: PLC0415 - as above

    if format not in FORMS:
        raise InputError(f"There is no format {format!r}.", hint=f"Use one of: {', '.join(FORMS)}.")
    outgoing = Outgoing(
        space.log.transcripts, space.log.with_originals, space.log.records, space.id
    )
    try:
        return write_export(FORMS[format], outgoing, str(path), force=False).exchanges
    except (OSError, ValueError) as error:  # not a possible path
        raise InputError(
            f"The path {str(path)[:80]!r} cannot be written to: {error}.", hint="Use another path."
        ) from error
