"""Whole sentences: the smallest piece in which an excerpt may quote.

A sentence ends at a stop of any script, at a line break, or at the end of a fenced code block,
which is one piece however long it is. Joining the pieces gives the text back, byte for byte.
"""

import re

_FENCE = re.compile(r"```.*?(?:```[^\n]*\n?|\Z)", re.DOTALL)
_ABBREVIATED = re.compile(
    r"(?:\b(?:[A-Za-z]|Mr|Mrs|Ms|Dr|Prof|St|vs|etc|e\.g|i\.e|z\.B|d\.h|Nr|No|approx|ca|Jan|Feb|Mar"
    r"|Apr|Jun|Jul|Aug|Sep|Sept|Oct|Nov|Dec)|^\s*\d+)\.\s*$"
)
_END = re.compile(r"(?:[.!?…]+[\"'”’»)\]]*(?:\s+|\Z)|[。！？｡]+[」』”’）]*\s*|\n+\s*)")


def sentences(text: str) -> list[str]:
    """Split a text into sentences that join back to it exactly."""
    pieces: list[str] = []
    start = 0
    for fence in _FENCE.finditer(text):
        pieces += _plain(text[start : fence.start()])
        pieces.append(fence.group())
        start = fence.end()
    pieces += _plain(text[start:])
    return pieces


def _plain(text: str) -> list[str]:
    """Split text that holds no code block."""
    pieces: list[str] = []
    start = 0
    for end in _END.finditer(text):
        piece = text[start : end.end()]
        if "\n" not in end.group() and _ABBREVIATED.search(piece):
            continue
        pieces.append(piece)
        start = end.end()
    if start < len(text):
        pieces.append(text[start:])
    return pieces
