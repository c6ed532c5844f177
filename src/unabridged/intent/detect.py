"""Detect what a message asks of memory: the most specific signal wins."""

import re

from unabridged.domain.intent import Intent, IntentReading
from unabridged.intent.normalize_text import plain
from unabridged.intent.other_languages import (
    ASKS,
    CASUAL_FILLERS,
    CASUAL_PHRASES,
    CASUAL_UNSPACED,
    CASUAL_WORDS,
    FIRST_NAMES,
    GREETINGS,
    NAMES_TOO,
    THANKED,
    TIMES,
)
from unabridged.intent.signals import Signal, elsewhere, english

LONGEST_CASUAL = 12
"""Words of the longest message that can be small talk."""

LONGEST_THANKS = 9
"""Words of the longest message that is thanks or a greeting with something friendly after it."""

SUPPORT = 0.1
"""What the next two signals of the same intent add, as a share of their weight."""

DEFAULT_WEIGHT = 3.0
"""The weight of ``contextual`` without any signal: any message may need its background."""

NAMED_WEIGHT = 4.9
"""The weight of a name that is no first name for ``contextual``, if nobody's own past is asked."""

PERSON_WEIGHT = 6.5
"""The weight of a question about somebody known by first name for ``vivid_recall``."""

WORLDLY = frozenset({"of the world", "facts of the world"})
"""Signals that a message about oneself does not give: "how many people were on my team in 2021"."""

_PHRASES = re.compile(rf"(?:(?<= )|^)(?:{CASUAL_PHRASES.replace(chr(10), '')})")
_UNSPACED = re.compile(CASUAL_UNSPACED.replace("\n", ""))
_ASKED = re.compile(
    r"[.?] (?:(?:in|on|at|to|for|with|from|by|around|since|according to) )?"
    r"(?:what|which|who|whose|whom|where|when|how (?!can|should|to|do (?:i|you|we))|why|did|does|has)"
    r"([^.?]*)"
)
_TOLD_OF = re.compile(
    r"[.?] (?:is|are|was|were|would|will|does|did|do|has|have|had|could|can|might|should) ([^\W_]+)"
)
_AFTER_THANKS = re.compile(THANKED.replace("\n", ""))
_ASKS = re.compile(ASKS.replace("\n", ""))
_FRIENDLY_QUESTION = re.compile(
    r"how|what|there|new|really|ca va|allez|que tal|estas|geht|stai|va\b|tudo|дела|cooking|sleep|(?:you|tu|dir|u) [?]"
)
_DOUBT = re.compile(r" are you (?:sure|certain|serious|kidding)")
_DRAWN_OUT = re.compile(r"(.)\1+$")
_CAPITAL = re.compile(r"(?<=\w[ ,])\b(?:[A-Z][a-z]+|[a-z]+[A-Z]\w*)")
_MINE = re.compile(r" (?:i|me|my|we|us|our) ")
_QUOTED = re.compile(r"\"[^\"\n]{1,200}\"|“[^”\n]{1,200}”")
"""Words in quotation marks are mentioned; they do not ask."""
_THE = re.compile(r"(?<= the )[^\W_]+")
_SEVERAL = re.compile(r"(?<=[a-z,] )[A-Z][a-z]+(?: [A-Z][a-z]+)+")
_OWN = re.compile(
    r" (?:i|me|my|mine|myself|we|us|our|ours|you|your|yours|yesterday|ago|earlier|session|told|said"
    r"|again|last (?:time|night|week|month|year|summer|winter)) "
)
_WORD = re.compile(r"[^\W_]+")


def detect(text: str) -> IntentReading:
    """Return what a message asks of memory; of a long one only the beginning and end are read."""
    form = plain(_QUOTED.sub(" something ", text) if '"' in text or "“" in text else text)
    casual = _casual(text, form)
    if casual:
        return IntentReading(Intent.CASUAL, (casual,))
    found = english().recognised(form)
    if not form.isascii() or not found:
        found += elsewhere().recognised(form)
    if _MINE.search(form):
        found = [signal for signal in found if signal.name not in WORLDLY]
    person = _person(form, text)
    scores = {Intent.CONTEXTUAL: NAMED_WEIGHT if _foreign(form, text) else DEFAULT_WEIGHT}
    for intent in Intent:
        mine = sorted((s.weight for s in found if s.intent is intent), reverse=True)
        if mine:
            score = mine[0] + SUPPORT * sum(mine[1:3])
            scores[intent] = max(score, scores.get(intent, 0.0))
    if person:
        scores[Intent.VIVID_RECALL] = max(PERSON_WEIGHT, scores.get(Intent.VIVID_RECALL, 0.0))
    best = max(scores, key=lambda intent: scores[intent])
    names = _names(found, best)
    if person and best is Intent.VIVID_RECALL:
        names = (*names, person)
    return IntentReading(best, names)


def _names(found: list[Signal], intent: Intent) -> tuple[str, ...]:
    mine = sorted((s for s in found if s.intent is intent), key=lambda s: -s.weight)
    return tuple(signal.name for signal in mine)


def _person(form: str, text: str) -> str:
    asked = _ASKED.search(form)
    named = _WORD.findall(asked.group(1)) if asked else []
    named += _TOLD_OF.findall(form)
    capitals = {word.lower() for word in _CAPITAL.findall(text)}
    the = set(_THE.findall(form))
    famous = {word.lower() for pair in _SEVERAL.findall(text) for word in pair.split()}
    names = {*named, *(name.removesuffix("s") for name in named)} - famous - the
    known = names & FIRST_NAMES or names & NAMES_TOO & capitals
    return "question on a person" if known else ""


def _foreign(form: str, text: str) -> bool:
    if _OWN.search(form):
        return False
    capitals = {word.lower() for word in _CAPITAL.findall(text)}
    return bool(capitals - FIRST_NAMES - NAMES_TOO - TIMES)


def _casual(text: str, form: str) -> str:
    words = [_short(word) for word in _WORD.findall(form)]
    if not words:
        return "no words" if text.strip() and "?" not in text else ""
    if len(words) > LONGEST_CASUAL:
        return ""
    unspaced = _UNSPACED.findall(form)
    if unspaced:
        rest = len("".join(words)) - sum(map(len, unspaced))
        return unspaced[0] if rest <= 5 else ""
    if _DOUBT.search(form):
        return ""
    strange = [w for w in words if w not in CASUAL_WORDS and w not in CASUAL_FILLERS]
    return _greeting(words, strange, form) or _friendly(words, strange, form)


def _greeting(words: list[str], strange: list[str], form: str) -> str:
    greeting = next((word for word in words if word in CASUAL_WORDS), "")
    if greeting and not strange:
        return greeting
    named = len(words) <= 3 and len(strange) == 1 and words[0] in GREETINGS and "?" not in form
    thanked = len(words) <= LONGEST_THANKS and _AFTER_THANKS.match(form)
    return words[0] if named or (thanked and not _ASKS.search(form)) else ""


def _friendly(words: list[str], strange: list[str], form: str) -> str:
    phrase = _PHRASES.search(form)
    if phrase is None:
        return ""
    if "?" in form and not _FRIENDLY_QUESTION.search(f"{phrase.group()} {form[-14:]}"):
        return ""
    covered = _WORD.findall(phrase.group())
    left = [word for word in strange if word not in covered]
    return phrase.group().strip() if len(left) <= 1 and len(words) <= 10 else ""


def _short(word: str) -> str:
    if word in CASUAL_WORDS or not word.isascii():
        return word
    once = _DRAWN_OUT.sub(r"\1", word)
    return once if once in CASUAL_WORDS else word
