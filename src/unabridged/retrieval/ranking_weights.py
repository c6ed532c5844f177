"""Recipes: how much each feature counts, by intent. Data, and nothing else.

The weights were fitted on LongMemEval (dev) and LoCoMo together, with cross-validation, and then
rounded; none was set by hand for a kind of question. ``order`` alone is not fitted (too few of those
questions ask for the first or the last): it decides among what is nearly equal.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from unabridged.domain.intent import Intent

FEW = 16
"""Exchanges that are a few."""
MANY = 48
"""Exchanges beyond which they are many."""


@dataclass(frozen=True, slots=True)
class Recipe:
    """How a shortlist is ranked.

    Attributes:
        candidates: How many exchanges the index gives at least, by words and by vectors each.
        few: The same where no more than ``FEW`` are wanted. What that changes among the first ten
            is hardly to be measured: LoCoMo's frac@10 .788 instead of .789, LongMemEval's (dev) none.
        many: The same where more than ``MANY`` are wanted.
    """

    weights: Mapping[str, float]
    candidates: int = 100
    few: int = 64
    many: int = 250

    def candidates_for(self, limit: int) -> int:
        """How many exchanges the index gives at least where so many are wanted."""
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
"""For who asks for something that was said."""
RECALL = Recipe(DETAILS)
"""For details, and for what is background."""
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
"""For who asks what was talked about: sessions and times rather than single sentences. There is
nothing to fit it on; where a question names a subject, it finds as RECALL does, nearly."""
RECIPES: Mapping[Intent, Recipe] = MappingProxyType(
    {
        Intent.VIVID_RECALL: RECALL,
        Intent.CONTEXTUAL: RECALL,
        Intent.SUMMARY: OVERVIEW,
        Intent.CASUAL: RECALL,
    }
)
"""The recipe of each intent."""
