"""Verifying a whole file: every link, every message, every header against the seal."""

from collections.abc import Iterator

from unabridged.domain.chain import NOBODY, START, UNKNOWN, Link, Signet, added
from unabridged.errors import StoreDamagedError
from unabridged.stores.guard import fields_of
from unabridged.stores.sqlite import seal
from unabridged.stores.sqlite.database import Database
from unabridged.stores.sqlite.rows import (
    Row,
    checked,
    link_of,
    message_of,
    name_of,
    plain,
    text_of,
)

_TABLES = (
    ("session", "digests of sessions"),
    ("exchange", "digests of exchanges"),
    ("record", "digests of records"),
)


def flaws(db: Database, signet: Signet) -> Iterator[str]:
    """Look at everything that the chain covers.

    Args:
        db: The file; it has a seal.
        signet: What it is sealed with.

    Yields:
        What does not fit, in words: with session, position and what.
    """
    found = seal.load(db)
    if found is None:
        yield f"{db.path}: its seal is gone."
        return
    now, digest = found
    if now.mark != signet.mark:
        yield f"{db.path}: it is sealed under the key {now.mark or 'none'}, which is not at hand."
        return
    if seal.stamped(signet, "seal", (plain(digest),))[0] != digest:
        yield f"{db.path}: its seal is not what was written."
        return
    yield from _Links(db, signet).flaws(now)
    for seq, name, exchange in db.rows("messages without link"):
        yield f"{db.path}: message {name!r} (number {seq}) of exchange {exchange!r} was put in."
    yield from _rows(db, signet, now)


def _rows(db: Database, signet: Signet, now: seal.Seal) -> Iterator[str]:
    """Whether each header and record was written with the key, and none is missing or older."""
    total = 0
    for table, statement in _TABLES:
        for name, digest in db.run(statement):
            bare = plain(digest)
            total = added(total, signet.weight(table, bare))
            if seal.stamped(signet, table, (bare,))[0] != digest:
                yield f"{db.path}: the {table} {name_of(name)!r} was not written with the key."
    if total != int(now.rows, 16):
        yield (
            f"{db.path}: the sessions, exchanges and records are not those that were written: "
            "one was changed, removed, put in or put back."
        )


class _Links:
    """One pass over every link."""

    def __init__(self, db: Database, signet: Signet) -> None:
        self._db = db
        self._signet = signet
        self._ends: dict[int, tuple[int, bytes]] = {}
        self._sessions: dict[int, str] = {}

    def flaws(self, now: seal.Seal) -> Iterator[str]:
        """What does not fit."""
        root, count, number = START, 0, 0
        for row in self._db.run("every link with its message"):
            link = link_of(row[:10], self._db.path)
            count += 1
            number = link.number
            for said in self._link(link, row):
                yield self._said(link, said)
            root = self._signet.root(root, link.number, link.link)
            if root != link.root:
                yield self._said(link, "a message before it was removed, put in or moved")
                root = link.root
        if (count, number, root.hex()) != (now.links, now.number, now.root):
            yield (
                f"{self._db.path}: the chain ends at number {number} with {count} links; "
                f"it was written up to number {now.number} with {now.links}."
            )
        yield from self._chains()

    def _said(self, link: Link, what: str) -> str:
        session = self._sessions.get(link.chain, f"of number {link.chain}")
        return f"{self._db.path}: session {session!r}, position {link.place}: {what}."

    def _link(self, link: Link, row: Row) -> Iterator[str]:
        """One link: its message, and that it follows the one before it."""
        if row[10] is not None:
            self._sessions.setdefault(link.chain, name_of(row[10]))
        if row[12] is not None:
            try:
                yield from self._message(link, row)
            except StoreDamagedError as error:
                yield str(error)
        elif link.salt:
            yield "the message was removed"
        elif self._signet.gone(link.link) != link.gone:
            yield "the message was removed, not forgotten"
        place, before = self._ends.get(link.chain, (0, START))
        if link.place != place + 1 or (place == 0) != (link.number == link.chain):
            yield "the messages before it were removed or moved"
        elif self._signet.link(before, link.where, link.promise) != link.link:
            yield "its link is not what was written"
        self._ends[link.chain] = (link.place, link.link)

    def _message(self, link: Link, row: Row) -> Iterator[str]:
        message = message_of(row[12:], self._db.path)
        if row[10] is None:
            yield f"the exchange of message {message.id!r} is gone"
            return
        session = name_of(row[10])
        if not link.salt:
            yield f"message {message.id!r} was forgotten, and is there"
        elif self._signet.promise(link.salt, session, fields_of(message)) != link.promise:
            yield f"message {message.id!r} is not what was said, or of another session"
        elif self._signet.held(link.number, name_of(row[14]), message.parent) != link.held:
            yield f"message {message.id!r} stands in another place"
        elif not self._follows(link, message.parent, text_of(row[11])):
            yield f"message {message.id!r} follows another one than it did"

    def _follows(self, link: Link, parent: str | None, named: str | None) -> bool:
        """Whether a message follows the one that it followed, or the nearest before it that is left."""
        if link.parent == UNKNOWN or (named is not None and named == parent):
            return True
        number = link.parent
        while number not in (NOBODY, UNKNOWN):
            found = self._db.one("parent of a link", (number,))
            if found is None:
                return False
            if found[1] is not None:
                return bool(text_of(found[1]) == parent)
            number = found[0]
        return number == UNKNOWN or parent is None

    def _chains(self) -> Iterator[str]:
        """Whether each chain ends where its session says."""
        written: set[int] = set()
        for row in self._db.rows("chains"):
            session, number, length, last = checked("chain", row, self._db.path)
            written.add(number)
            seal.prove_row(self._db, self._signet, "chain", row)
            if self._ends.get(number) != (length, last):
                yield f"{self._db.path}: session {name_of(session)!r} does not end at position {length}."
        for chain, session in self._sessions.items():
            if chain not in written:
                yield f"{self._db.path}: the chain of session {session!r} is gone."
