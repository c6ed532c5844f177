"""Whose vectors a space is searched with."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class EmbedderInUse:
    """The embedder whose vectors a space is searched with.

    Attributes:
        identity: Its name and version.
        dimension: Numbers in a vector.
        stored: Whether its vectors are stored, because they cost something to make.
    """

    identity: str
    dimension: int
    stored: bool
