"""Whether one message is another one, edited."""

from collections import Counter

from unabridged.language.words import fold, words

LEAST_SHARED = 0.5
"""The share of the longer message's words that both have if one is an edit of the other."""


def is_edited(one: str, other: str) -> bool:
    """Return whether two messages are the same, or one is an edit of the other."""
    if one.strip() == other.strip():
        return True
    counts = [Counter(words(fold(text))) for text in (one, other)]
    longer = max(counts[0].total(), counts[1].total())
    return (counts[0] & counts[1]).total() >= LEAST_SHARED * longer > 0
