"""Methods that are made from operations, and the views of a memory that a server keeps."""

import inspect
from collections.abc import Callable, Mapping, Sequence
from functools import update_wrapper
from itertools import islice
from typing import TYPE_CHECKING, Any, ClassVar, Concatenate, ParamSpec, TypeVar, cast

import msgspec

from unabridged.client.http_calls import Wire
from unabridged.domain.arguments import checks_arguments
from unabridged.domain.fact import Fact, FactState
from unabridged.domain.short_repr import short
from unabridged.errors import UnsupportedError
from unabridged.knowledge.facts import Facts
from unabridged.knowledge.requirements import Requirements
from unabridged.maintenance.condense_sessions import Condensations
from unabridged.operations import facts, maintenance, requirements
from unabridged.operations.operation import Operation, Params, Place

Given = ParamSpec("Given")
Result = TypeVar("Result")


_CHAT = "Chat with the server: it speaks OpenAI's dialect at /v1 of its address."
_INSTEAD = {
    "ask": _CHAT,
    "chat": _CHAT,
    "turn": _CHAT,
    "save": "The server stores each write at once; nothing is held back.",
    "space": "Use its subjects, for example memory.shares.list().",
}
"""What to do instead, by the name of what a remote memory lacks."""
_EMBEDDED = "Open the memory where it is stored: Memory.open()."


class RemoteView:
    """Something that a server keeps.

    Args:
        wire: The server.
    """

    _embedded: ClassVar[type] = object

    def __init__(self, wire: Wire) -> None:
        self._wire = wire

    def __repr__(self) -> str:  # type: ignore[explicit-override]  # typing.override came with 3.12
        return short(self, self._wire.url)

    if not TYPE_CHECKING:  # a type checker reports what is not there

        def __getattr__(self, name: str) -> Any:
            raise self._lacks(name)

    def _lacks(self, name: str) -> AttributeError:
        kind = type(self).__name__
        if name.startswith("_") or not hasattr(self._embedded, name):
            return AttributeError(f"{kind!r} has no {name!r}.")
        return UnsupportedError(
            f"The memory of a server has no {name!r}.", hint=_INSTEAD.get(name, _EMBEDDED)
        )


def like(
    method: Callable[Concatenate[Any, Given], Result],
) -> Callable[[Callable[..., Result]], Callable[Concatenate[Any, Given], Result]]:
    """Give a method the signature and the docstring of the embedded memory's method."""
    signature = inspect.signature(method)

    def made(run: Callable[..., Result]) -> Callable[Concatenate[Any, Given], Result]:
        def call(self: Any, /, *args: Given.args, **kwargs: Given.kwargs) -> Result:
            given = signature.bind(self, *args, **kwargs)
            return run(*given.args, **given.kwargs)

        return update_wrapper(call, method)

    return made


def called(
    method: Callable[Concatenate[Any, Given], Result],
    operation: Operation[Any, Any],
    result: Callable[[Any], Any] = lambda made: made,
    **fixed: object,
) -> Callable[Concatenate[Any, Given], Result]:
    """Make a method that calls an operation, like the embedded memory's method.

    Args:
        method: It gives the signature and the docstring.
        operation: Its path names an argument whose name it does not know. The whole of a list is
            read.
        result: Makes the method's result of the operation's.
        **fixed: Other parameters of the operation.
    """
    signature = inspect.signature(method)

    @like(method)
    def call(self: RemoteView, *args: Any, **kwargs: Any) -> Result:
        given = _parameters(operation, signature.bind(self, *args, **kwargs))
        return cast("Result", result(_run(self, operation, given | fixed)))

    return call


def _run(view: RemoteView, operation: Operation[Any, Any], given: Mapping[str, Any]) -> Any:
    wire = view._wire
    if operation.is_page:
        return list(islice(wire.all(operation, **given), given.get("limit")))
    return wire.call(operation, **given)


def _parameters(operation: Operation[Any, Any], given: inspect.BoundArguments) -> dict[str, Any]:
    _, *arguments = given.arguments.items()
    found: dict[str, Any] = {}
    for name, value in arguments:
        if given.signature.parameters[name].kind is inspect.Parameter.VAR_KEYWORD:
            found |= value
        elif name in operation.params.__struct_fields__:
            found[name] = value
        else:
            found[operation.fields_of(Place.PATH)[0]] = value
    return found


class RemoteSubject(RemoteView):
    """The operations of one subject as methods, such as ``shares.list()``.

    Parameters have the names of the table. A list is read to its end, or to ``limit`` items.

    Args:
        wire: The server.
        subject: The subject.
        operations: The operations by verb.
    """

    def __init__(
        self, wire: Wire, subject: str, operations: Mapping[str, Operation[Any, Any]]
    ) -> None:
        super().__init__(wire)
        self._subject = subject
        self._operations = operations

    def __getattr__(self, verb: str) -> Callable[..., Any]:
        operation = self._operations.get(verb)
        if operation is None:
            raise AttributeError(
                f"{self._subject!r} has no {verb!r}; it has {', '.join(self._operations)}."
            )
        return self._method(operation)

    def __dir__(self) -> Sequence[str]:  # type: ignore[explicit-override]  # typing.override came with 3.12
        return [*super().__dir__(), *self._operations]

    def _method(self, operation: Operation[Any, Any]) -> Callable[..., Any]:
        signature = signature_of(operation.params)

        def call(*args: Any, **kwargs: Any) -> Any:
            return _run(self, operation, signature.bind(*args, **kwargs).arguments)

        call.__name__ = call.__qualname__ = operation.name
        call.__doc__ = operation.about
        call.__signature__ = signature  # type: ignore[attr-defined]  # as inspect reads it
        return call


def signature_of(params: type[Params]) -> inspect.Signature:
    """Return the signature of a method with these parameters; optional ones go by keyword."""
    fields = sorted(msgspec.structs.fields(params), key=lambda each: not each.required)
    return inspect.Signature(
        [
            inspect.Parameter(
                each.name,
                inspect.Parameter.POSITIONAL_OR_KEYWORD
                if each.required
                else inspect.Parameter.KEYWORD_ONLY,
                default=inspect.Parameter.empty if each.required else each.default,
                annotation=each.type,
            )
            for each in fields
            if each.name != "cursor"
        ]
    )


def subjects_of(wire: Wire, table: Sequence[Operation[Any, Any]]) -> dict[str, RemoteSubject]:
    """Return the subjects of a table of operations, by name."""
    rows: dict[str, dict[str, Operation[Any, Any]]] = {}
    for each in table:
        subject, _, verb = each.name.partition(".")
        if verb and each.transfer is None:
            rows.setdefault(subject, {})[verb] = each
    return {name: RemoteSubject(wire, name, verbs) for name, verbs in rows.items()}


@checks_arguments
class RemoteFacts(RemoteView):
    """Facts about the user; like ``Facts``."""

    _embedded = Facts

    @like(Facts.all)
    def all(self, state: FactState | str | None = FactState.CURRENT) -> list[Fact]:
        wanted = "all" if state is None else FactState(state)
        return list(self._wire.all(facts.list_facts, state=wanted))

    @like(Facts.pinned)
    def pinned(self) -> list[Fact]:
        return [fact for fact in self.all() if fact.pinned]

    get = called(Facts.get, facts.get_fact)
    history = called(Facts.history, facts.fact_history, tuple)
    add = called(Facts.add, facts.add_fact)
    edit = called(Facts.edit, facts.change_fact)
    pin = called(Facts.pin, facts.change_fact, pinned=True)
    unpin = called(Facts.unpin, facts.change_fact, pinned=False)
    withdraw = called(Facts.withdraw, facts.withdraw_fact)


@checks_arguments
class RemoteRequirements(RemoteView):
    """Requirements; like ``Requirements``."""

    _embedded = Requirements

    all = called(Requirements.all, requirements.list_requirements)
    get = called(Requirements.get, requirements.get_requirement)
    history = called(Requirements.history, requirements.requirement_history, tuple)
    add = called(Requirements.add, requirements.add_requirement)
    edit = called(Requirements.edit, requirements.change_requirement)
    pin = called(Requirements.pin, requirements.change_requirement, pinned=True)
    unpin = called(Requirements.unpin, requirements.change_requirement, pinned=False)
    withdraw = called(Requirements.withdraw, requirements.withdraw_requirement)


@checks_arguments
class RemoteCondensations(RemoteView):
    """Condensations; like ``Condensations``."""

    _embedded = Condensations

    condensations = called(Condensations.condensations, maintenance.list_condensations)
    expand = called(Condensations.expand, maintenance.expand)
    condense = called(Condensations.condense, maintenance.condense)

    plan = called(Condensations.plan, maintenance.condense, dry_run=True)
