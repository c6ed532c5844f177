"""The chain over the messages of a space: what shows that one was changed, removed or put in.

Each message gets a link when it is stored. Its *promise* is a digest over a random salt and what was
said. Its *link* is a digest over the link before it in its session, its promise and its place: one
chain for each session, in the order of storing. Its *root* is a digest over the root before it in the
space and its link, so that the last root stands for everything that was ever stored.

When a message is forgotten its salt goes with it. Promise and link stay as a tombstone: nobody can
try texts against a promise without its salt, and the chain still holds. A link keeps the number of
the message that its own one followed when it was stored, so that a message which follows another one
now can be shown to do so by right: everything between was forgotten.

What may change later (headers, states, where a message stands, records) is covered by *sums*: each
row counts as a number that depends on all of it, and the sum of all is sealed (Clarke et al. 2003,
"Incremental Multiset Hash Functions", MSet-Add-Hash). Every digest is BLAKE2b (RFC 7693); with a key
nobody else can make one.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from hashlib import blake2b
from struct import Struct
from typing import NamedTuple

DIGEST_BYTES = 16
SALT_BYTES = 16
NOBODY, UNKNOWN = 0, -1
"""The parent of a session's first message, and one that the space never held."""
START = bytes(DIGEST_BYTES)
"""What stands before the first link of a chain, and before the first root."""
_SUM_BYTES = 32
_MODULUS = 1 << (8 * _SUM_BYTES)


class Link(NamedTuple):
    """What is kept of a message beside it, and after it.

    Attributes:
        number: Its place in the space; grows, and is never given twice.
        chain: The number of the first link of its session.
        place: Its place in that chain, from 1.
        parent: The number of the message that it followed when it was stored; ``NOBODY`` or
            ``UNKNOWN``.
        salt: Random bytes; empty once it was forgotten.
        promise: The digest over salt and message.
        link: The digest over the link before it, the promise and the place.
        root: The digest over the root before it in the space and the link.
        held: The digest over where the message stands now; empty once it was forgotten.
        gone: The digest that shows that it was forgotten by right; empty until then.
    """

    number: int
    chain: int
    place: int
    parent: int
    salt: bytes
    promise: bytes
    link: bytes
    root: bytes
    held: bytes
    gone: bytes = b""

    @property
    def where(self) -> tuple[int, int, int, int]:
        """Number, chain, place and parent: what its digest depends on beside promise and link."""
        return (self.number, self.chain, self.place, self.parent)


def _text(value: str | None) -> bytes:
    return b"\0" if value is None else b"\1" + value.encode("utf-8", "surrogatepass")


_number = Struct(">q").pack
_place = Struct(">4q").pack
_lengths = tuple(Struct(f">{count}Q").pack for count in range(16))


class MacKey:
    """What makes and proves digests.

    Args:
        key: 32 bytes; empty for digests that anybody can make.
        mark: By what the key is recognised; empty for none.
    """

    def __init__(self, key: bytes = b"", mark: str = "") -> None:
        self.mark = mark
        self._fresh = {
            person: blake2b(key=key, digest_size=DIGEST_BYTES, person=person)
            for person in (b"promise", b"link", b"root", b"held", b"gone", b"row")
        }
        self._sum = blake2b(key=key, digest_size=_SUM_BYTES, person=b"sum")

    def _digest(self, person: bytes, *parts: bytes) -> bytes:
        digest = self._fresh[person].copy()
        digest.update(_lengths[len(parts)](*map(len, parts)) + b"".join(parts))
        return digest.digest()

    def promise(self, salt: bytes, session: str, fields: Iterable[bytes]) -> bytes:
        """Give the promise of a message.

        Args:
            salt: Its salt.
            session: Its session's id.
            fields: What was said: everything that never changes, in one order.
        """
        return self._digest(b"promise", salt, _text(session), *fields)

    def link(self, before: bytes, place: tuple[int, int, int, int], promise: bytes) -> bytes:
        """Give the link behind another one.

        Args:
            before: That one.
            place: Number, chain, place and parent, as a ``Link`` has them.
            promise: The promise of its message.
        """
        return self._digest(b"link", before, _place(*place), promise)

    def root(self, before: bytes, number: int, link: bytes) -> bytes:
        """Give the root behind another one."""
        return self._digest(b"root", before, _number(number), link)

    def held(self, number: int, exchange: str, parent: str | None) -> bytes:
        """Give the digest of where a message stands: its exchange and the message before it."""
        return self._digest(b"held", _number(number), _text(exchange), _text(parent))

    def gone(self, link: bytes) -> bytes:
        """Give what shows that a message was forgotten by right."""
        return self._digest(b"gone", link)

    def row(self, table: str, digest: bytes) -> bytes:
        """Give the seal of a row, from its digest."""
        return self._digest(b"row", table.encode(), digest)

    def weight(self, table: str, digest: bytes) -> int:
        """Give what a row counts in a sum, from its digest."""
        counted = self._sum.copy()
        counted.update(_number(len(table)) + table.encode() + digest)
        return int.from_bytes(counted.digest(), "big")


def added(total: int, weight: int) -> int:
    """Give a sum with one more, or with one less where the weight is negative."""
    return (total + weight) % _MODULUS


@dataclass(frozen=True, slots=True)
class ChainHead:
    """How far the chain of a space has come.

    Attributes:
        mark: The mark of the key that it is sealed under; empty for none.
        since: When it was sealed from what was there, in ISO 8601; empty where it was from the
            first message on.
        found: Messages that were there then; nothing is shown of what befell them before.
        links: Messages that were ever stored.
        forgotten: Those of them that were forgotten.
        writes: How many writes there were.
        root: The digest that stands for all of them, in hexadecimal digits.
    """

    mark: str = ""
    since: str = ""
    found: int = 0
    links: int = 0
    forgotten: int = 0
    writes: int = 0
    root: str = ""


@dataclass(frozen=True, slots=True)
class Proof:
    """What was found of one space.

    Attributes:
        space: Its name; its file's name if that cannot tell.
        sealed: How far its chain has come; None where it has none.
        anchored: Whether an anchor outside the home remembers it.
        flaws: What does not fit, in words; empty where everything does.
    """

    space: str
    path: str
    sealed: ChainHead | None
    anchored: bool
    flaws: tuple[str, ...]
