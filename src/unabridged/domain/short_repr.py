"""Short forms of values for people who print them: one line, never a whole text."""

LONGEST = 100
"""Characters of a short form."""
_WORDS = 40
"""Characters that a quotation takes in one."""


def short(thing: object, *words: object) -> str:
    """Return ``<Name word word …>`` for a value, up to 100 characters."""
    line = " ".join(
        [type(thing).__name__, *(str(word) for word in words if word not in ("", None))]
    )
    return f"<{line if len(line) <= LONGEST - 2 else line[: LONGEST - 3] + '…'}>"


def quoted(text: str) -> str:
    """Return the first words of a text in quotes; nothing for an empty one."""
    line = " ".join(text[: 4 * _WORDS].split())
    whole = len(line) <= _WORDS and len(text) <= 4 * _WORDS
    return repr(line if whole else line[: _WORDS - 1] + "…") if line else ""


def counted(number: int, word: str) -> str:
    """Return a count with its noun: ``1 exchange``, ``2,000 exchanges``."""
    return f"{number:,} {word}" if number == 1 else f"{number:,} {word}s"
