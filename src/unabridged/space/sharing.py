"""Sharing, as front ends and library users call it: ``space.sharing``.

It needs both spaces open. ``factory.sharing`` opens them by their names.
"""

from collections.abc import Mapping, Sequence

from unabridged.budget.count import Counter
from unabridged.domain.record import RecordKind
from unabridged.domain.scope import SpaceId
from unabridged.domain.share import (
    Revoked,
    Share,
    ShareKind,
    ShareResult,
    ShareSide,
    from_record,
    held_by,
)
from unabridged.errors import InputError
from unabridged.forgetting.shared_copies import copies
from unabridged.forgetting.tombstones import ForgottenIndex
from unabridged.maintenance.run_maintenance import Knowledge
from unabridged.recording import sessions as sessions_of
from unabridged.sharing.deliver import Taker, brought, deliver, survey
from unabridged.sharing.revoke import find_share, note_revoked, revoke
from unabridged.sharing.share_content import ShareSelection
from unabridged.space.dependencies import SpaceDependencies
from unabridged.space.forgetting import forget_executor_of

BEARING = 64
"""The number of facts to look at for the pinned ones relevant to a session."""
LATEST = 8
"""The number of newest exchanges whose words find these."""


class Sharing:
    """What one space shared and received."""

    def __init__(self, parts: SpaceDependencies, knowledge: Knowledge) -> None:
        self._parts = parts
        self._knowledge = knowledge
        self._store = parts.store
        self._facts = knowledge.facts

    def listing(self) -> list[Share]:
        """Return every share of both sides, the oldest first."""
        return [from_record(record) for record in self._store.records(RecordKind.SHARE)]

    def find(self, wanted: str) -> Share:
        """Return a share by its id, or the end or beginning of it.

        Raises:
            NotFoundError: There is none, or several.
        """
        return find_share(self._store, wanted)

    def handed_off(self) -> Mapping[str, tuple[SpaceId, ...]]:
        """Return, by session, the spaces that were asked to continue it."""
        found: dict[str, tuple[SpaceId, ...]] = {}
        for share in held_by(self._store.records(RecordKind.SHARE), ShareSide.GIVEN):
            for name in share.sessions if share.kind is ShareKind.HANDOFF else ():
                found[name] = (*found.get(name, ()), share.other)
        return found

    def copies(self, facts: Sequence[str]) -> tuple[str, ...]:
        """Return the spaces that received these facts, each with how to revoke its share."""
        return copies(self._store, (), facts)

    def draft(
        self,
        other: SpaceId,
        *,
        kind: ShareKind | str = ShareKind.SHARE,
        sessions: Sequence[str] = (),
        facts: Sequence[str] = (),
        all_facts: bool = False,
    ) -> Share:
        """Return a draft of what to share; nothing is changed.

        Args:
            other: The receiving space.
            kind: Share, or hand off the session.
            sessions: Sessions, each by id, number in the list, title or prefix of its id.
            facts: Facts, each by id, number or prefix of its id.
            all_facts: Whether to share every current fact.

        Raises:
            InputError: Nothing was named, or it is this space.
            NotFoundError: An argument names nothing.
        """
        if other == self._store.space:
            raise InputError(
                f"{other.name} is this space itself.",
                hint="Name another one: unabridged spaces list",
            )
        if not (sessions or facts or all_facts):
            raise InputError(
                "Nothing to share was named.",
                hint="Name a session (--session 2), a fact (--fact 3) or --all-facts.",
            )
        ids = [sessions_of.find_session(self._store, wanted).id for wanted in sessions]
        known = [self._facts.get(wanted).id for wanted in facts]
        clock = self._parts.clock
        return Share(
            id=clock.new_id(),
            kind=ShareKind(kind),
            side=ShareSide.GIVEN,
            other=other,
            at=clock.now(),
            by=self._store.space.user or self._parts.settings.user,
            sessions=tuple(dict.fromkeys(ids)),
            facts=tuple(dict.fromkeys(known)),
            all_facts=all_facts,
        )

    def plan(self, draft: Share, other: "Sharing") -> ShareResult:
        """Return what would be shared; nothing is changed."""
        at = self._parts.clock.now()
        share, parcel = survey(self._store, other.taker, self._wanted(draft), draft, at)
        return brought(share, parcel, parcel.exchanges)

    def give(self, draft: Share, other: "Sharing") -> ShareResult:
        """Share a draft; existing copies are skipped, so repeating it completes it.

        Args:
            draft: What to share.
            other: The other space.

        Raises:
            StoreError: It could not be written; repeat to continue, or revoke to remove the copies.
        """
        return deliver(self._store, other.taker, self._wanted(draft), draft, self._parts.clock)

    def revoke(self, share: Share) -> Revoked:
        """Remove the copies of a share from this space; later exchanges stay.

        The giving side only notes it. Repeating it completes it.

        Args:
            share: The share, as either side keeps it.

        Raises:
            StoreError: It could not be written; revoke again to finish.
        """
        at, receipt = self._parts.clock.now(), None
        held = {one.id: one for one in self.listing()}
        if share.id in held and held[share.id].side is ShareSide.TAKEN:
            receipt = revoke(
                self._store, forget_executor_of(self._parts, self._knowledge), share, at
            )
        else:
            note_revoked(self._store, share.id, at)
        return Revoked(next((s for s in self.listing() if s.id == share.id), share), receipt)

    @property
    def taker(self) -> Taker:
        """Return this space as the receiver of a share."""
        counter = Counter(self._parts.tokenizer)
        return Taker(
            self._store,
            ForgottenIndex(self._store, self._parts.keys),
            lambda exchange: sessions_of.counted(exchange, counter),
        )

    def _wanted(self, draft: Share) -> ShareSelection:
        handed = draft.kind is ShareKind.HANDOFF
        beside = tuple(self._pins_on(draft.sessions)) if handed else ()
        return ShareSelection(draft.sessions, draft.facts, draft.all_facts, beside, pins=handed)

    def _pins_on(self, sessions: Sequence[str]) -> list[str]:
        found: dict[str, None] = {}
        for session in sessions:
            latest = self._store.recent(session, LATEST)
            words = "\n".join(exchange.user.text for exchange in latest)
            bearings = self._facts.bearing(words, BEARING, [x.id for x in latest]) if words else []
            found |= dict.fromkeys(b.fact.id for b in bearings if b.fact.pinned)
        return list(found)
