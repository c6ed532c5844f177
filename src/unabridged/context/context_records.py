"""The records of a context: what ``begin`` stores with the user's message, and ``why`` reads."""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from unabridged.context.manifest import tools_to_blob
from unabridged.domain.blob import Blob, system_blob
from unabridged.domain.chat import Usage
from unabridged.domain.context import Context
from unabridged.domain.record import Record, RecordKind
from unabridged.ports import Store


def context_records(store: Store, context: Context) -> tuple[Record, ...]:
    """Return the record of a context, and the condensed texts that are not stored yet.

    Args:
        store: The space.
        context: As ``assemble`` made it.
    """
    names = list(context.shared)
    held = {one.id for one in store.records(RecordKind.OVERVIEW, ids=names)} if names else set()
    texts = (
        Record(RecordKind.OVERVIEW, name, context.at, data, drawn)
        for name, (data, drawn) in context.shared.items()
        if name not in held
    )
    return (_record(context, None), *texts)


def answered(context: Context, usage: Usage | None) -> Record:
    """Return the same record with what the server reported."""
    return _record(context, usage)


def _record(context: Context, usage: Usage | None) -> Record:
    body = _body(context.manifest, usage)
    return Record(RecordKind.CONTEXT, context.id, context.at, body, (context.id,), _blobs(context))


def _blobs(context: Context) -> tuple[Blob, ...]:
    system = system_blob(context.system)
    if not context.manifest["tools"]:
        return (system,)
    return (system, tools_to_blob(context.tools or ()))


def _body(manifest: Mapping[str, Any], usage: Usage | None) -> dict[str, Any]:
    return {"manifest": dict(manifest), "usage": asdict(usage) if usage else None}
