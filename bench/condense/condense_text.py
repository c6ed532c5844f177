"""One way to split and count for every method, and their common result.

Every method chooses whole sentences, by number, of messages; so the texts differ in nothing else.
"""

from bisect import insort
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import pairwise

from bench.recall.ranking_measures import words_of
from unabridged.domain.condensation import CondensationDraft, CondenseSource, Line
from unabridged.domain.results import Transcript
from unabridged.language.sentences import sentences
from unabridged.ports import Condenser

GAP = "[…]"
"""The mark of omitted sentences (``domain.condensation.Line``)."""

_PATIENCE = 100
"""Sentences that do not fit before no other is tried."""

Chosen = Mapping[int, Sequence[int]]
"""The place of a source to the numbers of its sentences, ascending."""


class SplitTexts:
    """Splits and counts, each text once.

    Args:
        count: Tokens of a text.
    """

    def __init__(self, count: Callable[[str], int]) -> None:
        self._count = count
        self._counts: dict[str, int] = {}
        self._pieces: dict[str, tuple[str, ...]] = {}

    def count(self, text: str) -> int:
        """Return the tokens of a text."""
        found = self._counts.get(text)
        if found is None:
            found = self._counts[text] = self._count(text)
        return found

    def sentences(self, text: str) -> tuple[str, ...]:
        """Return the sentences of a text, which join back to it."""
        found = self._pieces.get(text)
        if found is None:
            found = self._pieces[text] = tuple(sentences(text))
        return found

    def tokens(self, sources: Iterable[CondenseSource]) -> int:
        """Return the tokens of whole messages."""
        return sum(self.count(source.text) for source in sources)

    def clear(self) -> None:
        """Clear the cache."""
        self._counts.clear()
        self._pieces.clear()


def sources_of(conversation: Transcript) -> list[CondenseSource]:
    """Return the messages of a conversation as a condenser sees them, without empty ones."""
    return [
        CondenseSource(exchange.id, index, message.role, message.text, exchange.at)
        for exchange in conversation.exchanges
        for index, message in enumerate(exchange.messages)
        if message.text.strip()
    ]


def fitted(
    order: Iterable[tuple[int, int]],
    sources: Sequence[CondenseSource],
    limit: int,
    texts: SplitTexts,
) -> dict[int, list[int]]:
    """Take sentences in an order while they fit; those that do not are passed over.

    Args:
        order: The place of a source and the number of a sentence in it, the best first.
        sources: The messages.
        limit: Tokens that all lines may take together.
        texts: Splits and counts.
    """
    held = list(order)
    chosen = _by_pieces(held, sources, limit, texts)
    prices = {place: _price(sources[place], numbers, texts) for place, numbers in chosen.items()}
    left, missed = limit - sum(prices.values()), 0
    # A line takes a little less than its pieces, so some more may fit.
    for place, number in held:
        if left <= 0 or missed >= _PATIENCE:
            break
        numbers = chosen.get(place, [])
        if number not in numbers:
            price = _price(sources[place], sorted([*numbers, number]), texts)
            if price - prices.get(place, 0) <= left:
                left -= price - prices.get(place, 0)
                prices[place] = price
                insort(chosen.setdefault(place, numbers), number)
            else:
                missed += 1
    return {place: chosen[place] for place in sorted(chosen)}


def _price(source: CondenseSource, numbers: Sequence[int], texts: SplitTexts) -> int:
    return texts.count(said(texts.sentences(source.text), numbers))


def _by_pieces(
    order: Iterable[tuple[int, int]],
    sources: Sequence[CondenseSource],
    limit: int,
    texts: SplitTexts,
) -> dict[int, list[int]]:
    mark = texts.count(f" {GAP} ")
    chosen: dict[int, list[int]] = {}
    left = limit
    for place, number in order:
        if left <= 0:
            break
        held = chosen.get(place, [])
        price = texts.count(texts.sentences(sources[place].text)[number])
        price += mark * (_gaps(sorted([*held, number])) - _gaps(held))
        if price <= left:
            left -= price
            insort(chosen.setdefault(place, held), number)
    return chosen


def _gaps(numbers: Sequence[int]) -> int:
    return sum(number > before + 1 for before, number in pairwise(numbers))


def drafted(
    sources: Sequence[CondenseSource], chosen: Chosen, limit: int, by: str, texts: SplitTexts
) -> CondensationDraft | None:
    """Put chosen sentences into lines, and leave out the last where marks of gaps make it too long.

    Args:
        sources: The messages.
        chosen: What was chosen of each.
        limit: Tokens that the lines may take together.
        by: Who chose.
        texts: Splits and counts.
    """
    lines, spent = [], 0
    for place, numbers in chosen.items():
        source = sources[place]
        held = list(numbers)
        while held:
            line = said(texts.sentences(source.text), held)
            price = texts.count(line)
            if spent + price <= limit:
                spent += price
                lines.append(Line(line, source.exchange, source.index, source.role, tuple(held)))
                break
            held.pop()
    return CondensationDraft(tuple(lines), spent, by) if lines else None


def said(pieces: Sequence[str], numbers: Sequence[int]) -> str:
    """Whole sentences in their order, with a mark where others stood between them."""
    parts = [pieces[numbers[0]]]
    for before, number in pairwise(numbers):
        if number > before + 1:
            parts.append(f"{GAP} " if parts[-1][-1:].isspace() else f" {GAP} ")
        parts.append(pieces[number])
    return "".join(parts).strip()


def searchable(pieces: Iterable[str]) -> str:
    """Texts as words alone (``words_of``), each apart, so that nothing matches across two of them."""
    return "|".join(map(words_of, pieces))


def unbroken(draft: CondensationDraft | None) -> list[str]:
    """What a condensation says, in pieces between which something was left out."""
    lines = draft.lines if draft else ()
    return [piece for line in lines for piece in line.text.split(GAP)]


CondenseMethod = Condenser
"""The methods and the baselines."""
