"""Upkeep: when the tail is sealed and which segments are merged. Policy only.

Segments grow geometrically (P. O'Neil et al., "The log-structured merge-tree", Acta Informatica 33,
1996): each exchange is copied about once for each level.
"""

from collections.abc import Sequence
from dataclasses import dataclass

SEALED_EXCHANGES = 1024
"""Exchanges at which the tail is sealed."""
SEALED_PASSAGES = 2048
"""Vectors at which the tail is sealed."""
SEALED_CHARACTERS = 1_000_000
"""Characters of text at which the tail is sealed: analysing them again would take a second."""
FANOUT = 8
"""Segments of one level that are merged into one of the next."""
LARGEST = 131_072
"""Exchanges, or vectors by twos, of a segment that is merged no more."""
STALE = 0.2
"""The share of removed exchanges at which a segment is written anew."""


@dataclass(frozen=True, slots=True)
class SegmentSize:
    """How much a segment or the tail holds.

    Attributes:
        exchanges: Removed ones included.
        passages: Vectors, those of removed exchanges included.
        removed: Exchanges that are removed but lie in it still.
        characters: Characters of the tail's texts.
    """

    exchanges: int
    passages: int
    removed: int = 0
    characters: int = 0

    @property
    def weight(self) -> float:
        """Its size in exchanges, or in vectors by twos where it has many."""
        return max(self.exchanges, self.passages / 2)


def full(tail: SegmentSize) -> bool:
    """Whether it is time to seal the tail."""
    return (
        tail.exchanges >= SEALED_EXCHANGES
        or tail.passages >= SEALED_PASSAGES
        or tail.characters >= SEALED_CHARACTERS
    )


def next_merge(segments: Sequence[SegmentSize]) -> tuple[int, ...]:
    """The segments to merge next, as positions; empty where nothing is to be done.

    One position alone means: write it anew without its removed exchanges. Ask again after each.
    """
    levels: dict[int, list[int]] = {}
    for i, size in enumerate(segments):
        if size.weight < LARGEST:
            levels.setdefault(_level(size), []).append(i)
    for level in sorted(levels):
        chosen: list[int] = []
        weight = 0.0
        for i in levels[level][:FANOUT]:
            if weight + segments[i].weight <= LARGEST * 1.5:
                chosen.append(i)
                weight += segments[i].weight
        if len(chosen) == FANOUT or (len(chosen) > 1 and weight >= LARGEST):
            return tuple(chosen)
    for i, size in enumerate(segments):
        if size.removed > STALE * size.exchanges:
            return (i,)
    return ()


def _level(size: SegmentSize) -> int:
    level, bound = 0, SEALED_EXCHANGES * FANOUT / 2
    while size.weight >= bound:
        level, bound = level + 1, bound * FANOUT
    return level
