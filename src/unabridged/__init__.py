"""Conversation memory that never cuts a message, loses nothing and accounts for every token.

    from unabridged import Memory

    with Memory.open() as memory:
        context = memory.prepare("Remember that cheese project?")
        reply = ask_your_model(context.messages)
        memory.record(context, reply)

The public names. Each is imported when it is first used, so that ``import unabridged`` is fast.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from unabridged.aio import AsyncMemory
    from unabridged.domain.context import Context
    from unabridged.domain.settings import Settings
    from unabridged.errors import UnabridgedError
    from unabridged.memory import Memory
    from unabridged.turn.conversation import Conversation
    from unabridged.turn.run import Reply

    __version__: str

__all__ = [
    "AsyncMemory",
    "Context",
    "Conversation",
    "Memory",
    "Reply",
    "Settings",
    "UnabridgedError",
    "__version__",
]

_MODULES = {
    "AsyncMemory": "unabridged.aio",
    "Context": "unabridged.domain.context",
    "Conversation": "unabridged.turn.conversation",
    "Memory": "unabridged.memory",
    "Reply": "unabridged.turn.run",
    "Settings": "unabridged.domain.settings",
    "UnabridgedError": "unabridged.errors",
}


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used."""
    if name == "__version__":
        value: Any = import_module("importlib.metadata").version("unabridged")
    elif name in _MODULES:
        value = getattr(import_module(_MODULES[name]), name)
    else:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """List the public names."""
    return sorted({*globals(), *__all__})
