"""SQLite files of other programs, read without trust: nothing in them is run, nothing is written.

The bytes come through a VFS of our own that can only read, so no lock is taken, no journal is made
beside the file and no other file can be reached. Views, triggers and extensions are off, lengths and
the work of a statement are bounded, and only plain tables are read, by row number.
Source: https://www.sqlite.org/security.html ("Untrusted SQLite Database Files").
"""

import io
import re
import secrets
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.resources import files
from typing import Any, BinaryIO, Final, cast

import apsw

from unabridged.errors import TransferError, UnknownFormatError

MAGIC = b"SQLite format 3\x00"
"""How every SQLite file begins. Source: https://www.sqlite.org/fileformat2.html"""
_WAL_VERSIONS = slice(18, 20)
_NO_WAL = b"\x01\x01"
_LEAST_ROW = 4
"""Bytes that a row takes at least; a file that gives more rows goes in circles."""
_ROWS_FREE = 1000
_LONGEST = 256 << 20
_GIVEN_FREE = 256 << 20
_GIVEN_TIMES = 32
"""How many times its size a file may give: rows that refer to the same long text repeat it."""
_STEPS = 50_000_000
"""Instructions of SQLite's machine that one statement may take, far above what a row needs."""
_STEP = 10_000
_ENCODINGS: Final = {"UTF-16le": "utf-16-le", "UTF-16be": "utf-16-be"}
_LIMITS: Final = (
    (apsw.SQLITE_LIMIT_LENGTH, _LONGEST),
    (apsw.SQLITE_LIMIT_SQL_LENGTH, 1 << 20),
    (apsw.SQLITE_LIMIT_COLUMN, 200),
    (apsw.SQLITE_LIMIT_EXPR_DEPTH, 50),
    (apsw.SQLITE_LIMIT_COMPOUND_SELECT, 10),
    (apsw.SQLITE_LIMIT_ATTACHED, 0),
    (apsw.SQLITE_LIMIT_TRIGGER_DEPTH, 1),
    (apsw.SQLITE_LIMIT_WORKER_THREADS, 0),
)
_SWITCHES: Final = (
    (apsw.SQLITE_DBCONFIG_DEFENSIVE, 1),
    (apsw.SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0),
    (apsw.SQLITE_DBCONFIG_ENABLE_TRIGGER, 0),
    (apsw.SQLITE_DBCONFIG_ENABLE_VIEW, 0),
    (apsw.SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0),
)

Row = Mapping[str, Any]


class ForeignDatabase:
    """An SQLite file, open for reading; ``close`` lets go of it, but not of its stream.

    Args:
        stream: Its bytes; places can be chosen in it, and it begins at 0.

    Attributes:
        tables: Its plain tables and their columns, by name.
        faults: What could not be read of it: place and reason.

    Raises:
        UnknownFormatError: It is damaged so that not even its tables are known.
    """

    def __init__(self, stream: BinaryIO) -> None:
        self.faults: list[tuple[str, str]] = []
        self._size = stream.seek(0, io.SEEK_END)
        self._steps = self._given = 0
        name = f"unabridged-{secrets.token_hex(8)}"
        self._vfs = _Vfs(name, stream)
        try:
            self._connection = apsw.Connection(
                "file:foreign?immutable=1",
                flags=apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI,
                vfs=name,
            )
        except apsw.Error as error:
            self._vfs.unregister()
            raise _unreadable(error) from error
        try:
            self._secure()
            self._encoding = _ENCODINGS.get(next(self._run(_sql("encoding")))[0], "utf-8")
            self.tables = self._look()
        except (apsw.Error, UnicodeDecodeError) as error:
            self.close()
            raise _unreadable(error) from error

    def close(self) -> None:
        """Let go of it; a second call does nothing."""
        self._connection.close(True)  # noqa: FBT003 - apsw's parameter has no name
        self._vfs.unregister()

    def rows(self, table: str, *columns: str) -> Iterator[tuple[Any, ...]]:
        """Give some columns of every row, each behind the row's number.

        A damaged part ends it, and stands in ``faults``.

        Args:
            table: The table; one that is not there has no rows.
            columns: Columns; those that are not there are None.
        """
        if table not in self.tables:
            return
        listed = ", ".join(self._column(table, name) for name in columns)
        most = self._size // _LEAST_ROW + _ROWS_FREE
        try:
            found = self._run(_sql("every row", table, listed))
            for number, row in enumerate(found):
                if number >= most:
                    self.faults.append((f"table {table}", "more rows than its bytes can hold"))
                    return
                yield (row[0], *self._values(row[1:]))
        except apsw.Error as error:
            self.faults.append((f"table {table}", _reason(error)))

    def row(self, table: str, number: int, *columns: str) -> Row | None:
        """Give some columns of one row; None where it cannot be read, which stands in ``faults``.

        Raises:
            TransferError: The file gives the same again and again.
        """
        listed = ", ".join(self._column(table, name) for name in columns)
        try:
            found = next(self._run(_sql("one row", table, listed), (number,)), None)
        except apsw.Error as error:
            self.faults.append((f"table {table}, row {number}", _reason(error)))
            return None
        if found is None:
            return None
        self._given += sum(len(each) for each in found if isinstance(each, (str, bytes)))
        if self._given > _GIVEN_FREE + _GIVEN_TIMES * self._size:
            raise TransferError(
                "The SQLite file gives far more text than its bytes can hold; it is not read.",
                hint="If it is what you think it is, export it with the program that wrote it.",
            )
        return dict(zip(columns, self._values(found), strict=True))

    def _column(self, table: str, name: str) -> str:
        # Give a column and what it is; texts as bytes, since they may be none.
        if name not in self.tables[table]:
            return "NULL, 'null'"
        held = _quoted(name)
        kind = f"typeof({held})"
        return f"CASE {kind} WHEN 'text' THEN CAST({held} AS BLOB) ELSE {held} END, {kind}"

    def _values(self, found: tuple[Any, ...]) -> Iterator[Any]:
        for value, kind in zip(found[::2], found[1::2], strict=True):
            if kind == "text" and isinstance(value, bytes):
                yield value.decode(self._encoding, "replace")
            else:
                yield value

    def _secure(self) -> None:
        for switch, value in _SWITCHES:
            self._connection.config(switch, value)
        for limit, value in _LIMITS:
            self._connection.limit(limit, value)
        self._connection.set_progress_handler(self._tired, _STEP)
        self._connection.execute(_sql("clean"))

    def _look(self) -> dict[str, frozenset[str]]:
        found = self._run(_sql("plain tables"))
        names = [name for (name,) in found if isinstance(name, str)]
        return {name: self._columns(name) for name in names[:_ROWS_FREE]}

    def _columns(self, table: str) -> frozenset[str]:
        return frozenset(row[1] for row in self._run(_sql("columns of a table", table)))

    def _run(self, sql: str, values: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
        self._steps = 0
        return iter(self._connection.execute(sql, values))

    def _tired(self) -> bool:
        self._steps += _STEP
        return self._steps > _STEPS


class _Vfs(apsw.VFS):
    """Files as SQLite sees them: one, which can only be read."""

    def __init__(self, name: str, stream: BinaryIO) -> None:
        self._stream = stream
        super().__init__(name, "")

    # The names are SQLite's; `typing.override` came with Python 3.12.

    def xOpen(self, name: Any, flags: list[int]) -> apsw.VFSFile:  # type: ignore[explicit-override]  # noqa: ARG002, N802 - see above
        if not flags[0] & apsw.SQLITE_OPEN_MAIN_DB:
            raise apsw.CantOpenError("nothing but the file itself can be reached")
        flags[1] = apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_MAIN_DB
        return cast("apsw.VFSFile", _File(self._stream))

    def xAccess(self, pathname: str, flags: int) -> bool:  # type: ignore[explicit-override]  # noqa: ARG002, N802 - see above
        return False

    def xFullPathname(self, name: str) -> str:  # type: ignore[explicit-override]  # noqa: N802 - see above
        return name

    def xDelete(self, filename: str, syncdir: bool) -> None:  # type: ignore[explicit-override]  # noqa: ARG002, FBT001, N802 - see above
        raise apsw.ReadOnlyError("the file is only read")


class _File:
    """The bytes of the file. Locks are for those who write."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self._size = stream.seek(0, io.SEEK_END)

    def xRead(self, amount: int, offset: int) -> bytes:  # noqa: N802 - SQLite's name
        """Read; a header that tells of a write-ahead log is shown as one without."""
        try:
            self._stream.seek(offset)
            data = self._stream.read(amount)
        except OSError as error:
            raise apsw.IOError(str(error)) from error
        if offset == 0 and len(data) >= _WAL_VERSIONS.stop:
            data = data[: _WAL_VERSIONS.start] + _NO_WAL + data[_WAL_VERSIONS.stop :]
        if offset > 0 and offset < _WAL_VERSIONS.stop:
            whole = self.xRead(_WAL_VERSIONS.stop + amount, 0)
            data = whole[offset : offset + amount]
        return data

    def xFileSize(self) -> int:  # noqa: N802 - SQLite's name
        return self._size

    def xClose(self) -> None:  # noqa: N802 - SQLite's name
        """Leave the stream open: it is not ours."""

    def xLock(self, level: int) -> None:  # noqa: N802 - SQLite's name
        """Take no lock."""

    def xUnlock(self, level: int) -> None:  # noqa: N802 - SQLite's name
        """Hold none."""

    def xCheckReservedLock(self) -> bool:  # noqa: N802 - SQLite's name
        return False

    def xFileControl(self, op: int, ptr: int) -> bool:  # noqa: ARG002, N802 - SQLite's name
        return False

    def xSectorSize(self) -> int:  # noqa: N802 - SQLite's name
        return 4096

    def xDeviceCharacteristics(self) -> int:  # noqa: N802 - SQLite's name
        return apsw.SQLITE_IOCAP_IMMUTABLE


@cache
def _statements() -> Mapping[str, str]:
    text = (files("unabridged.transfer") / "sql" / "foreign.sql").read_text(encoding="utf-8")
    pieces = re.split(r"^-- name: (.+)$", text, flags=re.MULTILINE)[1:]
    return {name: sql.strip() for name, sql in zip(pieces[::2], pieces[1::2], strict=True)}


def _sql(name: str, table: str = "", columns: str = "") -> str:
    return _statements()[name].format(table=_quoted(table), columns=columns)


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _reason(error: Exception) -> str:
    if isinstance(error, apsw.InterruptError):
        return "damaged: it goes in circles"
    if isinstance(error, apsw.TooBigError):
        return f"longer than {_LONGEST:,} bytes"
    return f"damaged: {str(error)[:120]}"


def _unreadable(error: Exception) -> UnknownFormatError:
    return UnknownFormatError(
        f"The SQLite file cannot be read ({_reason(error)}).",
        hint="Copy it again while its program is closed, and import the copy.",
    )
