"""Exchanges in chunks, each rendered once: a long session is written without touching each of them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from unabridged.projections.json_files.exchange_json import ExchangeJson

HOME = 4
"""The indent for which a value is written."""
CHUNK_EXCHANGES = 128


@dataclass(slots=True)
class RenderedExchanges:
    """Some exchanges that follow each other; never changed, but rendered again.

    Attributes:
        exchanges: The exchanges.
        marks: Their digests, joined.
        tokens: Tokens of their messages.
    """

    exchanges: Sequence[ExchangeJson]
    marks: str = ""
    tokens: int = 0
    _shown: dict[int, bytes] = field(default_factory=dict)
    _marked: dict[int, bytes] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.marks = "".join([one.digest for one in self.exchanges])
        self.tokens = sum(one.tokens for one in self.exchanges)

    def shown(self, indent: int) -> bytes:
        """Return the seed's values, one below the other."""
        if indent not in self._shown:
            inner = b"\n" + b" " * max(indent - HOME, 0)  # texts hold no line breaks as such
            values = [v.replace(b"\n", inner) for one in self.exchanges for v in one.shown]
            self._shown[indent] = _between(indent).join(values)
        return self._shown[indent]

    def marked(self, indent: int) -> bytes:
        """Return our forms, each behind its digest, one below the other."""
        if indent not in self._marked:
            forms = [b'["%s", %s]' % (one.digest.encode(), one.form) for one in self.exchanges]
            self._marked[indent] = _between(indent).join(forms)
        return self._marked[indent]


class RenderedPath:
    """A sequence of exchanges in chunks.

    Args:
        exchanges: The exchanges.
    """

    def __init__(self, exchanges: Sequence[ExchangeJson] = ()) -> None:
        starts = range(0, len(exchanges), CHUNK_EXCHANGES)
        self._chunks = [RenderedExchanges(exchanges[at : at + CHUNK_EXCHANGES]) for at in starts]

    def __iter__(self) -> Iterator[ExchangeJson]:
        return (one for chunk in self._chunks for one in chunk.exchanges)

    def __len__(self) -> int:
        full = max(len(self._chunks) - 1, 0) * CHUNK_EXCHANGES
        return full + (len(self._chunks[-1].exchanges) if self._chunks else 0)

    @property
    def last(self) -> ExchangeJson | None:
        """The last exchange."""
        return self._chunks[-1].exchanges[-1] if self._chunks else None

    @property
    def marks(self) -> str:
        """The digests, joined."""
        return "".join([chunk.marks for chunk in self._chunks])

    @property
    def tokens(self) -> int:
        """Tokens of all messages."""
        return sum(chunk.tokens for chunk in self._chunks)

    def grown(self, exchange: ExchangeJson) -> "RenderedPath":
        """Return the same with one exchange more, or with the last one written again."""
        after = RenderedPath()
        after._chunks = list(self._chunks)
        tail: Sequence[ExchangeJson] = after._chunks.pop().exchanges if self._chunks else ()
        if tail and tail[-1].id == exchange.id:
            tail = tail[:-1]
        if len(tail) == CHUNK_EXCHANGES:
            after._chunks.append(self._chunks[-1])
            tail = ()
        after._chunks.append(RenderedExchanges([*tail, exchange]))
        return after

    def shown(self, indent: int) -> list[bytes]:
        """Return the seed's values as a list, in pieces."""
        return _list([chunk.shown(indent) for chunk in self._chunks], indent)

    def marked(self, indent: int) -> list[bytes]:
        """Return our forms as a list, in pieces."""
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
