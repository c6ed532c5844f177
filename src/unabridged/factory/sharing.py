"""Sharing between named spaces: opens both with the settings of their agents."""

from collections.abc import Sequence
from contextlib import ExitStack, closing
from dataclasses import replace

from unabridged.config.agent_settings import ByAgent
from unabridged.domain.scope import Scope, SpaceId
from unabridged.domain.settings import Settings
from unabridged.domain.share import Revoked, Share, ShareKind, ShareResult, ShareSide
from unabridged.errors import InputError, NameRefusedError, NotFoundError
from unabridged.factory.adapters import is_begun
from unabridged.factory.open_memory import open_space
from unabridged.home.open_spaces import settings_for, space_from
from unabridged.ports import Clock
from unabridged.space.space import Space


class SpaceShares:
    """What one space of a home shares with the others.

    Args:
        settings: The settings; user, agent and model name the space.
        agents: The settings of each agent, for the other space; None if all have the same.
        profile: The profile of the request, also for the other space; empty for none.
    """

    def __init__(
        self,
        settings: Settings,
        agents: ByAgent | None = None,
        clock: Clock | None = None,
        *,
        profile: str = "",
    ) -> None:
        self._settings = _lasting(replace(settings, auto_save=True), "This space")
        self._agents = agents
        self._clock = clock
        self._profile = profile

    def share(
        self,
        to: SpaceId,
        *,
        sessions: Sequence[str] = (),
        facts: Sequence[str] = (),
        all_facts: bool = False,
        dry_run: bool = False,
    ) -> ShareResult:
        """Copy sessions and facts into another space; skip what it has already.

        Args:
            to: The other space; begun if there is none.
            sessions: Sessions, each by id, number in the list, title or prefix of its id.
            facts: Facts, each by id, number or prefix of its id.
            all_facts: Whether to share every current fact.
            dry_run: Only return what would be shared.

        Raises:
            InputError: Nothing was named, or it is the same space.
            NotFoundError: An argument names nothing, or there is no such space.
            StoreError: It could not be written; sharing again completes it.
        """
        with ExitStack() as stack:
            space = self._own(stack)
            if space.is_placeholder:
                here = space_from(space.scope, self._settings)
                raise NotFoundError(
                    f"There is no space {here.name!r} to share from.",
                    hint="List them: unabridged spaces list",
                )
            draft = space.sharing.draft(
                self.named(to), sessions=sessions, facts=facts, all_facts=all_facts
            )
            return self._give(stack, space, draft, dry_run=dry_run)

    def handoff(
        self, to: SpaceId, *, session: str | None = None, dry_run: bool = False
    ) -> ShareResult:
        """Let another space continue a session: it becomes its newest.

        Args:
            to: The other space; begun if there is none.
            session: The session; None for the newest.
            dry_run: Only return what would be shared.

        Raises:
            InputError: It is the same space.
            NotFoundError: There is no such session, or none at all.
            StoreError: It could not be written; handing off again completes it.
        """
        with ExitStack() as stack:
            space = self._own(stack)
            newest = space.sessions.newest()
            if session is None and newest is None:
                raise NotFoundError(
                    "There is no session to hand off.", hint="Begin one: unabridged chat"
                )
            wanted = session or (newest.id if newest else "")
            draft = space.sharing.draft(self.named(to), kind=ShareKind.HANDOFF, sessions=[wanted])
            return self._give(stack, space, draft, dry_run=dry_run)

    def named(self, space: SpaceId) -> SpaceId:
        """Return the receiving space: the one of that name, or else its agent's.

        An agent with one memory for all users receives it there, whichever user is named.

        Raises:
            NameRefusedError: The agent separates models and none is named, or the reverse.
        """
        if self._is_there(space):
            return space_from(_scope(space), self._settings_of(space))
        found = space_from(_scope(space), self._base_of(space))
        if space.model and not found.model:
            raise NameRefusedError(
                f"{space.name!r} names a model, and that agent has one memory for all of them.",
                hint=f"Name it {found.name}.",
            )
        return found

    def listing(self) -> list[Share]:
        """Return every share of the space, of both sides, the oldest first."""
        with ExitStack() as stack:
            return self._own(stack).sharing.listing()

    def revoke(self, share: str) -> Revoked:
        """Remove the copies of a share, with everything made from them; from either side.

        Args:
            share: Its id, or the end or beginning of it.

        Raises:
            NotFoundError: There is none, or several.
            StoreError: It could not be written; revoke again to finish.
        """
        with ExitStack() as stack:
            space = self._own(stack)
            found = space.sharing.find(share)
            if not self._is_there(found.other):
                return replace(space.sharing.revoke(found), reached=self._taken(found))
            other = self._open(stack, self._settings_of(found.other))
            taker, giver = (space, other) if self._taken(found) else (other, space)
            done = taker.sharing.revoke(found)
            noted = giver.sharing.revoke(found)
            return replace(done, share=done.share if self._taken(found) else noted.share)

    def _give(self, stack: ExitStack, space: Space, draft: Share, *, dry_run: bool) -> ShareResult:
        settings = self._settings_of(draft.other)
        other = self._open(stack, settings, begins=not dry_run)
        if dry_run:
            return space.sharing.plan(draft, other.sharing)
        return space.sharing.give(draft, other.sharing)

    def _taken(self, share: Share) -> bool:
        return share.side is ShareSide.TAKEN

    def _own(self, stack: ExitStack) -> Space:
        return self._open(stack, self._settings, begins=False)

    def _open(self, stack: ExitStack, settings: Settings, *, begins: bool = True) -> Space:
        opened = open_space(settings, self._clock, recover=False, create=begins)
        return stack.enter_context(closing(opened))

    def _settings_of(self, space: SpaceId) -> Settings:
        return settings_for(self._base_of(space), space)

    def _base_of(self, space: SpaceId) -> Settings:
        own = self._settings
        if self._agents and space.agent:
            own = self._agents.of(space.agent, self._profile)
        return _lasting(replace(own, home=self._settings.home, auto_save=True), space.name)

    def _is_there(self, space: SpaceId) -> bool:
        return is_begun(self._settings_of(space), _scope(space))


def _lasting(settings: Settings, name: str) -> Settings:
    if settings.store == "memory":
        raise InputError(
            f"{name} is not stored: its store is `memory`.",
            hint="Set store to sqlite for both spaces.",
        )
    return settings


def _scope(space: SpaceId) -> Scope:
    return Scope(space.user, space.agent, space.model or None)
