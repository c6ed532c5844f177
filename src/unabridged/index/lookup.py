"""Look up: what bears on a probe, by words and by vectors, over segments and tail together."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from unabridged.domain.lookup import Probe, Shortlist
from unabridged.index.centres import Centres
from unabridged.index.segment import Segment
from unabridged.index.tail import Tail


class View:
    """Everything that a lookup sees. Make one whenever segments or removed places change.

    The tail is looked at as it is at each lookup, so entries may be put after the view was made.

    Args:
        segments: In any order.
        removed: For each segment the places that count no more (forgotten, or replaced by an entry
            in the tail or in a later segment); None or nothing for none.
        tail: Entries that no segment holds.
        centres: What all segments and the tail are listed by; None for none.

    Raises:
        ValueError: Vectors of several embedders, or listed by other centres.
    """

    def __init__(
        self,
        segments: Sequence[Segment],
        removed: Sequence[NDArray[np.int64] | None] = (),
        tail: Tail | None = None,
        centres: Centres | None = None,
    ) -> None:
        raise NotImplementedError

    @property
    def exchanges(self) -> int:
        """How many exchanges live in it."""
        raise NotImplementedError

    @property
    def passages(self) -> int:
        """How many vectors live in it."""
        raise NotImplementedError


def look_up(view: View, probe: Probe) -> Shortlist:
    """What bears on a probe, with the exchanges before and after each on their paths.

    Rows come in the order of their places.

    The same content gives the same rows, bit for bit, however it is divided into segments and
    tail, in whatever order it came and whatever was removed from it.

    Raises:
        ValueError: The probe's vector is of another dimension than the view's.
    """
    raise NotImplementedError
