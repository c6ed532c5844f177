"""Richness of a conversation: how often its topic changes and how much it names.

From WhisperEngine, phase 4. A rich one recalls more; a simple one keeps more of the latest exchanges. Only the newest available
exchanges are measured, each once; too few give a neutral value.
"""

import itertools
from collections.abc import Sequence

from unabridged.condense.salience import names_of, new_topic
from unabridged.domain.exchange import Exchange
from unabridged.language.words import asked_terms, is_frame, terms

NEUTRAL = 0.5
"""The richness that moves no share."""

RECENT = 8
"""Exchanges that are measured, …"""

LEAST = 4
"""… and the fewest that give a result."""

READ = 300
"""Characters of each side that are examined: the subject is at the beginning."""

Curve = tuple[tuple[float, float], ...]
"""Points of a curve that is straight between them."""

CHANGES: Curve = ((0.0, 0.0), (0.15, 0.5), (0.6, 1.0))
"""Changes of topic for each step from one exchange to the next."""

NAMES: Curve = ((0.0, 0.0), (0.25, 0.5), (2.0, 1.0))
"""Different names for each message."""


def richness(exchanges: Sequence[Exchange]) -> float:
    """Return the richness of the latest exchanges, 0 to 1; ``NEUTRAL`` if there are too few."""
    recent = exchanges[-RECENT:]
    if len(recent) < LEAST:
        return NEUTRAL
    said: set[str] = set()
    named: set[str] = set()
    changes = 0
    for exchange in recent:
        asked = exchange.user.text[:READ]
        found = _asked(asked)
        changes += bool(said) and new_topic(found, found - said)
        said |= found
        said.update(terms(exchange.answer.text[:READ]) if exchange.answer else ())
        named.update(names_of(asked))
    by_changes = worth(changes / (len(recent) - 1), CHANGES)
    return round(max(by_changes, worth(len(named) / len(recent), NAMES)), 3)


def worth(value: float, curve: Curve) -> float:
    """Evaluate a curve; it is constant before its first point and after its last."""
    for (left, low), (right, high) in itertools.pairwise(curve):
        if value < right:
            return low + (high - low) * max(0.0, value - left) / (right - left)
    return curve[-1][1]


def _asked(text: str) -> set[str]:
    return {term for term in asked_terms(text) if len(term) > 1 and not is_frame(term)}
