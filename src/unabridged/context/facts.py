"""The knowledge tier: facts that are relevant to the message, within their share of memory."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from unabridged.budget.count import Counter
from unabridged.context.recall_block import fact_block
from unabridged.domain import reasons
from unabridged.domain.fact import Fact
from unabridged.knowledge.fact_relevance import RelevantFact

MOST = 24
"""Facts that are considered for one message."""
DISPUTED = "the user also said otherwise"
"""The note on a fact that another contradicts without replacing it."""
FROM = "from {space}"
"""The note on a fact that another space shared."""


@dataclass(frozen=True, slots=True)
class FactLine:
    """A fact in the recall block, or one that was left out.

    Attributes:
        note: Additional information about it.
        tokens: What it takes in the recall block.
        score: How relevant it is to the message, 0 to 1.
        reason: Why it is there, or not.
    """

    fact: Fact
    note: str
    tokens: int
    score: float
    reason: str


@dataclass(frozen=True, slots=True)
class SelectedFacts:
    """The facts that the knowledge tier chose, without pinned ones, and those it left out."""

    items: tuple[FactLine, ...] = ()
    dropped: tuple[FactLine, ...] = ()

    @property
    def tokens(self) -> int:
        """The tokens of the items together."""
        return sum(item.tokens for item in self.items)

    def without(
        self, held: Collection[str], told: Collection[str] = frozenset()
    ) -> "SelectedFacts":
        """Return the same without facts that the prompt contains already.

        ``held`` are exchanges that are whole in the prompt, ``told`` facts.
        """
        stays = tuple(
            i for i in self.items if i.fact.exchange not in held and i.fact.id not in told
        )
        gone = tuple(replace(i, reason=reasons.SAID_ALREADY) for i in self.items if i not in stays)
        return SelectedFacts(stays, self.dropped + gone)


def choose_facts(bearings: Sequence[RelevantFact], counter: Counter, room: int) -> SelectedFacts:
    """Choose relevant facts, best first, while there is room; pinned ones are not among them.

    ``room`` is their share of memory in tokens, without what is pinned, or less.
    """
    items: list[FactLine] = []
    dropped: list[FactLine] = []
    for bearing in bearings:
        told = _told(bearing, counter)
        if told.tokens <= room:
            items.append(told)
            room -= told.tokens
        else:
            dropped.append(replace(told, reason=reasons.NO_ROOM_FOR_FACTS))
    return SelectedFacts(tuple(items), tuple(dropped))


def _told(bearing: RelevantFact, counter: Counter) -> FactLine:
    fact = bearing.fact
    note = _note(fact)
    tokens = counter.text(fact_block(fact.since, fact.text, note))
    return FactLine(fact, note, tokens, bearing.score, bearing.reason)


def _note(fact: Fact) -> str:
    if fact.origin is None:
        return DISPUTED if fact.disputed_by else ""
    origin = FROM.format(space=fact.origin.space)
    return f"{origin}; {DISPUTED}" if fact.disputed_by else origin
