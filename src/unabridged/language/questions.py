"""Recognise questions and requests by their mark or first word."""

import re

from unabridged.language.sentences import sentences

_QUESTION_START = frozenset(
    """
    what when where which who whom whose why how do does did is are was were am can could will
    would should shall may have has had
    """.split()
)
_IMPERATIVES = frozenset("remember recall tell show list find".split())
_ASKED_FOR = frozenset(
    "me us what when where which who whose why how the our those all every everything".split()
)

_TOLD = re.compile(
    r"\b(?:that|since|because|although)\s+(?:(?:i|my|we|our|he|his|she|her|they|their)\b|(?-i:[A-Z]))"
    r"|\b(?:believe|guess)\s+(?:i|my|we|our)\b"
    r"|\b(?:note|write\s+down|keep\s+in\s+mind|remind\s+me)\b"
    r"|\b(?:dass|weil|obwohl)\b|\bnotier|\bmerk\w*\s+dir\b",
    re.IGNORECASE,
)
"""What tells something inside a question: "Did I mention that Anna moved?\""""


def is_question(text: str) -> bool:
    """Return whether a text asks for something, by its mark or its first word."""
    text = text.strip()
    if text.endswith(("?", "？")) or text.startswith("¿"):
        return True
    first = re.match(r"([\w']+)(\W*)([\w']*)", text.casefold())
    if first is None:
        return False
    if first.group(1) in _IMPERATIVES:
        # "Remember: …" and "Remember that I …" state something; "Remember the …" asks.
        return ":" not in first.group(2) and first.group(3) in _ASKED_FOR
    return first.group(1) in _QUESTION_START


def only_asks(text: str) -> bool:
    """Return whether every sentence of a text asks, and states nothing inside."""
    said = [piece for piece in sentences(text) if piece.strip()]
    return bool(said) and all(map(is_question, said)) and _TOLD.search(text) is None
