"""Segment files: the format of a segment on the disk.

A file is: the magic (8 bytes), the format's number and the header's length (4 bytes each,
little-endian), the header (JSON), its BLAKE2b digest (32 bytes), and the arrays, each at a multiple
of 64 bytes, little-endian, row by row. The header lists each array with its type, shape, offset and
digest. A file is written under a temporary name and renamed once it is durable.

Next to an encrypted store the file is one sealed piece, bound to its name; its arrays are then in
memory instead of being mapped.
"""

import errno
import io
import mmap
import os
import secrets
from hashlib import blake2b
from math import prod
from pathlib import Path
from typing import Annotated, Any, BinaryIO

import msgspec
import numpy as np
from numpy.typing import NDArray

from unabridged.disk.atomic_write import sync_folder
from unabridged.disk.folders import private_folder
from unabridged.errors import (
    StoreDamagedError,
    StoreError,
    StoreFormatError,
    StoreFullError,
    StoreKeyError,
)
from unabridged.index.segment import Segment
from unabridged.ports import Cipher

MAGIC = b"UnabrSeg"
FORMAT = 1
SUFFIX = ".segment"
UNFINISHED = ".part"
"""The suffix of a file while it is written; such files may be removed at any time."""
_ALIGNED = 64
_PIECE = 1 << 16
_DIGEST = 32
_NUMBERS = 16
_NO_ROOM = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})
_HINT = "The index is rebuilt from the stored rows; no message is lost."


_Count = Annotated[int, msgspec.Meta(ge=0)]


class _Array(msgspec.Struct, frozen=True):
    name: str
    kind: Annotated[str, msgspec.Meta(pattern=r"^[<|][iuf][1248]$")]
    shape: tuple[_Count, ...]
    start: _Count
    digest: str


class _Header(msgspec.Struct, frozen=True):
    embedder: str
    dimension: int
    centres: str
    size: int
    arrays: tuple[_Array, ...]


def write(folder: Path, segment: Segment, cipher: Cipher | None = None) -> str:
    """Write a segment durably into a folder, which is created if needed.

    Returns:
        The name of the new file; never an earlier one.

    Raises:
        StoreFullError: The disk is full.
        StoreError: It could not be written; there is no new file.
    """
    name = secrets.token_hex(12) + SUFFIX
    unfinished = folder / (name + UNFINISHED)
    try:
        private_folder(folder)
        try:
            _write_file(unfinished, segment, cipher, _purpose(name))
            unfinished.replace(folder / name)
        except BaseException:
            unfinished.unlink(missing_ok=True)
            raise
        sync_folder(folder)
    except OSError as error:
        kind = StoreFullError if error.errno in _NO_ROOM else StoreError
        raise kind(
            f"An index file could not be written in {folder}: {error.strerror}.",
            hint="Free space or correct the folder's permissions; every message is stored.",
        ) from error
    return name


def _purpose(name: str) -> bytes:
    return b"segment " + name.encode()


class Mapped(dict[str, NDArray[Any]]):
    """Arrays in a file.

    Args:
        file: The mapping of the file, or its decrypted bytes.
    """

    def __init__(self, file: mmap.mmap | bytes) -> None:
        super().__init__()
        self.file = file


def load(path: Path, cipher: Cipher | None = None) -> Segment:
    """Return a segment with arrays mapped from its file, unmapped when unused.

    Raises:
        StoreDamagedError: The file is missing, cut off, or its header is damaged.
        StoreFormatError: A newer version wrote it.
    """
    mapped = _content(path, cipher)
    header = _header(path, mapped)
    arrays = Mapped(mapped)
    arrays.update((array.name, _view(path, mapped, array)) for array in header.arrays)
    return Segment(arrays, header.embedder, header.dimension, header.centres)


def verify(path: Path, cipher: Cipher | None = None) -> None:
    """Read every array and compare its digest.

    Raises:
        StoreDamagedError: An array is damaged.
        StoreFormatError: A newer version wrote it.
    """
    mapped = _content(path, cipher)
    for array in _header(path, mapped).arrays:
        if _digest(_view(path, mapped, array)) != array.digest:
            raise _damaged(path, f"its array {array.name} was changed")


def release(segment: Segment) -> None:
    """Free the memory that a mapped segment used while it was read.

    It stays usable and is read again from the system's cache. Regular calls keep a large index from
    counting as this process's memory. On Windows this does nothing.
    """
    file = segment.arrays.file if isinstance(segment.arrays, Mapped) else None
    if isinstance(file, mmap.mmap) and _DONT_NEED is not None:
        file.madvise(_DONT_NEED)


def remove(path: Path) -> bool:
    """Remove a file; return False if it is still mapped (Windows)."""
    try:
        path.unlink(missing_ok=True)
    except PermissionError:
        return False
    return True


def _write_file(path: Path, segment: Segment, cipher: Cipher | None, purpose: bytes) -> None:
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _BINARY, 0o600)
    with open(descriptor, "wb", buffering=_PIECE) as file:  # noqa: PTH123 - from a descriptor with its mode
        if cipher is None:
            _write_content(file, segment)
        else:
            whole = io.BytesIO()
            _write_content(whole, segment)
            file.write(cipher.encrypt(whole.getvalue(), purpose))
        file.flush()
        os.fsync(file.fileno())


def _write_content(file: BinaryIO, segment: Segment) -> None:
    arrays = {name: _little(array) for name, array in segment.arrays.items()}
    header, start = _described(segment, arrays)
    file.write(header)
    for array in arrays.values():
        file.seek(start)
        _write_array(file, array)
        start = _aligned(start + array.nbytes)
    file.seek(0, io.SEEK_END)
    file.write(bytes(start - file.tell()))


def _write_array(file: BinaryIO, array: NDArray[Any]) -> None:
    data = array.data.cast("B") if array.size else memoryview(b"")
    for start in range(0, len(data), _PIECE):
        file.write(data[start : start + _PIECE])
        file.flush()


def _described(segment: Segment, arrays: dict[str, NDArray[Any]]) -> tuple[bytes, int]:
    digests = {name: _digest(array) for name, array in arrays.items()}
    start = 0
    head = b""
    while not head or _aligned(len(head)) != start:
        start = _aligned(len(head))
        described, at = [], start
        for name, array in arrays.items():
            described.append(_Array(name, array.dtype.str, array.shape, at, digests[name]))
            at = _aligned(at + array.nbytes)
        header = msgspec.json.encode(
            _Header(segment.embedder, segment.dimension, segment.centres, at, tuple(described))
        )
        numbers = FORMAT.to_bytes(4, "little") + len(header).to_bytes(4, "little")
        head = MAGIC + numbers + header + blake2b(header, digest_size=_DIGEST).digest()
    return head, start


def _content(path: Path, cipher: Cipher | None) -> mmap.mmap | bytes:
    if cipher is None:
        return _mapped(path)
    try:
        return cipher.decrypt(path.read_bytes(), _purpose(path.name))
    except OSError as error:
        raise _damaged(path, f"it cannot be opened ({error})") from error
    except (StoreKeyError, StoreDamagedError) as error:
        raise _damaged(path, str(error)) from error


def _mapped(path: Path) -> mmap.mmap:
    try:
        with path.open("rb") as file:
            return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    except (OSError, ValueError) as error:
        raise _damaged(path, f"it cannot be opened ({error})") from error


def _header(path: Path, mapped: mmap.mmap | bytes) -> _Header:
    if mapped[: len(MAGIC)] != MAGIC or len(mapped) < _NUMBERS:
        raise _damaged(path, "it is not an index file")
    number = int.from_bytes(mapped[8:12], "little")
    if number != FORMAT:
        raise StoreFormatError(
            f"The index file {path.name} has format {number}; this version supports {FORMAT}.",
            hint="Use the newer version, or remove the file: it is rebuilt from the rows.",
        )
    stop = _NUMBERS + int.from_bytes(mapped[12:16], "little")
    data, digest = mapped[_NUMBERS:stop], mapped[stop : stop + _DIGEST]
    if blake2b(data, digest_size=_DIGEST).digest() != digest:
        raise _damaged(path, "its header was changed")
    try:
        header = msgspec.json.decode(data, type=_Header)
    except (ValueError, RecursionError) as error:
        raise _damaged(path, "its header cannot be read") from error
    if header.size != len(mapped):
        raise _damaged(path, f"it has {len(mapped):,} bytes, not {header.size:,}")
    return header


def _view(path: Path, mapped: mmap.mmap | bytes, array: _Array) -> NDArray[Any]:
    kind = np.dtype(array.kind)
    try:
        if not (count := prod(array.shape)):
            return np.empty(array.shape, dtype=kind)
        flat = np.frombuffer(mapped, dtype=kind, count=count, offset=array.start)
        return flat.reshape(array.shape)
    except (ValueError, OverflowError) as error:
        raise _damaged(path, f"its array {array.name} is not in it") from error


def _little(array: NDArray[Any]) -> NDArray[Any]:
    return np.ascontiguousarray(array, dtype=array.dtype.newbyteorder("<"))


def _digest(array: NDArray[Any]) -> str:
    data = array.data.cast("B") if array.size else b""
    return blake2b(data, digest_size=_DIGEST).hexdigest()


def _aligned(position: int) -> int:
    return -(-position // _ALIGNED) * _ALIGNED


def _damaged(path: Path, why: str) -> StoreDamagedError:
    return StoreDamagedError(f"The index file {path.name} is damaged: {why}.", hint=_HINT)


_BINARY: int = getattr(os, "O_BINARY", 0)
_DONT_NEED: int | None = getattr(mmap, "MADV_DONTNEED", None)
