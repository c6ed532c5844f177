"""Searches a store's files for bytes: the database, its log and its index.

It skips the ``-shm`` file, which holds only page numbers
(https://www.sqlite.org/walformat.html, section 2). Closing it here would drop this process's locks.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path

import apsw

from unabridged.disk.byte_search import BLOCK, ByteSearch
from unabridged.domain.forgetting import Scan
from unabridged.stores.sqlite.database import folder_of


def scan(path: Path, pieces: Sequence[Sequence[bytes]]) -> Scan:
    """Search the files of a database for pieces, each in every possible form."""
    search = ByteSearch(pieces)
    search.through(path.name, _database(path))
    log = path.with_name(path.name + "-wal")
    if log.exists():
        search.through(log.name, _plain(log))
    folder = folder_of(path)
    if folder.is_dir():
        for part in sorted(folder.iterdir()):
            if not part.name.startswith("."):  # a lock
                search.through(f"{folder.name}/{part.name}", _plain(part))
    return Scan(tuple(search.files), search.bytes, tuple(sorted(search.found)))


def _database(path: Path) -> Iterator[bytes]:
    file = apsw.VFSFile("", str(path), [apsw.SQLITE_OPEN_MAIN_DB | apsw.SQLITE_OPEN_READONLY, 0])
    try:
        size = file.xFileSize()
        for start in range(0, size, BLOCK):
            yield file.xRead(min(BLOCK, size - start), start)
    finally:
        file.xClose()


def _plain(path: Path) -> Iterator[bytes]:
    try:
        with path.open("rb") as stream:
            while block := stream.read(BLOCK):
                yield block
    except FileNotFoundError:
        return
