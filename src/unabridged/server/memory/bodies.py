"""What requests bring: bodies that are read strictly, and texts that can be stored."""

from typing import Annotated

from pydantic import BaseModel, ConfigDict, StringConstraints

LONGEST = 10_000_000
"""Characters of one text; the whole body is bounded by the setting ``max_body``."""


class Body(BaseModel):
    """A body: no field but those named, and no value of another type than it says."""

    model_config = ConfigDict(extra="forbid", strict=True, use_attribute_docstrings=True)


Words = Annotated[str, StringConstraints(min_length=1, max_length=LONGEST, pattern=r"\S")]
"""A text that says something."""
Title = Annotated[str, StringConstraints(min_length=1, max_length=1000, pattern=r"\S")]
Name = Annotated[str, StringConstraints(min_length=1, max_length=200)]
"""An id, or what else names something."""
