"""The sentences of messages as candidates, with their cost and their terms."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from unabridged.condense.sentence_weights import (
    HOLLOW,
    OWN,
    OWN_SIGNS,
    SILENT,
    TOLD,
    SentenceWeights,
)
from unabridged.domain.condensation import CondenseSource
from unabridged.domain.message import Role
from unabridged.language.calendar import MONTHS, WEEKDAYS
from unabridged.language.names import inner_capitals, names_in
from unabridged.language.sentences import OMITTED, sentences
from unabridged.language.words import fold, spread, stem, words

_QUESTION = re.compile(r"[?？؟][\"'”’»)\]\s]*\Z")
_EXCLAIMED = re.compile(r"[!！][\"'”’»)\]\s]*\Z")
_REGULAR_PAST = re.compile(r"\w\wed\b")
_END = 8
"""Characters at the end of a sentence that contain its stop."""
_REPLIES = 2
"""Sentences of a message that may answer the question before it."""
_MUCH_MORE = 2
"""How many times as much as the user an assistant says; another person says less."""
_DATED = frozenset(MONTHS) | frozenset(WEEKDAYS)


@dataclass(frozen=True, slots=True)
class SentenceCandidate:
    """A sentence that may be kept.

    Attributes:
        source: The position of its message among the sources.
        terms: Its terms, each once, with its weight.
        factor: The weight of the sentence as a whole.
    """

    source: int
    number: int
    text: str
    tokens: int
    terms: tuple[tuple[str, float], ...]
    factor: float


def pieces_of(
    sources: Sequence[CondenseSource],
    count: Callable[[str], int],
    weights: SentenceWeights,
    about: frozenset[str] = frozenset(),
) -> list[SentenceCandidate]:
    """Return every sentence that may be chosen, in order; no sentence twice."""
    reader = _Reader(sources, weights, about)
    found: list[SentenceCandidate] = []
    for place in range(len(sources)):
        for number, text, terms, factor in reader.read(place):
            found.append(SentenceCandidate(place, number, text, count(text.strip()), terms, factor))
    return found


class _Reader:
    """Reads messages one after another and remembers their sentences."""

    def __init__(
        self, sources: Sequence[CondenseSource], weights: SentenceWeights, about: frozenset[str]
    ) -> None:
        self._sources = sources
        self._weights = weights
        self._about = about
        self._seen: set[tuple[str, ...]] = set()
        self._last = {source.exchange: place for place, source in enumerate(sources)}
        self._at_length = _answers_at_length(sources)
        self._after_question = False

    def read(self, place: int) -> Iterator[tuple[int, str, tuple[tuple[str, float], ...], float]]:
        """Return the sentences of a message that may be chosen: number, text, terms and factor."""
        source = self._sources[place]
        allowed = None if source.sentences is None else frozenset(source.sentences)
        critical = _critical_terms(source)
        side = self._side(source)
        answered = source.role is Role.ASSISTANT or self._last[source.exchange] > place
        after_question, self._after_question = self._after_question, False
        for number, text in enumerate(sentences(source.text)):
            asks = _QUESTION.search(text, max(0, len(text) - _END)) is not None
            self._after_question = self._after_question or asks
            said = words(fold(spread(text)))
            key = tuple(said) or (text.strip(),)
            if key in self._seen or text.strip() in {"", OMITTED}:
                continue
            if allowed is not None and number not in allowed:
                continue
            self._seen.add(key)
            factor = side * self._factor(text, frozenset(said))
            if asks:
                factor *= self._weights.asked if answered else self._weights.left_open
            if number == 0:
                factor *= self._weights.opening
            if after_question and number < _REPLIES:
                factor *= self._weights.reply
            yield number, text, self._terms(text, said, critical), factor

    def _side(self, source: CondenseSource) -> float:
        weights = self._weights
        said_by = weights.answer if self._at_length and source.role is Role.ASSISTANT else 1.0
        return said_by * (1 + weights.importance * (source.importance - 0.5))

    def _factor(self, text: str, said: frozenset[str]) -> float:
        weights = self._weights
        factor = 1.0
        if not said.isdisjoint(OWN) or not (text.isascii() or OWN_SIGNS.isdisjoint(text)):
            factor *= weights.own
        if not said.isdisjoint(TOLD) or _REGULAR_PAST.search(text):
            factor *= weights.told
        if _EXCLAIMED.search(text, max(0, len(text) - _END)):
            factor *= weights.exclaimed
        return factor

    def _terms(
        self, text: str, said: list[str], critical: frozenset[str]
    ) -> tuple[tuple[str, float], ...]:
        weights = self._weights
        striking = {word for name in inner_capitals(text) for word in words(fold(name))}
        worth: dict[str, float] = {}
        for word in said:
            term = stem(word)
            if term in SILENT or term in worth:
                continue
            value = weights.hollow if term in HOLLOW else 1.0
            if word in striking or word[0].isdigit() or word in _DATED:
                value += weights.name
            if term in critical:
                value += weights.critical
            if term in self._about:
                value += weights.about
            worth[term] = value
        return tuple(worth.items())


def _answers_at_length(sources: Sequence[CondenseSource]) -> bool:
    by_assistant = sum(len(source.text) for source in sources if source.role is Role.ASSISTANT)
    others = sum(len(source.text) for source in sources) - by_assistant
    return by_assistant > _MUCH_MORE * others


def _critical_terms(source: CondenseSource) -> frozenset[str]:
    if not source.critical:
        return frozenset()
    return frozenset(stem(word) for name in names_in(source.text) for word in words(name))
