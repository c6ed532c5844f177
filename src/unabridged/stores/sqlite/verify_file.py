"""Verify a whole file: every link, message and header against the seal."""

from collections.abc import Iterator

from unabridged.domain.hash_chain import NOBODY, START, UNKNOWN, Link, MacKey, added
from unabridged.errors import StoreDamagedError
from unabridged.stores.integrity_policy import fields_of
from unabridged.stores.sqlite.chain_writer import Seal, load_seal
from unabridged.stores.sqlite.database import SqliteConnection
from unabridged.stores.sqlite.rows import (
    Row,
    checked,
    link_of,
    message_of,
    name_of,
    plain,
    prove_row,
    stamped,
    text_of,
)

_TABLES = (
    ("session", "digests of sessions"),
    ("exchange", "digests of exchanges"),
    ("record", "digests of records"),
)


def flaws(db: SqliteConnection, mac_key: MacKey) -> Iterator[str]:
    """Check everything that the chain covers; yield every mismatch as text."""
    now, digest = load_seal(db)
    if now.mark != mac_key.mark:
        yield f"{db.path}: it is sealed under the key {now.mark or 'none'}, which is not available."
        return
    if stamped(mac_key, "seal", (plain(digest),))[0] != digest:
        yield f"{db.path}: its seal was changed."
        return
    yield from _Links(db, mac_key).flaws(now)
    for seq, name, exchange in db.rows("messages without link"):
        yield f"{db.path}: message {name!r} (number {seq}) of exchange {exchange!r} was inserted."
    yield from _rows(db, mac_key, now)


def _rows(db: SqliteConnection, mac_key: MacKey, now: Seal) -> Iterator[str]:
    total = 0
    for table, statement in _TABLES:
        for name, digest in db.run(statement):
            bare = plain(digest)
            total = added(total, mac_key.weight(table, bare))
            if stamped(mac_key, table, (bare,))[0] != digest:
                yield f"{db.path}: the {table} {name_of(name)!r} was not written with the key."
    if total != int(now.rows, 16):
        yield (
            f"{db.path}: the sessions, exchanges and records are not those that were written: "
            "one was changed, removed, inserted or restored."
        )


class _Links:
    """One pass over every link."""

    def __init__(self, db: SqliteConnection, mac_key: MacKey) -> None:
        self._db = db
        self._mac_key = mac_key
        self._ends: dict[int, tuple[int, bytes]] = {}
        self._sessions: dict[int, str] = {}

    def flaws(self, now: Seal) -> Iterator[str]:
        """Yield every mismatch."""
        root, count, number = START, 0, 0
        for row in self._db.run("every link with its message"):
            link = link_of(row[:10], self._db.path)
            count += 1
            number = link.number
            for said in self._link(link, row):
                yield self._said(link, said)
            root = self._mac_key.root(root, link.number, link.link)
            if root != link.root:
                yield self._said(link, "a message before it was removed, added or moved")
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
        if row[10] is not None:
            self._sessions.setdefault(link.chain, name_of(row[10]))
        if row[12] is not None:
            try:
                yield from self._message(link, row)
            except StoreDamagedError as error:
                yield str(error)
        elif link.salt:
            yield "the message was removed"
        elif self._mac_key.gone(link.link) != link.gone:
            yield "the message was removed, not forgotten"
        place, before = self._ends.get(link.chain, (0, START))
        if link.place != place + 1 or (place == 0) != (link.number == link.chain):
            yield "the messages before it were removed or moved"
        elif self._mac_key.link(before, link.where, link.promise) != link.link:
            yield "its link was changed"
        self._ends[link.chain] = (link.place, link.link)

    def _message(self, link: Link, row: Row) -> Iterator[str]:
        message = message_of(row[12:], self._db.path)
        if row[10] is None:
            yield f"the exchange of message {message.id!r} is missing"
            return
        session = name_of(row[10])
        if not link.salt:
            yield f"message {message.id!r} was forgotten, but exists"
        elif self._mac_key.promise(link.salt, session, fields_of(message)) != link.promise:
            yield f"message {message.id!r} was changed, or is from another session"
        elif self._mac_key.held(link.number, name_of(row[14]), message.parent) != link.held:
            yield f"message {message.id!r} is in another place"
        elif not self._follows(link, message.parent, text_of(row[11])):
            yield f"message {message.id!r} follows another message than before"

    def _follows(self, link: Link, parent: str | None, named: str | None) -> bool:
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
        written: set[int] = set()
        for row in self._db.rows("chains"):
            session, number, length, last = checked("chain", row, self._db.path)
            written.add(number)
            prove_row(self._db.path, self._mac_key, "chain", row)
            if self._ends.get(number) != (length, last):
                yield f"{self._db.path}: session {name_of(session)!r} does not end at position {length}."
        for chain, session in self._sessions.items():
            if chain not in written:
                yield f"{self._db.path}: the chain of session {session!r} is missing."
