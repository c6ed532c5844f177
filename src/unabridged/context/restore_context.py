"""Restore a stored context from its record: its prompt byte for byte, and the whole of it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from unabridged.condense.history_summary import earlier_from_data
from unabridged.context.ledger import ledger_from_dict
from unabridged.context.manifest import places_of, tools_from_blob
from unabridged.context.recall_block import fact_block
from unabridged.context.render import (
    exchange_blocks,
    history_messages,
    prompt,
    system_message,
    user_message,
)
from unabridged.domain.budget import Budget, Mode
from unabridged.domain.chat import ToolSpec
from unabridged.domain.context import Context, Ledger
from unabridged.domain.message import Message
from unabridged.domain.record import Record, RecordKind
from unabridged.domain.scope import Scope
from unabridged.errors import NotFoundError
from unabridged.ports import Store
from unabridged.wire import openai

GONE = "Parts of this exchange's prompt have been forgotten since."


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
    """Render a context again, from those of its sources that are still stored."""
    wanted = [context_id, *(i["id"] for i in (*manifest["history"], *manifest["semantic"]))]
    found = store.get(wanted)
    told, overviews, earlier = manifest["facts"], manifest["overviews"], manifest["earlier"]
    named = [*manifest["pins"], *(name for name, _ in told)]
    facts = _named(store, named)
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
    items = ((found[i["id"]], places_of(i), "brief" in i) for i in semantic)
    recalled += exchange_blocks(items, asked.session)
    history = [item for item in manifest["history"] if item["id"] in found]
    messages = prompt(
        system,
        [history_messages(found[i["id"]], places_of(i)) for i in history],
        user_message(asked.user, recalled),
    )
    return Rendered(messages, tools, words, tuple(dict.fromkeys(gone)))


def _named(store: Store, ids: Sequence[str]) -> dict[str, Record]:
    found = {record.id: record for record in store.records(RecordKind.FACT, ids=ids)}
    others = [name for name in ids if name not in found]
    if others:
        found |= {r.id: r for r in store.records(RecordKind.REQUIREMENT, ids=others)}
    return found


def restore_context(store: Store, scope: Scope, exchange_id: str) -> Context:
    """Return the context of a stored exchange as it was sent.

    Raises:
        NotFoundError: The exchange, or a source of its context, is not there.
    """
    records = store.records(RecordKind.CONTEXT, ids=[exchange_id])
    exchange = store.get([exchange_id]).get(exchange_id)
    if not records or exchange is None:
        raise NotFoundError(
            f"There is no context of an exchange {exchange_id!r}.",
            hint="Send the message again to make a new context.",
        )
    manifest = records[0].body["manifest"]
    again = rendered(store, exchange_id, manifest)
    ledger = ledger_from_dict(manifest["ledger"])
    if again.missing:
        ledger = replace(ledger, notes=(*ledger.notes, GONE))
    session = store.session(exchange.session)
    return Context(
        id=exchange_id,
        scope=replace(scope, session=exchange.session, model=manifest["model"]),
        prompt=again.prompt,
        messages=list(openai.messages(again.prompt)),
        tools=again.tools,
        budget=_budget(manifest, ledger),
        ledger=ledger,
        hash=str(manifest["hash"]),
        manifest=manifest,
        user=exchange.user,
        mode=Mode(manifest["mode"]),
        max_output=manifest["limit"],
        head=session.head if session else None,
        parent=exchange.parent,
        new_session=False,
        at=datetime.fromisoformat(manifest["at"]),
        system=again.system,
        follows=exchange.user.parent,
        placed=True,
    )


def _budget(manifest: Mapping[str, Any], ledger: Ledger) -> Budget:
    parts = ledger.parts
    held = ("immediate", "recent", "semantic", "knowledge")
    spare = max(0, ledger.budget_available - sum(parts[name] for name in held))
    return Budget(
        window=int(manifest["window"]),
        system=parts["system"],
        tools=parts["tools"],
        message=parts["message"],
        answer=parts["answer"],
        memory=ledger.budget_available,
        margin=parts["margin"],
        reserve=parts["reserve"] - spare,
        unused=parts["unused"],
        complexity=ledger.complexity,
        bound=ledger.bound,
    )
