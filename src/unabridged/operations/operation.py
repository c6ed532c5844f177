"""One operation on a memory: its name, parameters, result, right and effect."""

import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import wraps
from typing import (
    Annotated,
    Any,
    Concatenate,
    Generic,
    Literal,
    TypedDict,
    TypeVar,
    Unpack,
    cast,
    get_args,
    get_origin,
    get_type_hints,
)

import msgspec
from msgspec import Meta

from unabridged.domain.audit import Audit, Outcome
from unabridged.domain.forgetting import ForgetPlan, Receipt
from unabridged.domain.permissions import Grant, Right
from unabridged.errors import PermissionRefusedError
from unabridged.operations.call import Call, What, need, need_space
from unabridged.space.idempotency import Done

LONGEST_TEXT = 10_000_000
"""Characters of one text; the setting ``max_body`` limits the whole body."""
MOST_A_PAGE = 200
"""Items of one page."""
Method = Literal["GET", "POST", "PATCH", "DELETE"]


class Effect(StrEnum):
    """What an operation does to a memory. HTTP semantics and MCP hints follow from it."""

    READS = "reads"
    """It changes nothing that is stored; it does not create a space."""
    WRITES = "writes"
    """It adds or changes something; the older state remains in the history."""
    DESTROYS = "destroys"
    """It removes words for good."""


_EFFECTS = {"GET": Effect.READS, "DELETE": Effect.DESTROYS}
"""The effect of each method where the operation names none; that of the others is to write."""
_AUDITS = {Effect.READS: Audit.READS, Effect.DESTROYS: Audit.ACTS}
"""How operations are entered in the audit log where they name nothing else. What only adds is not:
it is in the history with its time."""


class Place(StrEnum):
    """The part of an HTTP request that holds a parameter."""

    QUERY = "query"
    PATH = "path"
    BODY = "body"


class Params(msgspec.Struct, forbid_unknown_fields=True):
    """The parameters of an operation. Unknown fields and values of another type are refused."""


Words = Annotated[str, Meta(min_length=1, max_length=LONGEST_TEXT, pattern=r"\S")]
"""A text with at least one visible character."""
AnyText = Annotated[str, Meta(max_length=LONGEST_TEXT)]
"""A text that may be empty; if it must not be, the memory itself refuses it."""
Title = Annotated[str, Meta(min_length=1, max_length=1000, pattern=r"\S")]
Name = Annotated[str, Meta(min_length=1, max_length=200)]
"""An id or another name of something."""

P = TypeVar("P", bound=Params)
R = TypeVar("R")
Item = TypeVar("Item")


class Paged(Params):
    """Which page of a list.

    Attributes:
        limit: Items of a page, at most.
        cursor: `next` of the previous page; omit it for the first page.
    """

    limit: Annotated[int, Meta(ge=1, le=MOST_A_PAGE)] = 50
    cursor: Annotated[str, Meta(max_length=4096)] | None = None


@dataclass(frozen=True, slots=True)
class Page(Generic[Item]):
    """One page of a list.

    Attributes:
        items: The items.
        next: The cursor of the next page; None if this is the last.
    """

    items: Sequence[Item]
    next: str | None = None


def _nothing(_: Call, __: Any) -> What:
    return {}


def _unknown(_: Call, __: Any, ___: Done) -> What | None:
    return None


def _always(_: Any) -> bool:
    return True


@dataclass(frozen=True, slots=True)
class Once(Generic[P, R]):
    """How to recognise a repeated write, and to answer it without writing twice.

    It keeps ids only: the answer is built from what was written.

    Attributes:
        note: Returns the ids and figures of what was written.
        show: Builds the answer from them.
        plan: Chooses ids before anything is written; ``Call.planned`` holds them.
        found: Returns the note of a write that began and was perhaps killed; None if nothing was
            written, so that it is done again.
        applies: Tells whether the operation writes with these parameters.
    """

    note: Callable[[Call, P, R], What]
    show: Callable[[Call, P, What], R]
    plan: Callable[[Call, P], What] = _nothing
    found: Callable[[Call, P, Done], What | None] = _unknown
    applies: Callable[[P], bool] = _always


@dataclass(frozen=True, slots=True)
class Operation(Generic[P, R]):
    """One row of the table. Call it to run it.

    Attributes:
        name: Its name, such as ``facts.add``.
        params: The type of its parameters.
        result: The type of its result; for a page, the type of an item.
        is_page: Whether the result is a page of a list.
        about: What it does, in Markdown.
        gives: The result, in one line.
        right: The right that it needs.
        method: Its HTTP method.
        path: Its path below ``/memory``; ``{name}`` is replaced by a parameter.
        run: The function.
        effect: What it does to the memory.
        tag: The subject that lists it.
        status: The HTTP status of success.
        whole: Whether it needs the whole space. A key for one session does not reach that.
        once: How a repeated call is recognised; None if repeating it changes nothing more.
        records: Whether it stores messages, so that maintenance is due.
        bare: Whether the body may be omitted.
        transfer: Whether a file replaces JSON: it is sent (``upload``) or returned (``download``).
        query: Parameters that go into the query although there is a body.
        tool: The name of its MCP tool; empty if it has none.
        audit: How it is entered in the audit log; None if it is not.
    """

    name: str
    params: type[P]
    result: Any
    is_page: bool
    about: str
    gives: str
    right: Right
    method: Method
    path: str
    run: Callable[[Call, P], R] = field(repr=False)
    effect: Effect
    tag: str
    status: int = 200
    whole: bool = False
    once: Once[P, R] | None = None
    records: bool = False
    bare: bool = False
    transfer: Literal["upload", "download"] | None = None
    query: tuple[str, ...] = ()
    tool: str = ""
    audit: Audit | None = None

    def __call__(self, call: Call, params: P) -> R:
        """Run it, if the caller may, and enter it in the audit log.

        Raises:
            PermissionRefusedError: The key does not allow it.
            StoreError: It must be entered before its answer, and cannot be.
            UnabridgedError: It failed.
        """
        result, outcome = None, Outcome.FAILED
        try:
            self.check(call.grant)
            result = self.run(call if call.planned else self.plan(call, params), params)
            outcome = Outcome.DONE
        except PermissionRefusedError:
            outcome = Outcome.REFUSED
            raise
        finally:
            if self.audit is not None:
                who, count = call.grant.id or call.grant.name, _counted(result)
                log, space = call.pool.audit, call.space.id
                log.note(self.audit, who, self.name, space, outcome=outcome, count=count)
        return result

    def check(self, grant: Grant) -> None:
        """Refuse a caller whose key does not allow it.

        Raises:
            PermissionRefusedError: The key does not allow it.
        """
        need(grant, self.right)
        if self.whole:
            need_space(grant)

    def plan(self, call: Call, params: P) -> Call:
        """Return the call with the ids of what it will write, if it writes something once."""
        if self.once is None or not self.once.applies(params):
            return call
        return replace(call, planned=self.once.plan(call, params))

    def writes(self, params: P) -> bool:
        """Tell whether it changes anything with these parameters."""
        once = self.once
        return self.effect is not Effect.READS or (once is not None and once.applies(params))

    @property
    def is_idempotent(self) -> bool:
        """Whether a repeated call changes nothing more."""
        return self.effect is not Effect.WRITES or self.once is None

    @property
    def is_repeatable(self) -> bool:
        """Whether a client may send it again when the answer was lost."""
        return self.effect is Effect.READS or self.once is not None

    def place_of(self, name: str) -> Place:
        """Return the part of an HTTP request that holds a parameter."""
        if f"{{{name}}}" in self.path:
            return Place.PATH
        has_body = self.method in {"POST", "PATCH"} and self.transfer is None
        return Place.BODY if has_body and name not in self.query else Place.QUERY

    def needs(self, name: str) -> bool:
        """Return whether a parameter has no default."""
        fields = msgspec.structs.fields(self.params)
        return any(each.name == name and each.required for each in fields)

    def fields_of(self, place: Place) -> list[str]:
        """Return the names of the parameters in one part of a request."""
        return [n for n in self.params.__struct_fields__ if self.place_of(n) is place]


class Columns(TypedDict, total=False):
    """The columns of the table that most operations leave out; see ``Operation``."""

    status: int
    whole: bool
    once: Once[Any, Any] | None
    records: bool
    bare: bool
    transfer: Literal["upload", "download"] | None
    query: tuple[str, ...]
    tool: str
    audit: Audit | None


def operation(
    name: str,
    route: str,
    gives: str,
    right: Right = Right.READ,
    *,
    effect: Effect | None = None,
    tag: str = "",
    **columns: Unpack[Columns],
) -> Callable[[Callable[Concatenate[Call, ...], R]], Operation[Any, R]]:
    """Make an operation from a function. Its type hints and its docstring describe it.

    The function takes the call, and either one ``Params`` or the required parameters themselves.

    Args:
        name: Subject and verb, such as ``facts.add``.
        route: Method and path below ``/memory``, such as ``GET /facts/{fact}``.
        gives: The result, in one line.
        right: The right that it needs.
        effect: What it does to the memory. Without it, GET reads, DELETE destroys, others write.
        tag: The subject that lists it; empty for that of the name.
        **columns: Other attributes of ``Operation``.
    """
    method, path = route.split(" ")

    def made(run: Callable[Concatenate[Call, ...], R]) -> Operation[Any, R]:
        hints = get_type_hints(run, include_extras=True)
        result = hints.pop("return")
        params, run_with = _with_params(run, list(hints.items())[1:])
        is_page = get_origin(result) is Page
        does = effect or _EFFECTS.get(method, Effect.WRITES)
        columns.setdefault("audit", _AUDITS.get(does))
        return Operation(
            name=name,
            params=params,
            result=get_args(result)[0] if is_page else result,
            is_page=is_page,
            about=inspect.cleandoc(run.__doc__ or ""),
            gives=gives,
            right=right,
            effect=does,
            method=method,  # type: ignore[arg-type]  # split from the route
            path=path,
            tag=tag or name.partition(".")[0],
            run=run_with,
            **columns,
        )

    return made


def _counted(result: object) -> int:
    match result:
        case None:
            return 0
        case Page():
            return len(result.items)
        case ForgetPlan():
            return len(result.exchanges)
        case Receipt():
            return result.exchanges
        case _:
            return 1


def _with_params(
    run: Callable[..., R], fields: list[tuple[str, Any]]
) -> tuple[type[Params], Callable[[Call, Any], R]]:
    if len(fields) == 1 and isinstance(fields[0][1], type) and issubclass(fields[0][1], Params):
        return fields[0][1], run
    params = msgspec.defstruct(run.__name__, fields, bases=(Params,))

    @wraps(run)
    def run_with(call: Call, given: Params) -> R:
        return run(call, **msgspec.structs.asdict(given))

    return cast("type[Params]", params), run_with
