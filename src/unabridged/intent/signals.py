"""Signals of intent: how the tables of ``english`` and ``other_languages`` are recognised.

Most patterns need not be tried on a message: ``signal_needs`` lists the pieces of text that are in
whatever a pattern matches. It is generated: working it out takes a tenth of a second.
"""

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from itertools import repeat

from unabridged.domain.intent import Intent
from unabridged.intent.english import SIGNALS, WORDS
from unabridged.intent.other_languages import ELSEWHERE
from unabridged.intent.resume_signals import SIGNALS as REOPENING, WORDS as REOPENING_WORDS
from unabridged.intent.signal_needs import ENGLISH_NEEDS, OTHER_NEEDS

UNSPACED_FROM = 0x0E00
"""From this code on, scripts have no spaces that a pattern could begin behind."""

MOST_POLITE = 5
"""Pieces of politeness that may stand before a request."""

SHORTEST = 3
"""Letters of the shortest word that is worth looking for, in Latin script."""

_CLAUSE = re.compile(r"[.?] ")
_ALTERNATIVE = "|"


@dataclass(frozen=True, slots=True)
class Signal:
    """One signal: what it speaks for, how specific it is, and how it is recognised.

    A signal that begins with ``<`` is looked for only where a clause begins, behind whatever
    politeness. Of each group of ``needs``, at least one piece is in whatever the pattern matches.
    """

    intent: Intent
    weight: float
    name: str
    source: str
    needs: tuple[tuple[str, ...], ...]

    def found(self, form: str, openings: Collection[int]) -> bool:
        """Whether a message in plain form, with the places where its clauses begin, gives it."""
        for group in self.needs:
            for piece in group:
                if piece in form:
                    break
            else:
                return False
        pattern, opening = _compiled(self.source)
        if opening:
            return any(pattern.match(form, at) for at in openings)
        return pattern.search(form) is not None


@dataclass(frozen=True, slots=True)
class SignalTable:
    """Signals, by a word of which they need one; by no letters if they need short words only."""

    needing: Mapping[str, list[Signal]]

    def recognised(self, form: str) -> list[Signal]:
        """The signals that a message in plain form gives, in no order that matters."""
        form = f" {form}"
        tried: dict[int, Signal] = {}
        for word, signals in self.needing.items():
            if word in form:
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
    needing: dict[str, list[Signal]] = {"": []}
    for signal in signals(source, needs.splitlines()):
        words = {max(piece.split(), key=len) for piece in signal.needs[0]} if signal.needs else {""}
        for word in sorted(words):
            needing.setdefault(word if is_telling(word) else "", []).append(signal)
    return SignalTable(needing)


def is_telling(word: str) -> bool:
    """Whether few messages contain a word of this length."""
    return len(word) >= SHORTEST or not word.isascii()


def signals(source: Mapping[Intent, str], needs: Iterable[str] = repeat("")) -> list[Signal]:
    """Return the signals of a table, in its order, given a line of needs for each."""
    lines = ((intent, line) for intent, table in source.items() for line in _lines(table))
    return [_read(*line, needed) for line, needed in zip(lines, needs, strict=False)]


def _lines(table: str) -> list[str]:
    return [line.strip() for line in table.splitlines() if line.strip()]


def _read(intent: Intent, line: str, needs: str) -> Signal:
    head, pattern = line.split("|", 1)
    weight, name = head.strip().split(" ", 1)
    groups = tuple(tuple(group.split("|")) for group in needs.split("&") if group)
    return Signal(intent, float(weight), name.strip(), pattern.strip(), groups)


@cache
def _compiled(source: str) -> tuple[re.Pattern[str], bool]:
    pattern, opening = expanded(source)
    return re.compile(pattern), opening


def expanded(source: str) -> tuple[str, bool]:
    """Return a pattern as ``re`` takes it, and whether it is matched only where clauses begin."""
    opening = source.startswith("<") and _ALTERNATIVE not in _outside(source)
    pattern = source.removeprefix("<") if opening else source
    for name, words in (*REOPENING_WORDS.items(), *WORDS.items()):
        pattern = pattern.replace(f"{{{name}}}", f"(?:{words})")
    pattern = re.sub(
        r"(?<![(?\\])<(?![=!])", rf"[.?] (?:(?:{WORDS['polite']}) ){{0,{MOST_POLITE}}}", pattern
    )
    spaced = all(ord(char) < UNSPACED_FROM for char in pattern)
    anywhere = opening or not spaced or pattern.startswith("[")
    return pattern if anywhere else rf"(?<= )(?:{pattern})", opening


def _outside(pattern: str) -> str:
    depth, outside = 0, ""
    for character in re.sub(r"\\.|\[[^]]*\]", "", pattern):
        depth += (character == "(") - (character == ")")
        outside += "" if depth else character
    return outside
