"""Calls of operations in this process: with every right, on an open space."""

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec

from unabridged.cli.output import echo
from unabridged.config.agent_settings import ByAgent
from unabridged.domain.audit import LOCAL
from unabridged.domain.permissions import Grant
from unabridged.domain.scope import Scope
from unabridged.errors import InputError
from unabridged.factory.space_pool import SpacePool
from unabridged.operations import operation_named
from unabridged.operations.call import Call
from unabridged.operations.operation import MOST_A_PAGE, Operation, Page, Params
from unabridged.operations.parameters import fault_of
from unabridged.operations.pending_values import Pending

if TYPE_CHECKING:
    from unabridged.space.space import Space

_EMPTY = ("It must not be empty", "Expected `str` of length >= 1")
P = TypeVar("P", bound=Params)
R = TypeVar("R")


def local_call(space: "Space", agents: ByAgent | None = None) -> Call:
    """Return a call on a space with every right.

    Args:
        space: The space.
        agents: The settings of each agent; None if all have the same.
    """
    settings = space.settings
    scope = Scope(settings.user, settings.agent, settings.model or None)
    pool = SpacePool(settings, space.clock, agents=agents)
    pool.audit.warn = lambda said: echo(said, "warn", err=True)
    return Call(space, scope, Grant(LOCAL), pool, Pending(space.clock))


def perform(call: Call, operation: Operation[P, R], **values: Any) -> R:
    """Run an operation with values of its parameters.

    Raises:
        InputError: A value is missing, or is not of its type.
        UnabridgedError: The operation failed.
    """
    try:
        params = msgspec.convert(values, operation.params, strict=False)
    except msgspec.ValidationError as error:
        path, what = fault_of(error)
        name = path.lstrip(".").partition("[")[0].replace("_", " ")
        said = f"{name}: {what}." if name else f"{what}."
        if name and what in _EMPTY:
            said = f"The {name} is empty."
        raise InputError(said, hint="Use another value.") from None
    if operation.once is not None:
        call = replace(call, planned=operation.once.plan(call, params))
    return operation(call, params)


def every_item(call: Call, operation: Operation[Any, Any], **values: Any) -> Iterator[Any]:
    """Return the items of a list: of all its pages, or up to ``limit`` in the values."""
    is_paged = "cursor" in operation.params.__struct_fields__
    left = values.pop("limit", None) if is_paged else None
    cursor = None
    while left is None or left > 0:
        if is_paged:
            size = MOST_A_PAGE if left is None else min(left, MOST_A_PAGE)
            values |= {"limit": size, "cursor": cursor}
        page: Page[Any] = perform(call, operation, **values)
        yield from page.items
        left = None if left is None else left - len(page.items)
        cursor = page.next
        if cursor is None:
            return


def perform_named(call: Call, operation: str, **values: Any) -> Any:
    """Run the operation of a name; a list is returned whole, or up to ``limit`` in the values."""
    found = operation_named(operation)
    if found.is_page:
        return list(every_item(call, found, **values))
    return perform(call, found, **values)
