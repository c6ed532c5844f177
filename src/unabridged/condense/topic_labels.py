"""Name groups of texts in their own words: class-based TF-IDF (Grootendorst, 2022).

A word counts once for each exchange that contains it, so that one long answer does not name a topic
alone; the user's words count double.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from math import log1p, prod, sqrt

from unabridged.condense.topic_words import Word, prose, telling
from unabridged.language.words import is_pair

MOST = 4
"""Words or pairs of words in a label at most; …"""
FAIR = 0.4
"""… those that score less than this share of the best are left out."""
_PAIR_SHARE = 0.5
"""The share of a word's exchanges that must contain a pair for the pair to be named."""
_USER, _ANSWER = 2.0, 1.0
_PAIR_BONUS = 1.25
_DEEDS = ("ing", "ed")
"""Endings of words that seldom name anything."""
_MANY = 4
"""Exchanges of a group from which a word in only one of them does not name it."""
_LONGER = 0.3
_LEAST = 0.01
_RAREST = 1e-6
_EVERYWHERE = 0.6
"""Subtracted from the score of a word: one as frequent here as elsewhere has ln 2, which is
little.
"""

Share = Callable[[str], float]
"""0 to 1: the share of all exchanges that contain a word, from its stem."""
Key = str | tuple[str, str]


@dataclass(slots=True)
class _Seen:
    """Counts of one word or pair: weight, named minus done, and its spellings."""

    weight: float = 0.0
    times: int = 0
    named: int = 0
    spellings: dict[str, int] = field(default_factory=dict)


def label(texts: Sequence[tuple[str, str]], share: Share) -> tuple[str, ...]:
    """Name a group of exchanges.

    Args:
        texts: The user's side and the answer of each.
        share: The share of all exchanges that contain a word, from its stem.

    Returns:
        Two to four words or pairs of words as they were written, the best first; fewer if there are
        no more.
    """
    seen = _seen(texts)
    scores = {key: _score(key, seen, share, len(texts)) for key in seen}
    ranked = sorted(scores, key=lambda key: (-scores[key], str(key)))
    chosen: list[Key] = []
    for key in ranked:
        if len(chosen) == MOST or scores[key] <= 0:
            break
        if len(chosen) >= 2 and scores[key] < FAIR * scores[chosen[0]]:
            break
        if not any(_overlaps(key, other) for other in chosen):
            chosen.append(key)
    return tuple(_spelt(seen[key].spellings) for key in chosen)


def _seen(texts: Sequence[tuple[str, str]]) -> dict[Key, _Seen]:
    # Most pairs stand in one exchange alone and can name nothing: they are only counted.
    read = [
        [
            (tuple(telling(prose(text))), weight)
            for text, weight in ((user, _USER), (answer, _ANSWER))
        ]
        for user, answer in texts
    ]
    pairs = Counter(
        pair for sides in read for pair in {_pair(word) for words, _ in sides for word in words}
    )
    least = min(2, len(texts))
    seen: dict[Key, _Seen] = {}
    for sides in read:
        met: dict[Key, float] = {}
        for words, weight in sides:
            for word in words:
                _meet(seen, word.stem, word.spelling, word.named)
                met[word.stem] = max(met.get(word.stem, 0), weight)
                pair = _pair(word)
                if word.follows and pair is not None and pairs[pair] >= least:
                    _meet(seen, pair, f"{word.follows[1]} {word.spelling}", 0)
                    met[pair] = max(met.get(pair, 0), weight)
        for key, weight in met.items():
            seen[key].weight += weight
            seen[key].times += 1
    return seen


def _pair(word: Word) -> tuple[str, str] | None:
    if not word.follows or word.follows[0] == word.stem:
        return None
    return (word.follows[0], word.stem)


def _meet(seen: dict[Key, _Seen], key: Key, spelling: str, named: int) -> None:
    one = seen.get(key)
    if one is None:
        one = seen[key] = _Seen()
    one.spellings[spelling] = one.spellings.get(spelling, 0) + 1
    one.named += named


def _score(key: Key, seen: Mapping[Key, _Seen], share: Share, count: int) -> float:
    one = seen[key]
    if isinstance(key, str):
        least = 2 if count >= (2 if is_pair(key) else _MANY) else 1
        if one.times < least:
            return 0.0
        whole = 1 if key.isascii() else _longer(key)
        return one.weight * _tells(key, one, share, count) * _nameable(one) * whole
    rarer = min(seen[part].times for part in key)
    if one.times < min(2, count) or one.times < _PAIR_SHARE * rarer:
        return 0.0
    parts = [(part, seen[part]) for part in key]
    tells = prod(_tells(stem, each, share, count) for stem, each in parts)
    return one.weight * sqrt(tells) * max(_nameable(each) for _, each in parts) * _PAIR_BONUS


def _longer(key: str) -> float:
    return 1 + _LONGER * (len(key) - 2) if is_pair(key) else 1


def _tells(stem: str, one: _Seen, share: Share, count: int) -> float:
    here = one.times / count
    return max(_LEAST, log1p(here / max(share(stem), _RAREST)) - _EVERYWHERE)


def _nameable(one: _Seen) -> float:
    total = sum(one.spellings.values())
    capital = sum(n for spelling, n in one.spellings.items() if spelling[:1].isupper())
    named = (one.named + capital) / (total + 2)
    deeds = sum(n for spelling, n in one.spellings.items() if spelling.endswith(_DEEDS))
    return min(1.5, max(0.5, 1 + 0.5 * named)) * (1 - 0.4 * deeds / total)


def _overlaps(key: Key, other: Key) -> bool:
    parts, others = _parts(key), _parts(other)
    if parts & others:
        return True
    if isinstance(key, str) and isinstance(other, str):
        return not key.isascii() and (key in other or other in key)
    return False


def _parts(key: Key) -> set[str]:
    return {key} if isinstance(key, str) else set(key)


def _spelt(spellings: Mapping[str, int]) -> str:
    total = sum(spellings.values())
    small = {s: n for s, n in spellings.items() if s == s.lower()}
    usable = small if sum(small.values()) >= 0.2 * total else spellings
    return min(usable, key=lambda s: (-usable[s], s))
