"""The vectors of the protocol servers: made from a text's words, so similar texts are near."""

import hashlib
from collections.abc import Sequence

DIMENSION = 64


def made_vector(text: str) -> list[float]:
    """Return a vector that depends on the text's words alone, of a length other than 1."""
    vector = [0.0] * DIMENSION
    for word in text.lower().split() or [""]:
        digest = hashlib.sha256(word.encode("utf-8", "surrogatepass")).digest()
        for place, byte in enumerate(digest + digest[::-1]):
            vector[place] += (byte - 127.5) / 64
    return vector


def texts_of(given: object) -> Sequence[str] | None:
    """Return the texts in ``input`` of a request: one or a list; None for anything else."""
    texts = [given] if isinstance(given, str) else given
    if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
        return None
    return texts
