"""The baselines of condensing: simple ways to choose as many sentences."""

import random
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from bench.condense.condense_text import CondenseMethod, SplitTexts, drafted, fitted
from bench.condense.textrank import ranks
from unabridged.domain.condensation import CondensationDraft, CondenseSource
from unabridged.domain.message import Role

SEED = 20_261_122
TEXTRANK = "textrank"

Place = tuple[int, int]
"""The place of a source, and the number of a sentence in it."""
Order = Callable[[Sequence[CondenseSource], Sequence[Place], SplitTexts], Iterable[Place]]
"""Puts every sentence with words into an order, the best first."""


@dataclass(frozen=True, slots=True)
class Ordered:
    """Takes sentences in some order while they fit.

    Attributes:
        identity: Its name.
        order: The order.
        texts: Splits and counts.
    """

    identity: str
    order: Order
    texts: SplitTexts

    def condense(self, sources: Sequence[CondenseSource], limit: int) -> CondensationDraft | None:
        """Take whole sentences that fit."""
        places = [
            (place, number)
            for place, source in enumerate(sources)
            for number, piece in enumerate(self.texts.sentences(source.text))
            if piece.strip()
        ]
        chosen = fitted(self.order(sources, places, self.texts), sources, limit, self.texts)
        return drafted(sources, chosen, limit, self.identity, self.texts)


@dataclass(frozen=True, slots=True)
class UserOnly:
    """Takes everything that the user said, whatever the limit is.

    Attributes:
        texts: Splits and counts.
        identity: Its name.
    """

    texts: SplitTexts
    identity: str = "user messages"

    def condense(self, sources: Sequence[CondenseSource], limit: int) -> CondensationDraft | None:
        """Take the user's messages whole; the limit is passed over."""
        del limit
        chosen = {
            place: range(len(self.texts.sentences(source.text)))
            for place, source in enumerate(sources)
            if source.role is Role.USER
        }
        most = 2 * self.texts.tokens(sources)
        return drafted(sources, chosen, most, self.identity, self.texts)


def _leading(
    _: Sequence[CondenseSource], places: Sequence[Place], __: SplitTexts
) -> Iterable[Place]:
    return places


def _leading_of_each(
    _: Sequence[CondenseSource], places: Sequence[Place], __: SplitTexts
) -> Iterable[Place]:
    return sorted(places, key=lambda each: (each[1], each[0]))


def _newest(
    _: Sequence[CondenseSource], places: Sequence[Place], __: SplitTexts
) -> Iterable[Place]:
    return reversed(places)


def _randomly(
    sources: Sequence[CondenseSource], places: Sequence[Place], _: SplitTexts
) -> Iterable[Place]:
    chance = random.Random(f"{SEED}/{sources[0].exchange if sources else ''}")  # noqa: S311 - a draw, no secret
    return chance.sample(places, len(places))


def _user_first(
    sources: Sequence[CondenseSource], places: Sequence[Place], _: SplitTexts
) -> Iterable[Place]:
    users = [each for each in places if sources[each[0]].role is Role.USER]
    others = [each for each in places if sources[each[0]].role is not Role.USER]
    return [*users, *sorted(others, key=lambda each: (each[1], each[0]))]


def _textrank(
    sources: Sequence[CondenseSource], places: Sequence[Place], texts: SplitTexts
) -> Iterable[Place]:
    weights = ranks([texts.sentences(sources[p].text)[n] for p, n in places])
    return [place for _, place in sorted(zip(-weights, places, strict=True))]


ORDERS: dict[str, Order] = {
    "leading": _leading,
    "leading of each": _leading_of_each,
    "newest": _newest,
    "random": _randomly,
    "user first": _user_first,
    TEXTRANK: _textrank,
}
"""The baselines that keep to the limit."""


def same_size(texts: SplitTexts) -> dict[str, CondenseMethod]:
    """The baselines that keep to the limit, by name."""
    return {name: Ordered(name, order, texts) for name, order in ORDERS.items()}
