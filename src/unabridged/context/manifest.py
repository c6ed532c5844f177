"""The manifest: the ids that a context was made from; enough to render the same bytes again.

It contains no text of any exchange, so that forgetting one leaves nothing in it. System prompts and
tools are in blobs, named by their digests; condensed texts are in records. ``begin`` stores it with
the user's message.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any

from unabridged.context.types import Item, Places
from unabridged.context.working_folders import folder_records
from unabridged.domain.blob import Blob, BlobKind, system_blob
from unabridged.domain.chat import ToolSpec, Usage
from unabridged.domain.context import Context
from unabridged.domain.exchange import Exchange, ExchangeState
from unabridged.domain.record import Record, RecordKind
from unabridged.ports import Store

VERSION = 1
"""The version of the manifest, and of the rules that rendered its context."""


def item_to_dict(item: Item) -> dict[str, Any]:
    """Return an item as plain data."""
    data: dict[str, Any] = {"id": item.exchange.id}
    if item.sentences:
        data["sentences"] = [list(place) for place in item.sentences]
    if item.brief:
        data["brief"] = True
    if item.exchange.state is not ExchangeState.COMPLETE:  # its answer may come later
        data["messages"] = len(item.exchange.messages)
    return data


def places_of(data: Mapping[str, Any]) -> Places:
    """Return the places of an item's sentences; empty for a whole exchange."""
    return tuple((i, n) for i, n in data.get("sentences", ()))


def as_shown(exchange: Exchange, data: Mapping[str, Any]) -> Exchange:
    """Return the exchange of an item with the messages that it had when it was shown."""
    return replace(exchange, messages=exchange.messages[: data.get("messages")])


def tools_to_blob(tools: Sequence[ToolSpec]) -> Blob:
    """Return the blob of tool definitions."""
    data = {"tools": [[t.name, t.description, dict(t.parameters)] for t in tools]}
    return Blob(BlobKind.TOOLS, json.dumps(data).encode())


def tools_from_blob(blob: Blob) -> tuple[ToolSpec, ...]:
    """Read the blob that ``tools_to_blob`` made."""
    tools = json.loads(blob.data)["tools"]
    return tuple(ToolSpec(name, text, schema) for name, text, schema in tools)


def previous_manifest(store: Store, exchange_id: str | None) -> Mapping[str, Any] | None:
    """Return the manifest of the context that an exchange was begun with, or None."""
    if exchange_id is None:
        return None
    records = store.records(RecordKind.CONTEXT, ids=[exchange_id])
    return records[0].body["manifest"] if records else None


def context_records(store: Store, context: Context) -> tuple[Record, ...]:
    """Return the record of a context, and those of its condensed texts and folder that are not stored yet."""
    names = list(context.shared)
    held = {one.id for one in store.records(RecordKind.OVERVIEW, ids=names)} if names else set()
    texts = (
        Record(RecordKind.OVERVIEW, name, context.at, data, drawn)
        for name, (data, drawn) in context.shared.items()
        if name not in held
    )
    return (context_record(context), *folder_records(store, context), *texts)


def context_record(context: Context, usage: Usage | None = None) -> Record:
    """Return the record of a context, with the server's report after the answer."""
    body = {"manifest": dict(context.manifest), "usage": asdict(usage) if usage else None}
    blobs = [system_blob(context.system)] if context.manifest["system"] else []
    if context.manifest["tools"]:
        blobs.append(tools_to_blob(context.tools or ()))
    return Record(RecordKind.CONTEXT, context.id, context.at, body, (context.id,), tuple(blobs))
