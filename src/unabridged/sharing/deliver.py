"""Deliver a share: both sides store it first, so that it can be completed after a kill."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime

from unabridged.domain.exchange import Exchange
from unabridged.domain.record import RecordKind
from unabridged.domain.session import Session
from unabridged.domain.share import (
    Share,
    ShareKind,
    ShareResult,
    ShareSide,
    ShareTransfer,
    held_by,
    to_record,
)
from unabridged.errors import HeadMovedError
from unabridged.forgetting.tombstones import ForgottenIndex
from unabridged.ports import Clock, Store
from unabridged.sharing.copy_sessions import leaving, take
from unabridged.sharing.share_content import ShareContent, ShareSelection, pack

_ATTEMPTS = 20


@dataclass(frozen=True, slots=True)
class Taker:
    """The receiving space.

    Attributes:
        forgotten_index: Recognises what was forgotten there.
        counted: Returns an exchange with its messages counted, as that space counts.
    """

    store: Store
    forgotten_index: ForgottenIndex
    counted: Callable[[Exchange], Exchange]


def survey(
    giver: Store, taker: Taker, wanted: ShareSelection, draft: Share, at: datetime
) -> tuple[Share, ShareContent]:
    """Return what would be copied and the share for it: one with the same content, or a new one.

    Both spaces are only read. The draft is the share as the giving side would store it, if new.
    """
    parcel = pack(giver, taker.store, taker.forgotten_index, wanted, at)
    mirrored = _mirrored(draft, giver)
    there = held_by(taker.store.records(RecordKind.SHARE), ShareSide.TAKEN)
    here = held_by(giver.records(RecordKind.SHARE), ShareSide.GIVEN)
    same = [share for share in there if share.asks_the_same(mirrored)]
    begun = [share for share in here if share.asks_the_same(draft)]
    known = {share.id for share in here}
    found = next((share for share in same if share.id in known), None) or next(iter(begun), None)
    if found is None:
        return draft, parcel
    return replace(draft, id=found.id, at=found.at, by=found.by, carries=found.carries), parcel


def deliver(
    giver: Store, taker: Taker, wanted: ShareSelection, draft: Share, clock: Clock
) -> ShareResult:
    """Copy the selection; skip what is already there, so that repeating it completes it.

    The draft is the share as the giving side would store it, if new.

    Raises:
        StoreError: Any error of the stores; sharing again continues, revoking removes the copies.
    """
    share, parcel = survey(giver, taker, wanted, draft, clock.now())
    before = tuple(carry for carry in share.carries if carry.done)
    news = _news(parcel.carry, before)
    share = replace(share, carries=(*before, news))
    giver.put([to_record(share)])  # first, so that it records where copies may be
    taker.store.put([to_record(_mirrored(share, giver))])
    exchanges = 0
    for conversation in parcel.conversations:
        header = replace(conversation.session, archived=None)
        counted = [taker.counted(exchange) for exchange in conversation.exchanges]
        exchanges += taker.store.import_session(header, counted)
        hanging = leaving(giver, session=header.id)
        take(taker.store, (r for r in hanging if r.kind is not RecordKind.FACT))
        if share.kind is ShareKind.HANDOFF:
            _take_up(taker.store, header, clock.now())
    taker.store.put(parcel.facts)
    if before and not (news.exchanges or news.facts or news.withdrawn):
        share = replace(share, carries=before)
    else:
        share = replace(share, carries=(*before, replace(news, at=clock.now(), done=True)))
    taker.store.put([to_record(_mirrored(share, giver))])
    giver.put([to_record(share)])
    return brought(share, parcel, exchanges)


def brought(share: Share, parcel: ShareContent, exchanges: int) -> ShareResult:
    """Return what a share brought, or would bring, with the number of new exchanges there."""
    return ShareResult(
        share=share,
        exchanges=exchanges,
        facts=len(parcel.facts),
        passed_over=parcel.passed_over,
        refused=parcel.refused,
        titles=parcel.titles,
        texts=parcel.texts,
    )


def _mirrored(share: Share, giver: Store) -> Share:
    return replace(share, side=ShareSide.TAKEN, other=giver.space)


def _news(carry: ShareTransfer, before: tuple[ShareTransfer, ...]) -> ShareTransfer:
    exchanges = {name for one in before for name in one.exchange_ids}
    facts: dict[str, object] = {}
    withdrawn: set[str] = set()
    for one in before:
        facts |= one.facts
        withdrawn |= set(one.withdrawn)
    spoken = {
        origin: tuple(name for name in names if name not in exchanges)
        for origin, names in carry.exchanges.items()
    }
    return ShareTransfer(
        carry.at,
        {origin: names for origin, names in spoken.items() if names},
        {name: came for name, came in carry.facts.items() if facts.get(name) != came},
        {name: at for name, at in carry.withdrawn.items() if name not in withdrawn},
    )


def _take_up(store: Store, header: Session, at: datetime) -> None:
    for attempt in range(_ATTEMPTS):
        there = store.session(header.id)
        if there is None:
            return
        try:
            store.set_session(
                replace(there, head=header.head, updated=at, archived=None), there.head
            )
        except HeadMovedError:
            if attempt == _ATTEMPTS - 1:
                raise
        else:
            return
