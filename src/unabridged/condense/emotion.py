"""What a text feels like: valence and intensity, from words, turns of phrase and how it is written.

Deterministic, offline, and without weights learnt from anybody's texts: a table of words that was
written for this project (``feelings``), with what turns them round, strengthens and weakens them.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache

from unabridged.condense import feelings
from unabridged.language.sentences import sentences
from unabridged.language.words import fold, stem, words

NEUTRAL = 0.5
"""The valence of what is neither good nor bad."""

STRONG = 0.7
"""Above this intensity an exchange comes whole (design, section 6)."""

REACH = 3
"""Words before a word in which a negation, or what strengthens or weakens, bears on it."""

LONGEST_WORDS = 400
"""Words of a sentence that are looked at; code blocks are one sentence however long."""

_CAPITALS = re.compile(r"\b[A-Z]{4,}\b")
_MARKS = re.compile("[!！]")
_PHRASES = tuple(
    (valence, arousal, re.compile(rf"\b(?:{pattern})\b"))
    for valence, arousal, pattern in feelings.PHRASES
)


@dataclass(frozen=True, slots=True)
class _Hit:
    """A word that feels like something, after what stands around it."""

    valence: float
    arousal: float


def feel(text: str) -> tuple[float, float]:
    """How a text feels.

    Returns:
        Valence, 0 (bad) to 1 (good), 0.5 for neither; intensity, 0 (plain) to 1 (overwhelming).
    """
    judged = (_sentence(piece) for piece in sentences(text) if piece.strip())
    felt = [each for each in judged if each is not None]
    if not felt:
        return NEUTRAL, 0.0
    strongest = max(felt, key=lambda each: each[1])
    weight = sum(arousal for _, arousal in felt) or 1.0
    mean = sum(valence * arousal for valence, arousal in felt) / weight
    valence = 0.5 * strongest[0] + 0.5 * mean
    return (round((valence + 1) / 2, 4), round(strongest[1], 4))


def _sentence(piece: str) -> tuple[float, float] | None:
    """Valence (-1 to 1) and intensity (0 to 1) of a sentence; None for code."""
    if piece.startswith("```"):
        return None
    folded = fold(piece)
    found = words(folded)[:LONGEST_WORDS]
    hits = [*_words(found), *_phrases(folded), *_marked(piece)]
    if not hits:
        return 0.0, 0.0
    arousal = _together(hit.arousal for hit in hits)
    loud = 0.06 * min(3, len(_MARKS.findall(piece))) + 0.08 * min(2, len(_CAPITALS.findall(piece)))
    personal = 1.0 if any(word in feelings.PERSONAL for word in found) else IMPERSONAL
    total = sum(hit.arousal for hit in hits)
    valence = sum(hit.valence * hit.arousal for hit in hits) / total if total else 0.0
    return valence, min(1.0, (arousal + loud) * personal)


IMPERSONAL = 0.75
"""What remains of the intensity where nobody speaks of himself or to somebody."""


def _together(arousals: Iterable[float]) -> float:
    """The strongest, and a little for each of the others."""
    ordered = sorted(arousals, reverse=True)
    return ordered[0] * 0.8 + 0.08 * sum(ordered[1:4])


def _words(found: list[str]) -> list[_Hit]:
    table = _table()
    hits = []
    for place, word in enumerate(found):
        known = table.get(word) or table.get(stem(word))
        if known is None:
            continue
        before = found[max(0, place - REACH) : place]
        hits.append(_moved(*known, before))
    return hits


def _moved(valence: float, arousal: float, before: list[str]) -> _Hit:
    """A word's feeling after the words before it."""
    if any(word in feelings.NEGATIONS for word in before):
        return _Hit(-0.5 * valence, 0.5 * arousal)
    if any(word in feelings.STRONGER for word in before):
        return _Hit(valence, min(1.2, arousal + 0.2))
    if any(word in feelings.WEAKER for word in before):
        return _Hit(valence * 0.7, arousal * 0.6)
    return _Hit(valence, arousal)


def _phrases(folded: str) -> list[_Hit]:
    return [_Hit(v, a) for v, a, pattern in _PHRASES if pattern.search(folded)]


def _marked(piece: str) -> list[_Hit]:
    """Emoji, and words of scripts without spaces."""
    if piece.isascii():
        return []
    return [_Hit(v, a) for mark, (v, a) in _marks().items() if mark in piece]


@lru_cache(maxsize=1)
def _table() -> Mapping[str, tuple[float, float]]:
    """Folded word, and its stem, to its feeling; what is written first counts."""
    table: dict[str, tuple[float, float]] = {}
    for valence, arousal, listed in feelings.WORDS:
        for word in fold(listed).split():
            table.setdefault(word, (valence, arousal))
    for word, felt in list(table.items()):
        table.setdefault(stem(word), felt)
    return table


@lru_cache(maxsize=1)
def _marks() -> Mapping[str, tuple[float, float]]:
    tables = (*feelings.UNSPACED, *feelings.EMOJI)
    return {mark: (v, a) for v, a, listed in tables for mark in listed.split()}
