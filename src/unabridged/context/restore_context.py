"""Thawing: the context of an exchange that was begun, made again byte for byte from its record."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any

from unabridged.context.ledger import ledger_from_dict
from unabridged.context.manifest import rendered
from unabridged.domain.budget import Budget, Mode
from unabridged.domain.context import Context, Ledger
from unabridged.domain.record import RecordKind
from unabridged.domain.scope import Scope
from unabridged.errors import NotFoundError
from unabridged.ports import Store
from unabridged.wire import openai

GONE = "Parts of the prompt that this exchange was begun with were forgotten since."


def thawed(store: Store, scope: Scope, exchange_id: str) -> Context:
    """Give the context of a stored exchange as it was sent.

    Args:
        store: The space.
        scope: Whose memory it is.
        exchange_id: The exchange.

    Raises:
        NotFoundError: The exchange, or what its context was made of, is not there.
    """
    records = store.records(RecordKind.CONTEXT, ids=[exchange_id])
    exchange = store.get([exchange_id]).get(exchange_id)
    if not records or exchange is None:
        raise NotFoundError(
            f"There is no context of an exchange {exchange_id!r}.",
            hint="Send the message again: a new context is made.",
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
        messages=openai.messages(again.prompt),
        tools=again.tools,
        budget=_budget(manifest, ledger),
        ledger=ledger,
        hash=str(manifest["hash"]),
        manifest=manifest,
        user=exchange.user,
        mode=Mode(manifest["mode"]),
        max_output=manifest.get("limit"),
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
    spare = max(0, ledger.budget_available - sum(parts.get(name, 0) for name in held))
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
