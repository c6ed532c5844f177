"""Signals of intent: how the tables of ``english`` and ``languages`` are recognised in a message."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from unabridged.domain.intent import Intent
from unabridged.intent.english import SIGNALS, WORDS
from unabridged.intent.languages import ELSEWHERE
from unabridged.intent.needs import needs

UNSPACED_FROM = 0x0E00
"""From this code on, scripts have no spaces that a pattern could begin behind."""


@dataclass(frozen=True, slots=True)
class Signal:
    """One signal: what it speaks for, how specific it is, and how it is recognised.

    ``needs`` are pieces of text of which one must be there before the pattern is worth trying.
    """

    intent: Intent
    weight: float
    name: str
    source: str
    needs: frozenset[str]

    @property
    def pattern(self) -> re.Pattern[str]:
        """The pattern, compiled when it is first tried."""
        return _compiled(self.source)


@dataclass(frozen=True, slots=True)
class Table:
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
        return [signal for signal in tried.values() if signal.pattern.search(form)]


@cache
def english() -> Table:
    """The signals of English, compiled once, at the first message."""
    return _table(SIGNALS)


@cache
def elsewhere() -> Table:
    """The signals of other languages."""
    return _table(ELSEWHERE)


def _table(source: Mapping[Intent, str]) -> Table:
    found = [_read(intent, line) for intent, table in source.items() for line in _lines(table)]
    needing: dict[str, list[Signal]] = {}
    for signal in found:
        for piece in {max(need.split(), key=len) for need in signal.needs}:
            needing.setdefault(piece, []).append(signal)
    return Table(
        always=tuple(signal for signal in found if not signal.needs),
        needing={piece: tuple(signals) for piece, signals in needing.items()},
    )


def _lines(table: str) -> list[str]:
    return [line.strip() for line in table.splitlines() if line.strip()]


def _read(intent: Intent, line: str) -> Signal:
    head, pattern = line.split("|", 1)
    weight, name = head.strip().split(" ", 1)
    source = _expanded(pattern.strip())
    return Signal(intent, float(weight), name.strip(), source, needs(source))


@cache
def _compiled(source: str) -> re.Pattern[str]:
    return re.compile(source)


def _expanded(pattern: str) -> str:
    """Write out the shorthands of a pattern."""
    for name, words in WORDS.items():
        pattern = pattern.replace(f"{{{name}}}", f"(?:{words})")
    pattern = re.sub(r"(?<![(?\\])<(?![=!])", rf"[.?] (?:(?:{WORDS['polite']}) ){{0,5}}", pattern)
    spaced = all(ord(char) < UNSPACED_FROM for char in pattern)
    return rf"(?<= )(?:{pattern})" if spaced and not pattern.startswith("[") else pattern
