"""A draft: a received message, before the store assigns an id and a time."""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from unabridged.domain.chat import StreamChunk
from unabridged.domain.message import (
    Foreign,
    Image,
    Message,
    Part,
    Reasoning,
    Role,
    Text,
    ToolCall,
)
from unabridged.errors import InputError

Wire = dict[str, Any]
"""A JSON object as it is sent or received."""
REMINDER = "system-reminder"
"""The kind of a part that a program put into what a person says."""

_ROLES: Mapping[str, Role] = {
    "system": Role.SYSTEM,
    "developer": Role.SYSTEM,
    "user": Role.USER,
    "assistant": Role.ASSISTANT,
    "tool": Role.TOOL,
    "function": Role.TOOL,
}


@dataclass(frozen=True, slots=True)
class IncomingMessage:
    """A message without id and time.

    Attributes:
        role: The author.
        parts: The content.
        place: The position of its item in the list that a client sent; None if it sent none.
        item: That item as it came, and the name of its dialect; None if there is none.
        items: How many items of the list it was made from; 0 if a message before it is of the same
            item.
    """

    role: Role
    parts: tuple[Part, ...]
    place: int | None = field(default=None, compare=False)
    item: tuple[str, Mapping[str, Any]] | None = field(default=None, compare=False, repr=False)
    items: int = field(default=1, compare=False)

    @property
    def text(self) -> str:
        """Its text parts, joined by a line break."""
        return joined(self.parts)

    @property
    def calls(self) -> tuple[ToolCall, ...]:
        """Its tool calls."""
        return tuple(part for part in self.parts if isinstance(part, ToolCall))


def joined(parts: tuple[Part, ...]) -> str:
    """Return the text of text parts, joined by a line break like ``Message.text``."""
    return "\n".join(part.text for part in parts if isinstance(part, Text))


def reminder_of(said: str) -> Foreign:
    """Return a program's reminder as a part: the model gets it, and nobody said it."""
    return Foreign(REMINDER, json.dumps({"type": "text", "text": said}, ensure_ascii=False))


def with_reminders(parts: tuple[Part, ...]) -> tuple[Part, ...]:
    """Return parts with reminders as texts, for a server to which they are nothing else."""
    return tuple(
        Text(json.loads(part.data)["text"])
        if isinstance(part, Foreign) and part.kind == REMINDER
        else part
        for part in parts
    )


def results_together(
    prompt: Iterable[Message | IncomingMessage],
    render: Callable[[Message | IncomingMessage], Iterable[Wire]],
) -> tuple[Wire, ...]:
    """Return messages as items of a dialect: the results of one round follow each other.

    Servers refuse anything between them. What else a tool gave, a picture for example, comes after
    the last one.
    """
    made: list[Wire] = []
    others: list[Wire] = []
    for message in prompt:
        if message.role is not Role.TOOL:
            made += others
            others = []
            made += render(message)
            continue
        for wire in render(message):
            (made if wire["role"] == Role.TOOL.value else others).append(wire)
    return (*made, *others)


def reasoning_of(parts: tuple[Part, ...]) -> str:
    """Return the reasoning among the parts."""
    return "".join(part.text for part in parts if isinstance(part, Reasoning))


def images(parts: tuple[Part, ...]) -> tuple[Image, ...]:
    """Return the images among the parts."""
    return tuple(part for part in parts if isinstance(part, Image))


def merged(chunks: Sequence[StreamChunk]) -> StreamChunk:
    """Join chunks into one."""
    last = chunks[-1] if chunks else StreamChunk()
    return StreamChunk(
        text="".join(chunk.text for chunk in chunks),
        reasoning="".join(chunk.reasoning for chunk in chunks),
        calls=tuple(call for chunk in chunks for call in chunk.calls),
        done=True,
        finish=last.finish,
        usage=last.usage,
    )


def role_of(message: Mapping[str, Any], place: int) -> Role:
    """Return the role of a wire message; ``developer`` is a system message.

    Raises:
        InputError: The role is missing or unknown.
    """
    name = message.get("role")
    role = _ROLES.get(name.lower()) if isinstance(name, str) else None
    if role is None:
        raise InputError(
            f"Message {place + 1} has the role {name!r}.",
            hint="Use one of: system, user, assistant, tool.",
        )
    return role
