"""Taking out of a damaged file every row that proves itself by its digest.

The file is read page by page, log included, and rows are found in the bytes (``cells``): neither
header nor schema nor b-trees need to be sound. Rows that a page's own header leads to come before
others, and pages as they were written last before older ones, which count only where the newer one is
damaged: so nothing that was replaced or removed comes back.
"""

from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from pathlib import Path

import apsw

from unabridged.domain.record import RecordKind
from unabridged.domain.scope import Space
from unabridged.errors import StoreDamagedError
from unabridged.stores.codec import unpack
from unabridged.stores.salvaging import Finds, Header
from unabridged.stores.sqlite import faults
from unabridged.stores.sqlite.cells import Cell, cells, cells_at, listed
from unabridged.stores.sqlite.pages import Pages
from unabridged.stores.sqlite.rows import (
    Row,
    checked,
    exchange_of,
    message_of,
    name_of,
    record_of,
    session_of,
    text_of,
)

_FILE_HEADER = 100
_TOLD_EVERY = 256
"""Pages between two reports."""


def salvage(path: Path, moved: Callable[[int, int], None] | None = None) -> Finds:
    """Find every row of a file that proves itself. The file is only read.

    Args:
        path: The file; its log lies beside it.
        moved: Told how many pages were read, and of how many.

    Raises:
        StoreError: The disk failed.
    """
    try:
        pages = Pages(path)
    except (apsw.Error, OSError) as error:
        raise _of_the_disk(error, path) from error
    try:
        return _Search(pages, path).run(moved or (lambda _done, _of: None))
    except (apsw.Error, OSError) as error:
        raise _of_the_disk(error, path) from error
    finally:
        pages.close()


def _of_the_disk(error: Exception, path: Path) -> Exception:
    if isinstance(error, OSError):
        return faults.of_the_system(error, path)
    return faults.translate(error, path) if isinstance(error, apsw.Error) else error


class _Search:
    """One search of one file."""

    def __init__(self, pages: Pages, path: Path) -> None:
        self._pages = pages
        self._path = path
        self._finds = Finds()
        self._sound: set[int] = set()

    def run(self, moved: Callable[[int, int], None]) -> Finds:
        """Read every page: by its own header, then, where that does not lead to all, byte by byte."""
        for done, (number, page) in enumerate(self._pages.current(), 1):
            self._take_listed(number, page)
            if done % _TOLD_EVERY == 0:
                moved(done // 2, self._pages.count)
        for done, (number, page) in enumerate(self._pages.current(), 1):
            if number not in self._sound:
                self._take(page)
            if done % _TOLD_EVERY == 0:
                moved((self._pages.count + done) // 2, self._pages.count)
        for number, page in self._pages.older():
            if number not in self._sound:
                self._take(page)
        return self._finds

    def _take_listed(self, number: int, page: bytes) -> None:
        """Take the rows that a page's own header leads to; it is sound where all are rows."""
        known = listed(page, _FILE_HEADER if number == 1 else 0)
        if not known:
            return
        through: list[int] = []

        def overflow(wanted: int) -> bytes | None:
            through.append(wanted)
            return self._pages.page(wanted)

        proved = set()
        for start, cell in cells_at(sorted(known), page, self._pages.size, overflow):
            row = self._proved(cell)
            if row is not None:
                proved.add(start)
                self._sound.update(through)
                self._keep(cell, row)
            through.clear()
        if known == proved:
            self._sound.add(number)

    def _take(self, page: bytes) -> None:
        """Take every row that lies somewhere in a page."""
        for _, cell in cells(page, self._pages.size, self._pages.page):
            row = self._proved(cell)
            if row is not None:
                self._keep(cell, row)

    def _proved(self, cell: Cell) -> Row | None:
        """The row of a cell as a statement would give it, where its digest fits."""
        columns = _AS_ROW[cell.table](cell)
        try:
            checked(cell.table, columns, self._path)
        except (StoreDamagedError, TypeError, UnicodeEncodeError):
            return None
        return columns

    def _keep(self, cell: Cell, row: Row) -> None:
        keep = _KEEP.get(cell.table)
        if keep is not None:
            keep(self._finds, row, self._path)


def _numbered(cell: Cell) -> Row:
    """The number of a row stands in place of its first column."""
    return (cell.number, *cell.columns[1:])


def _unnumbered(cell: Cell) -> Row:
    """The number of a row is not in its digest."""
    return cell.columns[1:]


def _plain(cell: Cell) -> Row:
    return cell.columns


def _entry(cell: Cell) -> Row:
    """SQLite writes a real number that is whole as a whole one."""
    place, exchange, session, parent, at, *rest = _numbered(cell)
    return (place, exchange, session, parent, float(at) if at is not None else at, *rest)


_AS_ROW: Mapping[str, Callable[[Cell], Row]] = {
    "message": _numbered,
    "exchange": _plain,
    "session": _plain,
    "record": _unnumbered,
    "entry": _entry,
    "meta": _plain,
    "tally": _numbered,
}


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
        record = record_of(row, path)
    except ValueError:  # a kind of a newer version
        return
    finds.records.setdefault((record.kind, record.id), record)
    for name in record.exchanges:
        finds.named.setdefault(name, None)


def _known_entry(finds: Finds, row: Row, _: Path) -> None:
    finds.named[name_of(row[1])] = datetime.fromtimestamp(row[4], UTC)
    finds.numbers[name_of(row[1])] = row[2]


def _meta(finds: Finds, row: Row, path: Path) -> None:
    name, value = checked("meta", row, path)
    if text_of(name) == "space" and finds.space is None:
        finds.space = Space(**unpack(value))


def _tally(finds: Finds, row: Row, path: Path) -> None:
    count = unpack(checked("tally", row, path)[1])
    if finds.exchanges is None:
        finds.exchanges = count.get("exchanges")
        kinds = {str(kind) for kind in RecordKind}
        finds.counted = {k: n for k, n in count.get("records", {}).items() if k in kinds}


_KEEP: Mapping[str, Callable[[Finds, Row, Path], None]] = {
    "message": _message,
    "exchange": _exchange,
    "session": _session,
    "record": _record,
    "entry": _known_entry,
    "meta": _meta,
    "tally": _tally,
}
