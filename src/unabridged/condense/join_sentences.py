"""Whole sentences of one message as one text, with a mark where others stood between them."""

from collections.abc import Mapping

from unabridged.language.sentences import OMITTED

GAP = f" {OMITTED} "
"""Stands where sentences of the message were left out between two that are kept."""


def joined(kept: Mapping[int, str]) -> str:
    """Join sentences of a message."""
    text = ""
    previous: int | None = None
    for number, sentence in kept.items():
        if previous is not None and number != previous + 1:
            text = text.rstrip() + GAP
            sentence = sentence.lstrip()  # noqa: PLW2901 -- the space around a gap is the gap's
        text += sentence
        previous = number
    return text.strip()
