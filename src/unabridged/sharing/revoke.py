"""Revoke a share: remove its copies, and all made from them, that no other share holds."""

from collections.abc import Collection
from dataclasses import dataclass, replace
from datetime import datetime

from unabridged.domain.forgetting import ForgetPlan, PlannedRemoval, Receipt
from unabridged.domain.record import Record, RecordKind
from unabridged.domain.share import Share, ShareSide, from_record, held_by, to_record
from unabridged.forgetting.execute import ForgetExecutor
from unabridged.forgetting.plan import ForgetSelection
from unabridged.forgetting.receipts import named
from unabridged.knowledge.statements import (
    GONE,
    from_record as statement_of,
    to_record as record_of,
)
from unabridged.ports import Store
from unabridged.sharing.share_content import loosened

SHARED = "share"
"""The kind of selection in the receipt of a revoked share."""


@dataclass(frozen=True, slots=True)
class _Left:
    """What a revoked share leaves.

    Attributes:
        exchanges: Those to remove.
        facts: Records of facts that are removed by themselves.
        loose: Facts that another share holds without their exchange, as they are then.
    """

    exchanges: tuple[str, ...]
    facts: tuple[str, ...]
    loose: tuple[Record, ...]


def find_share(store: Store, wanted: str) -> Share:
    """Return a share of either side by its id, or the end or beginning of it.

    Raises:
        NotFoundError: There is none, or several.
    """
    shares = {record.id: from_record(record) for record in store.records(RecordKind.SHARE)}
    return named(shares, wanted, "share", "share list")


def revoke(
    taker: Store, forget_executor: ForgetExecutor, share: Share, at: datetime
) -> Receipt | None:
    """Remove the copies of a share, and record the revocation; None if nothing was left.

    A second run completes it. What was said there since stays. The same may be shared again: no
    tombstone prevents it.
    """
    left = _left(taker, share)
    taker.put(left.loose)
    planned = _plan(forget_executor, left)
    receipt = None if planned.is_empty else forget_executor.carry_out(planned, recognised=False)
    note_revoked(taker, share.id, at)
    return receipt


def note_revoked(store: Store, share_id: str, at: datetime) -> None:
    """Record on one side that a share was revoked."""
    found = [from_record(record) for record in store.records(RecordKind.SHARE, ids=[share_id])]
    store.put([to_record(replace(share, revoked=at)) for share in found if share.revoked is None])


def _plan(forget_executor: ForgetExecutor, left: _Left) -> ForgetPlan:
    planned = forget_executor.plan(ForgetSelection(SHARED, left.exchanges))
    going = {one.id for one in planned.going}
    alone = (PlannedRemoval(RecordKind.FACT, name) for name in left.facts if name not in going)
    return replace(planned, given=(*planned.given, *alone))


def _left(taker: Store, share: Share) -> _Left:
    found = [from_record(r) for r in taker.records(RecordKind.SHARE, ids=[share.id])]
    if not found:
        return _Left((), (), ())
    own = found[0]
    records = taker.records(RecordKind.SHARE)
    others = [s for s in held_by(records, ShareSide.TAKEN) if s.id != share.id]
    exchanges = own.exchange_ids - {name for other in others for name in other.exchange_ids}
    held = {name for other in others for name in other.fact_ids}
    there = taker.get(exchanges)
    names = own.fact_ids | held
    facts = {r.id: r for r in taker.records(RecordKind.FACT, ids=sorted(names))}
    going = [r.id for r in facts.values() if r.id not in held and _goes(r, own, exchanges)]
    loose = [
        record_of(loosened(statement_of(record)))
        for name, record in facts.items()
        if name in held and not exchanges.isdisjoint(record.exchanges)
    ]
    return _Left(tuple(sorted(there)), tuple(going), tuple(loose))


def _goes(record: Record, share: Share, exchanges: Collection[str]) -> bool:
    if record.id not in share.fact_ids or record.id.startswith(GONE):
        return False
    return not record.exchanges or not set(record.exchanges).isdisjoint(exchanges)
