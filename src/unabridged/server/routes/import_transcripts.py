"""Taking over a foreign file that was uploaded, and giving everything out as one.

Neither is ever held in memory as a whole: both pass through a file without a name, of which nothing
is left however the request ends.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import chain
from typing import Annotated, BinaryIO, Literal

from fastapi import APIRouter, Query
from starlette.concurrency import run_in_threadpool
from starlette.requests import ClientDisconnect
from starlette.responses import Response, StreamingResponse

from unabridged import config
from unabridged.disk.large_files import nameless
from unabridged.domain.fact import Requirement
from unabridged.domain.record import Record
from unabridged.domain.results import SkippedRecord, Transcript
from unabridged.errors import DuplicateIdError, NotFoundError
from unabridged.factory.file_transfer import outgoing_of
from unabridged.home.encryption import sealer, unsealing
from unabridged.server.routes.api_calls import ApiCall, Asked
from unabridged.server.routes.json_responses import HttpProblem, given
from unabridged.server.routes.openapi import PROBLEMS, answers
from unabridged.server.routes.route import RAW, MemoryRoute
from unabridged.server.routes.route_results import Imported, Passed
from unabridged.transfer.detect_format import open_file
from unabridged.transfer.export import FORMS
from unabridged.transfer.unreadable import Aside

router = APIRouter(
    prefix="/memory", tags=["transfer"], route_class=MemoryRoute, default_response_class=Response
)

PIECE = 1 << 18
"""Bytes that are passed on at once."""
LISTED = 100
"""Records that could not be read, as many as are told."""
_PAGE = 200

_ANY_BODY = {
    RAW: True,
    "requestBody": {
        "required": True,
        "description": "The file, of any known format, packed or not.",
        "content": {"application/octet-stream": {"schema": {"type": "string"}}},
    },
}
_MEDIA = {
    "jsonl": "application/x-ndjson",
    "v3": "application/json",
    "markdown": "text/markdown; charset=utf-8",
    "html": "text/html; charset=utf-8",
    "messages": "application/x-ndjson",
}
_FILES: dict[int | str, dict[str, object]] = {
    200: {
        "description": "The file.",
        "content": {
            media: {"schema": {"type": "string"} if "json" not in media else {}}
            for media in _MEDIA.values()
        },
    },
    **PROBLEMS,
}


@router.post("/import", responses=answers(Imported, "What became of it."), openapi_extra=_ANY_BODY)
async def import_file(
    call: Asked,
    form: Annotated[
        str | None,
        Query(
            alias="format",
            max_length=40,
            description="The name of its format; without it, it is looked at.",
        ),
    ] = None,
    model: Annotated[
        str | None,
        Query(max_length=200, description="The model of exchanges for which it names none."),
    ] = None,
) -> Response:
    """Take over conversations from a file of another program, or an export of ours.

    What is here already is passed over, so an import that broke off is resumed by repeating it.
    """
    call.need_space()
    folder = config.folder(call.service.settings.home, "cache")
    with nameless(folder) as file:
        try:
            async for piece in call.request.stream():
                await run_in_threadpool(file.write, piece)
        except ClientDisconnect:
            raise HttpProblem(
                400, "broke-off", "The upload broke off.", hint="Repeat it."
            ) from None
        file.seek(0)
        taken = await run_in_threadpool(_take, call, file, form, model)
    call.recorded()
    return given(taken)


@dataclass(slots=True)
class _Taking:
    """How far an import has come."""

    call: ApiCall
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
                with self.call.service.pool.use(self.call.scope) as space:
                    self.counts["requirements"] += space.requirements.admit([item])
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
        with self.call.service.pool.use(self.call.scope) as space:
            self.counts["records_added"] += space.log.import_records(self.kept)
        self.kept.clear()

    def _admit(self, conversation: Transcript) -> None:
        with self.call.service.pool.use(self.call.scope) as space:
            try:
                imported = space.log.import_transcript(conversation)
            except DuplicateIdError as error:
                name = conversation.session.foreign_id or conversation.session.id
                self.passed_over(SkippedRecord(f"conversation {name}", f"not stored: {error}"))
            else:
                self.counts["added"] += imported.added
                self.notes += imported.notes


def _take(call: ApiCall, file: BinaryIO, form: str | None, model: str | None) -> Imported:
    settings = call.service.settings
    taking = _Taking(call)
    try:
        opened = open_file(file, format=form, model=model, unseal=unsealing(settings))
        with opened as reader:
            for item in reader:
                taking.take(item)
            taking.keep()
    finally:
        seal = sealer(settings) if settings.encrypt else None
        folder = config.folder(settings.home, "imports")
        taking.aside.write(folder, call.service.clock.now(), seal)
    return Imported(
        format=reader.format,
        **taking.counts,
        unread_count=taking.unread_count,
        unread=tuple(Passed(each.where, each.reason) for each in taking.unread),
        notes=tuple(dict.fromkeys(taking.notes)),
    )


@router.get("/export", responses=_FILES)
async def export_file(
    call: Asked,
    form: Annotated[
        Literal["jsonl", "v3", "markdown", "html", "messages"],
        Query(alias="format", description="`jsonl` loses nothing, and `import` reads it."),
    ] = "jsonl",
    session: Annotated[
        str | None, Query(min_length=1, max_length=200, description="Only this session: its id.")
    ] = None,
    *,
    contexts: Annotated[
        bool, Query(description="In jsonl also what was sent to models, and its ledgers.")
    ] = False,
) -> Response:
    """Give the conversations out as one file, as they are at one moment."""
    wanted = session or call.scope.session
    if wanted is None:
        call.need_space()
    pieces = _pieces(call, form, wanted, contexts=contexts)
    first = await run_in_threadpool(next, pieces)  # what fails does so before anything is sent
    if form == "v3" and not first:
        raise NotFoundError(
            "There is nothing to write in format 3.0.", hint="Record something first."
        )
    headers = {"Content-Disposition": f'attachment; filename="unabridged{FORMS[form].suffix}"'}
    whole = chain((first,), pieces)
    return StreamingResponse(whole, media_type=_MEDIA[form], headers=headers)


def _pieces(call: ApiCall, form: str, session: str | None, *, contexts: bool) -> Iterator[bytes]:
    folder = config.folder(call.service.settings.home, "cache")
    with nameless(folder) as file:
        with call.service.pool.use(call.scope) as space:
            wanted = call.session(space, session).id if session else None
            FORMS[form].write(outgoing_of(space, wanted, contexts=contexts), file)
        file.seek(0)
        yield file.read(PIECE)
        while piece := file.read(PIECE):
            yield piece
