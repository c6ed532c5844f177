"""Bytes in and out of files: the only place where they are packed and unpacked."""

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
"""zlib's fastest: a file is packed again with every exchange."""
Stamp = tuple[int, int, int]
"""What shows that a file is another one: its number, size and time of change."""


def stamp(path: Path) -> Stamp | None:
    """Return what a file looks like from outside; None if there is none."""
    try:
        said = os.stat(path)  # noqa: PTH116 - a third of the time of Path.stat, at every write
    except FileNotFoundError:
        return None
    except OSError as error:
        raise atomic_write.of_the_system(error, path) from error
    return (said.st_ino, said.st_size, said.st_mtime_ns)


def read(path: Path) -> bytes:
    """Read a file, packed or not.

    Raises:
        FileNotFoundError: There is none.
        StoreDamagedError: It cannot be unpacked.
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
        raise file_errors.damaged(path, f"it cannot be unpacked: {error}") from error


def read_raw(path: Path) -> bytes:
    """Read a file to search it: unpacked if that is possible; empty if it is gone.

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
    """Write a file whole, packed if its name says so; durable when it returns.

    Raises:
        StoreError: It cannot be written; the old file is as it was.
    """
    if path.name.endswith(PACKED):
        data = gzip.compress(data, compresslevel=_LEVEL, mtime=0)
    atomic_write.write_whole(path, data)
