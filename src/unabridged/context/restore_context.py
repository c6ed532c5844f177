"""Render a stored context again from its manifest: its prompt, byte for byte."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from unabridged.condense.history_summary import earlier_from_data
from unabridged.context.earlier_blocks import earlier_blocks, named_facts
from unabridged.context.manifest import as_shown, places_of, tools_from_blob
from unabridged.context.recall_block import fact_block
from unabridged.context.render import (
    exchange_blocks,
    history_messages,
    prompt,
    system_message,
    user_message,
)
from unabridged.context.request_edits import added_messages
from unabridged.domain.chat import ToolSpec
from unabridged.domain.message import Message
from unabridged.domain.record import RecordKind
from unabridged.ports import Store


@dataclass(frozen=True, slots=True)
class Rendered:
    """A prompt that was rendered again from its manifest.

    Attributes:
        prompt: Its messages.
        tools: The tools that were offered; None in chat mode.
        system: The system prompt of its plan.
        missing: The ids of what is gone, and therefore not in it.
    """

    prompt: tuple[Message, ...]
    tools: tuple[ToolSpec, ...] | None
    system: str
    missing: tuple[str, ...] = ()


def rendered(store: Store, context_id: str, manifest: Mapping[str, Any]) -> Rendered:
    """Render a context again, from those of its sources that are still stored.

    Of a client's request this is what memory added to it.
    """
    if "client" in manifest:
        return _added(store, context_id, manifest)
    wanted = [context_id, *(i["id"] for i in (*manifest["history"], *manifest["semantic"]))]
    found = store.get(wanted)
    told, overviews, earlier = manifest["facts"], manifest["overviews"], manifest["earlier"]
    named = [*manifest["pins"], *(name for name, _ in told)]
    facts = named_facts(store, named)
    digests = [name for name in (manifest["system"], manifest["tools"]) if name]
    blobs = store.blobs(digests)
    condensed = [name for name in (earlier, *overviews) if name]
    texts = {r.id: r.body for r in store.records(RecordKind.OVERVIEW, ids=condensed)}
    gone = [i for i in wanted if i not in found]
    gone += [i for i in named if i not in facts]
    gone += [i for i in digests if i not in blobs]
    gone += [i for i in condensed if i not in texts]
    if context_id not in found:
        return Rendered((), None, "", tuple(dict.fromkeys(gone)))
    tools = tools_from_blob(blobs[manifest["tools"]]) if manifest["tools"] in blobs else None
    words = blobs[manifest["system"]].text if manifest["system"] in blobs else ""
    asked = found[context_id]
    system = system_message(
        words,
        [facts[i].body["text"] for i in manifest["pins"] if i in facts],
        earlier_from_data(texts[earlier]) if earlier in texts else None,
        asked.at,
    )
    recalled = [fact_block(facts[i].at, facts[i].body["text"], n) for i, n in told if i in facts]
    recalled += [texts[i]["block"] for i in overviews if i in texts]
    semantic = [item for item in manifest["semantic"] if item["id"] in found]
    items = ((as_shown(found[i["id"]], i), places_of(i), "brief" in i) for i in semantic)
    recalled += exchange_blocks(items, asked.session)
    history = [item for item in manifest["history"] if item["id"] in found]
    messages = prompt(
        system,
        [history_messages(as_shown(found[i["id"]], i), places_of(i)) for i in history],
        user_message(asked.user, recalled),
    )
    return Rendered(messages, tools, words, tuple(dict.fromkeys(gone)))


def _added(store: Store, context_id: str, manifest: Mapping[str, Any]) -> Rendered:
    asked = store.get([context_id]).get(context_id)
    if asked is None:
        return Rendered((), None, "", (context_id,))
    block = earlier_blocks(store, {context_id: manifest}, asked.session)[context_id]
    return Rendered(added_messages(block.text, asked.at), None, "", block.missing)
