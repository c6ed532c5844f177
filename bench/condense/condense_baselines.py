"""What condensing is held against: simple ways to choose as many sentences."""

import random
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from bench.condense.condense_text import CondenseMethod, SplitTexts, drafted, fitted
from bench.condense.textrank import ranks
from unabridged.domain.condensation import Draft, Source
from unabridged.domain.message import Role

SEED = 20_261_122
TEXTRANK = "textrank"

Place = tuple[int, int]
"""The place of a source, and the number of a sentence in it."""
Order = Callable[[Sequence[Source], Sequence[Place], SplitTexts], Iterable[Place]]
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

    def condense(self, sources: Sequence[Source], limit: int) -> Draft | None:
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

    def condense(self, sources: Sequence[Source], limit: int) -> Draft | None:
        """Take the user's messages whole; the limit is passed over."""
        del limit
        chosen = {
            place: range(len(self.texts.sentences(source.text)))
            for place, source in enumerate(sources)
            if source.role is Role.USER
        }
        most = 2 * self.texts.tokens(sources)
        return drafted(sources, chosen, most, self.identity, self.texts)


def _leading(_: Sequence[Source], places: Sequence[Place], __: SplitTexts) -> Iterable[Place]:
    """The first sentences of the talk."""
    return places


def _leading_of_each(
    _: Sequence[Source], places: Sequence[Place], __: SplitTexts
) -> Iterable[Place]:
    """The first sentence of every message, then the second of every message, and so on."""
    return sorted(places, key=lambda each: (each[1], each[0]))


def _newest(_: Sequence[Source], places: Sequence[Place], __: SplitTexts) -> Iterable[Place]:
    """The last sentences of the talk."""
    return reversed(places)


def _randomly(sources: Sequence[Source], places: Sequence[Place], _: SplitTexts) -> Iterable[Place]:
    """By chance, the same for the same talk."""
    chance = random.Random(f"{SEED}/{sources[0].exchange if sources else ''}")  # noqa: S311 - a draw, no secret
    return chance.sample(places, len(places))


def _user_first(
    sources: Sequence[Source], places: Sequence[Place], _: SplitTexts
) -> Iterable[Place]:
    """What the user said, in order; then the first sentence of every answer, the second and so on."""
    users = [each for each in places if sources[each[0]].role is Role.USER]
    others = [each for each in places if sources[each[0]].role is not Role.USER]
    return [*users, *sorted(others, key=lambda each: (each[1], each[0]))]


def _textrank(
    sources: Sequence[Source], places: Sequence[Place], texts: SplitTexts
) -> Iterable[Place]:
    """By how many others recommend it; of equals the earlier."""
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
