"""Measure the emotion of a text: valence and intensity, from words, meaning and punctuation.

Deterministic and offline. It uses a table of words (``emotion_words``) with negations, intensifiers
and softeners. With an embedder, it also compares the text with the sentences of
``emotion_anchors``. Both were written for this project; nothing is learned from anybody's ratings.
Measure it with ``python -m bench emotion``.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from unabridged.annotations import emotion_anchors, emotion_words
from unabridged.language.lazy_pattern import lazy_pattern
from unabridged.language.sentences import sentences
from unabridged.language.words import fold, stem, words
from unabridged.ports import Embedder

if TYPE_CHECKING:
    from unabridged.annotations.example_similarity import Axis

STRONG = 0.7
"""An exchange above this intensity is shown whole."""

STRONG_WORD = 0.7
"""No text without a word of this arousal is strong: kind words and marks add up in any chat."""

REACH = 3
"""How many words before a word a negation, an intensifier or a softener may be."""

LONGEST_WORDS = 400
"""Words of a sentence that are examined."""

MOST_SENTENCES = 16
"""Sentences of a text that are measured: the first ones and the last four."""

IMPERSONAL = 0.8
"""The share of the intensity that remains without a first person."""

BY_WORDS, BY_MEANING = 0.65, 0.5
"""The weights of words and meaning in the intensity, if both are known."""

KNOWN = 0.5
"""The share of words that an embedder must know in a sentence that is not plain English."""

MARKS = (0.0, 0.12, 0.18, 0.22)
"""What none, one, two, and three or more exclamation marks add to the intensity."""

CAPITALS = 0.08
"""What a word in capitals adds, up to two of them."""

_CAPITALS = lazy_pattern(r"\b[A-Z]{4,}\b")
_UNSPACED = lazy_pattern("[\u0e00-\u0eff\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7a3]")
_MARK = lazy_pattern("[!！]")
_PHRASES = tuple(
    (valence, arousal, lazy_pattern(rf"\b(?:{pattern})\b"))
    for valence, arousal, pattern in emotion_words.PHRASES
)
_ANY_PHRASE = lazy_pattern(rf"\b(?:{'|'.join(phrase for _, _, phrase in emotion_words.PHRASES)})\b")

Felt = tuple[float, float]
"""Valence and intensity."""


@dataclass(frozen=True, slots=True)
class _Sentence:
    """The emotion of a sentence by its words.

    Attributes:
        valence: -1 to 1.
        arousal: 0 to about 1.
        strongest: The arousal of its strongest word.
        loud: What its marks add.
    """

    text: str
    valence: float
    arousal: float
    strongest: float
    loud: float
    personal: bool


def feel(text: str) -> Felt:
    """Measure the emotion of a text by its words only.

    Returns:
        Valence, 0 (bad) to 1 (good), 0.5 for neither; intensity, 0 (plain) to 1 (overwhelming).
    """
    return EmotionAnalyzer().feel([text])[0]


class EmotionAnalyzer:
    """Measures emotions by words and, with an embedder, by meaning.

    Args:
        by_words: Whether words count; without them only the meaning does, for comparison.
    """

    def __init__(self, embedder: Embedder | None = None, *, by_words: bool = True) -> None:
        self._embedder = embedder
        self._by_words = by_words

    def feel(self, texts: Sequence[str]) -> list[Felt]:
        """Return valence and intensity of each text, 0 to 1, as ``feel`` does."""
        return self.feel_sentences([sentences(text) for text in texts])

    def feel_sentences(self, texts: Sequence[Sequence[str]]) -> list[Felt]:
        """Do the same for texts that are already split into sentences."""
        read = [_read(text) for text in texts]
        flat = [sentence for some in read for sentence in some]
        between = self._between([sentence.text for sentence in flat])
        felt = [self._felt(*each) for each in zip(flat, between, strict=True)]
        found = []
        start = 0
        for some in read:
            found.append(_whole(felt[start : start + len(some)]))
            start += len(some)
        return found

    def _felt(self, sentence: _Sentence, between: Felt | None) -> Felt:
        valence, arousal = sentence.valence, sentence.arousal
        if between is not None and self._by_words:
            valence = 0.6 * (valence + between[0])
            arousal = BY_WORDS * arousal + BY_MEANING * between[1]
        elif between is not None:
            valence, arousal = between
        arousal = (arousal + sentence.loud) * (1.0 if sentence.personal else IMPERSONAL)
        most = 1.0 if sentence.strongest >= STRONG_WORD else STRONG
        return max(-1.0, min(1.0, valence)), max(0.0, min(most, arousal))

    def _between(self, texts: Sequence[str]) -> "list[Felt | None]":
        if self._embedder is None or not texts:
            return [None] * len(texts)
        good, stirred = _axes_of(self._embedder)
        values = (2 * good.places(texts) - 1).tolist()
        arousals = stirred.places(texts).tolist()
        return [
            (value, arousal) if self._understood(text) else None
            for text, value, arousal in zip(texts, values, arousals, strict=True)
        ]

    def _understood(self, text: str) -> bool:
        return text.isascii() or self._embedder is None or self._embedder.known(text) >= KNOWN


@lru_cache(maxsize=2)
def _axes_of(embedder: Embedder) -> "tuple[Axis, Axis]":
    from unabridged.annotations.example_similarity import Axis  # noqa: PLC0415 - imports numpy

    poles = emotion_anchors
    return (
        Axis(embedder, _lines(poles.GOOD), _lines(poles.BAD)),
        Axis(embedder, _lines(poles.STIRRED), _lines(poles.CALM)),
    )


def _whole(felt: Sequence[Felt]) -> Felt:
    if not felt:
        return 0.5, 0.0
    strongest = max(felt, key=lambda each: each[1])
    weight = sum(arousal for _, arousal in felt) or 1.0
    mean = sum(valence * arousal for valence, arousal in felt) / weight
    valence = 0.5 * strongest[0] + 0.5 * mean
    return round((valence + 1) / 2, 4), round(strongest[1], 4)


def _read(split: Sequence[str]) -> list[_Sentence]:
    pieces = [piece for piece in split if not piece.isspace() and not piece.startswith("```")]
    if len(pieces) > MOST_SENTENCES:
        pieces = [*pieces[: MOST_SENTENCES - 4], *pieces[-4:]]
    return [_sentence(piece) for piece in pieces]


def _sentence(piece: str) -> _Sentence:
    folded = fold(piece)
    phrases, rest = _phrases(folded)
    found = words(rest)[:LONGEST_WORDS]
    hits = [*phrases, *_words(found), *_marked(piece)]
    total = sum(arousal for _, arousal in hits)
    valence = sum(v * arousal for v, arousal in hits) / total if total else 0.0
    marks = MARKS[min(3, len(_MARK.findall(piece)))]
    loud = marks + CAPITALS * min(2, len(_CAPITALS.findall(piece)))
    # Languages without spaces mostly leave out the subject.
    personal = bool(_UNSPACED.search(piece)) or not emotion_words.PERSONAL.isdisjoint(words(folded))
    arousals = [a for _, a in hits]
    strongest = max(arousals, default=0.0)
    return _Sentence(piece, valence, _together(arousals), strongest, loud, personal)


def _together(arousals: Iterable[float]) -> float:
    ordered = sorted(arousals, reverse=True)
    return ordered[0] * 0.85 + 0.08 * sum(ordered[1:4]) if ordered else 0.0


def _words(found: Sequence[str]) -> list[Felt]:
    table = _table()
    hits = []
    for place, word in enumerate(found):
        known = table.get(word) or table.get(stem(word))
        if known is not None:
            hits.append(_moved(*known, found[max(0, place - REACH) : place]))
    return hits


def _moved(valence: float, arousal: float, before: Sequence[str]) -> Felt:
    if any(word in emotion_words.NEGATIONS for word in before):
        return -0.5 * valence, 0.5 * arousal
    if any(word in emotion_words.STRONGER for word in before):
        return valence, min(1.2, arousal + 0.2)
    if any(word in emotion_words.WEAKER for word in before):
        return 0.7 * valence, 0.6 * arousal
    return valence, arousal


def _phrases(folded: str) -> tuple[list[Felt], str]:
    if not _ANY_PHRASE.search(folded):
        return [], folded
    hits = []
    for valence, arousal, pattern in _PHRASES:
        folded, count = pattern.subn(" ", folded)
        if count:
            hits.append((valence, arousal))
    return hits, folded


def _marked(piece: str) -> list[Felt]:
    if piece.isascii():
        return []
    return [felt for mark, felt in _marks().items() if mark in piece]


@lru_cache(maxsize=1)
def _table() -> Mapping[str, Felt]:
    table: dict[str, Felt] = {}
    for valence, arousal, listed in emotion_words.WORDS:
        for word in fold(listed).split():
            table.setdefault(word, (valence, arousal))
    for word, felt in list(table.items()):
        table.setdefault(stem(word), felt)
    return table


@lru_cache(maxsize=1)
def _marks() -> Mapping[str, Felt]:
    tables = (*emotion_words.UNSPACED, *emotion_words.EMOJI)
    return {mark: (v, a) for v, a, listed in tables for mark in listed.split()}


def _lines(table: str) -> list[str]:
    return [line for line in table.split("\n") if line]
