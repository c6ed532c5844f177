"""Conversation memory that never cuts a message, loses nothing and accounts for every token.

    from unabridged import Memory

    with Memory.open() as memory:
        context = memory.prepare("Remember that cheese project?")
        reply = ask_your_model(context.messages)
        memory.record(context, reply)

The public names, nothing else. They are imported when first used, so that ``import unabridged``
costs next to nothing.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from unabridged.aio import AsyncMemory
    from unabridged.domain.context import Context
    from unabridged.domain.settings import Settings
    from unabridged.errors import UnabridgedError
    from unabridged.memory import Memory

__all__ = ["AsyncMemory", "Context", "Memory", "Settings", "UnabridgedError"]

_PLACES = {
    "AsyncMemory": "unabridged.aio",
    "Context": "unabridged.domain.context",
    "Memory": "unabridged.memory",
    "Settings": "unabridged.domain.settings",
    "UnabridgedError": "unabridged.errors",
}


def __getattr__(name: str) -> Any:
    """Import a public name when it is first asked for."""
    if name not in _PLACES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_PLACES[name]), name)
