"""What an index is asked, and what it gives: values that cross the seam to the store."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Probe:
    """What an index is asked.

    Attributes:
        terms: The question's search terms, each once, as ``retrieval.words`` makes them.
        vector: The question's vector, shape (dimension,); None to look for words only.
        limit: How many exchanges to give at least, the best by words and the best by vectors.
    """

    terms: tuple[str, ...]
    vector: "NDArray[np.float32] | None" = None
    limit: int = 128


@dataclass(frozen=True, slots=True)
class Shortlist:
    """Exchanges that an index found, and those beside them: one row each, in columns.

    Scores are as the index has them: comparable within one shortlist only, but for ``coverage``.
    The user's side and the side of the answer (all that is not the user's) are kept apart.

    Attributes:
        places: The numbers under which the index knows the exchanges; shape (rows,), int64. A place
            never changes, is never given twice, and grows with age.
        sessions: A number for the session of each; shape (rows,), int64.
        at: When they were said, seconds since 1970; shape (rows,), float64.
        found: Whether the words or the vectors found it; the others stand beside one that they
            found. Shape (rows,), bool.
        before: The row of the exchange before it on its path, -1 where it is not in the list;
            shape (rows,), int64.
        user_words: BM25 of the user's side; shape (rows,), float32.
        answer_words: BM25 of the answer's side.
        coverage: 0 to 1: the inverse document frequencies of the terms that it holds, on either
            side, over those of all terms asked for.
        held: Which terms of the probe it holds on either side, term i as bit i, the first 64 of
            them; shape (rows,), uint64. With it rows can be taken together.
        user_nearness: The largest cosine of a passage of the user's side with the question, -1 to
            1; 0 where it has no vector.
        answer_nearness: The same of the answer's side.
        pieces: The word pieces of each row, one row behind the other; uint16.
        starts: Where each row's pieces begin, and behind the last where they end; shape
            (rows + 1,), int64.
        weights: The share that each term of the probe has in ``coverage``; they add up to 1; shape
            (terms,), float32.
    """

    places: "NDArray[np.int64]"
    sessions: "NDArray[np.int64]"
    at: "NDArray[np.float64]"
    found: "NDArray[np.bool_]"
    before: "NDArray[np.int64]"
    user_words: "NDArray[np.float32]"
    answer_words: "NDArray[np.float32]"
    coverage: "NDArray[np.float32]"
    held: "NDArray[np.uint64]"
    user_nearness: "NDArray[np.float32]"
    answer_nearness: "NDArray[np.float32]"
    pieces: "NDArray[np.uint16]"
    starts: "NDArray[np.int64]"
    weights: "NDArray[np.float32]"
