"""Exchanges in chunks, each joined once: a long session is written without touching each of them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from unabridged.stores.files.leaves import Leaf

HOME = 4
"""The indent for which a value is written."""
CHUNK = 128
"""Exchanges in a chunk."""


@dataclass(slots=True)
class Chunk:
    """Some exchanges that follow each other; never changed, but made anew.

    Attributes:
        leaves: The exchanges.
        marks: Their digests, joined.
        tokens: Tokens of their messages.
    """

    leaves: Sequence[Leaf]
    marks: str = ""
    tokens: int = 0
    _shown: dict[int, bytes] = field(default_factory=dict)
    _marked: dict[int, bytes] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.marks = "".join([leaf.digest for leaf in self.leaves])
        messages = (message for leaf in self.leaves for message in leaf.source.messages)
        self.tokens = sum(message.tokens or 0 for message in messages)

    def shown(self, indent: int) -> bytes:
        """The seed's values, one below the other."""
        if indent not in self._shown:
            inner = b"\n" + b" " * max(indent - HOME, 0)  # texts hold no line breaks as such
            values = [v.replace(b"\n", inner) for leaf in self.leaves for v in leaf.shown]
            self._shown[indent] = _between(indent).join(values)
        return self._shown[indent]

    def marked(self, indent: int) -> bytes:
        """Our forms, each behind its digest, one below the other."""
        if indent not in self._marked:
            forms = [b'["%s", %s]' % (leaf.digest.encode(), leaf.form) for leaf in self.leaves]
            self._marked[indent] = _between(indent).join(forms)
        return self._marked[indent]


class Chunks:
    """A sequence of exchanges in chunks.

    Args:
        leaves: The exchanges.
    """

    def __init__(self, leaves: Sequence[Leaf] = ()) -> None:
        self._chunks = [
            Chunk(leaves[start : start + CHUNK]) for start in range(0, len(leaves), CHUNK)
        ]

    def __iter__(self) -> Iterator[Leaf]:
        return (leaf for chunk in self._chunks for leaf in chunk.leaves)

    def __len__(self) -> int:
        full = max(len(self._chunks) - 1, 0) * CHUNK
        return full + (len(self._chunks[-1].leaves) if self._chunks else 0)

    @property
    def last(self) -> Leaf | None:
        """The last exchange."""
        return self._chunks[-1].leaves[-1] if self._chunks else None

    @property
    def marks(self) -> str:
        """The digests, joined."""
        return "".join([chunk.marks for chunk in self._chunks])

    @property
    def tokens(self) -> int:
        """Tokens of all messages."""
        return sum(chunk.tokens for chunk in self._chunks)

    def grown(self, leaf: Leaf) -> "Chunks":
        """Give the same with one exchange more, or with the last one anew."""
        after = Chunks()
        after._chunks = list(self._chunks)
        tail: Sequence[Leaf] = after._chunks.pop().leaves if self._chunks else ()
        if tail and tail[-1].source.id == leaf.source.id:
            tail = tail[:-1]
        if len(tail) == CHUNK:
            after._chunks.append(self._chunks[-1])
            tail = ()
        after._chunks.append(Chunk([*tail, leaf]))
        return after

    def shown(self, indent: int) -> list[bytes]:
        """The seed's values as a list, in pieces."""
        return _list([chunk.shown(indent) for chunk in self._chunks], indent)

    def marked(self, indent: int) -> list[bytes]:
        """Our forms as a list, in pieces."""
        return _list([chunk.marked(indent) for chunk in self._chunks], indent)


def _between(indent: int) -> bytes:
    return b",\n" + b" " * indent


def _list(joined: Sequence[bytes], indent: int) -> list[bytes]:
    if not joined:
        return [b"[]"]
    pad = b"\n" + b" " * indent
    pieces = [b"[" + pad]
    for piece in joined:
        pieces += (piece, _between(indent))
    pieces[-1] = pad[:-2] + b"]"
    return pieces
