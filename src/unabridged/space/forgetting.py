"""Forgetting, as front ends and library users call it: ``space.forgetting``."""

from collections.abc import Sequence

from unabridged.domain.fact import Fact
from unabridged.domain.forgetting import ForgetPlan, Receipt
from unabridged.domain.message import Role
from unabridged.errors import InputError
from unabridged.forgetting.execute import ForgetDependencies, ForgetExecutor
from unabridged.forgetting.plan import ForgetSelection, matching
from unabridged.forgetting.tombstones import ForgottenIndex
from unabridged.knowledge.facts import Facts
from unabridged.language.words import terms
from unabridged.maintenance.run_maintenance import Knowledge
from unabridged.ports import Store
from unabridged.recording import sessions as sessions_of
from unabridged.space.dependencies import SpaceDependencies


class Forgetting:
    """What can be forgotten in one space, and its receipts.

    Nothing else deletes messages. Plan a forgetting, look at the plan, then execute it.
    """

    def __init__(
        self,
        store: Store,
        forget_executor: ForgetExecutor,
        forgotten_index: ForgottenIndex,
        facts: Facts,
    ) -> None:
        self._store = store
        self._forget_executor = forget_executor
        self.forgotten_index = forgotten_index
        self._facts = facts

    def plan(
        self,
        exchanges: Sequence[str] = (),
        *,
        session: str | None = None,
        fact: str | None = None,
        search: str | None = None,
        with_sources: bool = False,
        with_repeats: bool = False,
    ) -> ForgetPlan:
        """Plan a forgetting; nothing is changed. The arguments add up.

        Args:
            exchanges: Exchanges, each by its id or a prefix of it.
            session: A session with all branches, by id, number, title or prefix of its id.
            fact: A fact, by id, number or prefix of its id.
            search: Forget every exchange that has all these words.
            with_sources: Whether to forget the sources of the fact too.
            with_repeats: Whether to forget repetitions of it too.

        Raises:
            InputError: Nothing was named.
            NotFoundError: An argument names nothing.
        """
        given = {
            "exchanges": bool(exchanges),
            "session": session is not None,
            "fact": fact is not None,
            "search": bool(search and search.strip()),
        }
        named = [name for name, there in given.items() if there]
        if not named:
            raise InputError(
                "Nothing to forget was named.",
                hint="Name exchanges, a session, a fact, or words to search for.",
            )
        ids = [sessions_of.find_exchange(self._store, wanted).id for wanted in exchanges]
        if session is not None:
            found = sessions_of.find_session(self._store, session)
            ids += [e.id for e in sessions_of.session_exchanges(self._store, found.id)]
        if search:
            ids += matching(self._store, terms, search)
        facts: list[Fact] = []
        if fact is not None:
            facts.append(self._facts.get(fact))
            ids += self.sources_of(facts[0].id) if with_sources else []
        wanted = ForgetSelection(named[0], tuple(dict.fromkeys(ids)), tuple(facts), with_repeats)
        return self._forget_executor.plan(wanted)

    def sources_of(self, fact: str) -> list[str]:
        """Return the ids of the exchanges that a fact comes from."""
        return self._facts.sources(fact)

    def execute(self, planned: ForgetPlan) -> Receipt:
        """Forget what a plan names, for good.

        Raises:
            StoreBusyError: It is forgotten, but other programs read the files: old bytes remain in
                them until ``resume``.
            StoreError: It could not be written; if it was begun, ``resume`` finishes it.
        """
        return self._forget_executor.carry_out(planned)

    def resume(self, *, renew: bool = True) -> list[Receipt]:
        """Finish interrupted forgettings; opening a memory does this too.

        Condensations are made again if ``renew``; else the next maintenance does that.
        """
        return self._forget_executor.resume(renew=renew)

    def receipts(self) -> list[Receipt]:
        """Return every receipt, the oldest first."""
        return self._forget_executor.receipts()

    def is_genuine(self, receipt: Receipt) -> bool | None:
        """Return whether a receipt is unchanged; None if its key is gone."""
        return self._forget_executor.is_genuine(receipt)

    def allow_again(self, receipt: str) -> Receipt:
        """Allow forgotten words to be stored again from now on.

        Name the receipt by its id, or by the beginning or end of it.

        Raises:
            NotFoundError: There is none, or several.
        """
        return self._forget_executor.lift(receipt)

    def was_forgotten(
        self,
        text: str,
        before: str | None = None,
        *,
        role: Role = Role.USER,
    ) -> bool:
        """Return whether a message was forgotten: it is then sent, but not stored.

        Args:
            text: Its words.
            before: The message before it, by the other side; None for the first of a session.
            role: Its role: user or assistant.
        """
        other = Role.ASSISTANT if role is Role.USER else Role.USER
        behind = (other, before) if before is not None else None
        return self.forgotten_index.recognises(text, role, behind)

    @property
    def keys_missing(self) -> bool:
        """Return whether a key is missing, so that some forgotten text is not recognised."""
        return self.forgotten_index.is_blind()


def forgetting_of(parts: SpaceDependencies, knowledge: Knowledge) -> Forgetting:
    """Build the forgetting of a space."""
    forgotten_index = ForgottenIndex(parts.store, parts.keys)
    return Forgetting(
        parts.store, forget_executor_of(parts, knowledge), forgotten_index, knowledge.facts
    )


def forget_executor_of(parts: SpaceDependencies, knowledge: Knowledge) -> ForgetExecutor:
    """Build what plans and executes a forgetting."""
    hands = ForgetDependencies(
        parts.clock,
        parts.keys,
        knowledge.facts,
        knowledge.requirements,
        knowledge.condensations,
        parts.outside,
    )
    return ForgetExecutor(parts.store, hands)
