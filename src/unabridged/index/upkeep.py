"""Upkeep: when the tail is sealed and which segments are merged. Policy only."""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Size:
    """How much a segment or the tail holds.

    Attributes:
        exchanges: Removed ones included.
        passages: Vectors, those of removed exchanges included.
        removed: Exchanges that are removed but lie in it still.
    """

    exchanges: int
    passages: int
    removed: int = 0


def full(tail: Size) -> bool:
    """Whether it is time to seal the tail."""
    raise NotImplementedError


def next_merge(segments: Sequence[Size]) -> tuple[int, ...]:
    """The segments to merge next, as positions; empty where nothing is to be done.

    One position alone means: write it anew without its removed exchanges. Ask again after each.
    """
    raise NotImplementedError
