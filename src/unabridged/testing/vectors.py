"""Vectors that the protocol servers answer with: made of a text's words, so near texts are near."""

import hashlib
from collections.abc import Sequence

DIMENSION = 64


def made_vector(text: str) -> list[float]:
    """Give a vector of length other than 1 that depends on the text's words alone."""
    vector = [0.0] * DIMENSION
    for word in text.lower().split() or [""]:
        digest = hashlib.sha256(word.encode("utf-8", "surrogatepass")).digest()
        for place, byte in enumerate(digest + digest[::-1]):
            vector[place] += (byte - 127.5) / 64
    return vector


def texts_of(given: object) -> Sequence[str] | None:
    """Read the ``input`` of a request: a text, or a list of them; None for anything else."""
    texts = [given] if isinstance(given, str) else given
    if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
        return None
    return texts
