"""Recipes: the weight of each feature, by intent.

The weights were fitted on LongMemEval (dev) and LoCoMo together, with cross-validation, and then
rounded; none was set by hand for a kind of question. ``order`` alone is not fitted (too few of those
questions ask for the first or the last): it decides between nearly equal rows.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from unabridged.domain.intent import Intent

FEW = 16
"""Up to this many exchanges are few."""
MANY = 48
"""More exchanges than this are many."""


@dataclass(frozen=True, slots=True)
class Recipe:
    """How a shortlist is ranked.

    Attributes:
        candidates: The least number of exchanges from the index, by words and by vectors each.
        few: The same if up to ``FEW`` are wanted. Its effect on the first ten is hardly measurable:
            LoCoMo's frac@10 .788 instead of .789, LongMemEval's (dev) none.
        many: The same if more than ``MANY`` are wanted.
    """

    weights: Mapping[str, float]
    candidates: int = 100
    few: int = 64
    many: int = 250

    def candidates_for(self, limit: int) -> int:
        """Return the least number of exchanges from the index for a limit."""
        if limit > MANY:
            return self.many
        return self.few if limit <= FEW else self.candidates


DETAILS: Mapping[str, float] = MappingProxyType(
    {
        "user_near": 3.0,
        "near": 0.5,
        "alike": 1.5,
        "user_alike": 0.5,
        "sentence": 2.5,
        "window": 3.0,
        "session": 1.5,
        "time": 2.5,
        "opening": 1.25,
        "order": 0.5,
    }
)
"""For questions about something that was said."""
RECALL = Recipe(DETAILS)
"""For details and background."""
OVERVIEW = Recipe(
    MappingProxyType(
        {
            **DETAILS,
            "sentence": 1.0,
            "session": 2.0,
            "time": 3.5,
            "recent": 1.0,
        }
    )
)
"""For questions about what was talked about: sessions and times rather than single sentences.
No data to fit it exists; for questions that name a subject it finds nearly what RECALL finds."""
RECIPES: Mapping[Intent, Recipe] = MappingProxyType(
    {
        Intent.VIVID_RECALL: RECALL,
        Intent.CONTEXTUAL: RECALL,
        Intent.SUMMARY: OVERVIEW,
        Intent.CASUAL: RECALL,
    }
)
"""The recipe of each intent."""
