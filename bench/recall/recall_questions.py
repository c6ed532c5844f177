"""Asks one question of a memory or a baseline, and measures the result."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from bench.recall.ranking_measures import distinct, ranked, stands_in
from bench.recall.recall_baselines import Bm25, Dense, Ranker
from bench.recall.subject import DEPTH, RecallSubject
from unabridged.budget.count import Counter
from unabridged.domain.exchange import Exchange
from unabridged.domain.results import Transcript
from unabridged.ports import Embedder
from unabridged.tokens.estimate import EstimateTokenizer

EXCHANGE, SESSION, TURN, ANSWER = "exchange", "session", "turn", "answer"
"""What figures are about: units of evidence, and the words of the answer itself."""
OURS, BM25, DENSE = "unabridged", "bm25", "dense"
"""The systems that are measured."""

Values = dict[str, dict[str, float]]
"""Unit to its measures."""


@dataclass(frozen=True, slots=True)
class RecallCase:
    """One question.

    Attributes:
        id: Its id.
        group: Its type.
        question: Its words.
        answer: The right answer, or empty.
        now: When it is asked, or None.
        gold: Unit to the ids of the evidence; units without any are missing.
        abstains: Whether it asks for something that was never said.
        counted: Whether it counts among all.
    """

    id: str
    group: str
    question: str
    answer: str
    now: datetime | None
    gold: Mapping[str, frozenset[str]]
    abstains: bool = False
    counted: bool = True


@dataclass(slots=True)
class RecallOutcome:
    """What came of a question.

    Attributes:
        values: Unit to its measures.
        recalled: How much was found and recalled, whatever is right.
    """

    values: Values
    recalled: dict[str, float] = field(default_factory=dict)


def examined(
    subject: RecallSubject, case: RecallCase, budgets: Sequence[int], held: str | None = None
) -> RecallOutcome:
    """Ask a memory.

    Args:
        subject: The memory.
        case: The question.
        budgets: Memory budgets at which a context is prepared; empty to search only.
        held: All that the memory holds, to see whether the answer stands there at all.
    """
    found = [each.exchange for each in subject.search(case.question)]
    values = {unit: ranked(_ranking(unit, found), gold) for unit, gold in case.gold.items()}
    outcome = RecallOutcome(values, {"found": float(len(found))})
    said: dict[str, float] = {}
    for budget in budgets:
        prepared = subject.prepare(case.question, budget)
        outcome.recalled[f"recalled@{budget}"] = float(prepared.recalled)
        outcome.recalled[f"nothing@{budget}"] = float(not prepared.recalled)
        said[f"verbatim@{budget}"] = float(stands_in(case.answer, prepared.text))
        if gold := case.gold.get(EXCHANGE):
            values[EXCHANGE][f"coverage@{budget}"] = len(gold & prepared.whole) / len(gold)
    if said and case.answer and not case.abstains:
        if held is not None:
            said["verbatim@all"] = float(stands_in(case.answer, held))
        values[ANSWER] = said
    return outcome


class Baselines:
    """The baselines, over the same conversations.

    Args:
        conversations: What the memory holds.
        units: The units that are ranked.
        embedder: For dense; None leaves it out.
    """

    def __init__(
        self, conversations: Sequence[Transcript], units: Iterable[str], embedder: Embedder | None
    ) -> None:
        self._rankers: dict[str, dict[str, Ranker]] = {BM25: {}}
        if embedder is not None:
            self._rankers[DENSE] = {}
        for unit in units:
            documents = _documents(unit, conversations)
            self._rankers[BM25][unit] = Bm25(documents)
            if embedder is not None:
                self._rankers[DENSE][unit] = Dense(embedder, documents)
        counter = Counter(EstimateTokenizer())
        self._tokens = {
            e.id: sum(map(counter.message, e.messages)) for c in conversations for e in c.exchanges
        }

    def examined(self, case: RecallCase, budgets: Sequence[int]) -> dict[str, RecallOutcome]:
        """Ask each of them; a memory budget is filled with the best exchanges that fit."""
        outcomes: dict[str, RecallOutcome] = {}
        for name, rankers in self._rankers.items():
            orders = {unit: rankers[unit].rank(case.question, DEPTH) for unit in case.gold}
            values = {unit: ranked(orders[unit], gold) for unit, gold in case.gold.items()}
            if gold := case.gold.get(EXCHANGE):
                for budget in budgets:
                    whole = gold & set(self._fitting(orders[EXCHANGE], budget))
                    values[EXCHANGE][f"coverage@{budget}"] = len(whole) / len(gold)
            outcomes[name] = RecallOutcome(values)
        return outcomes

    def _fitting(self, order: Sequence[str], budget: int) -> Iterator[str]:
        for name in order:
            if self._tokens[name] <= budget:
                budget -= self._tokens[name]
                yield name


def all_said(conversations: Iterable[Transcript]) -> str:
    """Everything that was said."""
    return "\n".join(exchange.text for held in conversations for exchange in held.exchanges)


def _ranking(unit: str, found: Sequence[Exchange]) -> list[str]:
    match unit:
        case "session":
            return distinct([exchange.session for exchange in found])
        case "turn":
            return [message.id for exchange in found for message in exchange.messages]
        case _:
            return [exchange.id for exchange in found]


def _documents(unit: str, conversations: Sequence[Transcript]) -> dict[str, str]:
    match unit:
        case "session":
            return {held.session.id: all_said([held]) for held in conversations}
        case "turn":
            return {m.id: m.text for c in conversations for e in c.exchanges for m in e.messages}
        case _:
            return {e.id: e.text for held in conversations for e in held.exchanges}
