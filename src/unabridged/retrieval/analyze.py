"""Reads from an exchange what the index holds of it."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC
from itertools import chain, repeat

import numpy as np
from numpy.typing import NDArray

from unabridged.domain.exchange import Exchange
from unabridged.index.indexed_exchange import (
    MOST_TIMES,
    Vectors,
    Words,
    count_all_words,
    key_of,
    quantise,
)
from unabridged.language.word_cache import WordCache
from unabridged.language.words import stem, words_by_sentence
from unabridged.ports import Embedder, Lexicon
from unabridged.retrieval.passages import Passage, passages_of, sides
from unabridged.retrieval.tool_text import indexed_tool_text

AT_ONCE = 262_144
"""Characters of a text whose words are held in memory at once."""
_SIGNED = (1 << 63) - 1
_Sentences = list[list[str]]
_NO_PIECES = np.empty(0, dtype=np.uint16)


Texts = tuple[str, str, str]
"""What the user said, what was answered, and the words of tools."""


@dataclass(frozen=True, slots=True)
class AnalyzedExchange:
    """An exchange as the index holds it.

    Attributes:
        words: The counted terms of both sides.
        pieces: The numbers of its word pieces; shape (pieces,), uint16.
        vectors: The vectors of its passages; None if they are to be made later.
    """

    words: Words
    pieces: NDArray[np.uint16]
    vectors: Vectors | None


@dataclass(frozen=True, slots=True)
class Analyzer:
    """Reads exchanges for the index: without an embedder, words only."""

    embedder: Embedder | None = None
    lexicon: Lexicon | None = None

    @property
    def instant(self) -> bool:
        """Whether vectors are computed while recording."""
        return self.embedder is not None and self.embedder.instant

    def read(self, exchanges: Sequence[Exchange], *, embed: bool) -> list[AnalyzedExchange]:
        """Read exchanges; their passages are embedded in one batch.

        Raises:
            UpstreamError: The server that embeds failed.
        """
        return self.read_texts([texts_of(exchange) for exchange in exchanges], embed=embed)

    def read_texts(self, given: Sequence[Texts], *, embed: bool) -> list[AnalyzedExchange]:
        """Read exchanges, given as their texts.

        Raises:
            UpstreamError: The server that embeds failed.
        """
        said = [(user, answer) for user, answer, _ in given]
        vectors = self._vectors(said) if embed else [None] * len(said)
        cut = [(_read(user), _read(answer)) for user, answer in said]
        sides = [[user.keys, answer.keys] for user, answer in cut]
        for (user, answer), (_, _, tools) in zip(sides, given, strict=True):
            if tools:
                answer.extend({*_keys([tools.split()])}.difference(user, answer))
        words = count_all_words([side for pair in sides for side in pair])
        return [
            AnalyzedExchange(counted, self._pieces(user.sentences, answer.sentences), found)
            for counted, (user, answer), found in zip(words, cut, vectors, strict=True)
        ]

    def _vectors(self, said: Sequence[tuple[str, str]]) -> list[Vectors | None]:
        if self.embedder is None:
            return [None] * len(said)
        found = [passages_of(user, answer) for user, answer in said]
        made = self.embedder.embed([passage.text for some in found for passage in some])
        codes, scales = quantise(np.asarray(made, dtype=np.float32))
        given: list[Vectors | None] = []
        start = 0
        for some in found:
            end = start + len(some)
            given.append(Vectors(codes[start:end], scales[start:end], _sides_of(some)))
            start = end
        return given

    def _pieces(self, user: _Sentences, answer: _Sentences) -> NDArray[np.uint16]:
        return _NO_PIECES if self.lexicon is None else self.lexicon.pieces(user, answer)


def texts_of(exchange: Exchange) -> Texts:
    """Return the texts of an exchange that are analysed."""
    return (*sides(exchange), indexed_tool_text(exchange))


@dataclass(frozen=True, slots=True)
class _Side:
    # One side's text: its first sentences, for pieces, and the keys of its terms.
    sentences: _Sentences
    keys: list[int]


def _read(text: str) -> _Side:
    if len(text) <= AT_ONCE:
        sentences = words_by_sentence(text)
        return _Side(sentences, _keys(sentences))
    first: _Sentences | None = None
    times: Counter[int] = Counter()
    for part in _parts(text):
        sentences = words_by_sentence(part)
        first = sentences if first is None else first
        times.update(_keys(sentences))
    # Only that many of each are counted.
    keys = chain.from_iterable(repeat(key, min(n, MOST_TIMES)) for key, n in times.items())
    return _Side(first or [], list(keys))


def _parts(text: str) -> Iterator[str]:
    start = 0
    while start < len(text):
        end = start + AT_ONCE
        if end < len(text):
            spaces = (text.rfind(space, start + 1, end) + 1 for space in ("\n", " "))
            end = next((place for place in spaces if place > start), end)
        yield text[start:end]
        start = end


def _keys(sentences: _Sentences) -> list[int]:
    held = _KEYS
    return [held[word] for words in sentences for word in words]


def _key(word: str) -> int:
    return key_of(stem(word))


_KEYS = WordCache(_key)


def as_vectors(found: Sequence[Passage], vectors: NDArray[np.float32]) -> Vectors:
    """Return vectors of passages as the index holds them; shape (passages, dimension)."""
    codes, scales = quantise(np.asarray(vectors, dtype=np.float32))
    return Vectors(codes, scales, _sides_of(found))


def _sides_of(found: Sequence[Passage]) -> NDArray[np.uint8]:
    return np.array([passage.side for passage in found], dtype=np.uint8)


def session_number(session: str) -> int:
    """Return a session's id as a signed 64-bit number, the same in every process."""
    return key_of(session) & _SIGNED


def said_at(exchange: Exchange) -> float:
    """Return the time of an exchange in seconds since 1970; UTC if it has no zone."""
    at = exchange.at if exchange.at.tzinfo else exchange.at.replace(tzinfo=UTC)
    return at.timestamp()
