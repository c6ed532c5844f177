"""Calls of operations in this process: with every right, on an open space."""

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec

from unabridged.domain.permissions import Grant
from unabridged.domain.scope import Scope
from unabridged.errors import InputError
from unabridged.factory.space_pool import SpacePool
from unabridged.operations.call import Call
from unabridged.operations.operation import MOST_A_PAGE, Operation, Page, Params
from unabridged.operations.pending_values import Pending

if TYPE_CHECKING:
    from unabridged.space.space import Space

P = TypeVar("P", bound=Params)
R = TypeVar("R")


def local_call(space: "Space") -> Call:
    """Return a call on a space with every right."""
    settings = space.settings
    scope = Scope(settings.user, settings.agent, settings.model or None)
    pool = SpacePool(settings, space.clock)
    return Call(space, scope, Grant("local"), pool, Pending(space.clock))


def perform(call: Call, operation: Operation[P, R], **values: Any) -> R:
    """Run an operation with values of its parameters.

    Raises:
        InputError: A value is missing, or is not of its type.
        UnabridgedError: The operation failed.
    """
    try:
        params = msgspec.convert(values, operation.params, strict=False)
    except msgspec.ValidationError as error:
        what, _, field = str(error).partition(" - at `$.")
        name = field.rstrip("`").partition("[")[0]
        said = f"{name.replace('_', ' ')}: {what}" if name else what
        raise InputError(f"{said}.", hint="Use another value.") from None
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
