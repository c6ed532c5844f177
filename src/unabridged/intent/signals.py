"""Signals of intent: how the tables of ``english`` and ``other_languages`` are recognised.

Most patterns need not be tried on a message: the parse tree of ``re`` says which pieces of text a
pattern cannot do without. A sequence needs what any one of its parts needs, alternatives need one
of theirs all together, and what may be absent needs nothing.
"""

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from unabridged.domain.intent import Intent
from unabridged.intent.english import SIGNALS, WORDS
from unabridged.intent.other_languages import ELSEWHERE
from unabridged.intent.resume_signals import SIGNALS as REOPENING, WORDS as REOPENING_WORDS

UNSPACED_FROM = 0x0E00
"""From this code on, scripts have no spaces that a pattern could begin behind."""

SHORTEST = 3
"""Letters of the shortest piece that is worth looking for, in Latin script."""

MOST_POLITE = 5
"""Pieces of politeness that may stand before a request."""

_CLAUSE = re.compile(r"[.?] ")
_ALTERNATIVE = "|"


@dataclass(frozen=True, slots=True)
class Signal:
    """One signal: what it speaks for, how specific it is, and how it is recognised.

    ``needs`` are pieces of text of which one must be there before the pattern is worth trying.
    An ``opening`` signal is looked for only where a clause begins, behind whatever politeness.
    """

    intent: Intent
    weight: float
    name: str
    source: str
    needs: frozenset[str]
    opening: bool

    def found(self, form: str, openings: Collection[int]) -> bool:
        """Whether a message in plain form, with the places where its clauses begin, gives it."""
        pattern = _compiled(self.source)
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


@cache
def english() -> SignalTable:
    """The signals of English, compiled once, at the first message."""
    return _table({intent: SIGNALS[intent] + REOPENING.get(intent, "") for intent in SIGNALS})


@cache
def elsewhere() -> SignalTable:
    """The signals of other languages."""
    return _table(ELSEWHERE)


def _table(source: Mapping[Intent, str]) -> SignalTable:
    found = [_read(intent, line) for intent, table in source.items() for line in _lines(table)]
    needing: dict[str, list[Signal]] = {}
    for signal in found:
        for piece in sorted({max(need.split(), key=len) for need in signal.needs}):
            needing.setdefault(piece, []).append(signal)
    return SignalTable(
        always=tuple(signal for signal in found if not signal.needs),
        needing={piece: tuple(signals) for piece, signals in needing.items()},
    )


def _lines(table: str) -> list[str]:
    return [line.strip() for line in table.splitlines() if line.strip()]


def _read(intent: Intent, line: str) -> Signal:
    head, pattern = line.split("|", 1)
    weight, name = head.strip().split(" ", 1)
    bare = pattern.strip()
    opening = bare.startswith("<") and _ALTERNATIVE not in _outside(bare)
    source = _expanded(bare[1:] if opening else bare, everywhere=not opening)
    return Signal(intent, float(weight), name.strip(), source, needs(source), opening)


def _outside(pattern: str) -> str:
    depth, outside = 0, ""
    for character in re.sub(r"\\.|\[[^]]*\]", "", pattern):
        depth += (character == "(") - (character == ")")
        outside += "" if depth else character
    return outside


def needs(pattern: str) -> frozenset[str]:
    """Return pieces of text of which at least one is in whatever the pattern matches.

    Empty if nothing can be said; then the pattern must always be tried.
    """
    parser: Any = re._parser  # type: ignore[attr-defined]  # private; a test compares the outcome
    return _of_sequence(parser.parse(pattern)) or frozenset()


def _of_sequence(items: Iterable[Any]) -> frozenset[str] | None:
    found: list[frozenset[str]] = []
    run = ""
    for kind, value in items:
        if str(kind) == "LITERAL":
            run += chr(value)
            continue
        found += [frozenset({run})] if _telling(run) else []
        run = ""
        inner = _of_item(str(kind), value)
        if inner:
            found.append(inner)
    found += [frozenset({run})] if _telling(run) else []
    return max(found, key=lambda need: (min(map(len, need)), -len(need)), default=None)


def _of_item(kind: str, value: Any) -> frozenset[str] | None:
    if kind == "SUBPATTERN":
        return _of_sequence(value[-1])
    if kind in {"MAX_REPEAT", "MIN_REPEAT"}:
        least, _, inner = value
        return _of_sequence(inner) if least else None
    if kind == "BRANCH":
        branches = [_of_sequence(branch) for branch in value[1]]
        return frozenset().union(*[b for b in branches if b]) if all(branches) else None
    return None


def _telling(run: str) -> bool:
    word = max(run.split(), key=len, default="")
    return len(word) >= SHORTEST or (word != "" and not word.isascii())


@cache
def _compiled(source: str) -> re.Pattern[str]:
    return re.compile(source)


def _expanded(pattern: str, *, everywhere: bool) -> str:
    for name, words in (*REOPENING_WORDS.items(), *WORDS.items()):
        pattern = pattern.replace(f"{{{name}}}", f"(?:{words})")
    pattern = re.sub(
        r"(?<![(?\\])<(?![=!])", rf"[.?] (?:(?:{WORDS['polite']}) ){{0,{MOST_POLITE}}}", pattern
    )
    if not everywhere:
        return pattern
    spaced = all(ord(char) < UNSPACED_FROM for char in pattern)
    return rf"(?<= )(?:{pattern})" if spaced and not pattern.startswith("[") else pattern
