"""What an index is asked, and what it gives: values that cross the seam to the store."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class IndexQuery:
    """What an index is asked.

    Attributes:
        terms: The question's search terms, each once, as ``language.words`` makes them.
        vector: The question's vector, shape (dimension,); None to look for words only.
        limit: How many exchanges to give at least, the best by words and the best by vectors.
        session: The number of the only session to look in (``retrieval.entries.session_number``);
            None for all.
    """

    terms: tuple[str, ...]
    vector: "NDArray[np.float32] | None" = None
    limit: int = 128
    session: int | None = None


@dataclass(frozen=True, slots=True)
class IndexHits:
    """Exchanges that an index found, and those beside them: one row each, in columns.

    It gives counts, not scores: how they are weighed is the ranking's. The user's side and the side
    of the answer (all that is not the user's) are kept apart. Rows that were not found lend their
    terms to those beside them, and no more: their nearness is 0, and they have no pieces.

    Attributes:
        places: The numbers under which the index knows the exchanges; shape (rows,), int64. A place
            never changes, is never given twice, and grows with age.
        sessions: A number for the session of each; shape (rows,), int64.
        at: When they were said, seconds since 1970; shape (rows,), float64.
        found: Whether the words or the vectors found it; the others stand beside one that they
            found. Shape (rows,), bool.
        before: The row of the exchange before it on its path, -1 where it is not in the list;
            shape (rows,), int64.
        positions: How many exchanges stand before it on its path; shape (rows,), int64.
        user_times: How often the user's side has each term of the probe, up to 255; shape
            (rows, terms), uint8.
        answer_times: The same of the answer's side.
        user_length: Terms of the user's side, repeats included; shape (rows,), int64.
        answer_length: The same of the answer's side.
        user_nearness: The largest cosine of a passage of the user's side with the question, -1 to
            1; 0 where it has no vector. Shape (rows,), float32.
        answer_nearness: The same of the answer's side.
        pieces: The word pieces of each row, one row behind the other, as its entry has them; uint16.
        starts: Where each row's pieces begin, and behind the last where they end; shape
            (rows + 1,), int64.
        names: The bytes of each row's exchange id, one row behind the other; uint8.
        name_starts: Where each of them begins, and behind the last where it ends; shape
            (rows + 1,), int64.
        frequencies: How many exchanges of the space hold each term; shape (terms,), int64.
        exchanges: Exchanges of the space.
        user_mean: The mean length of the user's sides, in terms.
        answer_mean: The same of the answers' sides.
    """

    places: "NDArray[np.int64]"
    sessions: "NDArray[np.int64]"
    at: "NDArray[np.float64]"
    found: "NDArray[np.bool_]"
    before: "NDArray[np.int64]"
    positions: "NDArray[np.int64]"
    user_times: "NDArray[np.uint8]"
    answer_times: "NDArray[np.uint8]"
    user_length: "NDArray[np.int64]"
    answer_length: "NDArray[np.int64]"
    user_nearness: "NDArray[np.float32]"
    answer_nearness: "NDArray[np.float32]"
    pieces: "NDArray[np.uint16]"
    starts: "NDArray[np.int64]"
    names: "NDArray[np.uint8]"
    name_starts: "NDArray[np.int64]"
    frequencies: "NDArray[np.int64]"
    exchanges: int
    user_mean: float
    answer_mean: float

    def exchanges_of(self, rows: "Sequence[int]") -> list[str]:
        """Return the ids of the exchanges of rows."""
        data, starts = self.names.tobytes(), self.name_starts.tolist()
        held = (data[starts[row] : starts[row + 1]] for row in rows)
        return [name.decode("utf-8", "surrogatepass") for name in held]


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
