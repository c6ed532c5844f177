"""Imports files into a space, and exports a space into a file."""

import io
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path

from unabridged.domain.condensation import Level
from unabridged.domain.record import Record
from unabridged.domain.results import SkippedRecord, Transcript
from unabridged.domain.scope import SpaceId
from unabridged.domain.session import Session
from unabridged.errors import DuplicateIdError, InputError
from unabridged.space.space import Space
from unabridged.transfer.detect_format import open_file
from unabridged.transfer.export import FORMS, Outgoing, write_file
from unabridged.transfer.native_jsonl import write_jsonl
from unabridged.transfer.reader import FormatReader

RECORDS_AT_ONCE = 200
"""Records that an import stores together."""


@dataclass(slots=True)
class ImportResult:
    """What became of an imported file.

    Attributes:
        format: The name of its format.
        conversations: Conversations in it.
        exchanges: Their exchanges.
        added: Those that were new.
        records: Facts, requirements, readings and condensations in it.
        records_added: Those that were new, and that stored exchanges support.
        requirements: Requirements of a person's own that were new.
        skipped: What could not be read or stored.
        notes: What a person should know of what was not stored.
    """

    format: str
    conversations: int = 0
    exchanges: int = 0
    added: int = 0
    records: int = 0
    records_added: int = 0
    requirements: int = 0
    skipped: list[SkippedRecord] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def import_file(
    space: Space,
    path: str | Path,
    *,
    format: str | None = None,  # noqa: A002 - the word of the glossary
    model: str | None = None,
) -> ImportResult:
    """Import a file of another program, or an export of ours; what is here is passed over.

    Without a format the file's is recognised. The model is that of exchanges without one.

    Raises:
        TransferError: The file cannot be read.
    """
    skipped: list[SkippedRecord] = []
    with open_file(path, format=format, model=model) as reader:
        result = import_all(space, reader, skipped.append)
    return replace(result, skipped=skipped)


def import_all(
    space: Space, reader: FormatReader, skip: Callable[[SkippedRecord], object]
) -> ImportResult:
    """Store everything that a reader gives; others may use the space meanwhile.

    Args:
        space: Where it goes.
        reader: An opened file.
        skip: Takes what could not be read, and a conversation whose ids others have here. The
            result does not list them: a hostile file has millions.

    Raises:
        TransferError: The file cannot be read.
    """
    result = ImportResult(reader.format)
    records: list[Record] = []
    with space.log.many_imports():
        for item in reader:
            match item:
                case SkippedRecord():
                    skip(item)
                case Transcript():
                    _import(space, item, result, skip)
                case Record():
                    records.append(item)
                case _:
                    result.requirements += space.requirements.admit([item])
            if len(records) >= RECORDS_AT_ONCE:
                _import_records(space, records, result)
        _import_records(space, records, result)
    return result


def _import(
    space: Space,
    transcript: Transcript,
    result: ImportResult,
    skip: Callable[[SkippedRecord], object],
) -> None:
    result.conversations += 1
    result.exchanges += len(transcript.exchanges)
    try:
        imported = space.log.import_transcript(transcript)
    except DuplicateIdError as error:
        whole = io.BytesIO()
        write_jsonl([transcript], whole)
        name = transcript.session.foreign_id or transcript.session.id
        skip(SkippedRecord(f"conversation {name}", f"not stored: {error}", whole.getvalue()))
    else:
        result.added += imported.added
        result.notes += imported.notes


def _import_records(space: Space, records: list[Record], result: ImportResult) -> None:
    result.records += len(records)
    result.records_added += space.log.import_records(records)
    records.clear()


def outgoing_of(
    space: Space,
    session: str | None = None,
    *,
    name: SpaceId | None = None,
    contexts: bool = False,
) -> Outgoing:
    """Return what of a space is to be written.

    Args:
        space: The space.
        session: The id of the only session to write; None for all.
        name: The space's name, where the file must say it.
        contexts: Whether records of contexts go along.
    """
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
    """Write everything of a space into one new file, and return how many exchanges that were.

    Raises:
        InputError: There is no such format, or the file is there already.
        TransferError: The file cannot be written.
    """
    if format not in FORMS:
        raise InputError(f"There is no format {format!r}.", hint=f"Use one of: {', '.join(FORMS)}.")
    outgoing = Outgoing(
        space.log.transcripts, space.log.with_originals, space.log.records, space.id
    )
    try:
        return write_file(Path(path), lambda to: FORMS[format].write(outgoing, to), force=False)
    except (OSError, ValueError) as error:  # a path that no file can have
        raise InputError(
            f"The path {str(path)[:80]!r} cannot be written to: {error}.", hint="Give another path."
        ) from error
