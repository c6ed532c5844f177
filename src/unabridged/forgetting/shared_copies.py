"""Shared copies: the other spaces that hold content of a space."""

from collections.abc import Collection

from unabridged.domain.record import RecordKind
from unabridged.domain.share import ShareSide, held_by
from unabridged.ports import Store


def copies(
    store: Store,
    exchanges: Collection[str] | None = None,
    facts: Collection[str] | None = None,
) -> tuple[str, ...]:
    """Return the spaces with copies of exchanges or facts, each with how to revoke its share.

    None means all.
    """
    given = held_by(store.records(RecordKind.SHARE), ShareSide.GIVEN)
    return tuple(
        f"{share.other.name} (unabridged share revoke {share.id})"
        for share in given
        if _holds(share.exchange_ids, exchanges) or _holds(share.fact_ids, facts)
    )


def _holds(shared: Collection[str], wanted: Collection[str] | None) -> bool:
    return bool(shared) if wanted is None else not set(shared).isdisjoint(wanted)
