"""Read from a message what it asks of memory: the most specific signal wins."""

import re

from unabridged.domain.intent import Intent, IntentReading
from unabridged.intent.languages import (
    CASUAL_FILLERS,
    CASUAL_PHRASES,
    CASUAL_UNSPACED,
    CASUAL_WORDS,
    FIRST_NAMES,
)
from unabridged.intent.plain import plain
from unabridged.intent.signals import Signal, elsewhere, english

LONGEST_CASUAL = 12
"""Words of the longest message that can be small talk."""

SUPPORT = 0.1
"""What the next two signals of the same intent add, as a share of their weight."""

DEFAULT_WEIGHT = 3.0
"""What speaks for ``contextual`` where nothing else does: any message may need its background."""

PERSON_WEIGHT = 6.5
"""What a question about somebody known by first name speaks for ``vivid_recall``."""

_PHRASES = re.compile(rf"(?:(?<= )|^)(?:{CASUAL_PHRASES.replace(chr(10), '')})")
_UNSPACED = re.compile(CASUAL_UNSPACED.replace("\n", ""))
_ASKED = re.compile(
    r"[.?] (?:(?:in|on|at|to|for|with|from|by|around|since|according to) )?"
    r"(?:what|which|who|whose|whom|where|when|how (?!can|should|to|do (?:i|you|we))|why|did|does|has)"
    r"([^.?]*)"
)
_WORD = re.compile(r"[^\W_]+")


def detect(text: str) -> IntentReading:
    """Tell what a message asks of memory (design, section 7).

    Args:
        text: The message; of a long one only the edges are read.

    Returns:
        The intent, the names of its signals, the strongest first, and how far it led.
    """
    form = plain(text)
    casual = _casual(text, form)
    if casual:
        return IntentReading(Intent.CASUAL, (casual,), 0.9)
    found = english().recognised(form)
    if not form.isascii() or not found:
        found += elsewhere().recognised(form)
    person = _person(form)
    scores = {Intent.CONTEXTUAL: DEFAULT_WEIGHT}
    for intent in Intent:
        mine = sorted((s.weight for s in found if s.intent is intent), reverse=True)
        if mine:
            scores[intent] = mine[0] + SUPPORT * sum(mine[1:3])
    if person:
        scores[Intent.VIVID_RECALL] = max(PERSON_WEIGHT, scores.get(Intent.VIVID_RECALL, 0.0))
    best = max(scores, key=lambda intent: scores[intent])
    names = _names(found, best)
    if person and best is Intent.VIVID_RECALL:
        names = (*names, person)
    return IntentReading(best, names, _lead(scores, best))


def _names(found: list[Signal], intent: Intent) -> tuple[str, ...]:
    mine = sorted((s for s in found if s.intent is intent), key=lambda s: -s.weight)
    return tuple(signal.name for signal in mine)


def _person(form: str) -> str:
    """What makes the message a question about a person, or nothing."""
    asked = _ASKED.search(form)
    if asked is None:
        return ""
    named = _WORD.findall(asked.group(1))
    known = any(name in FIRST_NAMES or name.removesuffix("s") in FIRST_NAMES for name in named)
    return "question on a person" if known else ""


def _lead(scores: dict[Intent, float], best: Intent) -> float:
    """How far the best led: 0.5 for a draw, towards 1 where nothing spoke against it."""
    second = max((score for intent, score in scores.items() if intent is not best), default=0.0)
    return round(scores[best] / (scores[best] + second), 3)


def _casual(text: str, form: str) -> str:
    """What makes the message small talk, or nothing."""
    words = _WORD.findall(form)
    if not words:
        return "no words" if text.strip() and "?" not in text else ""
    if len(words) > LONGEST_CASUAL:
        return ""
    unspaced = _UNSPACED.findall(form)
    if unspaced:
        rest = len("".join(words)) - sum(map(len, unspaced))
        return unspaced[0] if rest <= 5 else ""
    greeting = next((word for word in words if word in CASUAL_WORDS), "")
    strange = [w for w in words if w not in CASUAL_WORDS and w not in CASUAL_FILLERS]
    if greeting and not strange:
        return greeting
    phrase = _PHRASES.search(form)
    if phrase is None:
        return ""
    covered = _WORD.findall(phrase.group())
    left = [word for word in strange if word not in covered]
    return phrase.group().strip() if len(left) <= 1 and len(words) <= 10 else ""
