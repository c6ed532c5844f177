"""What upkeep left of a session; read where its shown history moves."""

from collections.abc import Collection, Sequence

from unabridged.annotations.annotation_records import annotations_of, ids_of
from unabridged.condense.session_view import SessionView, name_of, view_of
from unabridged.context.types import Stored
from unabridged.domain.annotation import ExchangeReading, Scheme
from unabridged.domain.condensation import CondenseSource, Level
from unabridged.domain.exchange import Exchange
from unabridged.domain.record import RecordKind
from unabridged.ports import Store

PAGE = 128
"""Exchanges that are read at once."""


def annotations(
    store: Store, scheme: Scheme, exchanges: Sequence[Exchange]
) -> dict[str, ExchangeReading]:
    """Return what exchanges were judged to be, if somebody judged."""
    names = ids_of(exchange.id for exchange in exchanges)
    return annotations_of(store.records(RecordKind.READING, ids=names), scheme)


def stored(
    store: Store, scheme: Scheme, session: str | None, path: Sequence[Exchange], *, fresh: bool
) -> Stored:
    """Return what maintenance knows of a session.

    Args:
        store: The space.
        scheme: The categories.
        session: The session, or None for a new one.
        path: Its exchanges that may be shown, oldest first.
        fresh: Whether nothing replaces what was before them yet.
    """
    found = store.records(RecordKind.CONDENSATION, ids=[name_of(session)]) if session else []
    view = view_of(found[0]) if found else SessionView("")
    judged = annotations(store, scheme, path)
    weights = {
        name: reading.importance
        for one in judged.values()
        for name, reading in one.messages.items()
    }
    known = Stored(annotations=judged, sentences=view.sentences(), importance=weights)
    return _with_older(known, store, view, path) if fresh and path else known


def _with_older(known: Stored, store: Store, view: SessionView, path: Sequence[Exchange]) -> Stored:
    made = view.at(Level.EXCHANGES)
    held = {exchange.id for exchange in path}
    before = _before(store, path[0], {name for one in made for name in one.covers} - held)
    older: list[CondenseSource] = []
    drawn: list[str] = []
    for one in made:
        if any(name not in before for name in one.covers) and any(
            line.role is None for line in one.lines
        ):
            continue  # written of exchanges that are shown, or of another branch
        for line in one.lines:
            exchange = before.get(line.exchange)
            if line.role is None:
                at = one.since
                older.append(CondenseSource(one.id, line.index, None, line.text, at))
                drawn += one.covers
            elif exchange is not None:
                at = exchange.at
                older.append(CondenseSource(exchange.id, line.index, line.role, line.text, at))
    named = {name for one in made for name in one.covers if name in before} if older else set()
    return Stored(
        annotations=known.annotations,
        sentences=known.sentences,
        importance=known.importance,
        older=older,
        older_drawn=tuple(dict.fromkeys(drawn)),
        older_count=len(named),
        older_tokens=sum(m.tokens or 0 for name in named for m in before[name].messages),
    )


def _before(store: Store, first: Exchange, wanted: Collection[str]) -> dict[str, Exchange]:
    left = set(wanted)
    found: dict[str, Exchange] = {}
    before = first.id
    while left and (page := store.recent(first.session, PAGE, before=before)):
        found |= {exchange.id: exchange for exchange in page if exchange.id in left}
        left -= found.keys()
        before = page[0].id
    return found
