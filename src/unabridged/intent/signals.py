"""Signals of intent: how the tables of ``english`` and ``other_languages`` are recognised.

Most patterns need not be tried on a message: ``signal_needs`` lists the pieces of text of which one
is in whatever a pattern matches. It is generated: working it out takes a tenth of a second.
"""

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from functools import cache

from unabridged.domain.intent import Intent
from unabridged.intent.english import SIGNALS, WORDS
from unabridged.intent.other_languages import ELSEWHERE
from unabridged.intent.resume_signals import SIGNALS as REOPENING, WORDS as REOPENING_WORDS
from unabridged.intent.signal_needs import ENGLISH_NEEDS, OTHER_NEEDS

UNSPACED_FROM = 0x0E00
"""From this code on, scripts have no spaces that a pattern could begin behind."""

MOST_POLITE = 5
"""Pieces of politeness that may stand before a request."""

_CLAUSE = re.compile(r"[.?] ")
_ALTERNATIVE = "|"


@dataclass(frozen=True, slots=True)
class Signal:
    """One signal: what it speaks for, how specific it is, and how it is recognised.

    An ``opening`` signal is looked for only where a clause begins, behind whatever politeness.
    """

    intent: Intent
    weight: float
    name: str
    source: str
    opening: bool

    def found(self, form: str, openings: Collection[int]) -> bool:
        """Whether a message in plain form, with the places where its clauses begin, gives it."""
        pattern = _compiled(self.source, self.opening)
        if self.opening:
            return any(pattern.match(form, at) for at in openings)
        return pattern.search(form) is not None


@dataclass(frozen=True, slots=True)
class SignalTable:
    """Signals, ordered by the pieces of text that they need.

    Attributes:
        always: Signals that must be tried on every message.
        needing: A piece of text to the signals worth trying where it is there.
    """

    always: tuple[Signal, ...]
    needing: Mapping[str, tuple[Signal, ...]]

    def recognised(self, form: str) -> list[Signal]:
        """The signals that a message in plain form gives, in no order that matters."""
        form = f" {form}"
        tried = {id(signal): signal for signal in self.always}
        for piece, signals in self.needing.items():
            if piece in form:
                for signal in signals:
                    tried[id(signal)] = signal
        begun = openings(form)
        return [signal for signal in tried.values() if signal.found(form, begun)]


def openings(form: str) -> frozenset[int]:
    """Where clauses begin, in front of politeness and behind each piece of it."""
    found = reached = {match.end() for match in _CLAUSE.finditer(form)}
    for _ in range(MOST_POLITE):
        reached = {at + len(words) + 1 for at in reached for words in _polite_at(form, at)}
        found = found | reached
    return frozenset(found)


def _polite_at(form: str, at: int) -> Iterable[str]:
    first = form[at : form.find(" ", at)]
    return (words for words in _polite().get(first, ()) if form.startswith(f"{words} ", at))


@cache
def _polite() -> Mapping[str, list[str]]:
    found: dict[str, list[str]] = {}
    for words in WORDS["polite"].split("|"):
        found.setdefault(words.split()[0], []).append(words)
    return found


ENGLISH = {intent: SIGNALS[intent] + REOPENING.get(intent, "") for intent in SIGNALS}


@cache
def english() -> SignalTable:
    """Return the signals of English; a pattern is compiled when it is first tried."""
    return _table(ENGLISH, ENGLISH_NEEDS)


@cache
def elsewhere() -> SignalTable:
    """Return the signals of other languages."""
    return _table(ELSEWHERE, OTHER_NEEDS)


def _table(source: Mapping[Intent, str], needs: str) -> SignalTable:
    always: list[Signal] = []
    needing: dict[str, list[Signal]] = {}
    for signal, line in zip(signals(source), needs.splitlines(), strict=True):
        for piece in line.split():
            needing.setdefault(piece, []).append(signal)
        if not line:
            always.append(signal)
    return SignalTable(tuple(always), {piece: tuple(some) for piece, some in needing.items()})


def signals(source: Mapping[Intent, str]) -> list[Signal]:
    """Return the signals of a table, in its order."""
    return [_read(intent, line) for intent, table in source.items() for line in _lines(table)]


def _lines(table: str) -> list[str]:
    return [line.strip() for line in table.splitlines() if line.strip()]


def _read(intent: Intent, line: str) -> Signal:
    head, pattern = line.split("|", 1)
    weight, name = head.strip().split(" ", 1)
    bare = pattern.strip()
    opening = bare.startswith("<") and _ALTERNATIVE not in _outside(bare)
    return Signal(intent, float(weight), name.strip(), bare[1:] if opening else bare, opening)


def _outside(pattern: str) -> str:
    depth, outside = 0, ""
    for character in re.sub(r"\\.|\[[^]]*\]", "", pattern):
        depth += (character == "(") - (character == ")")
        outside += "" if depth else character
    return outside


@cache
def _compiled(source: str, opening: bool) -> re.Pattern[str]:  # noqa: FBT001 - a cache's key
    return re.compile(expanded(source, everywhere=not opening))


def expanded(pattern: str, *, everywhere: bool) -> str:
    """Return a pattern as ``re`` takes it: with its lists of words, and where it may begin."""
    for name, words in (*REOPENING_WORDS.items(), *WORDS.items()):
        pattern = pattern.replace(f"{{{name}}}", f"(?:{words})")
    pattern = re.sub(
        r"(?<![(?\\])<(?![=!])", rf"[.?] (?:(?:{WORDS['polite']}) ){{0,{MOST_POLITE}}}", pattern
    )
    if not everywhere:
        return pattern
    spaced = all(ord(char) < UNSPACED_FROM for char in pattern)
    return rf"(?<= )(?:{pattern})" if spaced and not pattern.startswith("[") else pattern
