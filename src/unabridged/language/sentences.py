"""Split text into whole sentences: the smallest pieces that an excerpt may quote.

A sentence ends at a stop of any script, with the quotes and brackets after it, or at a line break;
a fenced code block is one piece of any length. The pieces join to the same text, byte for byte.
Stores refer to sentences by number, so the rules have versions.
"""

import re
from collections.abc import Callable, Mapping
from functools import lru_cache

from unabridged.language.abbreviations import (
    BEFORE_NUMBERS,
    BETWEEN,
    ORDINAL_BEFORE,
    ORDINARY,
    PERHAPS_LAST,
    TITLES,
)
from unabridged.language.lazy_pattern import lazy_pattern
from unabridged.language.words import fold

RULES = 2
"""The current version of the rules."""

OMITTED = "[…]"
"""Replaces sentences that were left out; a separate piece since version 2."""

_FENCE = lazy_pattern(r"```.*?(?:```[^\n]*\n?|\Z)", re.DOTALL)
_FENCE_OR_MARK = lazy_pattern(rf"{_FENCE.pattern}|{re.escape(OMITTED)}\s*", re.DOTALL)
_EMOJI = "\u2600-\u27bf\U0001f000-\U0001faff\ufe0f\u200d"
_CLOSERS = r"(?:[\"'”’»›“)\]}*_~`]|\[\d{1,3}\])"
_END = lazy_pattern(
    rf"(?<![.!?…])[.!?…]++{_CLOSERS}*+(?:[ ]?[{_EMOJI}]++)?+(?:\s++|\Z)"
    r"|[。！？｡．‼⁇]+[」』”’）】》〉\"')\]]*+\s*+"
    rf"|[؟۔।॥։።။។]+{_CLOSERS}*+\s*+"
    r"|\n\s*+"
)
_MARKER = lazy_pattern(r"[ \t>]*(?:[-*•–+]\s+)?(?:\*\*)?(?:\d{1,3}|[A-Za-z]|[ivxIVX]{1,4})\Z")
_LIST_ITEM = lazy_pattern(r"(?:[-*•–+]|\d{1,3}[.)])\s|[#>|]")
_LAST_WORD = lazy_pattern(r"[^\s(\[{\"'“”„«»‘]*\Z")
_BLANK = lazy_pattern(r"\s*")
_DOTTED = lazy_pattern(r"(?:\w\.)+\w")
_WRAPPED = 50
"""Characters from which a line without a stop, before a lower-case letter, was only wrapped."""
_LONGEST_KEPT = 16_384
"""Characters of the longest text whose sentences are cached: 4 million at most in total."""
_BACK = 32
"""Characters before a stop that decide whether it ends a sentence."""


def sentences(text: str, rules: int = RULES) -> list[str]:
    """Split a text into sentences that join back to it exactly, in linear time.

    ``rules`` is their version: the newest, or the one that stored numbers of sentences refer to.

    Raises:
        KeyError: There are no such rules.
    """
    return list(_kept(text, rules) if len(text) <= _LONGEST_KEPT else _split(text, rules))


def leading_sentences(text: str, limit: int) -> tuple[list[str], bool]:
    """Split the beginning of a text; the time does not grow with the rest.

    Args:
        text: The text.
        limit: The most characters to split.

    Returns:
        Its first sentences, each whole and as ``sentences`` splits them, and whether these are all.
    """
    if len(text) <= limit:
        return sentences(text), True
    return sentences(text[:limit])[:-1], False  # the last one may go on, and so may a code block


def _split(text: str, rules: int) -> tuple[str, ...]:
    split, whole = _BY_VERSION[rules]
    pieces: list[str] = []
    start = 0
    for found in whole.finditer(text):
        pieces += split(text[start : found.start()])
        pieces.append(found.group())
        start = found.end()
    pieces += split(text[start:])
    return tuple(pieces)


_kept = lru_cache(maxsize=256)(_split)
"""The texts of an exchange are scored, cut and labelled for a prompt: this splits them once."""


def _second(text: str) -> list[str]:
    pieces: list[str] = []
    start = 0
    for end in _END.finditer(text):
        if _ends(text, start, end.start(), end.end()):
            pieces.append(text[start : end.end()])
            start = end.end()
    if start < len(text):
        pieces.append(text[start:])
    return pieces


def _ends(text: str, start: int, stop: int, behind: int) -> bool:
    following = text[behind : behind + 1]
    space = text.find("\n", stop, behind) >= 0
    if text[stop] == "\n":
        blank = _BLANK.match(text, start, stop)
        return bool(blank and blank.end() < stop) and not _wrapped(text, start, stop, behind)
    if space or not following:
        return True
    mark = text[stop : stop + 2]
    if mark in {"..", "…"} or mark[0] == "…":
        return not following.islower()
    if mark[0] in "!?" and mark[1:] in {'"', "”", "’", "»"}:
        return not following.islower()
    if mark[0] == "." and (mark[1:].isspace() or mark[1:] in {")", "]"}):
        return _dot_ends(text[max(start, stop - _BACK) : stop], following, text, behind)
    return True


def _wrapped(text: str, start: int, stop: int, behind: int) -> bool:
    if "\n" in text[stop + 1 : behind] or not text[behind : behind + 1].islower():
        return False
    line = text.rfind("\n", start, stop) + 1 or start
    ended = text[stop - 1] in ":;|" or _LIST_ITEM.match(text, line) is not None
    return stop - line >= _WRAPPED and not ended


def _dot_ends(before: str, following: str, text: str, behind: int) -> bool:
    found = _LAST_WORD.search(before)
    word = found[0] if found else ""
    dotted = len(word) == 1 and following.isalpha() and text[behind + 1 : behind + 2] == "."
    if dotted or _MARKER.match(before):  # ``z. B.``, ``т. е.``; ``1. first``
        return False
    if word.isdigit():
        return not (len(word) < 3 and _ordinal(before, following, text, behind))
    if len(word) == 1 and word.isupper():
        return not _initial(before[: -len(word)], word)
    folded = fold(word)
    begins = not (following.islower() or following.isdigit())
    if folded in TITLES or folded in BETWEEN:
        return False
    if folded in BEFORE_NUMBERS or folded in PERHAPS_LAST or _DOTTED.fullmatch(word):
        return begins or (following.islower() and folded in ORDINARY)
    return True


def _ordinal(before: str, following: str, text: str, behind: int) -> bool:
    if following.islower():
        previous = fold(before).split()[:-1]
        return not previous or previous[-1] in ORDINAL_BEFORE or text[behind : behind + 2] != "i "
    words = fold(before).split()
    return len(words) > 1 and words[-2] in ORDINAL_BEFORE


def _initial(before: str, letter: str) -> bool:
    words = before.split()
    if not words:
        return letter != "I"
    last = words[-1]
    if len(last) == 2 and last[1] == ".":
        return True
    return last[0].isupper() and letter != "I" and last != "I"


_FIRST_ABBREVIATED = lazy_pattern(
    r"(?:\b(?:[A-Za-z]|Mr|Mrs|Ms|Dr|Prof|St|vs|etc|e\.g|i\.e|z\.B|d\.h|Nr|No|approx|ca|Jan|Feb|Mar"
    r"|Apr|Jun|Jul|Aug|Sep|Sept|Oct|Nov|Dec)|^\s*\d+)\.\s*$"
)
_FIRST_END = lazy_pattern(r"(?:[.!?…]+[\"'”’»)\]]*(?:\s+|\Z)|[。！？｡]+[」』”’）]*\s*|\n+\s*)")


def _first(text: str) -> list[str]:
    pieces: list[str] = []
    start = 0
    for end in _FIRST_END.finditer(text):
        piece = text[start : end.end()]
        if "\n" not in end.group() and _FIRST_ABBREVIATED.search(piece):
            continue
        pieces.append(piece)
        start = end.end()
    if start < len(text):
        pieces.append(text[start:])
    return pieces


_BY_VERSION: Mapping[int, tuple[Callable[[str], list[str]], re.Pattern[str]]] = {
    1: (_first, _FENCE),
    2: (_second, _FENCE_OR_MARK),
}
"""How each version splits plain text, and its indivisible pieces."""
