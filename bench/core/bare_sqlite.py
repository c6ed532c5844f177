"""The bare baseline: the same rows and questions on a copy of the same file, with nothing around.

What a store adds to this (digests, compare-and-swap, values) is what the ratio shows. Questions are
put to an FTS5 table of the copy's own, which holds the terms of every message.
"""

from collections.abc import Iterable, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import apsw
import msgspec

from unabridged.language.words import query_terms, terms

KEPT = ("exchange", "message", "record", "record_exchange", "session", "tally", "numbered")
"""Tables of what was said."""
_GROWING = {"message": "seq", "record": "row", "numbered": "number"}
"""Tables whose new rows have the largest numbers."""
_EVIDENCE = 16
_NEWEST = 50


class BareRows:
    """Reads which rows a store wrote since the last look.

    Args:
        path: The store's file.
    """

    def __init__(self, path: Path) -> None:
        self._file = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)
        self._since = {table: self._top(table) for table in _GROWING if _has(self._file, table)}

    def _top(self, table: str) -> int:
        column = _GROWING[table]
        found = self._file.execute(f"SELECT max({column}) FROM {table}").get  # noqa: S608 - our own names
        return int(found or 0)

    def new(
        self, session: str, exchange: str, tables: Iterable[str] = KEPT
    ) -> dict[str, list[tuple[Any, ...]]]:
        """Return the rows by table.

        Args:
            session: The session that was written to.
            exchange: The exchange that was.
            tables: Which tables; those that the store does not have are passed over.
        """
        asked: dict[str, tuple[str, tuple[Any, ...]]] = {
            "record_exchange": (
                "SELECT * FROM record_exchange WHERE exchange = ? AND record > ?",
                (exchange, self._since["record"]),
            ),
            "exchange": ("SELECT * FROM exchange WHERE id = ?", (exchange,)),
            "session": ("SELECT * FROM session WHERE id = ?", (session,)),
            "tally": ("SELECT * FROM tally", ()),
        }
        for table, since in self._since.items():
            column = _GROWING[table]
            asked[table] = (f"SELECT * FROM {table} WHERE {column} > ?", (since,))  # noqa: S608 - our own names
        wanted = set(tables)
        rows = {
            table: self._file.execute(*given).fetchall()
            for table, given in asked.items()
            if table in wanted
        }
        self._since = {table: self._top(table) for table in self._since}
        return rows

    def close(self) -> None:
        """Close the file."""
        self._file.close()


class BareSqlite:
    """A copy of a store's file, used through ``apsw`` alone.

    Args:
        path: The copy.
        searched: Whether questions will be put to it.
    """

    def __init__(self, path: Path, *, searched: bool = True) -> None:
        self._file = apsw.Connection(str(path))
        self._file.execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL")
        self._insert = {
            table: f"INSERT OR REPLACE INTO {table} VALUES ({', '.join('?' * self._columns(table))})"  # noqa: S608 - names of ours
            for table in KEPT
            if _has(self._file, table)
        }
        if searched:
            self._index()

    def _columns(self, table: str) -> int:
        return len(self._file.execute(f"PRAGMA table_info({table})").fetchall())

    def _index(self) -> None:
        self._file.execute(
            "BEGIN; CREATE VIRTUAL TABLE bare_word USING fts5(terms, tokenize = 'ascii')"
        )
        rows = self._file.execute("SELECT seq, parts FROM message").fetchall()
        self._file.executemany(
            "INSERT INTO bare_word (rowid, terms) VALUES (?, ?)",
            ((seq, " ".join(terms(_text(parts)))) for seq, parts in rows),
        )
        self._file.execute("COMMIT")

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
        for table, held in rows.items():
            for row in held:
                self._file.execute(self._insert[table], row)
        self._file.execute("COMMIT")

    def search(self, question: str) -> Sequence[Any]:
        """Ask FTS5 for the best messages of a question's terms, and read their exchanges."""
        asked = [term for term in query_terms(question) if term.isprintable()]
        match = " OR ".join(f'"{term}"' for term in asked)
        return self._file.execute(
            "WITH best AS (SELECT rowid AS seq FROM bare_word WHERE bare_word MATCH ?"
            " ORDER BY rank LIMIT ?)"
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


def _has(file: apsw.Connection, table: str) -> bool:
    return file.table_exists(None, table)


def _text(parts: Any) -> str:
    held: list[dict[str, Any]] = msgspec.json.decode(parts)
    return "\n".join(part["text"] for part in held if part["type"] == "text")
