"""The bare baseline: the same rows and questions on a copy of the same file, with nothing around.

What a store adds to this (digests, compare-and-swap, values) is what the ratio shows.
"""

from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import apsw

from unabridged.retrieval.words import query_terms

_WRITTEN = ("exchange", "message", "record", "record_exchange", "session", "tally", "word")
_EVIDENCE = 16
_NEWEST = 50


class Rows:
    """Reads which rows a store wrote since the last look.

    Args:
        path: The store's file.
    """

    def __init__(self, path: Path) -> None:
        self._file = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)
        self._message = self._top("message", "seq")
        self._record = self._top("record", "row")

    def _top(self, table: str, column: str) -> int:
        found = self._file.execute(f"SELECT max({column}) FROM {table}").get  # noqa: S608 - our own names
        return int(found or 0)

    def new(self, session: str, exchange: str) -> dict[str, list[tuple[Any, ...]]]:
        """Give the rows by table; ``session`` and ``exchange`` are those that were written to."""
        since = {"seq": self._message, "row": self._record}
        asked: dict[str, tuple[str, tuple[Any, ...]]] = {
            "message": ("SELECT * FROM message WHERE seq > ?", (since["seq"],)),
            "word": ("SELECT rowid, terms FROM word WHERE rowid > ?", (since["seq"],)),
            "record": ("SELECT * FROM record WHERE row > ?", (since["row"],)),
            "record_exchange": (
                "SELECT * FROM record_exchange WHERE exchange = ? AND record > ?",
                (exchange, since["row"]),
            ),
            "exchange": ("SELECT * FROM exchange WHERE id = ?", (exchange,)),
            "session": ("SELECT * FROM session WHERE id = ?", (session,)),
            "tally": ("SELECT * FROM tally", ()),
        }
        rows: dict[str, list[tuple[Any, ...]]] = {
            table: self._file.execute(*given).fetchall() for table, given in asked.items()
        }
        self._message = max([self._message, *(row[0] for row in rows["message"])])
        self._record = max([self._record, *(row[0] for row in rows["record"])])
        return rows

    def close(self) -> None:
        """Let go of the file."""
        self._file.close()


class Bare:
    """A copy of a store's file, used through ``apsw`` alone.

    Args:
        path: The copy.
    """

    def __init__(self, path: Path) -> None:
        self._file = apsw.Connection(str(path))
        self._file.execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL")
        marks = {table: self._columns(table) for table in _WRITTEN}
        self._insert = {
            table: f"INSERT OR REPLACE INTO {_named(table)} VALUES ({', '.join('?' * count)})"  # noqa: S608 - names of ours
            for table, count in marks.items()
        }

    def _columns(self, table: str) -> int:
        extra = 1 if table == "word" else 0  # its rowid
        return extra + len(self._file.execute(f"PRAGMA table_info({table})").fetchall())

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        self._file.close()

    def write(self, rows: dict[str, list[tuple[Any, ...]]]) -> None:
        """Write rows in one durable transaction."""
        self._file.execute("BEGIN IMMEDIATE")
        for table in _WRITTEN:
            for row in rows[table]:
                self._file.execute(self._insert[table], row)
        self._file.execute("COMMIT")

    def search(self, question: str) -> Sequence[Any]:
        """Ask FTS5 for the best messages of a question's terms, and read their exchanges."""
        asked = [term for term in query_terms(question) if term.isprintable()]
        match = " OR ".join(f'"{term}"' for term in asked)
        return self._file.execute(
            "WITH best AS (SELECT rowid AS seq FROM word WHERE word MATCH ? ORDER BY rank LIMIT ?)"
            " SELECT * FROM message WHERE exchange IN"
            " (SELECT exchange FROM message JOIN best USING (seq))",
            (match, _EVIDENCE),
        ).fetchall()

    def history(self, session: str) -> Sequence[Any]:
        """Read the newest messages of a session."""
        return self._file.execute(
            "SELECT * FROM message WHERE exchange IN"
            " (SELECT id FROM exchange WHERE session = ? ORDER BY id DESC LIMIT ?) ORDER BY seq",
            (session, _NEWEST),
        ).fetchall()

    def session(self, session: str) -> Sequence[Any]:
        """Read one header."""
        return self._file.execute("SELECT * FROM session WHERE id = ?", (session,)).fetchall()


def opened(path: Path) -> None:
    """Open a file, read a row, close it."""
    connection = apsw.Connection(str(path))
    connection.execute("PRAGMA synchronous = FULL; SELECT * FROM meta").fetchall()
    connection.close()


def _named(table: str) -> str:
    """An FTS5 table needs its columns named for the rowid to be given."""
    return "word (rowid, terms)" if table == "word" else table
