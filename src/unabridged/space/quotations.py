"""What the quoting model may quote: pins, facts and exchanges, those that answer a question.

Everything in its prompt is compared with the question by one measure: sentence by
sentence, by meaning, by words, and by what the rules of facts read in them.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from unabridged.domain.exchange import Exchange
from unabridged.domain.fact import SELF, Fact
from unabridged.domain.intent import Intent
from unabridged.intent.detect import detect
from unabridged.knowledge.attributes import Attribute, attribute_of
from unabridged.knowledge.fact_rules.extract import draw
from unabridged.knowledge.facts import Facts
from unabridged.knowledge.requirements import Requirements
from unabridged.language.sentences import sentences
from unabridged.language.words import query_terms, terms
from unabridged.models.quote import MODEL, Quotation
from unabridged.ports import Embedder, Store
from unabridged.retrieval.echo_filter import only_quotes
from unabridged.space.search import SearchScope, SpaceSearch

FOUND = 12
"""The number of exchanges to search for, and of the newest to look at."""
FACTS = 12
"""The number of facts to look at in addition to the pinned ones."""
MOST_SENTENCES = 60
"""The number of sentences of one text to compare."""
WORDS = 0.4
"""The weight of holding all words of the question; meaning weighs 1."""
ASKED = 0.4
"""The weight of stating the asked attribute, such as a name or an age."""
LEAST, GROWTH = 0.2, 0.03
"""The least score of an answer: for one exchange, and more for each e-fold of them."""
NEAR = 0.75
"""The least share of the best score that others need."""


@dataclass(frozen=True, slots=True)
class _Candidate:
    quotation: Quotation
    score: float = 0.0
    says: str = ""  # what is compared with the question, if not the quotation
    attribute: str = ""  # of which there is one value at a time, and which the question asks for


@dataclass(frozen=True, slots=True)
class QuotationSources:
    """The sources of quotations."""

    store: Store
    searches: SpaceSearch
    facts: Facts
    requirements: Requirements

    def find(
        self, question: str, session: str | None, only: str | None, *, with_facts: bool
    ) -> list[Quotation]:
        """Return what answers a question, the best first.

        Args:
            question: The question.
            session: The session that it is asked in.
            only: The id of the only session that may be quoted; None for all.
            with_facts: Whether pins and facts may be quoted.
        """
        if detect(question).intent is Intent.CASUAL:
            return []
        exchanges = self._exchanges(question, session, only)
        recalled = {exchange.id for exchange, _ in exchanges}
        facts = self._facts(question, recalled, only) if with_facts else []
        reader = self.searches.search.reader
        # A server is not asked for the vectors of every sentence: then what the search says counts.
        measure = _Measure(question, reader.embedder if reader.instant else None)
        candidates = [*map(_of_fact, facts), *map(_of_exchange, exchanges)]
        scored = list(map(measure.scored, candidates))
        best = max((one.score for one in scored), default=0.0)
        held = self.store.totals().exchanges
        least = max(LEAST + GROWTH * math.log(max(held, 1)), NEAR * best)
        chosen = _newest([one for one in scored if one.score >= least])
        chosen.sort(key=lambda one: (one.score, one.quotation.at), reverse=True)
        return [one.quotation for one in _once(chosen)]

    def known(self, only: str | None) -> list[str]:
        """Return pinned texts and facts, pins first; from one session only, if it is named."""
        facts = [fact for fact in self.facts.all() if self.facts.reaches(fact, only)]
        facts.sort(key=lambda fact: not fact.pinned)
        told = [*facts, *self.requirements.pinned()]
        return list(dict.fromkeys(" ".join(one.text.split()) for one in told))

    def _exchanges(
        self, question: str, session: str | None, only: str | None
    ) -> list[tuple[Exchange, float]]:
        scope = SearchScope(only)
        found = self.searches.find(question, FOUND, scope, min_relevance=0, quotes=False)
        is_reached = session is not None and only in (None, session)
        path = self.store.recent(session, FOUND) if session and is_reached else []
        asked = question.strip()  # stored by now, and its own best match
        scores = {one.exchange.id: one.score for one in found}
        by_id = {one.id: one for one in [*(result.exchange for result in found), *path]}
        return [
            (one, scores.get(one.id, 0.0))
            for one in by_id.values()
            if one.user.text.strip() != asked and not only_quotes(one)
        ]

    def _facts(self, question: str, recalled: set[str], only: str | None) -> list[Fact]:
        told = self.facts.bearing(question, FACTS, recalled, only)
        pinned = [*self.facts.pinned(), *self.requirements.pinned()]
        return list({fact.id: fact for fact in [*pinned, *(one.fact for one in told)]}.values())


def _of_fact(fact: Fact) -> _Candidate:
    verb = "asked me to keep in mind" if fact.pinned else "said"
    text = fact.text if fact.pinned or not fact.quote else fact.quote
    return _Candidate(Quotation(text, fact.since, verb), says=fact.text)


def _of_exchange(found: tuple[Exchange, float]) -> _Candidate:
    exchange, score = found
    answer = exchange.answer
    said = "" if answer is None or exchange.model == MODEL else answer.text
    return _Candidate(Quotation(exchange.user.text, exchange.at, answer=said), score)


def _newest(chosen: Sequence[_Candidate]) -> list[_Candidate]:
    last: dict[str, datetime] = {}
    for one in chosen:
        at = one.quotation.at
        last[one.attribute] = max(last.get(one.attribute, at), at)
    return [one for one in chosen if not one.attribute or one.quotation.at == last[one.attribute]]


def _once(chosen: Iterable[_Candidate]) -> list[_Candidate]:
    # A fact repeats its exchange in fewer words: one of the two is enough.
    kept: list[_Candidate] = []
    for one in chosen:
        text = one.quotation.text.strip(" .!")
        if not any(
            text in other.quotation.text or other.quotation.text.strip(" .!") in text
            for other in kept
        ):
            kept.append(one)
    return kept


class _Measure:
    """Compares texts with one question."""

    def __init__(self, question: str, embedder: Embedder | None) -> None:
        self._terms = set(query_terms(question))
        self._embedder = embedder
        self._vector = embedder.embed_query(question) if embedder is not None else None

    def scored(self, candidate: _Candidate) -> _Candidate:
        """Return a candidate with its score for the question, 0 to about 2."""
        quotation = candidate.quotation
        texts = [
            *_pieces(candidate.says or quotation.text),
            *(_pieces(quotation.answer) if quotation.answer else ()),
        ]
        near = self._near(texts) if self._embedder is not None else candidate.score
        words = max((self._share(text) for text in texts), default=0.0)
        asked = self._asked_for(candidate.says or quotation.text)
        single = next((attribute.name for attribute in asked if attribute.single), "")
        score = near + words + (ASKED if asked else 0.0)
        return replace(candidate, score=score, attribute=single)

    def _near(self, texts: Sequence[str]) -> float:
        if self._embedder is None or self._vector is None or not texts:
            return 0.0
        vectors = self._embedder.embed(texts)
        return max(0.0, float((vectors * self._vector).sum(axis=1).max()))

    def _share(self, text: str) -> float:
        held = self._terms.intersection(terms(text))
        return (WORDS if self._embedder is not None else 1.0) * len(held) / max(len(self._terms), 1)

    def _asked_for(self, text: str) -> list[Attribute]:
        read = [attribute_of(drawn.attribute) for drawn in draw(text) if drawn.subject == SELF]
        return [
            attribute
            for attribute in read
            if self._terms.intersection(terms(f"{attribute.name} {attribute.asked}"))
        ]


def _pieces(text: str) -> list[str]:
    found = [piece.strip() for piece in sentences(text)]
    return [piece for piece in found if piece][:MOST_SENTENCES]
