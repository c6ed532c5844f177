"""Looking through the files of a space for bytes: as they lie, and unpacked where they are packed."""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from unabridged.domain.forgetting import Scan
from unabridged.errors import StoreDamagedError, StoreKeyError
from unabridged.stores.files import paper
from unabridged.disk.byte_search import BLOCK, Search


def scan(paths: Iterable[Path], home: Path, pieces: Sequence[Sequence[bytes]]) -> Scan:
    """Look through files.

    Args:
        paths: The files.
        home: What their names begin below.
        pieces: Each in every form of bytes that it may have.
    """
    search = Search(pieces)
    for path in sorted(set(paths)):
        search.through(path.relative_to(home).as_posix(), _blocks(path))
    return Scan(tuple(search.files), search.bytes, tuple(sorted(search.found)))


def _blocks(path: Path) -> Iterator[bytes]:
    """The bytes of a file, unpacked; one that is gone meanwhile holds nothing."""
    try:
        data = paper.read(path)
    except FileNotFoundError:
        return
    except (StoreDamagedError, StoreKeyError):
        data = path.read_bytes()
    yield from (data[start : start + BLOCK] for start in range(0, len(data), BLOCK))
