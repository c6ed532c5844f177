"""The query and the hits of a search index."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class IndexQuery:
    """A query to a search index.

    Attributes:
        terms: The question's search terms, each once, as ``language.words`` makes them.
        vector: The question's vector, shape (dimension,); None to look for words only.
        limit: The fewest exchanges to return: the best by words and the best by vectors.
        session: The number of the only session to search (``retrieval.entries.session_number``); None
            for all.
    """

    terms: tuple[str, ...]
    vector: "NDArray[np.float32] | None" = None
    limit: int = 128
    session: int | None = None


@dataclass(frozen=True, slots=True)
class IndexHits:
    """Exchanges that an index found, and their neighbours: one row each, in columns.

    It returns counts; the ranking weighs them. The user's side and the answer's side (all that is not
    the user's) are separate. Rows that are only neighbours contribute their terms, nothing else: their
    nearness is 0, and they have no pieces.

    Attributes:
        places: The numbers of the exchanges in the log; shape (rows,), int64.
        sessions: A number for the session of each; shape (rows,), int64.
        at: When they were said, seconds since 1970; shape (rows,), float64.
        found: Whether words or vectors found it; the others are neighbours. Shape (rows,), bool.
        before: The row of the exchange before it on its path, -1 if it is not in the list;
            shape (rows,), int64.
        positions: How many exchanges precede it on its path; shape (rows,), int64.
        user_times: How often the user's side has each term of the query, up to 255; shape
            (rows, terms), uint8.
        answer_times: The same of the answer's side.
        user_length: Terms of the user's side, repeats included; shape (rows,), int64.
        answer_length: The same of the answer's side.
        user_nearness: The largest cosine of a passage of the user's side with the question, -1 to
            1; 0 if it has no vector. Shape (rows,), float32.
        answer_nearness: The same of the answer's side.
        pieces: The word pieces of all rows, row after row, as in their entries; uint16.
        starts: Where each row's pieces begin, and last where they end; shape
            (rows + 1,), int64.
        names: The bytes of the exchange ids of all rows, row after row; uint8.
        name_starts: Where each of them begins, and last where it ends; shape
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
    """The embedder whose vectors searches use.

    Attributes:
        identity: Its name and version.
        dimension: The length of a vector.
        stored: Whether its vectors are stored, because they are costly.
    """

    identity: str
    dimension: int
    stored: bool
