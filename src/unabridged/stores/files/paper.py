"""Bytes in and out of files: the only place where they are packed and unpacked."""

import gzip
import os
import zlib
from pathlib import Path

from unabridged.disk import durable
from unabridged.errors import StoreDamagedError
from unabridged.stores.files.encrypting import Encryption, file_in, file_out
from unabridged.stores.files.names import PACKED

_MAGIC = b"\x1f\x8b"
_LEVEL = 1
"""zlib's fastest: a file is packed anew with every exchange."""
Stamp = tuple[int, int, int]
"""What shows that a file is another one: its number, size and time of change."""


def stamp(path: Path) -> Stamp | None:
    """Say what a file looks like from outside; None where there is none."""
    try:
        said = os.stat(path)  # noqa: PTH116 - a third of the time of Path.stat, at every question
    except FileNotFoundError:
        return None
    except OSError as error:
        raise durable.of_the_system(error, path) from error
    return (said.st_ino, said.st_size, said.st_mtime_ns)


def read(path: Path, encryption: Encryption | None = None) -> bytes:
    """Read a file, sealed or not, packed or not.

    Raises:
        FileNotFoundError: There is none.
        StoreKeyError: It is sealed, and the key is missing or another one.
        StoreDamagedError: It cannot be unpacked.
        StoreError: The disk failed.
    """
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        raise
    except OSError as error:
        raise durable.of_the_system(error, path) from error
    data = file_in(path, data, encryption)
    if not data.startswith(_MAGIC):
        return data
    try:
        return gzip.decompress(data)
    except (OSError, EOFError, zlib.error) as error:
        raise StoreDamagedError(
            f"{path} is packed and cannot be unpacked: {error}.",
            hint="Restore it from a backup, or salvage what is left of it; nothing was changed.",
        ) from error


def read_part(path: Path, start: int, end: int) -> bytes:
    """Read a part of a file that only grows.

    Raises:
        FileNotFoundError: There is none.
        StoreError: The disk failed.
    """
    try:
        with path.open("rb") as stream:
            stream.seek(start)
            return stream.read(end - start)
    except FileNotFoundError:
        raise
    except OSError as error:
        raise durable.of_the_system(error, path) from error


def prepared(path: Path, data: bytes, encryption: Encryption | None = None) -> bytes:
    """Give the bytes that a file is to hold: packed where its name says so, sealed where asked."""
    if path.name.endswith(PACKED):
        data = gzip.compress(data, compresslevel=_LEVEL, mtime=0)
    return file_out(data, encryption)


def append(path: Path, data: bytes, at: int) -> None:
    """Write behind the first ``at`` bytes of a file, durable when it returns.

    Raises:
        StoreError: As the disk says; what stands before is as it was.
    """
    try:
        durable.append_to(path, data, at)
        if at == 0:
            durable.sync_folder(path.parent)
    except OSError as error:
        raise durable.of_the_system(error, path) from error
