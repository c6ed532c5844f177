"""An entry: what the index holds of one exchange, and how it is packed into bytes.

Vectors are kept as whole numbers from -127 to 127 with one scale each, and so are those of
questions: their products are then sums of whole numbers under 2**24, which float32 holds exactly,
so that a score does not depend on the order of summation, the machine, or what is scored beside it.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from hashlib import blake2b
from itertools import chain

import numpy as np
from numpy.typing import NDArray

MOST_TIMES = 255
"""How often a term is counted at the most, for each side."""
STEPS = 127
"""The largest whole number in a quantised vector."""
USER_SENTENCE, ANSWER_SENTENCE = 0xFFFF, 0xFFFE
"""What stands before the pieces of a sentence, and says whose it is."""
USER, ANSWER, BOTH = 1, 2, 3
"""Whose a passage is; a short exchange is one passage of both sides."""
FIRST = -1
"""The parent of an exchange that begins its path."""


@dataclass(frozen=True, slots=True)
class Words:
    """The counted terms of an exchange.

    Attributes:
        keys: ``key_of`` each term, ascending; shape (terms,), uint64.
        user: How often the user's side has it, up to ``MOST_TIMES``; shape (terms,), uint8.
        answer: The same of the answer's side.
    """

    keys: NDArray[np.uint64]
    user: NDArray[np.uint8]
    answer: NDArray[np.uint8]


@dataclass(frozen=True, slots=True)
class Vectors:
    """The quantised vectors of an exchange's passages.

    Attributes:
        codes: Shape (passages, dimension), int8.
        scales: What a row is multiplied by to be the vector again; shape (passages,), float32.
        sides: Whose each passage is: ``USER``, ``ANSWER`` or ``BOTH``, of which each bit counts for
            its side; shape (passages,), uint8.
    """

    codes: NDArray[np.int8]
    scales: NDArray[np.float32]
    sides: NDArray[np.uint8]


@dataclass(frozen=True, slots=True)
class IndexedExchange:
    """One exchange, as the index holds it.

    Attributes:
        place: Its number in the space: never changes, never given twice, grows with age.
        session: The number of its session.
        parent: The place of the exchange before it on its path; -1 for the first.
        at: When it was said, seconds since 1970.
        position: How many exchanges stand before it on its path.
        words: Its terms.
        pieces: The numbers of its word pieces, in a form of their own (``ports.Lexicon``); shape
            (pieces,), uint16. Nothing is looked up by them: a segment keeps them for each exchange
            as they are, and a shortlist gives them back, so that its rows can be compared with the
            question word by word.
        vectors: Its vectors; None where it has not been embedded yet.
        name: The exchange's id.
        characters: Characters of its text.
    """

    place: int
    session: int
    parent: int
    at: float
    position: int
    words: Words
    pieces: NDArray[np.uint16]
    vectors: Vectors | None
    name: str = ""
    characters: int = 0

    @property
    def name_bytes(self) -> NDArray[np.uint8]:
        """The bytes of the exchange's id."""
        return np.frombuffer(self.name.encode("utf-8", "surrogatepass"), dtype=np.uint8)


def key_of(text: str) -> int:
    """A term, or an exchange's id, as a number of 64 bits, the same in every process."""
    return int.from_bytes(
        blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "little"
    )


def name_of(data: NDArray[np.uint8]) -> str:
    """The id of its bytes."""
    return data.tobytes().decode("utf-8", "surrogatepass")


def count_words(user: Iterable[int], answer: Iterable[int]) -> Words:
    """Count the terms of both sides, given as ``key_of`` each, repeats included."""
    return count_all_words([list(user), list(answer)])[0]


def count_all_words(sides: Sequence[Sequence[int]]) -> list[Words]:
    """Count the terms of exchanges, given as a user's and an answer's side in turns."""
    lengths = np.fromiter(map(len, sides), np.int64, len(sides))
    keys = np.fromiter(chain.from_iterable(sides), np.uint64, int(lengths.sum()))
    side = np.arange(len(sides), dtype=np.int64).repeat(lengths)
    order = np.lexsort((keys, side >> 1))
    keys, side = keys[order], side[order]
    owner = side >> 1
    firsts = np.ones(len(keys), dtype=np.bool_)
    firsts[1:] = (keys[1:] != keys[:-1]) | (owner[1:] != owner[:-1])
    starts = np.flatnonzero(firsts)
    answered = np.concatenate(([0], np.cumsum(side & 1)))
    bounds = np.append(starts, len(keys))
    answer = np.diff(answered[bounds])
    user = np.diff(bounds) - answer
    ends = np.cumsum(np.bincount(owner[starts], minlength=len(sides) // 2)).tolist()
    distinct, users, answers = keys[starts], _as_times(user), _as_times(answer)
    return [
        Words(distinct[start:end], users[start:end], answers[start:end])
        for start, end in zip([0, *ends], ends, strict=False)
    ]


def _as_times(counts: NDArray[np.int64]) -> NDArray[np.uint8]:
    return np.minimum(counts, MOST_TIMES).astype(np.uint8)


def quantise(vectors: NDArray[np.float32]) -> tuple[NDArray[np.int8], NDArray[np.float32]]:
    """Vectors as whole numbers and scales.

    Args:
        vectors: Shape (n, dimension).

    Returns:
        Codes, shape (n, dimension), and scales, shape (n,); a vector of zeros has the scale 0.
    """
    largest = np.abs(vectors).max(axis=1, initial=0.0).astype(np.float32)
    scales = largest / np.float32(STEPS)
    divisors = np.where(scales > 0, scales, np.float32(1))
    return np.rint(vectors / divisors[:, None]).astype(np.int8), scales


def pack_vectors(vectors: Vectors) -> bytes:
    """The bytes of vectors: for each passage its scale (float32), its side (a byte), its codes."""
    count, dimension = vectors.codes.shape
    rows = np.empty(count, dtype=_row_of(dimension))
    rows["scale"], rows["side"], rows["codes"] = vectors.scales, vectors.sides, vectors.codes
    return rows.tobytes()


def unpack_vectors(data: bytes, dimension: int) -> Vectors:
    """The vectors of their bytes.

    Raises:
        ValueError: The bytes are none of vectors of that dimension.
    """
    rows = np.frombuffer(data, dtype=_row_of(dimension))
    return Vectors(
        np.ascontiguousarray(rows["codes"]),
        rows["scale"].astype(np.float32),
        rows["side"].astype(np.uint8),
    )


@lru_cache(maxsize=8)
def _row_of(dimension: int) -> np.dtype[np.void]:
    return np.dtype([("scale", "<f4"), ("side", "u1"), ("codes", "i1", (dimension,))])
