"""An estimate of tokens by scripts, code and emoji, for unavailable tokenizers.

A weighted sum over the shape of a text. The weights were fitted to the larger count of two real
tokenizers for each text (SmolLM2 with 49,152 tokens and cl100k with 100,277) on chat, source code,
JSON, emoji and prose in 20 languages, then raised, so that the estimate errs high. Larger
vocabularies need fewer tokens, above all outside English; calibration learns how many fewer.

What shows no sign of a language or of code is ``odd``: runs of marks, white space, controls, rare
scripts, letters at random. Its prices are bounds: no vocabulary is known to need more, and
calibration never lowers them. No tokenizer needs more tokens than there are UTF-8 bytes.
"""

import math
from collections import defaultdict
from collections.abc import Iterator, Mapping
from operator import mul
from types import MappingProxyType

from unabridged.tokens.cache import Memo
from unabridged.tokens.text_profile import most_bytes, scripts, shape
from unabridged.tokens.text_runs import gaps, odd_marks, repeated
from unabridged.tokens.text_signs import (
    FREQUENT,
    is_slavic,
    letters_share,
    share,
    words_by_language,
)

CODE_BEGINS, CODE_RANGE = 0.25, 0.35
"""Runs of marks per word at which code begins, and the range to fully code."""

MARKS_PER_WORD = 2
"""Runs of marks per word up to which they are ordinary."""

ODD = "odd"
"""The class of what is unlike any language or code."""

PIECE = 2_000
"""Characters that are judged together: a text may change its language or become code."""

_WORDS = ("words_3", "words_5", "words_7", "words_9", "words_12", "words_16", "words_over")


def _prices(words: str, over: float) -> Mapping[str, float]:
    prices = dict(zip(_WORDS, map(float, words.split()), strict=True))
    return MappingProxyType({**prices, "letters_over": over})


WORD_PRICES: Mapping[str, Mapping[str, float]] = MappingProxyType(
    {
        "latin": _prices("1.06 1.06 1.12 1.16 1.16 1.35 3.00", 0.35),
        "foreign": _prices("1.08 1.20 2.85 3.75 4.70 7.30 8.00", 0.42),
        "eastern": _prices("1.08 1.20 2.85 3.75 4.70 7.30 8.00", 0.42),
        "rest": _prices("1.50 2.25 3.60 4.40 5.60 8.20 9.00", 0.55),
        "code": _prices("1.35 1.00 1.50 1.85 2.50 3.20 5.00", 0.40),
        "odd": _prices("1.45 2.10 3.45 4.40 5.60 8.20 9.00", 0.55),
    }
)
"""Class to tokens of a word by its length: up to 3, 5, 7, 9, 12, 16 letters, more."""

MARK_PRICES: Mapping[str, tuple[str, float, float]] = MappingProxyType(
    {
        "mark_runs": ("marks", 1.10, 0.82),
        "marks": ("marks", 0.06, 0.06),
        "symbols": ("marks", 0.90, 0.90),
        "breaks": ("marks", 1.15, 0.70),
        "gap_runs": ("marks", 0.95, 0.95),
        "gaps": ("marks", 0.02, 0.02),
        "humps": ("marks", 0.60, 0.75),
        "digit_runs": ("odd", 1.35, 1.35),
        "more_digits": ("digits", 1.15, 1.12),
        "tabs": ("blanks", 1.00, 1.00),
        "long_gaps": ("blanks", 0.80, 0.80),
        "controls": ("odd", 1.00, 1.00),
        "tangles": ("odd", 0.00, 1.10),
        "knots": ("odd", 1.10, 1.10),
        "odd_marks": ("odd", 1.00, 1.00),
        "odd_gaps": ("odd", 1.00, 1.00),
        "lone": ("odd", 1.03, 1.03),
        "lone_breaks": ("odd", 0.00, 0.35),
        "lone_gaps": ("odd", 1.00, 1.00),
        "underlines": ("marks", 0.25, 0.25),
    }
)
"""Feature to its class, and its tokens in prose and in code."""

LETTER_PRICES: Mapping[str, tuple[float, float]] = MappingProxyType(
    {
        "latin_more": (2.70, 3.00),
        "typographic": (1.50, 1.50),
        "wide": (1.45, 1.45),
        "cjk": (1.92, 3.00),
        "kana": (1.85, 1.85),
        "hangul": (2.80, 3.00),
        "cyrillic": (1.00, 1.35),
        "greek": (1.35, 1.95),
        "arabic": (1.40, 2.00),
        "indic": (2.10, 2.70),
        "thai": (2.10, 2.40),
        "southern": (3.00, 3.00),
        "emoji": (3.90, 4.00),
    }
)
"""Script to the tokens of a character in a language, and at random."""

ACCENT_PRICE = 1.90
"""Tokens of a letter of Latin-1 with an accent, in addition to its word's."""


_MEMO: Memo[Mapping[str, float]] = Memo()


class EstimateTokenizer:
    """Estimates tokens from the shape of a text; has no dependencies and errs high.

    All instances share what they computed: it depends on the text alone.
    """

    @property
    def identity(self) -> str:
        return "estimate-2"

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
    tokens: defaultdict[str, float] = defaultdict(float)
    for piece in _pieces(text):
        counted: defaultdict[str, float] = defaultdict(float)
        _add(piece, counted)
        # No tokenizer takes more than the bytes, and one for the space that some put before a text.
        total = sum(counted.values())
        most = (most_bytes(piece) + 1) / total if total > len(piece) else 1.0
        for name, count in counted.items():
            tokens[name] += count * min(1.0, most)
    return {name: value for name, value in tokens.items() if value}


def _pieces(text: str) -> Iterator[str]:
    start = 0
    while len(text) - start > PIECE:
        end = start + PIECE
        cut = max(text.rfind("\n", start, end), text.rfind(" ", start + PIECE // 2, end))
        end = cut if cut > start + PIECE // 2 else end
        yield text[start:end]
        start = end
    yield text[start:]


def _add(text: str, tokens: defaultdict[str, float]) -> None:
    found = dict(shape(text))
    signs = words_by_language(text)
    odd_runs, marks_in_them, odd = odd_marks(text)
    white = gaps(text)
    words, runs = found["words"], found["mark_runs"]
    code = min(1.0, max(0.0, (runs / (words or 1) - CODE_BEGINS) / CODE_RANGE))
    lone = max(0, runs - odd_runs - MARKS_PER_WORD * words)
    found["mark_runs"] -= odd_runs + lone
    found["marks"] -= marks_in_them + lone
    found["breaks"] -= white.get("odd_breaks", 0)
    found["lone_breaks"] = max(0, found["breaks"] - words)
    found["tabs"] -= white.get("odd_tabs", 0)
    found["more_digits"] = found.get("digits", 0) - found.get("digit_runs", 0)
    found |= {name: white[name] for name in white}
    found["lone_gaps"] = max(0, white.get("gap_runs", 0) - words)
    found["gap_runs"] = white.get("gap_runs", 0) - found["lone_gaps"]
    found |= {"odd_marks": odd, "odd_gaps": white.get("odd", 0), "lone": lone}
    prose = 1 - code
    english = share("english", signs.get("english", 0), words)
    foreign = min(1 - english, share("foreign", signs.get("foreign", 0), words))
    eastern = min(1 - english - foreign, share("eastern", signs.get("eastern", 0), words))
    rest = 1 - english - foreign - eastern
    # Words of another language between the marks of JSON or HTML.
    strange = foreign + eastern + share("accents", found.get("accents", 0), words)
    spoken = code * min(1.0, strange)
    code -= spoken
    plain = 1 - min(1, (odd_runs + found["signs"]) / runs) if runs else 1.0
    counted = [found.get(name, 0) for name in _COUNTED]
    shares = (
        ("latin", english * prose),
        ("foreign", foreign * prose),
        ("eastern", eastern * prose),
        ("rest", rest * prose + spoken),
        ("code", code * plain),
        (ODD, code * (1 - plain)),
    )
    for name, part in shares:
        if part:
            tokens[name] += part * sum(map(mul, counted, _PRICES[name]))
    for name, kind, in_prose, in_code in _MARKS:
        if count := found.get(name):
            tokens[kind] += count * (prose * in_prose + (1 - prose) * in_code)
    if not text.isascii():
        latin = {"foreign": english + foreign, "eastern": eastern}
        for name, part in {**latin, "rest": rest}.items():
            tokens[name] += found.get("accents", 0) * ACCENT_PRICE * part
        _add_scripts(text, words, latin, tokens)
    if odd_runs or prose < 1 or found["letters_over"] or not text.isascii():
        chars, most = repeated(text)
        # What is said again and again in a language costs what it costs once.
        if chars and (text.isascii() or tokens[ODD] > sum(tokens.values()) / 2):
            tokens[ODD] += max(0.0, most - sum(tokens.values()) * chars / len(text))


def _add_scripts(
    text: str, words: int, latin: Mapping[str, float], tokens: defaultdict[str, float]
) -> None:
    found = scripts(text)
    spoken = {name: letters_share(name, found[name][0]) for name in found if name in FREQUENT}
    if "cjk" in spoken and "kana" in spoken:
        spoken["cjk"] = max(spoken["cjk"], spoken["kana"])
    units = words + sum(len(found[name][0]) for name in spoken)
    for name, (chars, runs) in found.items():
        if name == "rare":
            tokens[ODD] += most_bytes(chars) + runs
            continue
        known, unknown = LETTER_PRICES[name]
        parts = latin if name == "latin_more" else {"marks": min(1.0, units / len(chars))}
        if name in spoken:
            kind = "slavic" if name == "cyrillic" and is_slavic(chars) else name
            parts = {kind: spoken[name]}
        for kind, part in parts.items():
            tokens[kind] += len(chars) * known * part
        tokens[ODD] += (len(chars) * unknown + runs) * (1 - sum(parts.values()))
