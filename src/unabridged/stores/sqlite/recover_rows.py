"""Read the intact rows of a damaged file.

SQLite reads the file; a page that it cannot read is skipped. Then the pages are read one by one for
rows that SQLite does not reach, since the pages that lead to them are damaged or cut off; not in an
encrypted file. Each row has a digest, so a row changed by damage is skipped.
"""

from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import quote

import apsw

from unabridged.domain.record import RecordKind
from unabridged.domain.scope import SpaceId
from unabridged.errors import StoreDamagedError
from unabridged.stores.json_codec import unpack
from unabridged.stores.reassemble import Finds, Header
from unabridged.stores.sqlite import sqlite_errors
from unabridged.stores.sqlite.blobs import MESSAGE
from unabridged.stores.sqlite.connection import ConnectionOptions, is_encrypted, shut, wrong_key
from unabridged.stores.sqlite.exclusive import leave_log
from unabridged.stores.sqlite.leaf_pages import PageRow, page_rows
from unabridged.stores.sqlite.open_file import waiting_log
from unabridged.stores.sqlite.rows import (
    Row,
    blob_of,
    checked,
    column,
    exchange_of,
    message_of,
    name_of,
    record_of,
    session_of,
    text_of,
)
from unabridged.stores.sqlite.sql import statements

_DAMAGE = (apsw.CorruptError, apsw.NotADBError, UnicodeDecodeError)
"""The errors of reading a damaged page or row."""
_GAP_ROWS = 1_000_000
"""The most numbers tried one by one between intact rows."""
_REPORT_ROWS = 1_000
"""Rows between two reports."""
_NUMBERED = frozenset({"message", "record", "numbered"})
"""Tables whose rows have numbers."""
Moved = Callable[[int, int], None]


def recover_rows(path: Path, access: ConnectionOptions, moved: Moved | None = None) -> Finds:
    """Return every intact row of a file; the file is only read.

    ``moved`` is called with the number of messages read and their total.

    Raises:
        StoreBusyError: Others have it open.
        StoreKeyError: It is encrypted, and the key is missing or wrong.
        StoreError: The disk failed.
    """
    finds = Finds(unsure=True)
    if not path.exists():
        return finds
    encrypted = is_encrypted(path)
    try:
        connection = _connect(path, access, encrypted=encrypted)
    except apsw.NotADBError as error:
        if encrypted:
            raise wrong_key(path) from error
        return _from_pages(path, finds, moved)
    except (
        apsw.CorruptError,
        apsw.SQLError,
    ):  # the latter: a damaged header may show another format
        return finds if encrypted else _from_pages(path, finds, moved)
    except apsw.Error as error:
        raise sqlite_errors.translate(error, path) from error
    reader = _Reader(path, finds, moved or (lambda _done, _of: None), connection)
    try:
        reader.run()
    except apsw.Error as error:
        raise sqlite_errors.translate(error, path, connection.system_errno) from error
    finally:
        shut(connection)
    if reader.damaged and not encrypted:
        reader.read_pages()
    finds.unsure = finds.exchanges is None
    return finds


def _from_pages(path: Path, finds: Finds, moved: Moved | None) -> Finds:
    _Reader(path, finds, moved or (lambda _done, _of: None)).read_pages()
    finds.unsure = finds.exchanges is None
    return finds


def _connect(path: Path, access: ConnectionOptions, *, encrypted: bool) -> apsw.Connection:
    # A file without a log is read as immutable; one with a log is locked, and its log is left there.
    if not any(path.with_name(path.name + end).exists() for end in ("-wal", "-journal")):
        uri = f"file:{quote(str(path.absolute()))}?immutable=1"
        flags = apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI
        connection = access.connect(uri, flags, encrypted=encrypted)
    else:
        connection = access.connect(str(path), apsw.SQLITE_OPEN_READWRITE, encrypted=encrypted)
    try:
        leave_log(connection, alone=True)
        _prepare(connection, access.busy_timeout)
    except (apsw.CantOpenError, apsw.ReadOnlyError):
        shut(connection)
        raise waiting_log(path) from None
    except BaseException:
        shut(connection)
        raise
    return connection


def _prepare(connection: apsw.Connection, busy_timeout: float) -> None:
    connection.set_busy_timeout(max(1, round(busy_timeout * 1000)))
    connection.pragma("locking_mode", "exclusive")
    connection.pragma("trusted_schema", value=False)
    connection.pragma("cell_size_check", value=True)
    connection.pragma(
        "writable_schema", value=True
    )  # reads beyond damage of the schema and the end
    connection.pragma("query_only", value=True)
    connection.execute("SELECT 1 FROM sqlite_schema LIMIT 1").fetchall()


class _Reader:
    """One pass over one file."""

    def __init__(
        self, path: Path, finds: Finds, moved: Moved, connection: apsw.Connection | None = None
    ) -> None:
        self.damaged = False
        self._connection = connection
        self._path = path
        self._finds = finds
        self._moved = moved
        self._counted: Mapping[str, int] = {}

    def run(self) -> None:
        """Read every table, with those last that the others reference."""
        finds = self._finds
        self._read("meta", "one", ("space",))
        self._read("tally", "up")
        self._numbered("message", self._counted.get("seq", 0))
        self._numbered("numbered", self._counted.get("numbers", 0))
        self._numbered("record", 0)
        self._uses_of(finds.messages)
        shared = [name for names in finds.uses.values() for name in names]
        self._named("blob", finds.blobs, [*finds.originals.values(), *shared])
        owners = [owner for _, owner, _ in finds.messages.values()]
        self._named("exchange", finds.headers, [*owners, *finds.named])
        held = [header.exchange.session for header in finds.headers.values()]
        self._named("session", finds.sessions, held)

    def read_pages(self) -> None:
        """Read what the pages still hold, whatever leads to them."""
        for row in page_rows(self._path, self._moved):
            table = _BY_SHAPE.get((row.number is None, len(row.values)))
            if table is not None:
                self._keep(table, _columns(table, row))

    def _numbered(self, table: str, counted: int) -> None:
        low, whole = self._read(table, "up")
        if whole:
            return
        high, _ = self._read(table, "down")
        last = high or counted + 1
        for number in range(low + 1, min(last, low + _GAP_ROWS)):
            self._read(table, "one", (number,))

    def _named(self, table: str, found: Mapping[str, object], names: Iterable[str]) -> None:
        if not self._read(table, "up")[1]:
            self._read(table, "down")
        for name in dict.fromkeys(names):
            if name not in found:
                self._read(table, "one", (column(name),))

    def _uses_of(self, messages: Iterable[str]) -> None:
        if self._read("blob_use", "up")[1]:
            return
        self._read("blob_use", "down")
        for name in messages:
            self._read("blob_use", "one", (column(name),))

    def _read(self, table: str, way: str, bindings: Row = ()) -> tuple[int, bool]:
        # Reads a table from its first row up, from its last row down, or one row. Returns the
        # number of the last intact row, and whether it met no damage.
        assert self._connection is not None  # noqa: S101 - `run` needs one
        statement = statements()[f"recover {table} {way}"]
        last = 0
        try:
            for row in self._connection.execute(statement, bindings):
                if self._keep(table, row) and table in _NUMBERED:
                    last = row[0]
        except _DAMAGE:
            self.damaged = True
            return last, False
        except apsw.IOError as error:
            if getattr(error, "extendedresult", 0) != apsw.SQLITE_IOERR_SHORT_READ:
                raise
            self.damaged = True
            return last, False
        except apsw.SQLError:  # the table is not in the schema, so no other statement will work
            self.damaged = True
            return last, True
        return last, True

    def _keep(self, table: str, row: Row) -> bool:
        columns = row[1:] if table == "record" else row
        try:
            _KEEP[table](self._finds, columns, self._path)
        except (StoreDamagedError, TypeError, ValueError, OverflowError):
            return False
        if table == "tally":
            self._counted = unpack(row[1])
        done = len(self._finds.messages)
        if table == "message" and done % _REPORT_ROWS == 0:
            self._moved(done, max(done, self._counted.get("messages", 0)))
        return True


_BY_SHAPE = {
    (False, 10): "message",
    (False, 8): "record",
    (False, 6): "numbered",
    (False, 4): "blob",
    (False, 3): "tally",
    (True, 10): "exchange",
    (True, 5): "session",
    (True, 4): "blob_use",
    (True, 3): "meta",
}
"""Tables by whether they are without rowids, and by their columns. Rows of other tables and of
indexes with the same shape have no digest that fits."""
_ROWID_FIRST = frozenset({"message", "record", "numbered", "tally"})


def _columns(table: str, row: PageRow) -> Row:
    # The columns in the order of the statements that read them.
    values = list(row.values)
    if table in _ROWID_FIRST:
        values[0] = row.number
    if table == "numbered":
        del values[4]  # the revision
        values[3] = float(values[3]) if isinstance(values[3], int) else values[3]
    return tuple(values)


def _message(finds: Finds, row: Row, path: Path) -> None:
    message = message_of(row, path)
    finds.messages.setdefault(message.id, (row[0], name_of(row[2]), message))


def _exchange(finds: Finds, row: Row, path: Path) -> None:
    exchange, opened_by, own = exchange_of(row, path)
    finds.headers.setdefault(exchange.id, Header(exchange, opened_by, own))
    if exchange.parent is not None:
        finds.named.setdefault(exchange.parent, None)


def _session(finds: Finds, row: Row, path: Path) -> None:
    session = session_of(row, path)
    finds.sessions.setdefault(session.id, session)


def _record(finds: Finds, row: Row, path: Path) -> None:
    try:
        record, blobs = record_of(row, path)
    except ValueError:  # a kind of a newer version
        return
    finds.records.setdefault((record.kind, record.id), record)
    finds.uses.setdefault((record.kind, record.id), blobs)
    for name in record.exchanges:
        finds.named.setdefault(name, None)


def _blob(finds: Finds, row: Row, path: Path) -> None:
    blob = blob_of(row, path)
    finds.blobs.setdefault(blob.digest, blob)


def _blob_use(finds: Finds, row: Row, path: Path) -> None:
    user_kind, user_id, blob = checked("blob_use", row, path)
    if user_kind == MESSAGE:
        finds.originals.setdefault(name_of(user_id), blob)


def _number(finds: Finds, row: Row, path: Path) -> None:
    checked("numbered", row, path)
    finds.named[name_of(row[1])] = datetime.fromtimestamp(row[3], UTC)
    finds.numbers[name_of(row[1])] = row[2]


def _meta(finds: Finds, row: Row, path: Path) -> None:
    name, value = checked("meta", row, path)
    if text_of(name) == "space" and finds.space is None:
        finds.space = SpaceId(**unpack(value))


def _tally(finds: Finds, row: Row, path: Path) -> None:
    count = unpack(checked("tally", row, path)[1])
    finds.exchanges = count.get("exchanges")
    kinds = {str(kind) for kind in RecordKind}
    finds.counted = {k: n for k, n in count.get("records", {}).items() if k in kinds}


_KEEP: Mapping[str, Callable[[Finds, Row, Path], None]] = {
    "message": _message,
    "exchange": _exchange,
    "session": _session,
    "record": _record,
    "blob": _blob,
    "blob_use": _blob_use,
    "numbered": _number,
    "meta": _meta,
    "tally": _tally,
}
