"""Messages, tools and usage as plain data, read strictly."""

from collections.abc import Sequence
from typing import Annotated, Any, Literal

from pydantic import Field

from unabridged.domain.chat import ToolSpec, Usage
from unabridged.domain.message import Part, part_from_dict
from unabridged.operations.operation import LONGEST_TEXT, Name, Params

MOST_TOKENS = 1 << 31
"""Tokens of one request that may be true."""
State = Literal["complete", "incomplete", "unanswered"]
"""How far an exchange came."""


class TextBody(Params):
    """What was said."""

    type: Literal["text"]
    text: str = Field(max_length=LONGEST_TEXT)


class ImageBody(Params):
    """A picture."""

    type: Literal["image"]
    uri: str = Field(min_length=1, max_length=LONGEST_TEXT)


class ToolCallBody(Params):
    """A model's wish to call a tool."""

    type: Literal["tool_call"]
    id: Name
    name: Name
    arguments: str = Field(max_length=LONGEST_TEXT)
    """JSON text, kept as it came."""


class ToolResultBody(Params):
    """What a tool gave back."""

    type: Literal["tool_result"]
    call_id: Name
    name: Name
    text: str = Field(max_length=LONGEST_TEXT)
    failed: bool = False


class ReasoningBody(Params):
    """A model's thinking: kept apart, never recalled and never sent again."""

    type: Literal["reasoning"]
    text: str = Field(max_length=LONGEST_TEXT)


PartBody = Annotated[
    TextBody | ImageBody | ToolCallBody | ToolResultBody | ReasoningBody,
    Field(discriminator="type"),
]


class MessageBody(Params):
    """A message; its id and time are the server's."""

    role: Literal["assistant", "tool"]
    parts: list[PartBody] = Field(min_length=1, max_length=1000)


class UsageBody(Params):
    """What the model server said that a request cost, in tokens."""

    prompt: int | None = Field(default=None, ge=0, le=MOST_TOKENS)
    """The whole prompt, the part from a cache included."""
    answer: int | None = Field(default=None, ge=0, le=MOST_TOKENS)
    cached: int | None = Field(default=None, ge=0, le=MOST_TOKENS)
    """The part of the prompt that was taken from a cache."""


class ToolBody(Params):
    """A tool as a model sees it."""

    name: Annotated[str, Field(pattern=r"^[A-Za-z0-9_-]{1,64}$")]
    description: str = Field(default="", max_length=100_000)
    parameters: dict[str, Any] = Field(default_factory=dict)
    """JSON Schema of its arguments, an object."""


def parts_from(bodies: Sequence[Params]) -> list[Part]:
    """Read content parts."""
    return [part_from_dict(body.model_dump()) for body in bodies]


def usage_from(body: UsageBody | None) -> Usage | None:
    """Read what a server reported."""
    return Usage(**body.model_dump()) if body is not None else None


def tools_from(bodies: Sequence[ToolBody] | None) -> list[ToolSpec] | None:
    """Read tools."""
    if bodies is None:
        return None
    return [ToolSpec(tool.name, tool.description, tool.parameters) for tool in bodies]
