"""The seal of a file, and what keeps it and the chain with every statement that is written.

The seal is one row that tells how far the chain has come. ``SqliteConnection.run`` asks the writer,
so that nothing is written past it.
"""

import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from unabridged.domain.hash_chain import NOBODY, SALT_BYTES, START, UNKNOWN, Link, added
from unabridged.domain.message import Message
from unabridged.errors import StoreKeyError
from unabridged.stores.checkpoint_file import Checkpoint
from unabridged.stores.integrity_policy import IntegrityPolicy, fields_of
from unabridged.stores.json_codec import pack, unpack
from unabridged.stores.sqlite import sqlite_errors
from unabridged.stores.sqlite.database import SqliteConnection
from unabridged.stores.sqlite.rows import (
    Row,
    checked,
    column,
    message_of,
    name_of,
    plain,
    prove_row,
    sealed,
    stamped,
    text_of,
)

_ROWS: Mapping[str, tuple[str, str | None]] = {
    "set session": ("session", "digest of a session"),
    "set exchange": ("exchange", "digest of an exchange"),
    "add record": ("record", None),
}
_LEAVING: Mapping[str, tuple[str, str]] = {
    "remove session": ("session", "digest of a session"),
    "remove exchange": ("exchange", "digest of an exchange"),
    "remove record": ("record", "digest of a record"),
}
_MOST_NUMBERS = 50_000
"""Numbers of messages that are kept at hand in one transaction."""


@dataclass(slots=True)
class Seal:
    """How far the chain of a file has come.

    Attributes:
        mark: The mark of the key that it is sealed under; empty for none.
        since: When it was sealed from what was there, in ISO 8601; empty where it was from the
            first message on, or nobody could tell the time.
        found: Messages that were there then.
        links: Links that there are, those of forgotten messages too.
        number: The number of the last one; 0 for none.
        root: Its root, in hexadecimal digits.
        rows: The sum over sessions, exchanges and records, likewise.
        past: Earlier seals, where it was sealed again: their mark, number and root.
    """

    uuid: str = ""
    space: dict[str, str] = field(default_factory=dict)
    mark: str = ""
    since: str = ""
    found: int = 0
    links: int = 0
    number: int = 0
    root: str = START.hex()
    rows: str = "0"
    writes: int = 0
    past: list[dict[str, Any]] = field(default_factory=list)

    def row(self) -> Row:
        """Give it as the row that keeps it."""
        return sealed("seal", (1, pack(self)))


def load_seal(db: SqliteConnection) -> tuple[Seal, bytes]:
    """Read the seal and its digest.

    Raises:
        StoreTamperedError: It is gone.
    """
    row = db.one("seal")
    if row is None:
        raise sqlite_errors.tampered(db.path, "its seal is gone.")
    return seal_of(row, db.path), row[-1]


def seal_of(row: Row, path: Path) -> Seal:
    """Read a seal from its row."""
    try:
        return Seal(**unpack(checked("seal", row, path)[1]))
    except TypeError as error:
        raise sqlite_errors.damaged(path, "its seal cannot be read.") from error


class ChainWriter:
    """Keeps the chain of one file."""

    def __init__(self, db: SqliteConnection, guard: IntegrityPolicy) -> None:
        self.guard = guard
        self.mac_key = guard.mac_key
        self._db = db
        self._seal: Seal | None = None
        self._rows = 0
        self._chains: dict[str, tuple[int, int, bytes]] = {}
        self._moved: set[str] = set()
        self._sessions: dict[Any, str] = {}
        self._numbers: dict[str, int] = {}
        self._ends: dict[int, tuple[bytes, str]] = {}
        self._messages: Mapping[str, Callable[[Row], None]] = {
            "add message": self._added,
            "move message": self._moved_to,
            "remove message": self._removed,
        }

    def begin(self) -> None:
        """Forget what was known of the file: others may have written since."""
        self._seal = None
        self._chains.clear()
        self._moved.clear()
        self._sessions.clear()
        self._numbers.clear()
        self._ends.clear()

    def sees(self, name: str, bindings: Row) -> Row:
        """Look at a statement before it runs, and give its bindings as they are to be."""
        if name in _ROWS:
            table, known = _ROWS[name]
            self._open()
            if known is not None:
                self._leaves(table, known, bindings[0])
            if name == "set exchange":
                self._sessions[bindings[0]] = name_of(bindings[1])
            self._rows = added(self._rows, self.mac_key.weight(table, bindings[-1]))
            return stamped(self.mac_key, table, bindings)
        if name in _LEAVING:
            self._open()
            self._leaves(*_LEAVING[name], bindings[0])
            if name == "remove session":
                self._chains.pop(name_of(bindings[0]), None)
                self._moved.discard(name_of(bindings[0]))
                self._db.run("remove chain", bindings)
        elif name in self._messages:
            self._open()
            self._messages[name](bindings)
        return bindings

    def finish(self) -> Callable[[], None] | None:
        """Write what has changed, at the end of a transaction.

        Returns:
            What tells the anchor how far the file has come, when the transaction has ended; None if
            nothing changed, or there is no anchor.
        """
        if self._seal is None:
            return None
        now = self._seal
        for session in self._moved:
            row = sealed("chain", (column(session), *self._chains[session]))
            self._db.run("set chain", stamped(self.mac_key, "chain", row))
        now.rows = f"{self._rows:x}"
        now.writes += 1
        row = stamped(self.mac_key, "seal", now.row())
        self._db.run("set seal", row)
        anchor = self.guard.anchor
        if anchor is None:
            return None
        return partial(
            anchor.remember,
            name_in_anchor(self._db, now.uuid),
            checkpoint_of(self._db, now, row[-1]),
        )

    def start(self, first: Seal) -> None:
        """Begin a chain, in place of what was known of one."""
        self.begin()
        self._seal, self._rows = first, int(first.rows, 16)

    def _open(self) -> Seal:
        if self._seal is None:
            now, digest = load_seal(self._db)
            if now.mark != self.mac_key.mark:
                raise refuse_key(self._db.path, now.mark, self.mac_key.mark)
            prove_row(self._db.path, self.mac_key, "seal", (digest,))
            self._seal, self._rows = now, int(now.rows, 16)
        return self._seal

    def _leaves(self, table: str, statement: str, name: Any) -> None:
        found = self._db.one(statement, (name,))
        if found is not None:
            weight = self.mac_key.weight(table, plain(found[0]))
            self._rows = added(self._rows, -weight)

    def _added(self, row: Row) -> None:
        self.link(row[0], name_of(row[2]), self._session_of(row[2]), message_of(row, self._db.path))

    def link(self, number: int, exchange: str, session: str, message: Message) -> None:
        """Link a message to the chain of its session, and its root to the last one."""
        now, mac_key = self._open(), self.mac_key
        first, length, last = self._chain(session) or (number, 0, START)
        parent = self._number_of(message.parent)
        salt = secrets.token_bytes(SALT_BYTES)
        promise = mac_key.promise(salt, session, fields_of(message))
        link = mac_key.link(last, (number, first, length + 1, parent), promise)
        root = mac_key.root(bytes.fromhex(now.root), number, link)
        held = mac_key.held(number, exchange, message.parent)
        self._db.run(
            "add link",
            (number, first, length + 1, parent, salt, promise, link, root, held, b""),
        )
        now.links += 1
        now.number, now.root = number, root.hex()
        self._chains[session] = (first, length + 1, link)
        self._moved.add(session)
        if len(self._numbers) > _MOST_NUMBERS:
            self._numbers.clear()
        self._numbers[message.id] = number

    def relink(self, old: Link, session: str, held: bytes, fields: Sequence[bytes]) -> None:
        """Write a link again under this key, in the order of numbers.

        Args:
            old: The link as it is.
            session: Its session; empty if its message was forgotten.
            held: What shows where its message is; empty likewise.
            fields: What was said; empty likewise.
        """
        now, mac_key = self._open(), self.mac_key
        before, known = self._ends.get(old.chain, (START, ""))
        named = session or known
        promise = mac_key.promise(old.salt, session, fields) if fields else old.promise
        link = mac_key.link(before, old.where, promise)
        root = mac_key.root(bytes.fromhex(now.root), old.number, link)
        gone = b"" if fields else mac_key.gone(link)
        self._db.run("set link", (promise, link, root, held, gone, old.number))
        now.links += 1
        now.number, now.root = old.number, root.hex()
        self._ends[old.chain] = (link, named)
        if named:  # a session of which all was forgotten has no chain
            self._chains[named] = (old.chain, old.place, link)
            self._moved.add(named)

    def counts(self, table: str, digest: bytes) -> None:
        """Let a row that is there count in the sum."""
        self._rows = added(self._rows, self.mac_key.weight(table, digest))

    def _moved_to(self, bindings: Row) -> None:
        exchange, parent, _, number = bindings
        known = self._db.one("place of a message", (number,))
        if known is None or known[2] != self.mac_key.held(
            number, name_of(known[0]), text_of(known[1])
        ):
            raise sqlite_errors.tampered(
                self._db.path, f"message {number} stands in another place."
            )
        held = self.mac_key.held(number, name_of(exchange), text_of(parent))
        self._db.run("hold link", (held, number))

    def _removed(self, bindings: Row) -> None:
        (number,) = bindings
        found = self._db.one("link of a number", (number,))
        if found is not None:
            self._db.run("loosen link", (self.mac_key.gone(found[0]), number))

    def _session_of(self, exchange: Any) -> str:
        if exchange not in self._sessions:
            found = self._db.one("session of an exchange", (exchange,))
            if found is None:
                raise sqlite_errors.damaged(self._db.path, f"exchange {exchange!r} is gone.")
            self._sessions[exchange] = name_of(found[0])
        return self._sessions[exchange]

    def _chain(self, session: str) -> tuple[int, int, bytes] | None:
        if session not in self._chains:
            row = self._db.one("chain", (column(session),))
            if row is None:
                return None
            prove_row(self._db.path, self.mac_key, "chain", row)
            _, number, length, last = checked("chain", row, self._db.path)
            self._chains[session] = (number, length, last)
        return self._chains[session]

    def _number_of(self, message_id: str | None) -> int:
        if message_id is None:
            return NOBODY
        if message_id not in self._numbers:
            found = self._db.one("number of a message", (column(message_id),))
            self._numbers[message_id] = UNKNOWN if found is None else found[0]
        return self._numbers[message_id]


def name_in_anchor(db: SqliteConnection, uuid: str) -> str:
    """Give what the anchor knows a file by: a copy under another name is another one."""
    return f"{uuid} {db.path.name}"


def checkpoint_of(db: SqliteConnection, now: Seal, digest: bytes) -> Checkpoint:
    """Give how far a file has come, for the anchor."""
    return Checkpoint(
        file=str(db.path.absolute()),
        mark=now.mark,
        writes=now.writes,
        number=now.number,
        root=now.root,
        state=digest.hex(),
    )


def refuse_key(path: Path, wanted: str, given: str) -> StoreKeyError:
    """Say that a file is sealed under another key than the one at hand, or under none."""
    if not wanted:
        return StoreKeyError(
            f"{path} is not sealed under the key {given}.",
            hint="If the key is new, seal it once with: unabridged key seal. If it was sealed before, "
            "the seals were removed.",
        )
    have = f"is {given}" if given else "is missing"
    return StoreKeyError(
        f"{path} is sealed under the key {wanted}, and the key {have}.",
        hint="Name where the key is with the setting `key`; `unabridged key show-mark` shows its mark.",
    )
