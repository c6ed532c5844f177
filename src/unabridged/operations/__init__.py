"""The table of operations on a memory. REST, the client, MCP and the commands follow it."""

from collections.abc import Iterator
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from unabridged.operations.operation import Operation

    TABLE: tuple[Operation[Any, Any], ...]
    """Every operation; importing it imports the engine."""

_SUBJECTS = (
    "search",
    "sessions",
    "exchanges",
    "contexts",
    "facts",
    "requirements",
    "annotations",
    "maintenance",
    "forgetting",
    "sharing",
    "transfer",
    "audit",
)
"""The modules, in the order of the table."""
_MODULES = {"condensations": "maintenance", "pins": "facts", "receipts": "forgetting"}
"""The module of a subject that has none of its name; of others every module is looked at."""


def operation_named(name: str) -> "Operation[Any, Any]":
    """Return an operation by its name, and import no other subject if its module tells."""
    subject = name.partition(".")[0]
    first = _MODULES.get(subject, subject)
    for module in sorted(_SUBJECTS, key=lambda each: each != first):
        for each in _of(module):
            if each.name == name:
                return each
    raise LookupError(f"no operation is called {name!r}")


def _of(subject: str) -> "Iterator[Operation[Any, Any]]":
    from unabridged.operations.operation import Operation  # noqa: PLC0415 - slow, and lists need none of it

    module = import_module(f"unabridged.operations.{subject}")
    return (each for each in vars(module).values() if isinstance(each, Operation))


def __getattr__(name: str) -> Any:
    """Make the table when it is first used."""
    if name != "TABLE":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = tuple(each for subject in _SUBJECTS for each in _of(subject))
    return globals()[name]
