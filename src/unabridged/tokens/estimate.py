"""An estimate of tokens by scripts, code and emoji, for unavailable tokenizers.

A weighted sum over the shape of a text. The weights were fitted to the larger count of two real
tokenizers for each text (SmolLM2 with 49,152 tokens and cl100k with 100,277) on chat, source code,
JSON, emoji and prose in 20 languages, then raised, so that the estimate errs high. Larger
vocabularies need fewer tokens, above all outside English; calibration learns how many fewer.
"""

import math
from collections import defaultdict
from collections.abc import Mapping
from operator import mul
from types import MappingProxyType

from unabridged.tokens.cache import Memo
from unabridged.tokens.text_profile import shape

ENGLISH_DENSITY = 0.18
"""The share of function words at which Latin text counts as fully English."""

CODE_BEGINS, CODE_RANGE = 0.25, 0.35
"""Runs of marks per word at which code begins, and the range to fully code."""

_WORDS = ("words_3", "words_5", "words_7", "words_9", "words_12", "words_16", "words_over")


def _prices(words: str, over: float) -> Mapping[str, float]:
    prices = dict(zip(_WORDS, map(float, words.split()), strict=True))
    return MappingProxyType({**prices, "letters_over": over})


WORD_PRICES: Mapping[str, Mapping[str, float]] = MappingProxyType(
    {
        "latin": _prices("1.03 1.02 1.05 1.08 1.05 1.20 3.00", 0.25),
        "foreign": _prices("1.08 1.20 2.85 3.75 4.70 7.30 8.00", 0.42),
        "code": _prices("1.35 1.00 1.50 1.85 2.50 3.20 5.00", 0.40),
    }
)
"""Script class to tokens of a word by its length: up to 3, 5, 7, 9, 12, 16 letters, more."""

MARK_PRICES: Mapping[str, tuple[float, float]] = MappingProxyType(
    {
        "mark_runs": (1.10, 0.82),
        "marks": (0.06, 0.06),
        "breaks": (1.15, 0.70),
        "digits": (1.15, 1.12),
        "gap_runs": (0.95, 0.95),
        "gaps": (0.02, 0.02),
        "humps": (0.60, 0.75),
    }
)
"""Feature to its tokens in prose and in code."""

LETTER_PRICES: Mapping[str, tuple[str, float]] = MappingProxyType(
    {
        "accents": ("foreign", 1.90),
        "latin_more": ("foreign", 2.70),
        "typographic": ("marks", 1.50),
        "wide": ("marks", 1.45),
        "cjk": ("cjk", 1.92),
        "kana": ("kana", 1.85),
        "hangul": ("hangul", 2.80),
        "cyrillic": ("cyrillic", 1.00),
        "greek": ("other", 1.15),
        "arabic": ("other", 1.40),
        "indic": ("other", 2.10),
        "other": ("other", 3.50),
        "emoji": ("emoji", 3.10),
    }
)
"""Feature to its script class and its tokens per character."""


_MEMO: Memo[Mapping[str, float]] = Memo()


class EstimateTokenizer:
    """Estimates tokens from the shape of a text; has no dependencies and errs high.

    All instances share what they computed: it depends on the text alone.
    """

    @property
    def identity(self) -> str:
        return "estimate-1"

    @property
    def exact(self) -> bool:
        return False

    def count(self, text: str) -> int:
        total = math.ceil(sum(_MEMO.of(text, _estimate).values()) - 1e-9)
        return max(total, 1) if text else 0

    def by_script(self, text: str) -> Mapping[str, float]:
        return self.divided(text, self.count(text))

    def divided(self, text: str, count: int) -> Mapping[str, float]:
        """Divide a known count among the script classes, like the estimate's own.

        Args:
            text: The text that was counted.
            count: Its tokens, by any tokenizer.
        """
        parts = _MEMO.of(text, _estimate)
        total = sum(parts.values())
        if not total:
            return {"other": float(count)} if count else {}
        return {name: value * count / total for name, value in parts.items()}


_COUNTED = tuple(WORD_PRICES["latin"])
_PRICES = {
    script: tuple(prices[name] for name in _COUNTED) for script, prices in WORD_PRICES.items()
}
_MARKS = tuple((name, *prices) for name, prices in MARK_PRICES.items())


def _estimate(text: str) -> Mapping[str, float]:
    found = shape(text)
    words = found["words"] or 1
    code = min(1.0, max(0.0, (found["mark_runs"] / words - CODE_BEGINS) / CODE_RANGE))
    english = min(1.0, found["function"] / (ENGLISH_DENSITY * words))
    prose = 1 - code
    tokens: defaultdict[str, float] = defaultdict(float)
    counted = [found[name] for name in _COUNTED]
    shares = (("latin", english * prose), ("foreign", (1 - english) * prose), ("code", code))
    for script, share in shares:
        if share:
            tokens[script] += share * sum(map(mul, counted, _PRICES[script]))
    marks = 0.0
    for name, in_prose, in_code in _MARKS:
        if count := found[name]:
            marks += count * (prose * in_prose + code * in_code)
    tokens["marks"] += marks
    if not text.isascii():
        for name, (script, price) in LETTER_PRICES.items():
            tokens[script] += found[name] * price
    return {name: value for name, value in tokens.items() if value}
