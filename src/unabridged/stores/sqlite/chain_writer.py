"""The seal of a file, and the writer that updates it and the chain.

The seal is one row with the state of the chain. ``SqliteConnection.run`` calls the writer for every
statement, so that no write escapes it.
"""

import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from unabridged.domain.hash_chain import NOBODY, SALT_BYTES, START, UNKNOWN, Link, added
from unabridged.errors import StoreKeyError
from unabridged.stores.checkpoint_file import Checkpoint
from unabridged.stores.integrity_policy import IntegrityPolicy, fields_from
from unabridged.stores.json_codec import pack, unpack
from unabridged.stores.last_seen import NOTED_WRITES, SeenFile
from unabridged.stores.sqlite import sqlite_errors
from unabridged.stores.sqlite.database import SqliteConnection
from unabridged.stores.sqlite.rows import (
    Row,
    checked,
    column,
    name_of,
    plain,
    prove_row,
    sealed,
    stamped,
    text_of,
    unpacked,
)

_ROWS: Mapping[str, tuple[str, str | None]] = {
    "set session": ("session", "digest of a session"),
    "add exchange": ("exchange", None),
    "set exchange": ("exchange", "digest of an exchange"),
    "add record": ("record", None),
}
_LEAVING: Mapping[str, tuple[str, str]] = {
    "remove session": ("session", "digest of a session"),
    "remove exchange": ("exchange", "digest of an exchange"),
    "remove record": ("record", "digest of a record"),
}
_MOST_NUMBERS = 50_000
"""The most message numbers cached in one transaction."""


@dataclass(slots=True)
class Seal:
    """The state of the chain of a file.

    Attributes:
        mark: The mark of the key that sealed it; empty for none.
        since: When existing content was sealed, in ISO 8601; empty if it was sealed from the first
            message on, or the time is unknown.
        found: Messages at that time.
        links: Number of links, including those of forgotten messages.
        number: The number of the last one; 0 for none.
        root: Its root, in hexadecimal digits.
        rows: The sum over sessions, exchanges and records, likewise.
        past: Earlier seals if it was sealed again: their mark, number and root.
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
        """Return the seal as a row."""
        return sealed("seal", (1, pack(self)))


def load_seal(db: SqliteConnection) -> tuple[Seal, bytes]:
    """Read the seal and its digest.

    Raises:
        StoreTamperedError: It is missing.
    """
    row = db.one("seal")
    if row is None:
        raise sqlite_errors.tampered(db.path, "its seal is missing.")
    return seal_of(row, db.path), row[-1]


def seal_of(row: Row, path: Path) -> Seal:
    """Read a seal from its row."""
    try:
        return Seal(**unpack(checked("seal", row, path)[1]))
    except TypeError as error:
        raise sqlite_errors.damaged(path, "its seal cannot be read.") from error


class ChainWriter:
    """Maintains the chain of one file.

    Args:
        db: The file.
        guard: How its content is proved.
        generation: The id of the file, for the home's note of how far it is.
    """

    def __init__(self, db: SqliteConnection, guard: IntegrityPolicy, generation: str = "") -> None:
        self.guard = guard
        self.mac_key = guard.mac_key
        self._db = db
        self._generation = generation
        self._written: Checkpoint | None = None
        self._unnoted = 0
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
        """Clear the cache: others may have written since."""
        self._seal = None
        self._chains.clear()
        self._moved.clear()
        self._sessions.clear()
        self._numbers.clear()
        self._ends.clear()

    def sees(self, name: str, bindings: Row) -> Row:
        """Inspect a statement before it runs; return the bindings to use."""
        if name in _ROWS:
            table, known = _ROWS[name]
            self._open()
            if known is not None:
                self._leaves(table, known, bindings[0])
            if table == "exchange":
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
        """Write the changes at the end of a transaction.

        Returns:
            A function that updates the anchor and the home's note after the transaction; None if
            nothing changed.
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
        return partial(self._committed, now.uuid, checkpoint_of(self._db, now, row[-1]))

    def _committed(self, uuid: str, there: Checkpoint) -> None:
        self._written, self._unnoted = there, self._unnoted + 1
        if self._unnoted >= NOTED_WRITES:
            self.close()
        if self.guard.anchor is not None:
            self.guard.anchor.remember(name_in_anchor(self._db, uuid), there)

    def close(self) -> None:
        """Note what was written last, for the home."""
        written, self._written, self._unnoted = self._written, None, 0
        if self.guard.seen is not None and written is not None:
            self.guard.seen.remember(self._db.path, SeenFile(self._generation, written))

    def start(self, first: Seal) -> None:
        """Start a new chain."""
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
        self.link(row, self._session_of(row[2]))

    def link(self, row: Row, session: str) -> None:
        """Link the message of a row to the chain of its session, and its root to the last one."""
        number, name, exchange, parent_name, role, at, tokens, tokenizer, packed = row[:9]
        now, mac_key, parts = self._open(), self.mac_key, unpacked(packed)
        above = text_of(parent_name)
        first, length, last = self._chain(session) or (number, 0, START)
        parent = self._number_of(above)
        salt = secrets.token_bytes(SALT_BYTES)
        fields = fields_from(name_of(name), role, at, tokens, text_of(tokenizer), parts=parts)
        promise = mac_key.promise(salt, session, fields)
        link = mac_key.link(last, (number, first, length + 1, parent), promise)
        root = mac_key.root(bytes.fromhex(now.root), number, link)
        held = mac_key.held(number, name_of(exchange), above)
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
        self._numbers[name_of(name)] = number

    def relink(self, old: Link, session: str, held: bytes, fields: Sequence[bytes]) -> None:
        """Rewrite a link under this key, in the order of numbers.

        Args:
            old: The present link.
            session: Its session; empty if its message was forgotten.
            held: The digest of its message's place; empty likewise.
            fields: The proved fields of its message; empty likewise.
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
        if named:  # a session without messages has no chain
            self._chains[named] = (old.chain, old.place, link)
            self._moved.add(named)

    def counts(self, table: str, digest: bytes) -> None:
        """Add an existing row to the sum."""
        self._rows = added(self._rows, self.mac_key.weight(table, digest))

    def _moved_to(self, bindings: Row) -> None:
        exchange, parent, _, number = bindings
        known = self._db.one("place of a message", (number,))
        if known is None or known[2] != self.mac_key.held(
            number, name_of(known[0]), text_of(known[1])
        ):
            raise sqlite_errors.tampered(self._db.path, f"message {number} is in another place.")
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
                raise sqlite_errors.damaged(self._db.path, f"exchange {exchange!r} is missing.")
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
    """Return a file's name in the anchor; a copy under another name counts as another file."""
    return f"{uuid} {db.path.name}"


def checkpoint_of(db: SqliteConnection, now: Seal, digest: bytes) -> Checkpoint:
    """Return the checkpoint for the anchor."""
    return Checkpoint(
        file=str(db.path.absolute()),
        mark=now.mark,
        writes=now.writes,
        number=now.number,
        root=now.root,
        state=digest.hex(),
    )


def refuse_key(path: Path, wanted: str, given: str) -> StoreKeyError:
    """Return the error of a file that is not sealed under the key."""
    if not wanted:
        return StoreKeyError(
            f"{path} is not sealed under the key {given}.",
            hint="If the key is new, seal the file: unabridged key seal. If it was sealed before, "
            "somebody removed the seals.",
        )
    have = f"is {given}" if given else "is missing"
    return StoreKeyError(
        f"{path} is sealed under the key {wanted}, but the key {have}.",
        hint="Set `key` to the right key; `unabridged key show-mark` shows its mark.",
    )
