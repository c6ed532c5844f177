"""From an exchange to the entry that the index holds of it."""

from collections.abc import Sequence
from datetime import UTC
from typing import TYPE_CHECKING

import numpy as np

from unabridged.domain.exchange import Exchange
from unabridged.index.entry import Vectors, Words, count_words, key_of, quantise
from unabridged.retrieval.passages import Passage, passages, sides
from unabridged.retrieval.words import terms

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from unabridged.ports import Embedder

_SIGNED = (1 << 63) - 1


def words_of(exchange: Exchange) -> Words:
    """The counted terms of both sides."""
    user, answer = sides(exchange)
    return count_words(terms(user), terms(answer))


def vectors_of(exchange: Exchange, embedder: "Embedder") -> Vectors:
    """The quantised vectors of an exchange's passages.

    Raises:
        UpstreamError: The server that embeds failed.
    """
    found = passages(exchange)
    return as_vectors(found, embedder.embed([passage.text for passage in found]))


def as_vectors(found: Sequence[Passage], vectors: "NDArray[np.float32]") -> Vectors:
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
