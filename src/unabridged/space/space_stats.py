"""Figures of a space: how much it holds, and of what."""

from collections import Counter as Multiset

from unabridged.domain.backup_results import StorageUse
from unabridged.domain.record import RecordKind
from unabridged.domain.results import Stats
from unabridged.ports import Store

SAMPLE = 1000
"""The newest exchanges that are looked at for states and models."""


def space_stats(store: Store, pins: int, use: StorageUse | None = None) -> Stats:
    """Return the figures of a space."""
    totals = store.totals()
    sessions = store.sessions()
    sample = [
        exchange
        for session in sessions[:SAMPLE]
        for exchange in store.recent(session.id, max(1, SAMPLE // max(1, len(sessions))))
    ]
    oldest = store.scan(limit=1)
    return Stats(
        space=store.space.name,
        sessions=totals.sessions,
        exchanges=totals.exchanges,
        messages=totals.messages,
        tokens=totals.tokens,
        bytes=totals.bytes,
        pins=pins,
        states=dict(Multiset(exchange.state.value for exchange in sample)),
        models=dict(Multiset(exchange.model or "unknown" for exchange in sample)),
        first=oldest[0].at if oldest else None,
        last=max((session.updated for session in sessions), default=None),
        use=use,
        calibration={r.id: r.body for r in store.records(RecordKind.CALIBRATION)},
    )
