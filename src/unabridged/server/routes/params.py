"""What requests bring: bodies that are read strictly, and texts that can be stored."""

from collections.abc import Sequence
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from unabridged.domain.chat import Usage
from unabridged.domain.message import Part, part_from_dict

LONGEST = 10_000_000
"""Characters of one text; the whole body is bounded by the setting ``max_body``."""
MOST_TOKENS = 1 << 31
"""Tokens of one request that may be true."""


class Body(BaseModel):
    """A body: no field but those named, and no value of another type than it says."""

    model_config = ConfigDict(extra="forbid", strict=True, use_attribute_docstrings=True)


Words = Annotated[str, StringConstraints(min_length=1, max_length=LONGEST, pattern=r"\S")]
"""A text that says something."""
Said = Annotated[str, StringConstraints(max_length=LONGEST)]
"""A text; where it must say something, the memory itself refuses an empty one."""
Title = Annotated[str, StringConstraints(min_length=1, max_length=1000, pattern=r"\S")]
Name = Annotated[str, StringConstraints(min_length=1, max_length=200)]
"""An id, or what else names something."""


class TextBody(Body):
    """What was said."""

    type: Literal["text"]
    text: str = Field(max_length=LONGEST)


class ImageBody(Body):
    """A picture."""

    type: Literal["image"]
    uri: str = Field(min_length=1, max_length=LONGEST)


class ToolCallBody(Body):
    """A model's wish to call a tool."""

    type: Literal["tool_call"]
    id: Name
    name: Name
    arguments: str = Field(max_length=LONGEST)
    """JSON text, kept as it came."""


class ToolResultBody(Body):
    """What a tool gave back."""

    type: Literal["tool_result"]
    call_id: Name
    name: Name
    text: str = Field(max_length=LONGEST)
    failed: bool = False


class ReasoningBody(Body):
    """A model's thinking: kept apart, never recalled and never sent again."""

    type: Literal["reasoning"]
    text: str = Field(max_length=LONGEST)


PartBody = Annotated[
    TextBody | ImageBody | ToolCallBody | ToolResultBody | ReasoningBody,
    Field(discriminator="type"),
]


class MessageBody(Body):
    """A message; its id and time are the server's."""

    role: Literal["assistant", "tool"]
    parts: list[PartBody] = Field(min_length=1, max_length=1000)


class UsageBody(Body):
    """What the model server said that a request cost, in tokens."""

    prompt: int | None = Field(default=None, ge=0, le=MOST_TOKENS)
    """The whole prompt, the part from a cache included."""
    answer: int | None = Field(default=None, ge=0, le=MOST_TOKENS)
    cached: int | None = Field(default=None, ge=0, le=MOST_TOKENS)
    """The part of the prompt that was taken from a cache."""


State = Literal["complete", "incomplete", "unanswered"]
"""How far an exchange came."""


def parts_from(bodies: Sequence[Body]) -> list[Part]:
    """Read content parts."""
    return [part_from_dict(body.model_dump()) for body in bodies]


def usage_from(body: UsageBody | None) -> Usage | None:
    """Read what a server reported."""
    return Usage(**body.model_dump()) if body is not None else None
