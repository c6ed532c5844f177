"""The views of a memory that a server keeps: facts, requirements, condensations, forgetting."""

from collections.abc import Sequence
from typing import Any

from unabridged.client.http_calls import Wire
from unabridged.domain.condensation import Condensation
from unabridged.domain.fact import SELF, Fact, FactChange, FactState, Requirement
from unabridged.domain.forgetting import ForgetPlan, Receipt
from unabridged.domain.results import CondensePreview, ExpandedCondensation
from unabridged.operations import facts, forgetting, maintenance, requirements
from unabridged.operations.operation import MOST_A_PAGE


class _View:
    def __init__(self, wire: Wire) -> None:
        self._wire = wire


class RemoteFacts(_View):
    """What was learned of the user; as ``Facts``.

    Args:
        wire: The server.
    """

    def all(self, state: FactState | str | None = FactState.CURRENT) -> list[Fact]:
        """The facts of a state, the oldest first; of all states with None.

        Raises:
            ValueError: There is no such state.
        """
        wanted = "all" if state is None else FactState(state).value
        return list(self._wire.all(facts.list_facts, state=wanted, limit=MOST_A_PAGE))

    def pinned(self) -> list[Fact]:
        """The facts that every prompt carries, the oldest first."""
        return [fact for fact in self.all() if fact.pinned]

    def get(self, wanted: str) -> Fact:
        """A fact by its id, the beginning of its id, or its number in ``all()``, from 1.

        Raises:
            NotFoundError: There is none, or several.
        """
        return self._wire.call(facts.get_fact, fact=wanted)

    def history(self, wanted: str) -> tuple[FactChange, ...]:
        """What happened to a fact, and to those in whose place it came."""
        return tuple(self._wire.call(facts.fact_history, fact=wanted).items)

    def add(
        self,
        text: str,
        *,
        pinned: bool = False,
        subject: str = SELF,
        attribute: str = "",
        value: str = "",
        aliases: Sequence[str] = (),
    ) -> Fact:
        """Add a fact that a person gives."""
        return self._wire.call(
            facts.add_fact,
            text=text,
            pinned=pinned,
            subject=subject,
            attribute=attribute,
            value=value,
            aliases=list(aliases),
        )

    def edit(self, wanted: str, *, text: str | None = None, value: str | None = None) -> Fact:
        """Correct a fact, and give what took its place."""
        return self._wire.call(facts.change_fact, fact=wanted, text=text, value=value)

    def pin(self, wanted: str) -> Fact:
        """Let every prompt carry a fact."""
        return self._wire.call(facts.change_fact, fact=wanted, pinned=True)

    def unpin(self, wanted: str) -> Fact:
        """Let prompts carry a fact no more, unless it bears on the message."""
        return self._wire.call(facts.change_fact, fact=wanted, pinned=False)

    def withdraw(self, wanted: str) -> Fact:
        """Take a fact back, and give it as it was."""
        return self._wire.call(facts.withdraw_fact, fact=wanted)


class RemoteRequirements(_View):
    """What was required; as ``Requirements``.

    Args:
        wire: The server.
    """

    def all(self, *, withdrawn: bool = False) -> list[Requirement]:
        """The requirements in the order of their numbers."""
        listed = self._wire.call(requirements.list_requirements, withdrawn=withdrawn)
        return list(listed.items)

    def get(self, wanted: str) -> Requirement:
        """A requirement by its id or its number.

        Raises:
            NotFoundError: There is none.
        """
        return self._wire.call(requirements.get_requirement, requirement=wanted)

    def add(self, text: str, **fields: Any) -> Requirement:
        """Add a requirement that a person gives."""
        return self._wire.call(requirements.add_requirement, text=text, **fields)

    def edit(self, wanted: str, **fields: Any) -> Requirement:
        """Change fields of a requirement; the history keeps the text that it had."""
        return self._wire.call(requirements.change_requirement, requirement=wanted, **fields)

    def pin(self, wanted: str) -> Requirement:
        """Let every prompt carry a requirement."""
        return self.edit(wanted, pinned=True)

    def unpin(self, wanted: str) -> Requirement:
        """Let prompts carry a requirement no more."""
        return self.edit(wanted, pinned=False)

    def withdraw(self, wanted: str) -> Requirement:
        """Take a requirement back, and give it as it was."""
        return self._wire.call(requirements.withdraw_requirement, requirement=wanted)


class RemoteCondensations(_View):
    """What was condensed; as ``Condensations``.

    Args:
        wire: The server.
    """

    def condensations(self) -> list[Condensation]:
        """Every stored condensation, in the order of their ids."""
        return list(self._wire.all(maintenance.list_condensations, limit=MOST_A_PAGE))

    def expand(self, wanted: str) -> ExpandedCondensation:
        """Open a condensation: what it says, and what it stands for, whole."""
        return self._wire.call(maintenance.expand, condensation=wanted)

    def plan(self, session: str) -> CondensePreview:
        """Say what a run would do with a session; nothing is changed."""
        return self._wire.call(maintenance.condense, session=session, dry_run=True)

    def condense(self, session: str, *, force: bool = False) -> CondensePreview:
        """Condense a session."""
        return self._wire.call(maintenance.condense, session=session, force=force)


class RemoteForgetting(_View):
    """What can be forgotten, and the receipts for what was; as ``Forgetting``.

    Args:
        wire: The server.
    """

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
        """Say what a forgetting would do; nothing is changed. The server keeps it for half an hour.

        Raises:
            InputError: Nothing was named.
            NotFoundError: Something that was named is not there.
        """
        return self._wire.call(
            forgetting.plan_forgetting,
            exchanges=list(exchanges),
            session=session,
            fact=fact,
            search=search,
            with_sources=with_sources,
            with_repeats=with_repeats,
        )

    def execute(self, planned: ForgetPlan) -> Receipt:
        """Forget what a plan names, for good.

        Raises:
            NotFoundError: The server keeps the plan no more; make it again.
        """
        return self._wire.call(forgetting.forget, plan=planned.id)

    def receipts(self) -> list[Receipt]:
        """Every receipt, the oldest first."""
        return list(self._wire.all(forgetting.list_receipts, limit=MOST_A_PAGE))
