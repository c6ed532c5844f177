"""From an exchange to what the index holds of it."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC

import numpy as np
from numpy.typing import NDArray

from unabridged.domain.exchange import Exchange
from unabridged.index.entry import Vectors, Words, count_words, key_of, quantise
from unabridged.ports import Embedder, Lexicon
from unabridged.retrieval.passages import Passage, passages, sides
from unabridged.retrieval.words import terms

_SIGNED = (1 << 63) - 1
_NO_PIECES = np.empty(0, dtype=np.uint16)


@dataclass(frozen=True, slots=True)
class Reading:
    """What was read of an exchange.

    Attributes:
        words: The counted terms of both sides.
        pieces: The numbers of its word pieces; shape (pieces,), uint16.
        vectors: The vectors of its passages; None where they are to be made later.
    """

    words: Words
    pieces: NDArray[np.uint16]
    vectors: Vectors | None


@dataclass(frozen=True, slots=True)
class Reader:
    """Reads exchanges for the index.

    Attributes:
        embedder: What gives vectors; None for words only.
        lexicon: What knows word pieces; None for none.
    """

    embedder: Embedder | None = None
    lexicon: Lexicon | None = None

    @property
    def instant(self) -> bool:
        """Whether vectors are made while an exchange is recorded."""
        return self.embedder is not None and self.embedder.instant

    def read(self, exchanges: Sequence[Exchange], *, embed: bool) -> list[Reading]:
        """Read exchanges; their passages are embedded all at once.

        Args:
            exchanges: The exchanges.
            embed: Whether to make vectors too.

        Raises:
            UpstreamError: The server that embeds failed.
        """
        vectors = self.vectors(exchanges) if embed else [None] * len(exchanges)
        return [
            Reading(words_of(exchange), self._pieces(exchange), found)
            for exchange, found in zip(exchanges, vectors, strict=True)
        ]

    def vectors(self, exchanges: Sequence[Exchange]) -> list[Vectors | None]:
        """The vectors of exchanges; None for each where there is no embedder."""
        if self.embedder is None:
            return [None] * len(exchanges)
        found = [passages(exchange) for exchange in exchanges]
        made = self.embedder.embed([passage.text for some in found for passage in some])
        given: list[Vectors | None] = []
        start = 0
        for some in found:
            given.append(as_vectors(some, made[start : start + len(some)]))
            start += len(some)
        return given

    def _pieces(self, exchange: Exchange) -> NDArray[np.uint16]:
        if self.lexicon is None:
            return _NO_PIECES
        return self.lexicon.pieces(*sides(exchange))


def words_of(exchange: Exchange) -> Words:
    """The counted terms of both sides."""
    user, answer = sides(exchange)
    return count_words(terms(user), terms(answer))


def as_vectors(found: Sequence[Passage], vectors: NDArray[np.float32]) -> Vectors:
    """Vectors as the index holds them.

    Args:
        found: The passages.
        vectors: One for each, shape (passages, dimension).
    """
    codes, scales = quantise(np.asarray(vectors, dtype=np.float32))
    return Vectors(codes, scales, np.array([passage.side for passage in found], dtype=np.uint8))


def session_number(session: str) -> int:
    """A session's id as a number that fits a signed 64-bit column; the same in every process."""
    return key_of(session) & _SIGNED


def said_at(exchange: Exchange) -> float:
    """When an exchange was said, seconds since 1970; a time without a zone is taken as UTC."""
    at = exchange.at if exchange.at.tzinfo else exchange.at.replace(tzinfo=UTC)
    return at.timestamp()
