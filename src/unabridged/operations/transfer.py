"""Taking over a foreign file, and giving everything out as one.

Neither is ever held in memory as a whole: both pass through a file without a name, of which nothing
is left however the call ends.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import chain
from typing import Annotated, Literal

from msgspec import Meta

from unabridged import config
from unabridged.disk.large_files import nameless
from unabridged.domain.fact import Requirement
from unabridged.domain.permissions import Right
from unabridged.domain.record import Record
from unabridged.domain.results import SkippedRecord, Transcript
from unabridged.errors import DuplicateIdError, InputError, NotFoundError
from unabridged.factory.file_transfer import outgoing_of
from unabridged.home.encryption import sealer, unsealing
from unabridged.operations.call import Call
from unabridged.operations.operation import Params, operation
from unabridged.operations.operation_results import Download, Imported, Passed
from unabridged.space.space import Space
from unabridged.transfer.detect_format import open_file
from unabridged.transfer.export import FORMS
from unabridged.transfer.unreadable import Aside

PIECE = 1 << 18
"""Bytes that are passed on at once."""
LISTED = 100
"""Records that could not be read, as many as are told."""
_PAGE = 200

MEDIA = {
    "jsonl": "application/x-ndjson",
    "v3": "application/json",
    "markdown": "text/markdown; charset=utf-8",
    "html": "text/html; charset=utf-8",
    "messages": "application/x-ndjson",
}
"""The media type of each format of an export."""


class Importing(Params):
    """What kind of file it is.

    Attributes:
        format: The name of its format; without it, it is looked at.
        model: The model of exchanges for which it names none.
    """

    format: Annotated[str, Meta(max_length=40)] | None = None
    model: Annotated[str, Meta(max_length=200)] | None = None


@operation(
    "import",
    "POST /import",
    "What became of it.",
    Right.WRITE,
    tag="transfer",
    whole=True,
    records=True,
    transfer="upload",
)
def import_file(call: Call, params: Importing) -> Imported:
    """Take over conversations from a file of another program, or an export of ours.

    What is here already is passed over, so an import that broke off is resumed by repeating it.
    """
    if call.upload is None:
        raise InputError("There is no file to import.", hint="Send one.")
    settings = call.pool.settings
    taking = _Taking(call.space)
    try:
        opened = open_file(
            call.upload, format=params.format, model=params.model, unseal=unsealing(settings)
        )
        with opened as reader:
            for item in reader:
                taking.take(item)
            taking.keep()
    finally:
        seal = sealer(settings) if settings.encrypt else None
        folder = config.folder(settings.home, "imports")
        taking.aside.write(folder, call.pool.clock.now(), seal)
    return Imported(
        format=reader.format,
        **taking.counts,
        unread_count=taking.unread_count,
        unread=tuple(Passed(each.where, each.reason) for each in taking.unread),
        notes=tuple(dict.fromkeys(taking.notes)),
    )


@dataclass(slots=True)
class _Taking:
    """How far an import has come."""

    space: Space
    aside: Aside = field(default_factory=lambda: Aside("upload"))
    counts: dict[str, int] = field(
        default_factory=lambda: dict.fromkeys(
            ("conversations", "exchanges", "added", "records", "records_added", "requirements"), 0
        )
    )
    unread: list[SkippedRecord] = field(default_factory=list)
    unread_count: int = 0
    notes: list[str] = field(default_factory=list)
    kept: list[Record] = field(default_factory=list)

    def take(self, item: Transcript | Requirement | Record | SkippedRecord) -> None:
        """Store one thing; others may use the space between two of them."""
        match item:
            case SkippedRecord():
                self.passed_over(item)
            case Requirement():
                self.counts["requirements"] += self.space.requirements.admit([item])
            case Transcript():
                self.counts["conversations"] += 1
                self.counts["exchanges"] += len(item.exchanges)
                self._admit(item)
            case Record():
                self.counts["records"] += 1
                self.kept.append(item)
                if len(self.kept) >= _PAGE:
                    self.keep()

    def passed_over(self, unread: SkippedRecord) -> None:
        """Note what could not be read."""
        self.aside.add(unread)
        self.unread_count += 1
        if len(self.unread) < LISTED:
            self.unread.append(unread)

    def keep(self) -> None:
        """Store the records of a page, as far as what is here supports them."""
        self.counts["records_added"] += self.space.log.import_records(self.kept)
        self.kept.clear()

    def _admit(self, conversation: Transcript) -> None:
        try:
            imported = self.space.log.import_transcript(conversation)
        except DuplicateIdError as error:
            name = conversation.session.foreign_id or conversation.session.id
            self.passed_over(SkippedRecord(f"conversation {name}", f"not stored: {error}"))
        else:
            self.counts["added"] += imported.added
            self.notes += imported.notes


class Exporting(Params):
    """What is given out, and how.

    Attributes:
        format: `jsonl` loses nothing, and `import` reads it.
        session: Only this session: its id.
        contexts: In jsonl also what was sent to models, and its ledgers.
    """

    format: Literal["jsonl", "v3", "markdown", "html", "messages"] = "jsonl"
    session: Annotated[str, Meta(min_length=1, max_length=200)] | None = None
    contexts: bool = False


@operation("export", "GET /export", "The file.", tag="transfer", transfer="download")
def export_file(call: Call, params: Exporting) -> Download:
    """Give the conversations out as one file, as they are at one moment."""
    wanted = params.session or call.scope.session
    if wanted is None:
        call.need_space()
    pieces = _pieces(call, params, wanted)
    first = next(pieces)  # what fails does so before anything is sent
    if params.format == "v3" and not first:
        raise NotFoundError(
            "There is nothing to write in format 3.0.", hint="Record something first."
        )
    name = f"unabridged{FORMS[params.format].suffix}"
    return Download(name, MEDIA[params.format], chain((first,), pieces))


def _pieces(call: Call, params: Exporting, session: str | None) -> Iterator[bytes]:
    folder = config.folder(call.pool.settings.home, "cache")
    with nameless(folder) as file:
        wanted = call.session(session).id if session else None
        outgoing = outgoing_of(call.space, wanted, contexts=params.contexts)
        FORMS[params.format].write(outgoing, file)
        file.seek(0)
        yield file.read(PIECE)
        while piece := file.read(PIECE):
            yield piece
