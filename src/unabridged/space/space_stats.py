"""The figures of a space."""

from collections import Counter as Multiset

from unabridged.domain.backup_results import StorageUse
from unabridged.domain.record import RecordKind
from unabridged.domain.results import Stats
from unabridged.ports import Store

UNKNOWN = "unknown"
"""The model of exchanges that name none: imported ones, or ones without an answer."""


def space_stats(store: Store, pins: int, use: StorageUse | None = None) -> Stats:
    """Return the figures of a space; the states, and the models, each add up to its exchanges."""
    totals = store.totals()
    states, models = Multiset[str](), Multiset[str]()
    for (state, model), number in store.kinds().items():
        states[state] += number
        models[model or UNKNOWN] += number
    newest = store.sessions(newest=1)
    oldest = store.scan(limit=1)
    return Stats(
        space=store.space.name,
        sessions=totals.sessions,
        exchanges=states.total(),
        messages=totals.messages,
        tokens=totals.tokens,
        bytes=totals.bytes,
        pins=pins,
        states=dict(states.most_common()),
        models=dict(models.most_common()),
        first=oldest[0].at if oldest else None,
        last=newest[0].updated if newest else None,
        use=use,
        calibration={r.id: r.body for r in store.records(RecordKind.CALIBRATION)},
    )
