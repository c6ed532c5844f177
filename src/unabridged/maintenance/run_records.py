"""Figures of condensing runs: they hold no text, so they outlive what was condensed."""

import hashlib
from collections import Counter
from datetime import datetime
from typing import Any

from unabridged.condense.session_view import name_of, view_of
from unabridged.domain.condensation import Coherence, CondenseRun
from unabridged.domain.record import Record, RecordKind
from unabridged.domain.results import CondenseStats
from unabridged.maintenance.condense_session import Worked
from unabridged.ports import Store


def run_of(session: str, worked: Worked, at: datetime, by: str, seconds: float) -> CondenseRun:
    """Return the figures of a run; the same run twice has one id, so it counts once."""
    made = ",".join(sorted(one.id for one in worked.made))
    return CondenseRun(
        id="r-" + hashlib.sha256(f"{session}:{made}".encode()).hexdigest()[:16],
        at=at,
        session=session,
        condensed={name: len(keys) for name, keys in worked.selection.condense.items() if keys},
        kept={name: len(keys) for name, keys in worked.selection.keep.items() if keys},
        coherence=worked.coherence,
        by=by,
        seconds=seconds,
    )


def record_of(run: CondenseRun) -> Record:
    """Return the record of a run. Lost names are counted, not kept: they are text."""
    checked = run.coherence
    body = {
        "session": run.session,
        "condensed": dict(run.condensed),
        "kept": dict(run.kept),
        "by": run.by,
        "seconds": run.seconds,
        "coherence": _to_data(checked) if checked else None,
    }
    return Record(RecordKind.RUN, run.id, run.at, body)


def _to_data(checked: Coherence) -> dict[str, Any]:
    return {
        "critical_kept": checked.critical_kept,
        "shares_kept": checked.shares_kept,
        "lost": len(checked.lost_names),
        "in_order": checked.in_order,
        "before": checked.tokens_before,
        "after": checked.tokens_after,
    }


def statistics(store: Store) -> CondenseStats:
    """Add up the runs of a space."""
    records = store.records(RecordKind.RUN)
    by_category: Counter[str] = Counter()
    saved = 0
    for record in records:
        by_category.update(record.body["condensed"])
        checked = record.body["coherence"]
        saved += checked["before"] - checked["after"] if checked else 0
    last = max(records, key=lambda record: record.at, default=None)
    owner = [name_of(last.body["session"])] if last else []
    views = store.records(RecordKind.CONDENSATION, ids=owner)
    return CondenseStats(
        runs=len(records),
        messages_condensed=by_category.total(),
        tokens_saved=saved,
        by_category=dict(by_category),
        last=last.at if last else None,
        coherence=view_of(views[0]).coherence if views else None,
        seconds=last.body.get("seconds") if last else None,
    )
