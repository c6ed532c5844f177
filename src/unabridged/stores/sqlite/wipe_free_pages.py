"""Wipe the data that SQLite leaves in the gaps of its pages.

``secure_delete`` zeroes a deleted row. But when rows move between the pages of a b-tree, their old
copies stay in the unused middle of the old pages, and deleting the row later does not reach those.
(Seen in tests/faults/test_erasure.py with SQLite 3.54.) So after forgetting, the unused middle of
every b-tree page is zeroed in the file itself, which no reader uses.

Source: https://www.sqlite.org/fileformat2.html#b_tree_pages: the page header (at byte 100 of page 1)
has the type at offset 0, the number of cells at 3 and the start of the cell content at 5, each two
bytes, big-endian; the header is 12 bytes long on interior pages and 8 on leaves; the array of cell
pointers follows, 2 bytes each; the bytes between it and the cell content are unused.
"""

from collections.abc import Iterator
from pathlib import Path

import apsw

_INTERIOR, _LEAF = frozenset({2, 5}), frozenset({10, 13})
_FILE_HEADER = 100
_MOST_PAGES = 1 << 24
"""The most pages (64 GiB): beyond, an overflow page can look like a b-tree page."""
_BLOCK = 256
"""Pages read at once."""


def gap_of(page: bytes, header: int = 0) -> tuple[int, int]:
    """Return the range of a page's unused middle; its header starts at the byte (100 on page 1).

    The header of page 1 is at 100. It is empty for a page of another kind.
    """
    kind = page[header]
    if kind not in _INTERIOR and kind not in _LEAF:
        return 0, 0
    length = 12 if kind in _INTERIOR else 8
    cells = int.from_bytes(page[header + 3 : header + 5], "big")
    content = int.from_bytes(page[header + 5 : header + 7], "big") or 65_536
    begin = header + length + 2 * cells
    return (begin, content) if begin <= content <= len(page) else (0, 0)


def scrub(path: Path, page_size: int) -> int:
    """Zero the gaps of every page. The caller holds the write lock, and the log is empty.

    The file is opened through SQLite's file layer: closing it otherwise would drop this process's
    locks on it (https://www.sqlite.org/howtocorrupt.html, 2.2). Return the number of pages that
    contained data.
    """
    flags = [apsw.SQLITE_OPEN_MAIN_DB | apsw.SQLITE_OPEN_READWRITE, 0]
    file = apsw.VFSFile("", str(path), flags)
    try:
        dirty = 0
        for offset, length in _gaps(file, page_size):
            file.xWrite(bytes(length), offset)
            dirty += 1
        if dirty:
            file.xSync(apsw.SQLITE_SYNC_NORMAL)
        return dirty
    finally:
        file.xClose()


def _gaps(file: apsw.VFSFile, page_size: int) -> Iterator[tuple[int, int]]:
    size = file.xFileSize()
    if size // page_size >= _MOST_PAGES:
        return
    for start in range(0, size, _BLOCK * page_size):
        block = file.xRead(min(_BLOCK * page_size, size - start), start)
        for place in range(0, len(block), page_size):
            page = block[place : place + page_size]
            begin, end = gap_of(page, _FILE_HEADER if start + place == 0 else 0)
            if begin < end and page.count(0, begin, end) != end - begin:
                yield start + place + begin, end - begin
