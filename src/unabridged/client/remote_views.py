"""The views of a memory that a server keeps: facts, requirements, condensations."""

import inspect
from collections.abc import Callable
from functools import update_wrapper
from typing import Any, Concatenate, ParamSpec, TypeVar

from unabridged.client.http_calls import Wire
from unabridged.domain.condensation import Condensation
from unabridged.domain.fact import Fact, FactChange, FactState
from unabridged.domain.results import CondensePreview
from unabridged.knowledge.facts import Facts
from unabridged.knowledge.requirements import Requirements
from unabridged.maintenance.condense_sessions import Condensations
from unabridged.operations import facts, maintenance, requirements
from unabridged.operations.operation import Operation, Page, Place

Given = ParamSpec("Given")
Result = TypeVar("Result")
Item = TypeVar("Item")


class RemoteView:
    """Something that a server keeps.

    Args:
        wire: The server.
    """

    def __init__(self, wire: Wire) -> None:
        self._wire = wire


def called(
    method: Callable[Concatenate[Any, Given], Result],
    operation: Operation[Any, Result],
    **fixed: object,
) -> Callable[Concatenate[RemoteView, Given], Result]:
    """Make a method that calls an operation, like the one that the embedded memory has.

    Args:
        method: Gives the signature and the docstring.
        operation: An argument of a name that it does not know is what its path names.
        **fixed: Further parameters of the operation.
    """
    arguments = _arguments_of(method, operation)

    def call(self: RemoteView, /, *args: Given.args, **kwargs: Given.kwargs) -> Result:
        return self._wire.call(operation, **arguments(self, *args, **kwargs), **fixed)

    return update_wrapper(call, method)


def listed(
    method: Callable[Concatenate[Any, Given], list[Item]], operation: Operation[Any, Page[Item]]
) -> Callable[Concatenate[RemoteView, Given], list[Item]]:
    """Make a method that reads the whole list of an operation; see ``called``."""
    arguments = _arguments_of(method, operation)

    def call(self: RemoteView, /, *args: Given.args, **kwargs: Given.kwargs) -> list[Item]:
        return list(self._wire.all(operation, **arguments(self, *args, **kwargs)))

    return update_wrapper(call, method)


def _arguments_of(
    method: Callable[..., Any], operation: Operation[Any, Any]
) -> Callable[..., dict[str, Any]]:
    signature = inspect.signature(method)
    known = operation.params.__struct_fields__
    named = operation.fields_of(Place.PATH)

    def arguments(*args: Any, **kwargs: Any) -> dict[str, Any]:
        _, *given = signature.bind(*args, **kwargs).arguments.items()
        found: dict[str, Any] = {}
        for name, value in given:
            if signature.parameters[name].kind is inspect.Parameter.VAR_KEYWORD:
                found |= value
            else:
                found[name if name in known else named[0]] = value
        return found

    return arguments


class RemoteFacts(RemoteView):
    """What was learned of the user; as ``Facts``."""

    def all(self, state: FactState | str | None = FactState.CURRENT) -> list[Fact]:
        """The facts of a state, the oldest first; of all states with None.

        Raises:
            ValueError: There is no such state.
        """
        wanted = "all" if state is None else FactState(state)
        return list(self._wire.all(facts.list_facts, state=wanted))

    def pinned(self) -> list[Fact]:
        """The facts that every prompt carries, the oldest first."""
        return [fact for fact in self.all() if fact.pinned]

    def history(self, wanted: str) -> tuple[FactChange, ...]:
        """What happened to a fact, and to those in whose place it came."""
        return tuple(self._wire.call(facts.fact_history, fact=wanted).items)

    get = called(Facts.get, facts.get_fact)
    add = called(Facts.add, facts.add_fact)
    edit = called(Facts.edit, facts.change_fact)
    pin = called(Facts.pin, facts.change_fact, pinned=True)
    unpin = called(Facts.unpin, facts.change_fact, pinned=False)
    withdraw = called(Facts.withdraw, facts.withdraw_fact)


class RemoteRequirements(RemoteView):
    """What was required; as ``Requirements``."""

    all = listed(Requirements.all, requirements.list_requirements)
    get = called(Requirements.get, requirements.get_requirement)
    add = called(Requirements.add, requirements.add_requirement)
    edit = called(Requirements.edit, requirements.change_requirement)
    pin = called(Requirements.pin, requirements.change_requirement, pinned=True)
    unpin = called(Requirements.unpin, requirements.change_requirement, pinned=False)
    withdraw = called(Requirements.withdraw, requirements.withdraw_requirement)


class RemoteCondensations(RemoteView):
    """What was condensed; as ``Condensations``."""

    def condensations(self) -> list[Condensation]:
        """Every stored condensation, in the order of their ids."""
        return list(self._wire.all(maintenance.list_condensations))

    expand = called(Condensations.expand, maintenance.expand)

    def plan(self, session: str) -> CondensePreview:
        """Say what a run would do with a session; nothing is changed."""
        return self._wire.call(maintenance.condense, session=session, dry_run=True)

    def condense(self, session: str, *, force: bool = False) -> CondensePreview:
        """Condense a session."""
        return self._wire.call(maintenance.condense, session=session, force=force)
