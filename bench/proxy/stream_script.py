"""What a message asks of the scripted upstream, and the times in its chunks."""

import re
import time

_ASKED = re.compile(rb"\[\[(\d+) chunks(?: at (\d+))?( with a tool)?\]\]")
_MEMORY = re.compile(rb"<recalled note=.*?</recalled>", re.DOTALL)
_SENT = re.compile(rb"@(\d{9,20}) ")
LONGEST = 24
"""Bytes of the longest of these times."""
WORDS = (
    "the tulips are planted in the autumn and they flower in spring so water them once a week and "
    "give the roses more room when the old fence is gone because the wind comes from the west"
).split()
"""What an answer consists of: recording meets words as they are in life, and no numbers."""


def asking(chunks: int, rate: int = 0, *, tool: bool = False) -> str:
    """Return the words that make the upstream answer so.

    Args:
        chunks: Chunks of the answer.
        rate: Chunks in a second; 0 for as fast as they go.
        tool: Whether a tool is called first.
    """
    paced = f" at {rate}" if rate else ""
    return f"[[{chunks} chunks{paced}{' with a tool' if tool else ''}]]"


def asked(body: bytes) -> tuple[int, int, bool]:
    """Read them from a request: chunks, rate, and whether a tool is to be called now.

    The last ones count that a user said: what memory recalls behind them may hold others.
    """
    body = _MEMORY.sub(b"", body)
    every = list(_ASKED.finditer(body))
    if not every:
        return 1, 0, False
    found = every[-1]
    answered = b'"tool"' in body[found.end() :]
    return int(found[1]), int(found[2] or 0), bool(found[3]) and not answered


def word(number: int) -> str:
    """Return the text of a chunk."""
    return f"{WORDS[number % len(WORDS)]} "


def stamp() -> str:
    """Return the time at which a chunk is sent; it is next to the text, and passed on with it.

    The clock is one for all processes of the machine (``CLOCK_MONOTONIC``).
    """
    return f"@{time.monotonic_ns()} "


def stamps(data: bytes) -> list[int]:
    """Read the times in bytes, in nanoseconds."""
    return [int(found) for found in _SENT.findall(data)]
