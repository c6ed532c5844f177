"""Shared: where else something of a space lies, because it was given there."""

from collections.abc import Collection

from unabridged.domain.record import RecordKind
from unabridged.domain.share import ShareSide, held_by
from unabridged.ports import Store


def copies(store: Store, exchanges: Collection[str], facts: Collection[str]) -> tuple[str, ...]:
    """The spaces that hold copies of exchanges or facts, each with how to revoke its share.

    Args:
        store: The space that gave.
        exchanges: The ids of exchanges.
        facts: The ids of facts.
    """
    given = held_by(store.records(RecordKind.SHARE), ShareSide.GIVEN)
    return tuple(
        f"{share.other.name} (unabridged shares revoke {share.id})"
        for share in given
        if not share.exchange_ids.isdisjoint(exchanges) or not share.fact_ids.isdisjoint(facts)
    )
