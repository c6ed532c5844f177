"""Find the facts relevant to a message: by words, by meaning, and by the recalled exchanges.

The three are combined as independent evidence: 1 less the product of what each leaves open. Below a
floor no fact is relevant. Superseded and withdrawn facts are never candidates.
"""

import math
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from unabridged.domain.fact import SELF, Fact, FactState
from unabridged.knowledge.attributes import TABLE, attribute_of
from unabridged.knowledge.resolve_facts import Settled
from unabridged.language.words import STOP_WORDS, asked_terms, fold, is_frame, stem, words
from unabridged.ports import Embedder

if TYPE_CHECKING:
    from numpy.typing import NDArray

FLOOR = 0.37
"""The score from which a fact is relevant to a message."""
NAMED = 0.8
"""The score of a whole name of the fact in the message: an alias, or its attribute. Each word of a
longer name is worth its share.
"""
SPOKEN = 0.35
"""The score of any other word of the fact's text."""
ASKED = 0.35
"""The score of a word by which people ask for facts of this attribute."""
BRIEF = 8
"""Significant words of a message beyond which each counts less: the more words, the more match by
chance.
"""
NEAR, NEAREST = 0.3, 0.75
"""The cosine from which meaning counts, and the one at which it counts fully."""
MEANING = 0.7
"""The highest score that meaning alone gives."""
RECALLED = 0.5
"""The score if the fact's source exchange was recalled."""
ELSEWHERE = 50
"""Facts assumed in addition to the space's, with none of the words."""
LONGEST = 3_000
"""Characters of a message that are examined: the beginning and the end of a longer one."""
MOST_TERMS = 120
"""Significant words of a message that are examined."""
SHORTEST = 4
"""Letters of a word that may be misspelt."""

_COMMON = frozenset(
    map(
        stem,
        """
        have has had get got go going went want wanted need like love use used using make made
        really also just new old good great best better lot lots some any way thing things time
        times day days week month year years today now currently recently help idea ideas
        suggest suggestion recommend recommendation tip tips advice give find look try start
        work working know people something anything someone user write question answer prefer
        preference preferences ive im id dont didnt cant actually last next weekend already based
        start started plan planning plans experience experiences
        """.split(),
    )
) | frozenset(map(stem, STOP_WORDS))
"""Terms that do not tell facts apart."""


@dataclass(frozen=True, slots=True)
class RelevantFact:
    """A fact that is relevant to a message.

    Attributes:
        score: How relevant, 0 to 1.
    """

    fact: Fact
    score: float
    reason: str


@dataclass(frozen=True, slots=True)
class FactEntry:
    """A current fact, prepared for search.

    Attributes:
        sources: Its source exchanges.
        aliases: Other words by which people ask for it.
    """

    fact: Fact
    sources: frozenset[str] = frozenset()
    aliases: tuple[str, ...] = ()


def entries_of(settled: Iterable[Settled]) -> list[FactEntry]:
    """Return the current facts, prepared for search."""
    return [
        FactEntry(
            one.fact,
            frozenset(s.exchange for s in one.members if s.exchange),
            tuple(dict.fromkeys(a for s in one.members for a in s.aliases)),
        )
        for one in settled
        if one.fact.state is FactState.CURRENT
    ]


@dataclass(frozen=True, slots=True)
class FactText:
    """The analysed text of a fact.

    Attributes:
        worth: Term to its weight.
    """

    worth: Mapping[str, float]
    vector: "NDArray[np.float32] | None"


class FactCache:
    """The current facts, prepared for many messages; rebuilt when they change.

    Args:
        before: The cache that this one replaces; its texts are not analysed again.
    """

    def __init__(
        self,
        entries: Sequence[FactEntry],
        embedder: Embedder | None,
        before: "FactCache | None" = None,
    ) -> None:
        self._entries = entries
        self._embedder = embedder
        self._places = {entry.fact.id: place for place, entry in enumerate(entries)}
        self._by_exchange: defaultdict[str, list[int]] = defaultdict(list)
        for place, entry in enumerate(entries):
            for exchange in entry.sources:
                self._by_exchange[exchange].append(place)
        known = before._read if before is not None else {}
        self._read: dict[tuple[str, ...], FactText] = _all_read(entries, embedder, known)
        self._worths = [self._read[_told(entry)].worth for entry in entries]
        self._naming: defaultdict[str, set[str]] = defaultdict(set)
        self._postings = self._posted()
        vectors = [self._read[_told(entry)].vector for entry in entries]
        held = [vector for vector in vectors if vector is not None]
        self._vectors = np.stack(held) if held else None

    def _posted(self) -> "dict[str, tuple[NDArray[np.int64], NDArray[np.float64]]]":
        places: defaultdict[str, list[int]] = defaultdict(list)
        weights: defaultdict[str, list[float]] = defaultdict(list)
        for place, worth in enumerate(self._worths):
            for term, weight in worth.items():
                places[term].append(place)
                weights[term].append(weight)
                if weight > SPOKEN:
                    self._naming[term[:2]].add(term)
        return {t: (np.array(places[t]), np.array(weights[t])) for t in places}

    def __contains__(self, fact: str) -> bool:
        """Return whether a fact's id is in the cache."""
        return fact in self._places

    def bearing(self, message: str, limit: int, evidence: Collection[str]) -> list[RelevantFact]:
        """Return the facts relevant to a message, best first, with those that contradict them."""
        if not self._entries:
            return []
        if len(message) > LONGEST:
            message = f"{message[: LONGEST // 2]} {message[-LONGEST // 2 :]}"
        asked = self._asked(message)
        worded = 1 - self._left_by_words(asked)
        meant = self._by_meaning(message)
        drawn = np.zeros(len(self._entries))
        drawn[[p for name in evidence for p in self._by_exchange.get(name, ())]] = RECALLED
        scores = 1 - (1 - worded) * (1 - meant) * (1 - drawn)
        bears = np.flatnonzero(scores >= FLOOR)
        order = bears[np.argsort(-scores[bears], kind="stable")].tolist()
        chosen = self._chosen(order, limit)
        return [
            RelevantFact(
                self._entries[place].fact,
                float(scores[best]),
                self._reason(place, asked, float(meant[place]), float(drawn[place]))
                if place == best
                else "says otherwise",
            )
            for place, best in chosen.items()
        ]

    def _chosen(self, order: Sequence[int], limit: int) -> dict[int, int]:
        chosen: dict[int, int] = {}
        for place in order:
            if place in chosen:
                continue
            others = (self._places.get(name) for name in self._entries[place].fact.disputed_by)
            group = [place, *(other for other in others if other is not None)]
            group = [each for each in group if each not in chosen]
            if len(chosen) + len(group) <= limit:
                chosen |= dict.fromkeys(group, place)
            if len(chosen) >= limit:
                break
        return chosen

    def _asked(self, message: str) -> list[str]:
        # The terms of a message that may name a fact, as facts spell them.
        terms_of = list(asked_terms(message).items())[:MOST_TERMS]
        return list(
            dict.fromkeys(
                self._spelt(term, word)
                for term, word in terms_of
                if term not in _COMMON and not is_frame(term)
            )
        )

    def _left_by_words(self, asked: Sequence[str]) -> "NDArray[np.float64]":
        left = np.ones(len(self._entries))
        total = len(self._entries) + ELSEWHERE
        most = math.log(1 + total)
        damp = min(1.0, math.sqrt(BRIEF / max(len(asked), 1)))
        for term in asked:
            if (held := self._postings.get(term)) is not None:
                places, weights = held
                rarity = math.log(1 + (total - len(places) + 0.5) / (len(places) + 0.5)) / most
                counting = np.where(weights > SPOKEN, weights, weights * damp)
                left[places] *= 1 - counting * min(rarity, 1.0)
        return left

    def _spelt(self, term: str, word: str) -> str:
        if term in self._postings or len(term) < SHORTEST or self._embedder is None:
            return term
        if self._embedder.known(word) == 1.0:  # a known word, not a misspelling
            return term
        near = [t for t in self._naming.get(term[:2], ()) if _one_apart(term, t)]
        return min(near, default=term)

    def _by_meaning(self, message: str) -> "NDArray[np.float64]":
        if self._embedder is None or self._vectors is None or not message.strip():
            return np.zeros(len(self._entries))
        # Without BLAS: its threads cost more than they save here, and sum in a varying order.
        cosines = np.einsum("ij,j->i", self._vectors, self._embedder.embed_query(message))
        near: NDArray[np.float64] = np.clip((cosines - NEAR) / (NEAREST - NEAR), 0, 1) * MEANING
        return near

    def _reason(self, place: int, asked: Sequence[str], meant: float, drawn: float) -> str:
        found = [term for term in asked if term in self._worths[place]]
        reasons = [f"words: {', '.join(found)}"] if found else []
        reasons += ["meaning"] if meant > 0 else []
        reasons += ["its exchange was recalled"] if drawn > 0 else []
        return "; ".join(reasons)


def _told(entry: FactEntry) -> tuple[str, ...]:
    fact = entry.fact
    return (fact.text, fact.subject, fact.attribute, fact.value, *entry.aliases)


def _all_read(
    entries: Sequence[FactEntry],
    embedder: Embedder | None,
    known: Mapping[tuple[str, ...], FactText],
) -> dict[tuple[str, ...], FactText]:
    read = {told: known[told] for told in map(_told, entries) if told in known}
    lacking = {_told(entry): entry for entry in entries if _told(entry) not in read}
    if lacking:
        texts = [entry.fact.text for entry in lacking.values()]
        vectors = embedder.embed(texts) if embedder is not None else [None] * len(texts)
        for (told, entry), vector in zip(lacking.items(), vectors, strict=True):
            read[told] = FactText(_worth(entry), vector)
    return read


def _worth(entry: FactEntry) -> dict[str, float]:
    fact = entry.fact
    attribute = attribute_of(fact.attribute) if fact.attribute else None
    worth = dict.fromkeys(_telling(fact.text), SPOKEN)
    if attribute is not None:
        worth |= dict.fromkeys(_telling(f"{attribute.name} {attribute.asked}"), ASKED)
    named = "" if fact.attribute in TABLE else fact.attribute  # people ask for it by its name
    names = [named, *entry.aliases, fact.subject if fact.subject != SELF else ""]
    shares = [(name, -1.0) for name in names]
    shares.append((fact.value if attribute else fact.text, -0.5))
    for name, power in shares:
        found = _telling(name)
        for term in found:
            worth[term] = max(worth.get(term, 0.0), NAMED * len(found) ** power)
    return worth


def _telling(text: str) -> set[str]:
    return {term for word in words(fold(text)) if (term := stem(word)) not in _COMMON}


def _one_apart(one: str, other: str) -> bool:
    if abs(len(one) - len(other)) > 1 or min(len(one), len(other)) < SHORTEST:
        return False
    if len(one) == len(other):
        apart = [n for n, (a, b) in enumerate(zip(one, other, strict=True)) if a != b]
        if len(apart) == 2:
            first, second = apart
            swapped = one[first] == other[second] and one[second] == other[first]
            return swapped and second == first + 1
        return len(apart) <= 1
    short, long = sorted((one, other), key=len)
    return any(long[:n] + long[n + 1 :] == short for n in range(len(long)))
