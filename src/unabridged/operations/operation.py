"""One operation on a memory: its name, what it takes and gives, the right that it needs."""

import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import wraps
from typing import (
    Annotated,
    Any,
    Concatenate,
    Generic,
    Literal,
    TypeVar,
    cast,
    get_args,
    get_origin,
    get_type_hints,
)

import msgspec
from msgspec import Meta

from unabridged.domain.permissions import Grant, Right
from unabridged.operations.call import Call, What, need, need_space
from unabridged.space.idempotency import Done

LONGEST_TEXT = 10_000_000
"""Characters of one text; the whole body is bounded by the setting ``max_body``."""
MOST_A_PAGE = 200
"""Items of one page."""
Method = Literal["GET", "POST", "PATCH", "DELETE"]


class Place(StrEnum):
    """Where a parameter goes in a request over HTTP."""

    QUERY = "query"
    PATH = "path"
    BODY = "body"


class Params(msgspec.Struct, forbid_unknown_fields=True):
    """What an operation takes: no field but those named, and no value of another type."""


Words = Annotated[str, Meta(min_length=1, max_length=LONGEST_TEXT, pattern=r"\S")]
"""A text that says something."""
AnyText = Annotated[str, Meta(max_length=LONGEST_TEXT)]
"""A text; where it must say something, the memory itself refuses an empty one."""
Title = Annotated[str, Meta(min_length=1, max_length=1000, pattern=r"\S")]
Name = Annotated[str, Meta(min_length=1, max_length=200)]
"""An id, or what else names something."""

P = TypeVar("P", bound=Params)
R = TypeVar("R")
Item = TypeVar("Item")


class Paged(Params):
    """A list that is read page by page.

    Attributes:
        limit: The most items of a page.
        cursor: `next` of the page before; without it, the first page.
    """

    limit: Annotated[int, Meta(ge=1, le=MOST_A_PAGE)] = 50
    cursor: Annotated[str, Meta(max_length=4096)] | None = None


@dataclass(frozen=True, slots=True)
class Page(Generic[Item]):
    """One page of a list.

    Attributes:
        items: What is on it.
        next: Where the next one begins, as opaque text; None where this is the last.
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
    """How a write that is repeated under one key is recognised, and answered without doing it.

    No words of anybody are kept for it: the answer is made from what was written.

    Attributes:
        note: Gives the ids and figures of what was written.
        show: Gives the answer from them.
        plan: Chooses the ids before anything is written; the operation finds them in
            ``Call.planned``.
        found: Gives the note of a write that was begun and perhaps killed; None where nothing was
            written, and it is done again.
        applies: Whether these parameters let it write at all.
    """

    note: Callable[[Call, P, R], What]
    show: Callable[[Call, P, What], R]
    plan: Callable[[Call, P], What] = _nothing
    found: Callable[[Call, P, Done], What | None] = _unknown
    applies: Callable[[P], bool] = _always


@dataclass(frozen=True, slots=True)
class Operation(Generic[P, R]):
    """One row of the table. Called, it does what it says.

    Attributes:
        name: Its name, such as ``facts.add``.
        params: What it takes.
        result: The type of what it gives; of a page, that of an item.
        is_page: Whether it gives a page of a list.
        about: What it does, in Markdown.
        gives: What it gives, in a line.
        right: The right that it needs.
        method: Its method over HTTP; GET changes nothing.
        path: Its path below ``/memory``; ``{name}`` stands for a parameter.
        tag: The subject under which it is listed.
        status: The HTTP status of success.
        whole: Whether it concerns the whole space, which a key for one session does not reach.
        once: How it is recognised when it is repeated; None where that changes nothing more.
        records: Whether something was said in it, so that maintenance is due.
        bare: Whether its body may be left out.
        transfer: Whether a file is sent (``upload``) or given (``download``) in place of JSON.
        query: Parameters that go into the query although there is a body.
        run: Does it.
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
    tag: str
    status: int
    whole: bool
    once: Once[P, R] | None
    records: bool
    bare: bool
    transfer: Literal["upload", "download"] | None
    query: tuple[str, ...]
    run: Callable[[Call, P], R] = field(repr=False)

    def __call__(self, call: Call, params: P) -> R:
        """Do it, where the caller may.

        Raises:
            PermissionRefusedError: The key does not allow it.
            UnabridgedError: It could not be done.
        """
        self.check(call.grant)
        return self.run(call, params)

    def check(self, grant: Grant) -> None:
        """Refuse a caller who may not.

        Raises:
            PermissionRefusedError: The key does not allow it.
        """
        need(grant, self.right)
        if self.whole:
            need_space(grant)

    def place_of(self, name: str) -> Place:
        """Say where a parameter goes: what the path names, there; of a GET, into the query."""
        if f"{{{name}}}" in self.path:
            return Place.PATH
        has_body = self.method in {"POST", "PATCH"} and self.transfer is None
        return Place.BODY if has_body and name not in self.query else Place.QUERY

    def fields_of(self, place: Place) -> list[str]:
        """Give the names of the parameters that go to one place."""
        return [n for n in self.params.__struct_fields__ if self.place_of(n) is place]


def operation(  # noqa: PLR0913 - the columns of the table
    name: str,
    route: str,
    gives: str,
    right: Right = Right.READ,
    *,
    tag: str = "",
    status: int = 200,
    whole: bool = False,
    once: Once[Any, Any] | None = None,
    records: bool = False,
    bare: bool = False,
    transfer: Literal["upload", "download"] | None = None,
    query: tuple[str, ...] = (),
) -> Callable[[Callable[Concatenate[Call, ...], R]], Operation[Any, R]]:
    """Make an operation of a function; its hints say what it takes and gives, its docstring why.

    It takes the call, and one ``Params`` or the required parameters themselves.

    Args:
        name: Subject and verb, such as ``facts.add``.
        route: Method and path below ``/memory``, such as ``GET /facts/{fact}``.
        gives: What it gives, in a line.
        right: The right that it needs.
        tag: The subject under which it is listed; empty for that of the name.
        status: The HTTP status of success.
        whole: Whether it concerns the whole space.
        once: How it is recognised when it is repeated.
        records: Whether something was said in it.
        bare: Whether its body may be left out.
        transfer: Whether a file is sent or given.
        query: Parameters that go into the query although there is a body.
    """
    method, path = route.split(" ")

    def made(run: Callable[Concatenate[Call, ...], R]) -> Operation[Any, R]:
        hints = get_type_hints(run, include_extras=True)
        result = hints.pop("return")
        params, run_with = _with_params(run, list(hints.items())[1:])
        is_page = get_origin(result) is Page
        return Operation(
            name=name,
            params=params,
            result=get_args(result)[0] if is_page else result,
            is_page=is_page,
            about=inspect.cleandoc(run.__doc__ or ""),
            gives=gives,
            right=right,
            method=method,  # type: ignore[arg-type]  # split from the route
            path=path,
            tag=tag or name.partition(".")[0],
            status=status,
            whole=whole,
            once=once,
            records=records,
            bare=bare,
            transfer=transfer,
            query=query,
            run=run_with,
        )

    return made


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
