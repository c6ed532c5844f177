"""Messages, tools and usage as strict plain data."""

from collections.abc import Sequence
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from unabridged.domain.chat import ToolSpec, Usage
from unabridged.domain.message import Part, Role, Text, part_from_dict
from unabridged.errors import InputError
from unabridged.operations.operation import LONGEST_TEXT, Name, Params
from unabridged.wire.incoming_message import IncomingMessage

MOST_TOKENS = 1 << 31
"""Tokens of one request, at most."""
State = Literal["complete", "incomplete", "unanswered"]
"""How far the answer of an exchange came."""


class TextBody(Params, tag_field="type", tag="text"):
    """A text."""

    text: Annotated[str, Meta(max_length=LONGEST_TEXT)]


class ImageBody(Params, tag_field="type", tag="image"):
    """An image."""

    uri: Annotated[str, Meta(min_length=1, max_length=LONGEST_TEXT)]


class ToolCallBody(Params, tag_field="type", tag="tool_call"):
    """A tool call of a model.

    Attributes:
        arguments: JSON text, stored unchanged.
    """

    id: Name
    name: Name
    arguments: Annotated[str, Meta(max_length=LONGEST_TEXT)]


class ToolResultBody(Params, tag_field="type", tag="tool_result"):
    """The result of a tool."""

    call_id: Name
    name: Name
    text: Annotated[str, Meta(max_length=LONGEST_TEXT)]
    failed: bool = False


class ReasoningBody(Params, tag_field="type", tag="reasoning"):
    """The reasoning of a model: stored separately, never recalled."""

    text: Annotated[str, Meta(max_length=LONGEST_TEXT)]


class ForeignBody(Params, tag_field="type", tag="foreign"):
    """A part of a kind that memory does not read: kept, not searched.

    Attributes:
        kind: The kind as its dialect names it.
        data: The whole part as JSON text.
    """

    kind: Name
    data: Annotated[str, Meta(max_length=LONGEST_TEXT)]


PartBody = TextBody | ImageBody | ToolCallBody | ToolResultBody | ReasoningBody | ForeignBody


class MessageBody(Params):
    """A message; the server sets its id and time."""

    role: Literal["assistant", "tool"]
    parts: Annotated[list[PartBody], Meta(min_length=1, max_length=1000)]


class SaidBody(Params):
    """A message that was said elsewhere.

    Attributes:
        content: Its text.
        parts: Its content parts, instead of `content`.
    """

    role: Literal["system", "user", "assistant", "tool"]
    content: Annotated[str, Meta(max_length=LONGEST_TEXT)] | None = None
    parts: Annotated[list[PartBody], Meta(min_length=1, max_length=1000)] | None = None

    def message(self) -> IncomingMessage:
        """Return it as a message on its way in.

        Raises:
            InputError: It has both a text and parts, or neither.
        """
        if (self.content is None) == (self.parts is None):
            raise InputError("A message has `content` or `parts`.", hint="Give one of the two.")
        parts = [Text(self.content)] if self.content is not None else parts_from(self.parts or ())
        return IncomingMessage(Role(self.role), tuple(parts))


class UsageBody(Params):
    """The tokens of a request, as the model server reported them.

    Attributes:
        prompt: The whole prompt, with the cached part.
        answer: The answer.
        cached: The part of the prompt that came from a cache.
    """

    prompt: Annotated[int, Meta(ge=0, le=MOST_TOKENS)] | None = None
    answer: Annotated[int, Meta(ge=0, le=MOST_TOKENS)] | None = None
    cached: Annotated[int, Meta(ge=0, le=MOST_TOKENS)] | None = None


class ToolBody(Params):
    """A tool as a model sees it.

    Attributes:
        parameters: The JSON Schema of its arguments, an object.
    """

    name: Annotated[str, Meta(pattern=r"^[A-Za-z0-9_-]{1,64}$")]
    description: Annotated[str, Meta(max_length=100_000)] = ""
    parameters: dict[str, Any] = msgspec.field(default_factory=dict)


def parts_from(bodies: Sequence[Params]) -> list[Part]:
    """Return content parts."""
    return [part_from_dict(msgspec.to_builtins(body)) for body in bodies]


def usage_from(body: UsageBody | None) -> Usage | None:
    """Return the reported usage."""
    return Usage(**msgspec.structs.asdict(body)) if body is not None else None


def tools_from(bodies: Sequence[ToolBody] | None) -> list[ToolSpec] | None:
    """Return tools."""
    if bodies is None:
        return None
    return [ToolSpec(tool.name, tool.description, tool.parameters) for tool in bodies]
