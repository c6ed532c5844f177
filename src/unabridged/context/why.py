"""Account for a past context: read its record and render it again."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from unabridged.clock import ends_id
from unabridged.condense.history_summary import earlier_from_data
from unabridged.context.ledger import ledger_from_dict
from unabridged.context.overviews import overview_words
from unabridged.context.render import hash_of
from unabridged.context.restore_context import rendered
from unabridged.domain.chat import Usage
from unabridged.domain.context import ItemKind, Ledger, LedgerRow, Tier
from unabridged.domain.exchange import Exchange
from unabridged.domain.record import Record, RecordKind
from unabridged.domain.results import ContextReport
from unabridged.errors import NotFoundError
from unabridged.language.words import asked_terms, terms as terms_of
from unabridged.ports import Store
from unabridged.wire import openai

EXCERPT_LENGTH = 72
"""Characters of a candidate's first words in a list."""
LEAST_ID = 4
"""Characters of the shortest beginning of an id."""


def account(store: Store, context_id: str | None = None) -> ContextReport:
    """Return the account of a context by its id, or the beginning or end of it; None for the last.

    Raises:
        NotFoundError: No context with that id was begun here.
    """
    record = _record(store, context_id)
    manifest = record.body["manifest"]
    ledger = ledger_from_dict(manifest["ledger"])
    again = rendered(store, record.id, manifest)
    messages = None if again.missing else openai.messages(again.prompt)
    ids = [row.id for row in ledger.rows if row.kind is ItemKind.EXCHANGE]
    held = store.get([record.id, *ids])
    ledger = replace(ledger, rows=_with_sessions(store, ledger.rows, held))
    usage = record.body.get("usage")
    return ContextReport(
        id=record.id,
        at=datetime.fromisoformat(manifest["at"]),
        ledger=ledger,
        usage=Usage(**usage) if usage else None,
        messages=messages,
        intact=messages is not None and hash_of(messages, again.tools) == manifest["hash"],
        missing=again.missing,
        texts=_texts(store, ledger, held),
        hash=str(manifest["hash"]),
        words=_words(ledger, held, held.get(record.id)),
    )


def _record(store: Store, wanted: str | None) -> Record:
    if wanted is None:
        found = store.records(RecordKind.CONTEXT, newest=1)
    else:
        found = store.records(RecordKind.CONTEXT, ids=[wanted])
        if not found and len(wanted) >= LEAST_ID:
            newest = store.records(RecordKind.CONTEXT, newest=1000)
            found = [record for record in newest if record.id.startswith(wanted)]
            found = found or [record for record in newest if ends_id(wanted, record.id)]
    if len(found) != 1:
        if wanted is None:
            raise NotFoundError(
                "There is no context to explain: nothing was sent yet.",
                hint="Record an exchange, or begin one, first.",
            )
        raise NotFoundError(
            f"There is no context {wanted!r} to explain.",
            hint="Record or begin it first. Its id is that of its exchange: unabridged show",
        )
    return found[0]


def _with_sessions(
    store: Store, rows: Sequence[LedgerRow], held: Mapping[str, Exchange]
) -> tuple[LedgerRow, ...]:
    recalled = [row for row in rows if row.tier is Tier.SEMANTIC]
    ids = [row.id for row in recalled if row.kind is ItemKind.CONDENSATION]
    carried = store.records(RecordKind.OVERVIEW, ids=ids) if ids else []
    sources = store.get(record.exchanges[0] for record in carried if record.exchanges)
    first = {r.id: sources.get(r.exchanges[0]) for r in carried if r.exchanges}
    found = {**held, **first}
    return tuple(
        replace(row, session=one.session) if (one := found.get(row.id)) else row for row in rows
    )


def _texts(store: Store, ledger: Ledger, held: Mapping[str, Exchange]) -> dict[str, str]:
    texts = {i: _first_words(e.user.text or e.text) for i, e in held.items()}
    facts = [row.id for row in ledger.rows if row.kind is ItemKind.FACT]
    for record in store.records(RecordKind.FACT, ids=facts):
        texts[record.id] = _first_words(str(record.body.get("text", "")))
    shorter = [row.id for row in ledger.rows if row.kind is ItemKind.CONDENSATION]
    for record in store.records(RecordKind.OVERVIEW, ids=shorter):
        texts[record.id] = _first_words(overview_words(record.body) or _earlier_words(record.body))
    return texts


def _earlier_words(body: Mapping[str, Any]) -> str:
    return " ".join(line.text for line in earlier_from_data(body).lines)


def _words(
    ledger: Ledger, held: Mapping[str, Exchange], asked: Exchange | None
) -> dict[str, tuple[str, ...]]:
    if asked is None:
        return {}
    terms = asked_terms(asked.user.text)
    found = [row.id for row in ledger.rows if row.score is not None and row.id in held]
    return {
        name: tuple(word for term, word in terms.items() if term in said)
        for name in found
        for said in [set(terms_of(held[name].text))]
    }


def _first_words(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= EXCERPT_LENGTH else line[: EXCERPT_LENGTH - 1] + "…"
