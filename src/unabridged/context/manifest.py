"""The manifest: what a context was made of, in ids; enough to render the same bytes again.

It holds no text of any exchange, so that forgetting one leaves nothing behind in it. System prompts
and tools are in blobs, named by their digests; condensed texts are in records.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from unabridged.condense.history_summary import HistorySummary, earlier_from_data
from unabridged.context.recall_block import MarkupRules, fact_block, rules_of
from unabridged.context.render import (
    briefs_block,
    hash_of,
    history_messages,
    pinned_text,
    prompt,
    recalled_block,
    system_text,
    user_message,
)
from unabridged.context.summary_text import earlier_text
from unabridged.context.types import Item
from unabridged.domain.blob import Blob, BlobKind
from unabridged.domain.chat import ToolSpec
from unabridged.domain.exchange import Exchange
from unabridged.domain.message import Message, Role, Text
from unabridged.domain.record import Record, RecordKind
from unabridged.ports import Store
from unabridged.wire import openai

VERSION = 1


def digest_of_text(text: str) -> str:
    """Return the SHA-256 of a text in hex."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def item_to_dict(item: Item) -> dict[str, Any]:
    """An item as plain data."""
    data: dict[str, Any] = {"id": item.exchange.id}
    if item.sentences:
        data["sentences"] = [list(place) for place in item.sentences]
    if item.brief:
        data["brief"] = True
    return data


def places_of(data: Mapping[str, Any]) -> tuple[tuple[int, int], ...]:
    """The places of an item's sentences; empty for a whole exchange."""
    return tuple((i, n) for i, n in data.get("sentences", ()))


@dataclass(frozen=True, slots=True)
class Replay:
    """A context rendered again.

    Attributes:
        messages: The prompt in the OpenAI dialect, or None where something is gone.
        intact: Whether it is byte for byte what was sent.
        missing: The ids of what is gone.
    """

    messages: tuple[Mapping[str, Any], ...] | None
    intact: bool
    missing: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Rendered:
    """A prompt made again from its manifest.

    Attributes:
        prompt: Its messages, typed.
        tools: The tools that were offered; None in chat mode.
        system: The system prompt of its plan.
        missing: The ids of what is gone, and therefore not in it.
    """

    prompt: tuple[Message, ...]
    tools: tuple[ToolSpec, ...] | None
    system: str
    missing: tuple[str, ...] = ()


def replay(store: Store, context_id: str, manifest: Mapping[str, Any]) -> Replay:
    """Render a context again from its manifest and the store.

    Args:
        store: The space it was prepared in.
        context_id: Its id, that of the exchange it was begun for.
        manifest: As ``assemble`` made it.
    """
    again = rendered(store, context_id, manifest)
    if again.missing:
        return Replay(None, intact=False, missing=again.missing)
    messages = openai.messages(again.prompt)
    return Replay(messages, intact=hash_of(messages, again.tools) == manifest["hash"])


def rendered(store: Store, context_id: str, manifest: Mapping[str, Any]) -> Rendered:
    """The prompt of a context made again, as far as what it was made of is still there.

    Args:
        store: The space it was prepared in.
        context_id: Its id, that of the exchange it was begun for.
        manifest: As ``assemble`` made it.
    """
    items = (*manifest["history"], *manifest["semantic"])
    wanted = [context_id, *(item["id"] for item in items)]
    found = store.get(wanted)
    told = manifest.get("facts", ())
    named = [*manifest["pins"], *(name for name, _ in told)]
    facts = _named(store, named)
    overviews = manifest.get("overviews", ())
    digests = [name for name in (manifest["system"], manifest["tools"]) if name]
    blobs = store.blobs(digests)
    condensed = [name for name in (manifest.get("earlier"), *overviews) if name]
    texts = {r.id: r.body for r in store.records(RecordKind.OVERVIEW, ids=condensed)}
    gone = [i for i in wanted if i not in found]
    gone += [i for i in named if i not in facts]
    gone += [i for i in digests if i not in blobs]
    gone += [i for i in condensed if i not in texts]
    if context_id not in found:
        return Rendered((), None, "", tuple(dict.fromkeys(gone)))
    tools = tools_from_blob(blobs[manifest["tools"]]) if manifest["tools"] in blobs else None
    words = blobs[manifest["system"]].text if manifest["system"] in blobs else ""
    earlier = manifest.get("earlier")
    rules = rules_of(manifest)
    system = system_message(
        words,
        [facts[i].body["text"] for i in manifest["pins"] if i in facts],
        earlier_from_data(texts[earlier]) if earlier in texts else None,
        found,
        rules,
    )
    here = found[context_id].session
    recalled = [
        fact_block(facts[i].at, facts[i].body["text"], note, rules)
        for i, note in told
        if i in facts
    ]
    recalled += [texts[i]["block"] for i in overviews if i in texts]
    semantic = [item for item in manifest["semantic"] if item["id"] in found]
    brief = [i for i in semantic if i.get("brief")]
    recalled += [
        recalled_block(found[i["id"]], here, places_of(i), rules)
        for i in semantic
        if i not in brief
    ]
    recalled += briefs_block([(found[i["id"]], places_of(i)) for i in brief], rules)
    history = [item for item in manifest["history"] if item["id"] in found]
    messages = prompt(
        system,
        [history_messages(found[i["id"]], places_of(i), rules) for i in history],
        user_message(found[context_id].user, recalled, rules),
    )
    return Rendered(messages, tools, words, tuple(dict.fromkeys(gone)))


def _named(store: Store, ids: Sequence[str]) -> dict[str, Record]:
    found = {record.id: record for record in store.records(RecordKind.FACT, ids=ids)}
    others = [name for name in ids if name not in found]
    if others:
        found |= {r.id: r for r in store.records(RecordKind.REQUIREMENT, ids=others)}
    return found


def system_message(
    system: str,
    pins: Sequence[str],
    earlier: HistorySummary | None,
    found: Mapping[str, Exchange],
    rules: MarkupRules,
) -> Message:
    """The system message; its date is of no account and taken from any exchange."""
    at = next(iter(found.values())).at
    words = system_text(system) + pinned_text(pins, rules) + earlier_text(earlier, rules)
    return Message("system", Role.SYSTEM, (Text(words),), at)


def tools_to_data(tools: Sequence[ToolSpec]) -> dict[str, Any]:
    """Return tool definitions as plain data."""
    return {"tools": [[t.name, t.description, dict(t.parameters)] for t in tools]}


def tools_to_blob(tools: Sequence[ToolSpec]) -> Blob:
    """Return the blob of tool definitions."""
    return Blob(BlobKind.TOOLS, json.dumps(tools_to_data(tools)).encode())


def tools_from_blob(blob: Blob) -> tuple[ToolSpec, ...]:
    """Read what ``tools_to_blob`` gave."""
    tools = json.loads(blob.data)["tools"]
    return tuple(ToolSpec(name, text, schema) for name, text, schema in tools)


def previous_manifest(store: Store, exchange_id: str | None) -> Mapping[str, Any] | None:
    """The manifest of the context that an exchange was begun with, or None."""
    if exchange_id is None:
        return None
    records: list[Record] = store.records(RecordKind.CONTEXT, ids=[exchange_id])
    return records[0].body["manifest"] if records else None
