"""Classify messages by rules (cues and examples): category and importance.

Each sentence is scored, so that the rest of a long message does not hide an important one.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from types import MappingProxyType
from typing import TYPE_CHECKING

from unabridged.annotations.emotion import EmotionAnalyzer, Felt
from unabridged.domain.annotation import Annotation, Category, Scheme
from unabridged.domain.message import Role
from unabridged.language.lazy_pattern import lazy_pattern
from unabridged.language.sentences import sentences
from unabridged.language.words import fold, words
from unabridged.ports import Embedder

if TYPE_CHECKING:
    from unabridged.annotations.example_similarity import Examples

VERSION = "rules:1"
"""The version of the rules; changes whenever their results change."""

MOST_SENTENCES = MappingProxyType({Role.USER: 10})
"""Sentences of a message that are scored: the first ones and the last two."""

MOST_OF_OTHERS = 6
"""The same for other roles: answers are long, and their ends show what they are."""

LONGEST = 2_000
"""Characters of a sentence that are scored."""

CUE_WEIGHT = 1.0
"""The weight of a sure cue, relative to an example that indicates the same."""

STRONGEST = MappingProxyType({Role.USER: 0.6})
"""The weight of the strongest sentence against the mean of all, by role."""

STRONGEST_OTHERS = 0.35
"""The same for other roles: long answers contain a sentence of every kind."""

FIRST_CUE = 0.7
"""The certainty of one cue, of 1; each further one halves the rest."""

LEANING = 0.5
"""How far importance decides: between two equal fits the more important one wins."""

OTHERS = 0.5
"""The weight of a cue in other roles' messages, for categories of the user."""

PLAIN = 0.25
"""The score of the fallback if nothing indicates a category."""

SURE = 0.3
"""The lead over the second category that makes a result sure."""

SHORT, WARM = 400, 0.75
"""For other roles, the characters of a short message, and the share of the intensity that counts in
longer ones: models write warmly by habit.
"""

_SPEAKER = lazy_pattern(r"\A(?!Error|Warning|Exception)[A-Z][a-z]+(?: [A-Z][a-z]+)?: (?=\S)")
"""Who speaks, as talk of several people is written down."""

_FIRST_PERSON = frozenset("i my mine im ive ich mein meine meinen yo mi mis je mon ma mes".split())
_NUMBER = lazy_pattern(r"\d")
_NAME = lazy_pattern(r"(?<=[\w,;:] )[A-Z][a-z]{2,}")


@dataclass(frozen=True, slots=True)
class _Piece:
    """A sentence of a message."""

    message: int
    text: str
    folded: str
    share: float


class _Cues:
    """The cues of a category; those for scripts without spaces are separate."""

    def __init__(self, cues: Sequence[str]) -> None:
        self._plain = [lazy_pattern(cue, re.MULTILINE) for cue in cues if not _is_foreign(cue)]
        self._foreign = [lazy_pattern(cue, re.MULTILINE) for cue in cues if _is_foreign(cue)]

    def hits(self, folded: str) -> int:
        """Return how many of them match."""
        hits = sum(1 for cue in self._plain if cue.search(folded))
        if folded.isascii():
            return hits
        return hits + sum(1 for cue in self._foreign if cue.search(folded))


@lru_cache(maxsize=64)
def _cues_of(category: Category) -> _Cues:
    return _Cues(category.cues)


@lru_cache(maxsize=4)
def _examples_of(embedder: Embedder, categories: tuple[Category, ...]) -> "Examples":
    # Spaces share them: the vectors of a scheme take .6 MB.
    from unabridged.annotations.example_similarity import Examples  # noqa: PLC0415 - imports numpy

    return Examples(embedder, [each.examples for each in categories])


class RuleClassifier:
    """Classify messages by the cues and examples of a scheme.

    Args:
        embedder: Compares with the examples; it must be instant. Without one only cues count.
    """

    def __init__(self, scheme: Scheme, embedder: Embedder | None = None) -> None:
        self.scheme = scheme
        self._embedder = embedder
        self._feelings = EmotionAnalyzer(embedder)
        names = [category.name for category in scheme.categories]
        self._fallback = names.index(scheme.fallback)

    @cached_property
    def _cues(self) -> list[_Cues]:
        return [_cues_of(category) for category in self.scheme.categories]

    @property
    def identity(self) -> str:
        """The version of the rules, with the embedder that they use."""
        return f"{VERSION}/{self._embedder.identity}" if self._embedder else VERSION

    def classify(self, texts: Sequence[tuple[Role, str]]) -> list[Annotation | None]:
        """Classify messages independently of each other.

        Returns:
            An annotation for each; None for one without words.
        """
        split = [sentences(text) for _, text in texts]
        pieces = [
            piece
            for number, (role, _) in enumerate(texts)
            for piece in _pieces(number, split[number], MOST_SENTENCES.get(role, MOST_OF_OTHERS))
        ]
        near = self._near(pieces)
        by_message: dict[int, list[tuple[_Piece, list[float]]]] = {}
        for piece, nearness in zip(pieces, near, strict=True):
            role = texts[piece.message][0]
            by_message.setdefault(piece.message, []).append(
                (piece, self._scores(piece, nearness, role))
            )
        felt = self._feelings.feel_sentences(split)
        return [
            self._reading(*text, by_message[number], felt[number]) if number in by_message else None
            for number, text in enumerate(texts)
        ]

    def _near(self, pieces: Sequence[_Piece]) -> list[list[float]]:
        if self._embedder is None or not pieces:
            return [[0.0] * len(self._cues) for _ in pieces]
        found: list[list[float]] = self._examples.nearness([p.text for p in pieces]).tolist()
        return found

    @property
    def _examples(self) -> "Examples":
        assert self._embedder is not None  # noqa: S101 - called only with an embedder
        return _examples_of(self._embedder, tuple(self.scheme.categories))

    def _scores(self, piece: _Piece, nearness: Sequence[float], role: Role) -> list[float]:
        found = []
        none = True
        for category, cues, near in zip(self.scheme.categories, self._cues, nearness, strict=True):
            hits = cues.hits(piece.folded)
            none = none and not hits
            weight = OTHERS if category.by_user and role is not Role.USER else 1.0
            cue = (1 - (1 - FIRST_CUE) * 0.5 ** (hits - 1)) * weight if hits else 0.0
            found.append((near + CUE_WEIGHT * cue) / (1 + CUE_WEIGHT))
        if none:
            found[self._fallback] = max(found[self._fallback], PLAIN)
        return found

    def _reading(
        self,
        role: Role,
        text: str,
        judged: Sequence[tuple[_Piece, list[float]]],
        felt: Felt,
    ) -> Annotation:
        columns = range(len(self.scheme.categories))
        floor = self.scheme.categories[self._fallback].importance
        scores = {}
        strongest = STRONGEST.get(role, STRONGEST_OTHERS)
        for column in columns:
            category = self.scheme.categories[column]
            mean = sum(piece.share * row[column] for piece, row in judged)
            most = max(row[column] for _, row in judged)
            weight = strongest if category.importance > floor else 0.0
            scores[category.name] = round(weight * most + (1 - weight) * mean, 3)
        valence, intensity = felt
        if role is not Role.USER and len(text) > SHORT:
            intensity *= WARM
        best = max(self.scheme.categories, key=lambda each: scores[each.name] * _leaning(each))
        importance = _importance(self.scheme, scores, best) + _telling(role, text, intensity)
        return Annotation(
            best.name,
            round(min(1.0, max(0.0, importance)), 3),
            valence,
            round(intensity, 4),
            self.identity,
            scores,
        )


def _is_foreign(cue: str) -> bool:
    return any(c.isalpha() and c >= "\u0e00" for c in cue) and not re.search("[a-z]{2}", cue)


def _pieces(message: int, split: Sequence[str], most: int) -> list[_Piece]:
    found = [piece.strip()[:LONGEST] for piece in split]
    found[:1] = [_SPEAKER.sub("", piece, count=1) for piece in found[:1]]
    found = [piece for piece in found if any(map(str.isalnum, piece))] or list(filter(None, found))
    if len(found) > most:
        found = [*found[: most - 2], *found[-2:]]
    lengths = [min(200, 10 + len(piece)) for piece in found]
    total = sum(lengths)
    return [
        _Piece(message, piece, fold(piece), length / total)
        for piece, length in zip(found, lengths, strict=True)
    ]


def _leaning(category: Category) -> float:
    return 1 - LEANING * (1 - category.importance)


def _importance(scheme: Scheme, scores: Mapping[str, float], best: Category) -> float:
    others = [each for each in scheme.categories if each is not best]
    if not others:
        return best.importance
    second = max(others, key=lambda each: scores[each.name] * _leaning(each))
    lead = max(0.0, scores[best.name] - scores[second.name])
    sure = min(1.0, 0.7 + 0.3 * lead / SURE)
    return sure * best.importance + (1 - sure) * second.importance


def _telling(role: Role, text: str, intensity: float) -> float:
    found = words(fold(text[:LONGEST]))
    added = 0.02 * min(2, len(_NUMBER.findall(text[:LONGEST])))
    added += 0.02 * min(2, len(_NAME.findall(text[:LONGEST])))
    if role is Role.USER and any(word in _FIRST_PERSON for word in found):
        added += 0.02
    added += 0.1 * max(0.0, intensity - 0.4)
    return added - 0.05 if len(found) < 3 else added
