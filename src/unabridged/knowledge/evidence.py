"""The evidence of facts and requirements: which ones forgetting exchanges removes."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass

from unabridged.domain.exchange import Exchange
from unabridged.domain.fact import Fact
from unabridged.domain.record import Record
from unabridged.knowledge.origin import NOTHING_SHARED, Provenance
from unabridged.knowledge.requirement_records import Card, read as read_cards
from unabridged.knowledge.resolve_facts import resolve_facts
from unabridged.knowledge.statements import folded, read


@dataclass(frozen=True, slots=True)
class Support:
    """The fate of facts when exchanges are forgotten.

    Attributes:
        going: Facts that nothing else supports.
        staying: Facts as they are afterwards, supported by others.
        pins: The statements that inherit the pin of a removed one.
    """

    going: tuple[Fact, ...]
    staying: tuple[Fact, ...]
    pins: tuple[str, ...]


def support(
    records: Iterable[Record], gone: Collection[str], carried: Provenance = NOTHING_SHARED
) -> Support:
    """Return the fate of facts when exchanges are forgotten."""
    every = read(records)
    kept = {s.id: s for s in every.values() if not _rests_on(s.exchange, s.sources, gone)}
    after = {
        member.id: found
        for found in resolve_facts(kept.values(), carried)
        for member in found.members
    }
    going: list[Fact] = []
    staying: dict[str, Fact] = {}
    pins: list[str] = []
    for found in resolve_facts(every.values(), carried):
        left = [member for member in found.members if member.id in kept]
        if len(left) == len(found.members):
            continue
        if not left:
            going.append(found.fact)
            continue
        now = after[left[0].id].fact
        staying[now.id] = now
        if found.fact.pinned and not now.pinned:
            pins.append(now.id)
    return Support(tuple(going), tuple(staying.values()), tuple(pins))


def _rests_on(exchange: str | None, sources: Iterable[str], gone: Collection[str]) -> bool:
    return exchange in gone or any(name in gone for name in sources)


def leaving(records: Iterable[Record], gone: Collection[str]) -> list[Card]:
    """Return the requirements that forgetting exchanges removes."""
    return [card for card in read_cards(records) if card.requirement.exchange in gone]


def states_one_of(exchange: Exchange, cards: Iterable[Card]) -> bool:
    """Return whether the user's words in an exchange contain a requirement's source text."""
    said = folded(exchange.user.text)
    return any(folded(c.requirement.quote or c.requirement.text) in said for c in cards)
