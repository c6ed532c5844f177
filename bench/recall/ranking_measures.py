"""Measures of a ranking against the evidence that a question needs.

With a gold set G and a ranking R: any@k is 1 where R's first k hold one of G, all@k where they hold
every one, frac@k is the share of G that they hold; MRR is 1 over the place of the first of G (0
if none is ranked); nDCG@k is the discounted gain of binary relevance over that of the best
ranking, discounts 1 / log2(place + 1) (Järvelin and Kekäläinen, 2002).
"""

import math
import re
import unicodedata
from collections.abc import Sequence, Set as AbstractSet

PLACES = (1, 3, 5, 10, 20, 50)
"""The k of any@k, all@k and frac@k."""
GAIN_PLACES = 10
"""The k of nDCG@k."""

_WORD = re.compile(r"\w+")


def ranked(order: Sequence[str], gold: AbstractSet[str]) -> dict[str, float]:
    """Measure one ranking.

    Args:
        order: Ids, best first, each once.
        gold: What the question needs; not empty.

    Returns:
        ``any@k``, ``all@k`` and ``frac@k`` for each of ``PLACES``, ``mrr`` and ``ndcg@10``.
    """
    hits = [name in gold for name in order]
    found: dict[str, float] = {}
    for k in PLACES:
        held = sum(hits[:k])
        found[f"any@{k}"] = float(held > 0)
        found[f"all@{k}"] = float(held == len(gold))
        found[f"frac@{k}"] = held / len(gold)
    found["mrr"] = 1 / (hits.index(True) + 1) if any(hits) else 0.0
    gain = sum(1 / math.log2(n + 2) for n, hit in enumerate(hits[:GAIN_PLACES]) if hit)
    best = sum(1 / math.log2(n + 2) for n in range(min(len(gold), GAIN_PLACES)))
    found[f"ndcg@{GAIN_PLACES}"] = gain / best
    return found


def distinct(names: Sequence[str]) -> list[str]:
    """Each name once, at its first place."""
    return list(dict.fromkeys(names))


def words_of(text: str) -> str:
    """A text as its words alone, folded, a space on each side of each: what can be compared."""
    folded = unicodedata.normalize("NFKC", text).casefold()
    return " " + " ".join(_WORD.findall(folded)) + " "


def stands_in(answer: str, text: str) -> bool:
    """Return whether a text contains an answer word for word; case and punctuation do not count."""
    wanted = words_of(answer)
    return bool(wanted.strip()) and wanted in words_of(text)
