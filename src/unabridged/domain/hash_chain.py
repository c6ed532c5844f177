"""The hash chain over the messages of a space: it shows that one was changed, removed or inserted.

Each message gets a link when it is stored. Its *promise* is a digest over a random salt and what was
said. Its *link* is a digest over the link before it in its session, its promise and its place: one
chain for each session, in the order of storing. Its *root* is a digest over the root before it in the
space and its link, so that the last root covers everything that was ever stored.

Forgetting a message removes its salt too. Promise and link stay as a tombstone: nobody can
try texts against a promise without its salt, and the chain still holds. A link keeps the number of
its message's parent when it was stored. So a message with another parent today can be shown to be
valid: everything between was forgotten.

What may change later (headers, states, parents, records) is covered by *sums*: each row counts as a
number that depends on all of it, and the sum of all is sealed (Clarke et al. 2003,
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
"""The predecessor of the first link of a chain, and of the first root."""
_SUM_BYTES = 32
_MODULUS = 1 << (8 * _SUM_BYTES)


class Link(NamedTuple):
    """What is stored about a message, also after it was forgotten.

    Attributes:
        number: Its number in the space; increases, and is never reused.
        chain: The number of the first link of its session.
        place: Its position in that chain, from 1.
        parent: The number of its parent when it was stored; ``NOBODY`` or ``UNKNOWN``.
        salt: Random bytes; empty once the message is forgotten.
        promise: The digest over salt and message.
        link: The digest over the link before it, the promise and the position.
        root: The digest over the root before it in the space and the link.
        held: The digest over the message's current parent; empty once it is forgotten.
        gone: The digest that proves that it was forgotten; empty until then.
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
        """Number, chain, position and parent: its digest covers them, promise and link."""
        return (self.number, self.chain, self.place, self.parent)


def _text(value: str | None) -> bytes:
    return b"\0" if value is None else b"\1" + value.encode("utf-8", "surrogatepass")


_number = Struct(">q").pack
_place = Struct(">4q").pack
_JOINED_BYTES = 65_536
"""Up to here joining parts is faster than hashing one by one; beyond, the copy would cost memory."""
_lengths = tuple(Struct(f">{count}Q").pack for count in range(16))


class MacKey:
    """Makes and verifies digests.

    Args:
        key: 32 bytes; empty for digests without a key.
        mark: The fingerprint of the key; empty for none.
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
        head, size = _lengths[len(parts)](*map(len, parts)), sum(map(len, parts))
        if size < _JOINED_BYTES:
            digest.update(head + b"".join(parts))
        else:
            for piece in (head, *parts):
                digest.update(piece)
        return digest.digest()

    def promise(self, salt: bytes, session: str, fields: Iterable[bytes]) -> bytes:
        """Return the promise of a message.

        Args:
            salt: Its salt.
            session: Its session's id.
            fields: The content: everything that never changes, in a fixed order.
        """
        return self._digest(b"promise", salt, _text(session), *fields)

    def link(self, before: bytes, place: tuple[int, int, int, int], promise: bytes) -> bytes:
        """Return the link after another one.

        Args:
            before: That one.
            place: Number, chain, position and parent, as a ``Link`` has them.
            promise: The promise of its message.
        """
        return self._digest(b"link", before, _place(*place), promise)

    def root(self, before: bytes, number: int, link: bytes) -> bytes:
        """Return the root after another one."""
        return self._digest(b"root", before, _number(number), link)

    def held(self, number: int, exchange: str, parent: str | None) -> bytes:
        """Return the digest of a message's position: its exchange and its parent."""
        return self._digest(b"held", _number(number), _text(exchange), _text(parent))

    def gone(self, link: bytes) -> bytes:
        """Return the proof that a message was forgotten."""
        return self._digest(b"gone", link)

    def row(self, table: str, digest: bytes) -> bytes:
        """Return the seal of a row, from its digest."""
        return self._digest(b"row", table.encode(), digest)

    def weight(self, table: str, digest: bytes) -> int:
        """Return what a row counts in a sum, from its digest."""
        counted = self._sum.copy()
        counted.update(_number(len(table)) + table.encode() + digest)
        return int.from_bytes(counted.digest(), "big")


def added(total: int, weight: int) -> int:
    """Return a sum with one row more, or one less if the weight is negative."""
    return (total + weight) % _MODULUS


@dataclass(frozen=True, slots=True)
class ChainHead:
    """The end of a space's chain.

    Attributes:
        mark: The fingerprint of the key that seals it; empty for none.
        since: When existing messages were sealed, in ISO 8601; empty if it is sealed from the first
            message on.
        found: Messages that existed then; earlier changes of them cannot be proved.
        links: Messages ever stored.
        forgotten: Those of them that were forgotten.
        writes: The number of writes.
        root: The digest that covers all of them, in hexadecimal digits.
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
    """The result of verifying one space.

    Attributes:
        space: Its name; the file's name if that is unreadable.
        sealed: The end of its chain; None if it has none.
        anchored: Whether a checkpoint outside the home covers it.
        flaws: What does not match, in words; empty if everything does.
        note: What was found, in words, where there is no such chain.
    """

    space: str
    path: str
    sealed: ChainHead | None
    anchored: bool
    flaws: tuple[str, ...]
    note: str = ""
