"""Segments: unchangeable arrays of many entries, in memory or mapped from a file."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unabridged.index.centres import Centres
from unabridged.index.entry import Entry


@dataclass(frozen=True, slots=True, eq=False)
class Segment:
    """Entries as named arrays; nothing in it ever changes.

    Attributes:
        arrays: The arrays by name, as ``build`` and ``merge`` make them and a file keeps them.
        embedder: The identity of the embedder of its vectors; empty where it has none.
        dimension: Numbers in a vector; 0 where it has none.
        centres: The identity of the centres that its passages are listed by; empty for none.
    """

    arrays: Mapping[str, NDArray[Any]]
    embedder: str = ""
    dimension: int = 0
    centres: str = ""

    @property
    def exchanges(self) -> int:
        """How many exchanges it holds, removed ones included."""
        return len(self.places)

    @property
    def passages(self) -> int:
        """How many vectors it holds."""
        return len(self.arrays["passage_docs"])

    @property
    def places(self) -> NDArray[np.int64]:
        """The places of its exchanges, ascending."""
        return self.arrays["places"]


def build(
    entries: Iterable[Entry],
    embedder: str = "",
    dimension: int = 0,
    centres: Centres | None = None,
) -> Segment:
    """Entries as a segment.

    Args:
        entries: In any order, each place once.
        embedder: The identity of the embedder of their vectors.
        dimension: Its dimension; 0 where no entry has vectors.
        centres: What their passages are listed by, where the space is large enough to have them.
    """
    raise NotImplementedError


def merge(
    segments: Sequence[Segment],
    without: Sequence[NDArray[np.int64] | None] = (),
    centres: Centres | None = None,
) -> Segment:
    """One segment of several, or of one without its removed exchanges.

    Args:
        segments: Of one embedder; those without vectors may be among them.
        without: For each, the places to leave out, in any order; None or nothing for none. What
            then remains must have each place once.
        centres: What passages are listed by from now on; those listed by others are listed anew.

    Raises:
        ValueError: Vectors of several embedders or dimensions.
    """
    raise NotImplementedError
