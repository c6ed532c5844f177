"""The records of a context: what ``begin`` stores beside the user's message, and ``why`` reads."""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from unabridged.context.manifest import blob_id, tools_to_blob
from unabridged.domain.chat import Usage
from unabridged.domain.context import Context
from unabridged.domain.record import Record, RecordKind


def context_records(context: Context, system: str) -> tuple[Record, ...]:
    """The manifest with its ledger, and the shared texts that it names.

    Args:
        context: As ``assemble`` made it.
        system: The system prompt of its plan.
    """
    manifest = context.manifest
    records = [
        Record(RecordKind.CONTEXT, context.id, context.at, _body(manifest, None), (context.id,)),
        Record(RecordKind.BLOB, blob_id(system), context.at, {"text": system}),
    ]
    if manifest["tools"]:
        body = tools_to_blob(context.tools or ())
        records.append(Record(RecordKind.BLOB, manifest["tools"], context.at, body))
    for name, (data, drawn) in context.shared.items():
        records.append(Record(RecordKind.BLOB, name, context.at, data, drawn))
    return tuple(records)


def answered(context: Context, usage: Usage | None) -> Record:
    """The same record with what the server reported."""
    body = _body(context.manifest, usage)
    return Record(RecordKind.CONTEXT, context.id, context.at, body, (context.id,))


def _body(manifest: Mapping[str, Any], usage: Usage | None) -> dict[str, Any]:
    return {"manifest": dict(manifest), "usage": asdict(usage) if usage else None}
