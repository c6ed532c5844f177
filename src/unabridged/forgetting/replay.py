"""Replay the forgetting of a space in an older copy of it: a backup, or one that is restored."""

from collections.abc import Iterator
from dataclasses import dataclass

from unabridged.domain.forgetting import OutOfReach, PlannedRemoval, Receipt
from unabridged.domain.record import Record, RecordKind
from unabridged.domain.results import MaintenanceProgress
from unabridged.forgetting.execute import ForgetDependencies, ForgetExecutor
from unabridged.forgetting.plan import ForgetSelection
from unabridged.forgetting.receipts import receipt_of
from unabridged.forgetting.temporary_keys import PassingKeys
from unabridged.knowledge.facts import Facts
from unabridged.knowledge.requirements import Requirements
from unabridged.ports import Clock, Store


@dataclass(frozen=True, slots=True)
class ForgottenContent:
    """What a space has forgotten, by ids.

    Attributes:
        ids: Exchanges and facts that are gone.
        records: Further records that are gone.
        untitled: Sessions whose title is empty now.
        journal: The receipts and tombstones.
    """

    ids: frozenset[str]
    records: tuple[PlannedRemoval, ...] = ()
    untitled: frozenset[str] = frozenset()
    journal: tuple[Record, ...] = ()


class _NoCondensing:
    def renew(self, *_: object) -> Iterator[MaintenanceProgress]:
        return iter(())


def forgotten_in(store: Store) -> ForgottenContent:
    """Return what a space has forgotten and not got back; a lifted receipt counts as never given."""
    receipts = [receipt_of(record) for record in store.records(RecordKind.RECEIPT)]
    valid = [receipt for receipt in receipts if not receipt.lifted]
    lifted = {receipt.id for receipt in receipts if receipt.lifted}
    stones = [r for r in store.records(RecordKind.TOMBSTONE) if r.id not in lifted]
    ids = {name for receipt in valid for name in receipt.ids}
    ids |= {name for stone in stones for name in stone.body["exchanges"]}
    given = dict.fromkeys(one for receipt in valid for one in receipt.given)
    # A share after the receipt brought it back, so it is no longer forgotten.
    ids -= {*store.get(ids), *(r.id for r in store.records(RecordKind.FACT, ids=sorted(ids)))}
    records = [PlannedRemoval(RecordKind(kind), name) for kind, name in given]
    return ForgottenContent(
        ids=frozenset(ids),
        records=tuple(r for r in records if not store.records(r.kind, ids=[r.id])),
        untitled=frozenset(session.id for session in store.sessions() if not session.title),
        journal=(*store.records(RecordKind.RECEIPT), *stones),
    )


def replay(copy: Store, gone: ForgottenContent, clock: Clock) -> Receipt | None:
    """Forget in a copy what its space forgot since; the copy gets the receipts and tombstones.

    Returns:
        What was removed, in figures; None if there was nothing.
    """
    facts, requirements = Facts(copy, clock), Requirements(copy, clock)
    hands = ForgetDependencies(
        clock, PassingKeys(), facts, requirements, _NoCondensing(), lambda _: OutOfReach()
    )
    held = {record.id for record in copy.records(RecordKind.FACT, ids=sorted(gone.ids))}
    titled = {session.id for session in copy.sessions() if session.title}
    selection = ForgetSelection(
        "exchanges",
        exchanges=tuple(sorted(gone.ids)),
        facts=tuple(facts.get(name) for name in sorted(held)),
        records=tuple(r for r in gone.records if copy.records(r.kind, ids=[r.id])),
        titles=tuple(sorted(gone.untitled & titled)),
    )
    executor = ForgetExecutor(copy, hands)
    planned = executor.plan(selection)
    if planned.is_empty:
        return None
    receipt = executor.carry_out(planned, recognised=False)
    copy.delete(RecordKind.RECEIPT, [receipt.id])
    copy.put(gone.journal)
    return receipt
