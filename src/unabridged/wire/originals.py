"""The foreign original: a message as a client sent it, kept where its parts do not give it back."""

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

import msgspec

from unabridged.domain.message import Message
from unabridged.wire import anthropic, ollama, openai
from unabridged.wire.incoming_message import IncomingMessage, Wire

_RENDER: Mapping[str, Callable[[Sequence[Message | IncomingMessage]], Sequence[Wire]]] = (
    MappingProxyType(
        {"anthropic": anthropic.messages, "ollama": ollama.messages, "openai": openai.messages}
    )
)


def original_of(draft: IncomingMessage) -> bytes | None:
    """Return what to keep of a message as it came: its dialect and its item, as JSON.

    None if it came in no dialect, or if its parts give it back.
    """
    if draft.item is None:
        return None
    dialect, item = draft.item
    render = _RENDER.get(dialect)
    if render is not None and [dict(one) for one in render([draft])] == [dict(item)]:
        return None
    return msgspec.json.encode({"dialect": dialect, "item": item})


def items_of(messages: Sequence[Message], dialect: str) -> list[Wire]:
    """Return stored messages as items of a dialect, from their originals where they have one."""
    made: list[Wire] = []
    for message in messages:
        item = _item_from(message.original, dialect) if message.original else None
        made += _RENDER[dialect]([message]) if item is None else [item]
    return made


def _item_from(original: bytes, dialect: str) -> Wire | None:
    try:
        data: Any = msgspec.json.decode(original)
    except (ValueError, RecursionError):  # another program's, of an import
        return None
    if not isinstance(data, dict) or data.get("dialect") != dialect:
        return None
    item = data.get("item")
    return item if isinstance(item, dict) else None
