"""Sharing, as front ends and library users call it: ``space.sharing``. It needs both spaces open.

Whoever has only their names uses ``factory.sharing``, which opens them.
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
"""Facts that are looked at to find the pinned ones that bear on a session."""
LATEST = 8
"""The newest exchanges of a session by whose words these are found."""


class Sharing:
    """What one space gave to others, and was given."""

    def __init__(self, parts: SpaceDependencies, knowledge: Knowledge) -> None:
        self._parts = parts
        self._knowledge = knowledge
        self._store = parts.store
        self._facts = knowledge.facts

    def listing(self) -> list[Share]:
        """Every share of both sides, the oldest first."""
        return [from_record(record) for record in self._store.records(RecordKind.SHARE)]

    def find(self, wanted: str) -> Share:
        """A share by its id, or the end or beginning of it.

        Raises:
            NotFoundError: There is none, or several.
        """
        return find_share(self._store, wanted)

    def handed_off(self) -> Mapping[str, tuple[SpaceId, ...]]:
        """By session, the spaces that were asked to go on with it."""
        found: dict[str, tuple[SpaceId, ...]] = {}
        for share in held_by(self._store.records(RecordKind.SHARE), ShareSide.GIVEN):
            for name in share.sessions if share.kind is ShareKind.HANDOFF else ():
                found[name] = (*found.get(name, ()), share.other)
        return found

    def copies(self, facts: Sequence[str]) -> tuple[str, ...]:
        """The spaces that were given facts of these ids, each with how to revoke its share."""
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
        """Say what shall be given; nothing is changed.

        Args:
            other: The space that it shall be given to.
            kind: Whether it goes on with the session.
            sessions: Sessions, each by id, number in the list, title or beginning of its id.
            facts: Facts, each by id, number or beginning of its id.
            all_facts: Whether every fact that holds now goes.

        Raises:
            InputError: Nothing was named, or it is this space.
            NotFoundError: Something that was named is not there.
        """
        if other == self._store.space:
            raise InputError(
                f"{other.name} is this space itself.", hint="Name another one: unabridged spaces"
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
        """Say what would go; nothing is changed."""
        at = self._parts.clock.now()
        share, parcel = survey(self._store, other.taker, self._wanted(draft), draft, at)
        return brought(share, parcel, parcel.exchanges)

    def give(self, draft: Share, other: "Sharing") -> ShareResult:
        """Give it; what is there already is passed over, so doing it again completes it.

        Args:
            draft: What shall be given.
            other: The other space.

        Raises:
            StoreError: It could not be written; giving again goes on, revoking removes what came.
        """
        return deliver(self._store, other.taker, self._wanted(draft), draft, self._parts.clock)

    def revoke(self, share: Share) -> Revoked:
        """Remove what a share brought into this space; what was said here since stays.

        On the giving side it is noted only. Doing it again completes it.

        Args:
            share: The share, as either side keeps it.

        Raises:
            StoreError: It could not be written; revoking again ends it.
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
        """This space as one that is given to."""
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
