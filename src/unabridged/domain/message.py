"""A message: a role and typed content parts."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any, assert_never

from unabridged.domain.short_repr import quoted, short


class Role(StrEnum):
    """The author of a message."""

    SYSTEM = "system"
    USER = "user"
    ASSISTANT = "assistant"
    TOOL = "tool"


@dataclass(frozen=True, slots=True)
class Text:
    """Text, character for character."""

    text: str


@dataclass(frozen=True, slots=True)
class Image:
    """A reference to a picture: a ``data:`` or other URI. The bytes are not indexed."""

    uri: str


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A tool call; ``arguments`` is JSON text, kept as it arrived."""

    id: str
    name: str
    arguments: str


@dataclass(frozen=True, slots=True)
class ToolResult:
    """The result of the tool call with that id."""

    call_id: str
    name: str
    text: str
    failed: bool = False


@dataclass(frozen=True, slots=True)
class Reasoning:
    """A model's reasoning: never recalled; sent again only where a client sends it."""

    text: str


@dataclass(frozen=True, slots=True)
class Foreign:
    """A part of a kind that memory does not read: kept and passed on, not searched.

    Attributes:
        kind: The kind as its dialect names it: ``file``, ``input_audio`` …
        data: The whole part as JSON text.
    """

    kind: str
    data: str


Part = Text | Image | ToolCall | ToolResult | Reasoning | Foreign


@dataclass(frozen=True, slots=True)
class Message:
    """One message of the log.

    Attributes:
        id: Unique in every space; sorts by the time it was made.
        role: The author.
        parts: The content, in order.
        at: When, with a time zone.
        parent: The id of the message before it on its path, or None for a session's first.
        tokens: Tokens of its content under ``tokenizer``, or None if not counted.
        tokenizer: The identity of the tokenizer that counted.
        original: A new message as another program sent it (JSON), where the parts do not give it
            back; stores keep it beside the message, and ``Store.originals`` returns it.
    """

    id: str
    role: Role
    parts: tuple[Part, ...]
    at: datetime
    parent: str | None = None
    tokens: int | None = None
    tokenizer: str | None = None
    original: bytes | None = field(
        default=None, compare=False, repr=False, metadata={"transient": True}
    )

    @property
    def text(self) -> str:
        """The text of the message: its text parts, joined by a line break."""
        return "\n".join(part.text for part in self.parts if isinstance(part, Text))

    @property
    def calls(self) -> tuple[ToolCall, ...]:
        """The tool calls in it."""
        return tuple(part for part in self.parts if isinstance(part, ToolCall))

    @property
    def results(self) -> tuple[ToolResult, ...]:
        """The tool results in it."""
        return tuple(part for part in self.parts if isinstance(part, ToolResult))

    def __repr__(self) -> str:  # type: ignore[explicit-override]  # typing.override came with 3.12
        return short(self, self.role, self.id, quoted(self.text))


def nearest_left(message_id: str | None, lost: Mapping[str, Message]) -> str | None:
    """Return a message, or its nearest ancestor that was not lost; None if all were."""
    while message_id is not None and message_id in lost:
        message_id = lost[message_id].parent
    return message_id


def part_to_dict(part: Part) -> dict[str, Any]:
    """Return a part as plain data with a ``type``: the form of stores and exports."""
    match part:
        case Text(text):
            return {"type": "text", "text": text}
        case Image(uri):
            return {"type": "image", "uri": uri}
        case ToolCall(id=call_id, name=name, arguments=arguments):
            return {"type": "tool_call", "id": call_id, "name": name, "arguments": arguments}
        case ToolResult(call_id, name, text, failed):
            data = {"type": "tool_result", "call_id": call_id, "name": name, "text": text}
            return {**data, "failed": True} if failed else data
        case Reasoning(text):
            return {"type": "reasoning", "text": text}
        case Foreign(kind, data):
            return {"type": "foreign", "kind": kind, "data": data}
        case _:
            assert_never(part)


_PART_TYPES: Mapping[str, type[Part]] = {
    "text": Text,
    "image": Image,
    "tool_call": ToolCall,
    "tool_result": ToolResult,
    "reasoning": Reasoning,
    "foreign": Foreign,
}


def part_from_dict(data: Mapping[str, Any]) -> Part:
    """Read what ``part_to_dict`` returned.

    Raises:
        ValueError: The type is unknown or a field is missing or superfluous.
    """
    fields = dict(data)
    kind = fields.pop("type", None)
    try:
        return _PART_TYPES[kind](**fields)
    except (KeyError, TypeError) as error:
        raise ValueError(f"no content part: {kind!r} with {sorted(fields)}") from error
