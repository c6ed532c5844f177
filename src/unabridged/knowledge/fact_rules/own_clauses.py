"""Find the user's own statements in a message: no code, quotes, pasted text or questions."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from unabridged.language.sentences import sentences

LONG_PARAGRAPH, LONG_MESSAGE = 700, 1500
"""Characters from which a paragraph of a message, and the message, look pasted."""

_FENCE = re.compile(r"```.*?(?:```|\Z)|`[^`\n]+`", re.DOTALL)
_QUOTED = re.compile(r"[\"“„«][^\"”“»\n]*[\"”“»]|(?m:^[ \t]*(?:>|\|).*$)")
LONG_QUOTE = 30
"""Characters from which a quotation is more than a title."""
_SPEAKER = re.compile(r"^\s*(?P<who>[A-ZÀ-Þ][\w'’-]{1,20})\s?: (?=\S)")
_TRANSCRIPT = re.compile(r"(?m)^\s*[\w .'’-]{1,30}:\s")
_ROLE = re.compile(
    r"\b(?:act(?:ing)? (?:as|like)|pretend|let['’]?s (?:play|imagine|say)|role[- ]?play|you(?:['’]re| are) (?:an?|now|my|going to"
    r" (?:be|act))\b|imagine (?:you|that|a|i)|in the (?:style|voice) of|once upon a time|"
    r"(?:first|third)[- ]person|point of view of|from the perspective|screenplay|fan ?fic\w*|"
    r"your name is|i want you to (?:act|be|pretend)|stel dir vor|imagina|imagine que)\b",
    re.IGNORECASE,
)
_BORROWED = re.compile(
    r"\b(?:re-?write|re-?phrase|paraphrase|proof-?read|translate|summari[sz]e|write|compose|draft|"
    r"generate|create|edit|correct|improve|continue|the following|prompt|lyrics|essay|"
    r"dialog(?:ue)?|story|poem|script|chapter|transcript|article|schreibe|übersetze|escribe|"
    r"traduce|écris|traduis|ghost ?write|review)\b",
    re.IGNORECASE,
)
_ASKS = re.compile(
    r"^\W*(?:(?:and|so|but|also|or|okay|ok|hey|hi|by the way|btw|actually|oh)[,\s]+)*(?:do|does|did|"
    r"can|could|would|will|should|shall|may|might|is|are|am|was|were|have|has|had|what|which|who|"
    r"whose|where|when|why|how|any|if|isn|aren|don|won|kannst|könntest|was|wie|wo|wer|welche|gibt|"
    r"soll|hast|puedes|qué|cómo|dónde|cuál|hay|peux|pouvez|quel|quelle|comment|où|est-ce|avez|as)"
    r"\b",
    re.IGNORECASE,
)
_TURNS = re.compile(
    r"(?:[,;:–—]|\s-\s|\band\b|\bso\b|\bbut\b)\s*(?:(?:and|so|but|I was wondering|wondering)\b[,\s]*)*"
    r"\b(?:do you|can you|could you|would you|can I|could I|should I|what|how|any\b|is there|"
    r"are there|where|which|who|when|why|have you|did you|will|is it|are|got any|know any|if|"
    r"kannst du|was|wie|wo|hast du|puedes|qué|cómo|tu peux|peux-tu|quel)",
    re.IGNORECASE,
)
_BECAUSE = re.compile(
    r"\b(?:since|because|given that|considering(?: that)?|as|now that)\s+(?=I\b|my\b|I['’])",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Clause:
    """A part of a message in which the user may state something.

    Attributes:
        asks: Whether it is a question: it states only what it takes for granted.
    """

    text: str
    place: int
    asks: bool = False


def speaker(text: str) -> str:
    """Return the speaker's name that begins a message of a transcript; else an empty text."""
    found = _SPEAKER.match(text)
    if found is None or len(_TRANSCRIPT.findall(text)) > 1:
        return ""
    return found["who"]


def clauses(text: str) -> Iterator[Clause]:
    """Return the parts of a message that may be examined, in order."""
    if _ROLE.search(text):
        return
    blank = _blanked(text)
    if _is_borrowed(blank):
        return
    place = 0
    for sentence in sentences(blank):
        yield from _parts(sentence, place)
        place += len(sentence)


def _blanked(text: str) -> str:
    text = _FENCE.sub(lambda found: _spaces(found[0]), text)
    text = _QUOTED.sub(lambda q: _spaces(q[0]) if len(q[0]) > LONG_QUOTE else q[0], text)
    if len(text) <= LONG_MESSAGE:
        return text
    lines = text.split("\n")
    return "\n".join(" " * len(line) if len(line) > LONG_PARAGRAPH else line for line in lines)


def _spaces(text: str) -> str:
    return re.sub(r"[^\n]", " ", text)


def _is_borrowed(text: str) -> bool:
    if len(_TRANSCRIPT.findall(text)) > 2:
        return True
    long = len(text) > LONG_MESSAGE or text.strip().count("\n") > 5
    if long and (_BORROWED.search(text) or text.strip().count("\n") > 12):
        return True
    return bool(re.search(r":\s*\n", text) and _BORROWED.search(text))


def _parts(sentence: str, place: int) -> Iterator[Clause]:
    bare = sentence.rstrip()
    if not bare.endswith(("?", "？", '?"', "?)")):
        yield Clause(sentence, place, asks=bool(_STARTS_AS_WISH.match(bare)))
        return
    turn = None if _ASKS.match(bare) else _TURNS.search(bare)
    if turn is not None:
        yield Clause(bare[: turn.start()], place)
        yield Clause(bare[turn.start() :], place + turn.start(), asks=True)
        return
    reason = _BECAUSE.search(bare)
    if reason is not None:
        yield Clause(bare[: reason.end()], place, asks=True)
        yield Clause(bare[reason.end() :].rstrip("?？\")'"), place + reason.end())
        return
    yield Clause(bare, place, asks=True)


_STARTS_AS_WISH = re.compile(
    r"^\W*(?:if|imagine|suppose|let['’]?s say|what if|wenn|falls|si)\b", re.IGNORECASE
)
