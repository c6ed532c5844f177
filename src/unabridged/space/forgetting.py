"""Forgetting, as front ends and library users call it: ``space.forgetting``."""

from collections.abc import Collection, Sequence

from unabridged.domain.arguments import checks_arguments
from unabridged.domain.fact import Fact
from unabridged.domain.forgetting import ForgetPlan, Receipt
from unabridged.domain.message import Role
from unabridged.errors import InputError
from unabridged.forgetting.execute import ForgetDependencies, ForgetExecutor
from unabridged.forgetting.find_words import WordMatches, find_words
from unabridged.forgetting.plan import ForgetSelection
from unabridged.forgetting.tombstones import ForgottenIndex
from unabridged.knowledge.facts import Facts
from unabridged.maintenance.run_maintenance import Knowledge
from unabridged.ports import Store
from unabridged.recording import sessions as sessions_of
from unabridged.space.dependencies import SpaceDependencies


@checks_arguments
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
        """Return what a forgetting would do; nothing is changed.

        Name one kind of thing. Only a search may be limited to a session.

        Args:
            exchanges: Exchanges, each by its id or the beginning of it.
            session: A session, all branches, by id, number, title or beginning of its id; with
                ``search``, the only session that is searched.
            fact: A fact that is withdrawn, by id, number or beginning of its id.
            search: Everything that contains all these words: exchanges with their tools and
                reasoning; contexts, facts and titles of others. A name, or a part of a word, is
                listed and stays.
            with_sources: Whether the exchanges that the fact comes from are removed too.
            with_repeats: Whether other places that say the same are removed too.

        Raises:
            InputError: Nothing was named, or things that do not go together.
            NotFoundError: Something that was named is not there.
        """
        named = _named(exchanges=bool(exchanges), session=session, fact=fact, search=search)
        ids = [sessions_of.find_exchange(self._store, wanted).id for wanted in exchanges]
        found = sessions_of.find_session(self._store, session).id if session is not None else None
        hits = WordMatches()
        if search is not None:
            hits = find_words(self._store, search, found)
            ids += hits.exchanges
        elif found is not None:
            ids += [e.id for e in sessions_of.session_exchanges(self._store, found)]
        facts: list[Fact] = []
        if fact is not None:
            facts.append(self._facts.get(fact))
            ids += self.sources_of(facts[0].id) if with_sources else []
        wanted = ForgetSelection(
            named,
            tuple(dict.fromkeys(ids)),
            tuple(facts),
            hits.records,
            hits.titles,
            hits.within,
            tuple(dict.fromkeys((search or "").split())),
            with_repeats,
        )
        return self._forget_executor.plan(wanted)

    def sources_of(self, fact: str) -> list[str]:
        """Return the ids of the exchanges that a fact comes from."""
        return self._facts.sources(fact)

    def execute(self, planned: ForgetPlan) -> Receipt:
        """Forget what a plan names, for good; one that was carried out returns its receipt.

        Raises:
            InputError: The plan is of another memory, or something changed since it was made.
            StoreBusyError: It is gone, but others read the files for so long that old bytes wait in
                them; ``resume`` ends it.
            StoreError: It could not be written; where it was begun, ``resume`` ends it.
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

    def settle(self, receipt: str, rewritten: Collection[str]) -> Receipt:
        """Store that backups of the home, by name, no longer hold the content of a receipt.

        Raises:
            NotFoundError: There is no such receipt, or several.
        """
        return self._forget_executor.settle(receipt, rewritten)

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


def _named(*, exchanges: bool, session: str | None, fact: str | None, search: str | None) -> str:
    # The kind of what is named; a search in a session is a search.
    if search is not None and not search.strip():
        raise InputError("The search has no words.", hint="Give the words to search for.")
    given = {
        "search": search is not None,
        "exchanges": exchanges,
        "session": session is not None and search is None,
        "fact": fact is not None,
    }
    named = [name for name, there in given.items() if there]
    if not named:
        raise InputError(
            "Nothing to forget was named.",
            hint="Name exchanges, a session, a fact, or words to search for.",
        )
    if len(named) > 1:
        raise InputError(
            f"These cannot be forgotten together: {', '.join(named)}.",
            hint="Forget one after the other. Only a search may be limited to a session.",
        )
    return named[0]


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
