"""The seal of a file: how far its chain has come, in one row, written with all that it covers."""

from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from unabridged.domain.hash_chain import START, MacKey
from unabridged.stores.json_codec import pack, unpack
from unabridged.stores.sqlite import sqlite_errors
from unabridged.stores.sqlite.database import SqliteConnection
from unabridged.stores.sqlite.rows import Row, checked, plain, sealed


@dataclass(slots=True)
class Seal:
    """How far the chain of a file has come.

    Attributes:
        uuid: The file's.
        space: The names of the space that it holds.
        mark: The mark of the key that it is sealed under; empty for none.
        since: When it was sealed from what was there, in ISO 8601; empty where it was from the
            first message on, or nobody could tell the time.
        found: Messages that were there then.
        links: Links that there are, those of forgotten messages too.
        number: The number of the last one; 0 for none.
        root: Its root, in hexadecimal digits.
        rows: The sum over sessions, exchanges and records, likewise.
        writes: How many writes there were.
        past: Earlier seals, where it was sealed anew: their mark, number and root.
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

    def row(self) -> tuple[Any, ...]:
        """Give it as the row that keeps it."""
        return sealed("seal", (1, pack(self)))


def stamped(mac_key: MacKey, table: str, row: Row) -> Row:
    """Give a row with its digest sealed, where there is a key."""
    if not mac_key.mark:
        return row
    return (*row[:-1], row[-1] + mac_key.row(table, row[-1]))


def prove_row(db: SqliteConnection, mac_key: MacKey | None, table: str, row: Row) -> None:
    """Refuse a row that nobody with the key wrote; see ``prove``."""
    prove(db.path, mac_key, table, row)


def prove(path: Path, mac_key: MacKey | None, table: str, row: Row) -> None:
    """Refuse a row that nobody with the key wrote.

    Raises:
        StoreTamperedError: Its seal is missing or another one.
    """
    if mac_key is None or not mac_key.mark:
        return
    digest = plain(row[-1])
    if row[-1] != digest + mac_key.row(table, digest):
        named = next((value for value in row if isinstance(value, str)), "")
        raise sqlite_errors.tampered(path, f"the {table} {named!r} was not written with the key.")


_NAMES = frozenset(one.name for one in fields(Seal))


def load(db: SqliteConnection) -> tuple[Seal, bytes] | None:
    """Read the seal and its digest; None where the file has none.

    Raises:
        StoreDamagedError: It is not what was written.
    """
    row = db.one("seal")
    return None if row is None else (from_row(row, db.path), row[-1])


def from_row(row: Row, path: Path) -> Seal:
    """Read a seal from its row.

    Raises:
        StoreDamagedError: It is not what was written.
    """
    body = unpack(checked("seal", row, path)[1])
    if not isinstance(body, dict) or not body.keys() >= {"root", "rows"}:
        raise sqlite_errors.damaged(path, "its seal cannot be read.")
    return Seal(**{name: value for name, value in body.items() if name in _NAMES})
