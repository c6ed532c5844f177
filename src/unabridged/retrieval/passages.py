"""The indexed text of an exchange: the words of its two sides, in passages.

A vector represents one passage: a run of whole sentences, long enough to have a subject and
short enough to have only one. A short exchange is one passage; a longer one is split by side.
Vectors represent what was said, not what tools returned.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from unabridged.domain.exchange import Exchange
from unabridged.domain.message import Role
from unabridged.index.indexed_exchange import ANSWER, BOTH, USER
from unabridged.language.lazy_pattern import lazy_pattern
from unabridged.retrieval.echo_filter import own_messages

JOINT = 800
"""Characters up to which an exchange is one passage."""
PASSAGE = 550
"""The most characters of a passage, unless one sentence has more."""
LONGEST = 2 * PASSAGE
"""Characters beyond which a sentence is split between words: tables, code, lists."""
MOST_PASSAGES = 200
"""Passages of one side at the most; what is behind them is found by its words."""
_END = lazy_pattern(r"(?<=[.!?…][\s\"'”’)])\s*|(?<=[。！？])|\n+")


@dataclass(frozen=True, slots=True)
class Passage:
    """A run of sentences.

    Attributes:
        text: Its text.
        side: ``USER``, ``ANSWER`` or ``BOTH``: whose text it is.
    """

    text: str
    side: int


def sides(exchange: Exchange) -> tuple[str, str]:
    """Return what the user said, and what was answered, without what ``quote`` repeats."""
    said = own_messages(exchange)
    user = [m.text for m in said if m.role is Role.USER and m.text]
    answer = [m.text for m in said if m.role is Role.ASSISTANT and m.text]
    return "\n".join(user), "\n".join(answer)


def passages(exchange: Exchange) -> list[Passage]:
    """Return the passages of an exchange, in order."""
    return passages_of(*sides(exchange))


def passages_of(user: str, answer: str) -> list[Passage]:
    """Return the passages of the user's text and of the answer."""
    if user and answer and len(user) + len(answer) <= JOINT:
        return [Passage(f"{user}\n{answer}", BOTH)]
    found = [Passage(text, USER) for text in split(user)]
    return found + [Passage(text, ANSWER) for text in split(answer)]


def split(text: str) -> list[str]:
    """Split a text into passages; only the space between them is lost."""
    if len(text) <= PASSAGE:
        return [text] if text.strip() else []
    found: list[str] = []
    held = ""
    for piece in _pieces(text):
        if held and len(held) + len(piece) > PASSAGE:
            found.append(held)
            held = piece
        else:
            held = f"{held} {piece}" if held else piece
        if len(found) == MOST_PASSAGES:
            return found
    return [*found, held] if held else found


def _pieces(text: str) -> Iterator[str]:
    for sentence in _sentences(text):
        stripped = sentence.strip()
        if len(stripped) <= LONGEST:
            if stripped:
                yield stripped
        else:
            yield from _parts(stripped)


def _sentences(text: str) -> Iterator[str]:
    # As `_END.split`, but a long text is read only as far as it is used.
    start = 0
    for end in _END.finditer(text):
        yield text[start : end.start()]
        start = end.end()
    yield text[start:]


def _parts(sentence: str) -> Iterator[str]:
    start = 0
    while len(sentence) - start > PASSAGE:
        end = sentence.rfind(" ", start + 1, start + PASSAGE)
        end = end if end > start else start + PASSAGE
        yield sentence[start:end].strip()
        start = end
    if sentence[start:].strip():
        yield sentence[start:].strip()
