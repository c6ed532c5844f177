"""Complexity: how long an answer a message asks for, 0 to 1, by a table of cues.

Deterministic and bounded: of a long text only the beginning and the end are read, where requests
are; its whole length counts.
"""

import math
import re

from unabridged.budget.complexity_cues import BREVITY, CUES, MODE_WEIGHTS, PHRASES, UNSPACED_CUES
from unabridged.domain.budget import Mode

EDGE = 500
"""Characters read at the beginning and at the end."""

STEEPNESS = 1.6
"""How fast the sum of the weights approaches 1: score = 1 - exp(-steepness * sum)."""

_WORD = re.compile(r"[^\W_]+")
_UNSPACED = re.compile(r"[\u0e00-\u0eff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7ff]")
_PART_MARKS = ",;，；、。"
_PART_WORDS = ("and", "then", "also", "und", "sowie", "et", "puis", "y", "luego")
_ITEM = re.compile(r"\n[ \t]*(?:[-*•]|\d{1,2}[.)])[ \t]")
_QUESTION = re.compile(r"[?？](?![?？])")

LENGTH_WEIGHT = 0.30
LENGTH_FULL = 400
"""Words at which length has its whole weight."""
PART_WEIGHT, PARTS_MOST = 0.03, 5
ITEM_WEIGHT, ITEMS_MOST = 0.06, 5
QUESTION_WEIGHT, QUESTIONS_MOST = 0.12, 4
CODE_BLOCK_WEIGHT = 0.15


def complexity(text: str, mode: Mode) -> float:
    """Score how long an answer a message asks for; answers in tools mode are somewhat longer.

    Returns:
        0 (a greeting) to 1 (analysis, code, many parts), rounded to three places.
    """
    read = text if len(text) <= 2 * EDGE else f"{text[:EDGE]}\n{text[-EDGE:]}"
    lowered = read.lower()
    words = _WORD.findall(lowered)
    weight = _length(text, read, len(words)) + _structure(lowered, words)
    asked = _cues(lowered, set(words))
    weight += asked
    if asked:
        weight += MODE_WEIGHTS[mode]
    if any(phrase in lowered for phrase in BREVITY):
        weight /= 2
    return round(1 - math.exp(-STEEPNESS * weight), 3)


def _length(text: str, read: str, words: int) -> float:
    if not read.isascii():
        words += len(_UNSPACED.findall(read)) // 2
    if len(text) > len(read):
        words = round(words * len(text) / len(read))
    if words <= 3:
        return 0.0
    return LENGTH_WEIGHT * min(1.0, math.log(words / 3) / math.log(LENGTH_FULL / 3))


def _structure(lowered: str, words: list[str]) -> float:
    joins = sum(map(lowered.count, _PART_MARKS)) + sum(map(words.count, _PART_WORDS))
    parts = min(PARTS_MOST, joins)
    items = min(ITEMS_MOST, len(_ITEM.findall(f"\n{lowered}")))
    further = min(QUESTIONS_MOST, max(0, len(_QUESTION.findall(lowered)) - 1))
    weight = PART_WEIGHT * parts + ITEM_WEIGHT * items + QUESTION_WEIGHT * further
    return weight + (CODE_BLOCK_WEIGHT if "```" in lowered else 0.0)


def _cues(lowered: str, words: set[str]) -> float:
    kinds = {kind for word in words if (kind := CUES.get(word))}
    kinds.update(kind for phrase, kind in PHRASES.items() if phrase in lowered)
    if not lowered.isascii():
        kinds.update(kind for cue, kind in UNSPACED_CUES.items() if cue in lowered)
    return sum(kind.weight for kind in kinds)
