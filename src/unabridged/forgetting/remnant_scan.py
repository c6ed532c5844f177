"""Pieces: what is looked for in files after forgetting, to prove that nothing is left."""

import json
from collections.abc import Iterable, Sequence

from unabridged.domain.message import Message
from unabridged.log.entrances import texts_of_message

LENGTH = 40
"""Characters of a piece: long enough to be nobody else's words, short enough to lie on one page."""
LEAST = 24
"""Characters of which a piece is made at all."""
MOST = 200
"""Pieces that are looked for; of more, every n-th is taken."""


def pieces_of(messages: Iterable[Message]) -> list[str]:
    """Pieces of everything that messages hold, from the beginnings, middles and ends of lines."""
    found: dict[str, None] = {}
    for message in messages:
        for text in texts_of_message(message):
            for line in text.splitlines():
                said = line.strip()
                starts = {0, max(0, len(said) // 2 - LENGTH // 2), max(0, len(said) - LENGTH)}
                found |= {said[i : i + LENGTH].strip(): None for i in sorted(starts)}
    telling = [piece for piece in found if len(piece) >= LEAST]
    step = max(1, -(-len(telling) // MOST))
    return telling[::step]


def forms_of(piece: str) -> list[bytes]:
    """The bytes that a piece may be stored as: UTF-8, UTF-16 and escaped as in JSON."""
    escaped = json.dumps(piece)[1:-1].encode("ascii")
    plain = json.dumps(piece, ensure_ascii=False)[1:-1].encode("utf-8", "surrogatepass")
    forms = [
        piece.encode("utf-8", "surrogatepass"),
        piece.encode("utf-16-le", "surrogatepass"),
        escaped,
        plain,
    ]
    return list(dict.fromkeys(forms))


def said_elsewhere(pieces: Sequence[str], texts: Iterable[str]) -> set[str]:
    """Those pieces that other texts say too: repeats that stay."""
    left = set(pieces)
    found: set[str] = set()
    for text in texts:
        if not left:
            break
        hits = {piece for piece in left if piece in text}
        found |= hits
        left -= hits
    return found
