"""Read and write files; compression is only here."""

import gzip
import os
import zlib
from pathlib import Path

from unabridged.disk import atomic_write
from unabridged.errors import StoreDamagedError
from unabridged.projections.json_files import file_errors
from unabridged.projections.json_files.file_paths import PACKED

_MAGIC = b"\x1f\x8b"
_LEVEL = 1
"""zlib's fastest: a file is compressed again with every exchange."""
Stamp = tuple[int, int, int]
"""The marks of a file: its number, size and time of change."""


def stamp(path: Path) -> Stamp | None:
    """Return the marks of a file; None if there is none."""
    try:
        said = os.stat(path)  # noqa: PTH116 - a third of the time of Path.stat, at every write
    except FileNotFoundError:
        return None
    except OSError as error:
        raise atomic_write.of_the_system(error, path) from error
    return (said.st_ino, said.st_size, said.st_mtime_ns)


def read(path: Path) -> bytes:
    """Return the content of a file, compressed or not.

    Raises:
        FileNotFoundError: There is none.
        StoreDamagedError: It cannot be decompressed.
        StoreError: The disk failed.
    """
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        raise
    except OSError as error:
        raise atomic_write.of_the_system(error, path) from error
    if not data.startswith(_MAGIC):
        return data
    try:
        return gzip.decompress(data)
    except (OSError, EOFError, zlib.error) as error:
        raise file_errors.damaged(path, f"it cannot be decompressed: {error}") from error


def read_raw(path: Path) -> bytes:
    """Return the bytes of a file to search: decompressed if possible; empty if it is missing.

    Raises:
        StoreError: The disk failed.
    """
    try:
        return read(path)
    except FileNotFoundError:
        return b""
    except StoreDamagedError:
        return path.read_bytes()


def write(path: Path, data: bytes) -> None:
    """Write a file whole and durably, compressed if its name requires it.

    Raises:
        StoreError: It cannot be written; the old file is unchanged.
    """
    if path.name.endswith(PACKED):
        data = gzip.compress(data, compresslevel=_LEVEL, mtime=0)
    atomic_write.write_whole(path, data)
