"""The sentences of messages as candidates: what each costs and what it says."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from unabridged.condense.weights import OWN, OWN_SIGNS, PAST, SILENT, Weights
from unabridged.domain.condensation import Source
from unabridged.domain.message import Role
from unabridged.language.calendar import MONTHS, WEEKDAYS
from unabridged.language.names import names_in
from unabridged.language.sentences import OMITTED, sentences
from unabridged.language.words import fold, spread, stem, words

_INSIDE = re.compile(r"(?<=[\w,;)] )[^\W\d_a-z]\w*|\b\w+[a-z][A-Z]\w*|\b[A-Z]{2,}\b")
_DIGITS = re.compile(r"\d+(?:[.,:]\d+)*")
_QUESTION = re.compile(r"[?？؟][\"'”’»)\]\s]*\Z")
_EXCLAIMED = re.compile(r"[!！][\"'”’»)\]\s]*\Z")
_NAMES = frozenset(MONTHS) | frozenset(WEEKDAYS)


@dataclass(frozen=True, slots=True)
class Piece:
    """A sentence that may be kept.

    Attributes:
        source: The place of its message among the sources.
        number: Its number in the message.
        text: It.
        tokens: What it costs.
        terms: What it says, each once, with what that is worth.
        factor: What speaks for the sentence as a whole.
    """

    source: int
    number: int
    text: str
    tokens: int
    terms: tuple[tuple[str, float], ...]
    factor: float


def pieces_of(
    sources: Sequence[Source],
    count: Callable[[str], int],
    weights: Weights,
    about: frozenset[str] = frozenset(),
) -> list[Piece]:
    """Every sentence of the sources that may be chosen, in order; no sentence twice.

    Args:
        sources: The messages.
        count: Counts the tokens of a text.
        weights: What speaks for a sentence.
        about: Terms that are asked for.
    """
    found: list[Piece] = []
    seen: set[tuple[str, ...]] = set()
    long_answers = _answers_at_length(sources)
    last = {source.exchange: place for place, source in enumerate(sources)}
    for place, source in enumerate(sources):
        allowed = None if source.sentences is None else frozenset(source.sentences)
        names = _critical_terms(source)
        side = weights.answer if long_answers and source.role is Role.ASSISTANT else 1.0
        side *= 1 + weights.importance * (source.importance - 0.5)
        answered = source.role is Role.ASSISTANT or last[source.exchange] > place
        for number, text in enumerate(sentences(source.text)):
            if allowed is not None and number not in allowed:
                continue
            said = words(fold(spread(text)))
            key = tuple(said) or (text.strip(),)
            if key in seen or text.strip() in {"", OMITTED}:
                continue
            seen.add(key)
            factor = side * _factor(text, frozenset(said), weights, answered=answered)
            terms = _terms(text, said, weights, names, about)
            found.append(Piece(place, number, text, count(text.strip()), terms, factor))
    return found


def _answers_at_length(sources: Sequence[Source]) -> bool:
    """Whether this is talk with an assistant rather than between two people."""
    by_user = sum(len(source.text) for source in sources if source.role is Role.USER)
    by_assistant = sum(len(source.text) for source in sources if source.role is Role.ASSISTANT)
    return by_assistant > 2 * by_user


def _critical_terms(source: Source) -> frozenset[str]:
    """The terms of the names in a message whose names must stay."""
    if not source.critical:
        return frozenset()
    return frozenset(stem(word) for name in names_in(source.text) for word in words(name))


def _factor(text: str, said: frozenset[str], weights: Weights, *, answered: bool) -> float:
    """What speaks for a sentence as a whole."""
    factor = 1.0
    if not said.isdisjoint(OWN) or not OWN_SIGNS.isdisjoint(text):
        factor *= weights.own
    if not said.isdisjoint(PAST) or any(word.endswith("ed") for word in said):
        factor *= weights.done
    if _QUESTION.search(text, max(0, len(text) - 8)):
        factor *= weights.asked if answered else weights.left_open
    elif _EXCLAIMED.search(text, max(0, len(text) - 8)):
        factor *= weights.exclaimed
    return factor


def _terms(
    text: str, said: list[str], weights: Weights, names: frozenset[str], about: frozenset[str]
) -> tuple[tuple[str, float], ...]:
    """What a sentence says: its terms without those that say nothing, each with its worth."""
    striking = {stem(word) for name in _INSIDE.findall(text) for word in words(fold(name))}
    striking.update(word for word in said if word[0].isdigit() or word in _NAMES)
    worth: dict[str, float] = {}
    for word in said:
        term = stem(word)
        if term in SILENT or term in worth:
            continue
        value = 1.0 + (weights.name if term in striking else 0.0)
        value += weights.critical if term in names else 0.0
        worth[term] = value + (weights.about if term in about else 0.0)
    return tuple(worth.items())
