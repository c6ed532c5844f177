"""Import a file, and export everything as one.

Both pass through an unnamed temporary file: nothing is held in memory as a whole, and nothing is
left however the call ends.
"""

from collections.abc import Iterator
from itertools import chain
from typing import Annotated, Literal

from msgspec import Meta

from unabridged import config
from unabridged.disk.large_files import nameless
from unabridged.domain.audit import Audit
from unabridged.domain.permissions import Right
from unabridged.errors import InputError, NotFoundError
from unabridged.factory.file_transfer import ImportResult, import_all, outgoing_of
from unabridged.home.encryption import sealer, unsealing
from unabridged.operations.call import Call, need_space
from unabridged.operations.operation import Params, operation
from unabridged.operations.operation_results import Download, Imported, Passed
from unabridged.transfer.detect_format import open_file
from unabridged.transfer.export import FORMS
from unabridged.transfer.unreadable import Aside

PIECE = 1 << 18
"""Bytes of one piece of a download."""
LISTED = 100
"""Failures that an answer lists."""

MEDIA = {
    "jsonl": "application/x-ndjson",
    "v3": "application/json",
    "markdown": "text/markdown; charset=utf-8",
    "html": "text/html; charset=utf-8",
    "messages": "application/x-ndjson",
}
"""The media type of each format of an export."""


class Importing(Params):
    """What to know about the file.

    Attributes:
        format: The name of its format; by default it is detected.
        model: The model of exchanges that name none.
    """

    format: Annotated[str, Meta(max_length=40)] | None = None
    model: Annotated[str, Meta(max_length=200)] | None = None


@operation(
    "import",
    "POST /import",
    "The result.",
    Right.WRITE,
    tag="transfer",
    whole=True,
    records=True,
    transfer="upload",
    audit=Audit.ACTS,
)
def import_file(call: Call, params: Importing) -> Imported:
    """Import conversations from a file of another program, or an export of ours.

    What is here already is skipped: repeat an import that broke off, and it continues.
    """
    if call.upload is None:
        raise InputError("There is no file to import.", hint="Send it as the body.")
    settings, aside = call.pool.settings, Aside("upload")
    result = ImportResult()
    try:
        with open_file(
            call.upload, format=params.format, model=params.model, unseal=unsealing(settings)
        ) as reader:
            import_all(call.space, reader, result, aside=aside.add)
    finally:
        seal = sealer(settings) if settings.encrypt else None
        aside.write(config.folder(settings.home, "imports"), call.pool.clock.now(), seal)
    return Imported(
        format=result.format,
        conversations=result.conversations,
        exchanges=result.exchanges,
        added=result.added,
        records=result.records,
        records_added=result.records_added,
        requirements=result.requirements,
        conversations_added=result.conversations_added,
        conversations_known=result.conversations_known,
        skipped=result.skipped,
        repaired=result.repaired,
        complete=result.is_complete,
        failed_count=result.failed_count,
        failed=tuple(Passed(each.where, each.reason) for each in result.failed[:LISTED]),
        notes=tuple(dict.fromkeys(result.notes)),
    )


class Exporting(Params):
    """What to export, and how.

    Attributes:
        format: The format; `jsonl` loses nothing, and `import` reads it.
        session: The id of the only session to export.
        contexts: Whether jsonl contains what was sent to models, and its ledgers.
    """

    format: Literal["jsonl", "v3", "markdown", "html", "messages"] = "jsonl"
    session: Annotated[str, Meta(min_length=1, max_length=200)] | None = None
    contexts: bool = False


@operation(
    "export",
    "GET /export",
    "The file.",
    tag="transfer",
    transfer="download",
    audit=Audit.ACTS,
)
def export_file(call: Call, params: Exporting) -> Download:
    """Export the conversations as one file, as they are at one moment."""
    wanted = params.session or call.scope.session
    if wanted is None:
        need_space(call.grant)
    pieces = _pieces(call, params, wanted)
    first = next(pieces)  # a failure comes before anything is sent
    if params.format == "v3" and not first:
        raise NotFoundError(
            "There is nothing to export in format 3.0.", hint="Record something first."
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
