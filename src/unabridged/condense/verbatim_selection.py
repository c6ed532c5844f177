"""Choose the messages that stay verbatim: of each category the most important, by its share.

EMM, phase 2, corrected: shares are rounded up, so that a lone critical message stays. They refer to
the originals, so that repeated runs do not compound.
"""

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from unabridged.domain.annotation import Scheme

Key = tuple[str, int]
"""A message: (exchange, its position there)."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A message that may be condensed.

    Attributes:
        importance: 0 to 1.
    """

    key: Key
    category: str
    importance: float


@dataclass(frozen=True, slots=True)
class Selection:
    """The fate of candidates, by category; all in the order in which they were said.

    Attributes:
        before: What earlier runs condensed.
    """

    keep: Mapping[str, tuple[Key, ...]]
    condense: Mapping[str, tuple[Key, ...]]
    before: Mapping[str, tuple[Key, ...]]


def least_kept(share: float, count: int) -> int:
    """Return how many of a number of messages stay verbatim at least.

    Shares are decimals: 0.7 of 10 is 7, whatever binary floats make of it.
    """
    return math.ceil(round(share * count, 9))


def select(
    candidates: Sequence[Candidate],
    scheme: Scheme,
    condensed: Collection[Key] = (),
    spared: Collection[Key] = (),
) -> Selection:
    """Choose what stays verbatim and what is condensed.

    Messages that earlier runs ``condensed`` stay condensed; ``spared`` ones stay verbatim at any
    rank.
    """
    groups: dict[str, list[tuple[int, Candidate]]] = {}
    for place, candidate in enumerate(candidates):
        name = scheme.category(candidate.category).name
        groups.setdefault(name, []).append((place, candidate))
    kept: dict[str, tuple[Key, ...]] = {}
    news: dict[str, tuple[Key, ...]] = {}
    before: dict[str, tuple[Key, ...]] = {}
    for name, group in groups.items():
        least = least_kept(scheme.category(name).keep, len(group))
        verbatim = [one for one in group if one[1].key not in condensed]
        ranked = sorted(verbatim, key=lambda one: (-one[1].importance, one[0]))
        stays = {c.key for _, c in ranked[:least]} | {c.key for _, c in ranked if c.key in spared}
        kept[name] = tuple(c.key for _, c in verbatim if c.key in stays)
        news[name] = tuple(c.key for _, c in verbatim if c.key not in stays)
        before[name] = tuple(c.key for _, c in group if c.key in condensed)
    return Selection(kept, {name: keys for name, keys in news.items() if keys}, before)
