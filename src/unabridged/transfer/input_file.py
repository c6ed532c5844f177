"""Opens a file to import: unpacks it, counts its bytes, refuses decompression bombs."""

import io
import struct
import zipfile
import zlib
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, BinaryIO, cast

from unabridged.disk.cipher import is_sealed
from unabridged.errors import StoreKeyError, TransferError, UnknownFormatError
from unabridged.transfer.bytestream import ByteStream
from unabridged.transfer.decompress import Gzip, Xz, refuse_long_list

Unseal = Callable[[BinaryIO], IO[bytes]]
"""Returns the content of an encrypted stream as a stream."""
MEBIBYTE = 1 << 20
RATIO_FREE = 64 * MEBIBYTE
"""Bytes to unpack before the ratio is checked."""


_NOT_CONVERSATIONS = {
    "projects.json": "projects.json file",
    "memories.json": "memories.json file",
    "textdocs": "canvas document",
}
"""Files and folders with a person's text that are not imported, and their kind."""
_PACKINGS = frozenset({zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED})
_BAD_ARCHIVE = (
    zipfile.BadZipFile,
    NotImplementedError,
    RuntimeError,
    OSError,
    EOFError,
    ValueError,
    struct.error,
    zlib.error,
)


@dataclass(frozen=True, slots=True)
class InputLimits:
    """Limits for a foreign file.

    Attributes:
        record: Bytes of the largest single record (a line; a conversation of an export).
        unpacked: The most bytes of an unpacked file.
        ratio: The greatest ratio of unpacked to packed bytes, after the first 64 MiB.
        stream: The most bytes of an archive from a pipe, which is held in memory.
        held: The most bytes of memory, approximately, for records until they become a
            conversation.
    """

    record: int = 256 * MEBIBYTE
    unpacked: int = 8192 * MEBIBYTE
    ratio: int = 200
    stream: int = 1024 * MEBIBYTE
    held: int = 2048 * MEBIBYTE


@dataclass(frozen=True, slots=True)
class InputPart:
    """One stream of records: the file itself, or a member of an archive.

    Attributes:
        name: The member's name, or empty.
    """

    name: str
    stream: ByteStream


class InputFile:
    """A file or stream, ready to be read: unpacked, counted, bounded.

    Args:
        origin: A path, or a binary stream. A stream stays open when the source is closed.
        unseal: Opens an encrypted export; None for no key.

    Attributes:
        limits: The limits.
        total: Bytes of the stored file, or None for a pipe.
        packing: ``xz``, ``gzip``, ``zip`` or empty.
        left_out: Content of an archive that is not imported, by kind.

    Raises:
        TransferError: It cannot be opened.
        UnknownFormatError: It is an archive without conversations.
    """

    def __init__(
        self, origin: str | Path | BinaryIO, limits: InputLimits, unseal: Unseal | None = None
    ) -> None:
        self.limits = limits
        self.packing = ""
        self.left_out: Counter[str] = Counter()
        self._unpacked = 0
        self._closers: list[Callable[[], None]] = []
        self._stream = self._open(origin)
        self.total = _size(self._stream)
        self._whole = self.total is not None and self._stream.tell() == 0
        self._raw = ByteStream(self._stream)
        self._plain = self._raw
        try:
            if is_sealed(self._raw.peek()):
                self._plain = ByteStream(_opened(self._raw, unseal))
            self.parts = self._unpack()
        except BaseException:
            self.close()
            raise

    @property
    def read(self) -> int:
        """Return the bytes of the stored file that were read so far."""
        return self._raw.count if self.total is None else min(self._raw.count, self.total)

    @property
    def broken(self) -> str:
        """Return why the packed bytes ended too early, or an empty text."""
        return self._raw.broken

    def whole(self, part: InputPart) -> BinaryIO:
        """Return a part as a seekable file.

        A packed part, or one from a pipe, is held in memory.

        Raises:
            TransferError: It is too large for that.
        """
        if not self.packing and self._whole and self._plain is self._raw:
            return self._stream
        data = part.stream.read(self.limits.stream + 1)
        if len(data) > self.limits.stream:
            raise TransferError(
                "A packed database, or one from a pipe, is held in memory; this one is too large.",
                hint="Unpack it into a file, and import that file.",
            )
        return io.BytesIO(data)

    def close(self) -> None:
        """Close what was opened here; a second call does nothing."""
        while self._closers:
            self._closers.pop()()

    def _open(self, origin: str | Path | BinaryIO) -> BinaryIO:
        if not isinstance(origin, (str, Path)):
            return origin
        try:
            stream = Path(origin).open("rb")  # noqa: SIM115 - closed by close()
        except (OSError, ValueError) as error:
            reason = error.strerror if isinstance(error, OSError) else str(error)
            is_folder = isinstance(error, IsADirectoryError)
            look = f"Look for files in it: unabridged import --find {origin}"
            raise TransferError(
                f"{str(origin)!r} {'is a folder' if is_folder else f'cannot be opened: {reason}'}.",
                hint=look if is_folder else "Check the path.",
            ) from error
        self._closers.append(stream.close)
        return stream

    def _unpack(self) -> Iterator[InputPart]:
        head = self._plain.peek()[:6]
        raw = cast("IO[bytes]", self._plain)
        if head.startswith(b"\xfd7zXZ\x00"):
            self.packing = "xz"
            return self._single(cast("IO[bytes]", Xz(raw)))
        if head.startswith(b"\x1f\x8b"):
            self.packing = "gzip"
            return self._single(cast("IO[bytes]", Gzip(fileobj=raw)))
        if head.startswith(b"\x28\xb5\x2f\xfd"):
            raise UnknownFormatError(
                "The file is packed with Zstandard, which cannot be unpacked here.",
                hint="Unpack it with `unzstd FILE`, and import the result.",
            )
        if head.startswith((b"PK\x03\x04", b"PK\x05\x06")):
            self.packing = "zip"
            return self._archive()
        return iter([InputPart("", self._plain)])

    def _single(self, stream: IO[bytes]) -> Iterator[InputPart]:
        self._closers.append(stream.close)
        return iter([InputPart("", self._guarded(stream))])

    def _guarded(self, stream: IO[bytes]) -> ByteStream:
        before = self._unpacked

        def check(count: int) -> None:
            self._unpacked = before + count
            self._refuse_bomb(self._unpacked)

        return ByteStream(stream, check)

    def _refuse_bomb(self, unpacked: int) -> None:
        packed = max(1, self.read)
        swollen = unpacked > RATIO_FREE and unpacked // packed > self.limits.ratio
        if swollen or unpacked > self.limits.unpacked:
            raise TransferError(
                f"The file unpacks to more than {unpacked // MEBIBYTE:,} MiB; this is the limit.",
                hint="If you trust the file, unpack it yourself and import the content.",
            )

    def _archive(self) -> Iterator[InputPart]:
        archive = self._zip()
        self._closers.append(archive.close)
        names = [info for info in archive.infolist() if _holds_conversations(info.filename)]
        if not names:
            seen = ", ".join(repr(name) for name in archive.namelist()[:5]) or "nothing"
            raise UnknownFormatError(
                f"The archive holds no conversations.json; it holds {seen}.",
                hint="Import the archive as ChatGPT or Claude sent it, or a file from inside it.",
            )
        self.left_out = _left_out(archive)
        names.sort(key=lambda info: info.filename)
        return (InputPart(info.filename, self._member(archive, info)) for info in names)

    def _zip(self) -> zipfile.ZipFile:
        stream = cast("IO[bytes]", self._plain)
        if self.total is None or self._plain is not self._raw:
            data = self._plain.read(self.limits.stream + 1)
            if len(data) > self.limits.stream:
                raise TransferError(
                    "An archive from a pipe is held in memory; this one is too large.",
                    hint="Save it as a file, and import that file.",
                )
            stream = io.BytesIO(data)
        try:
            refuse_long_list(stream)
            return zipfile.ZipFile(stream)
        except _BAD_ARCHIVE as error:
            raise TransferError(
                f"The archive is damaged: {error}.",
                hint="Download it again, or unpack what you can and import that.",
            ) from error

    def _member(self, archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> ByteStream:
        try:
            if info.compress_type not in _PACKINGS:
                raise NotImplementedError("packed in a way that account exports never are")
            member = archive.open(info)
        except _BAD_ARCHIVE as error:
            raise TransferError(
                f"{info.filename!r} in the archive cannot be opened: {error}.",
                hint="Unpack it and import the conversations.json in it.",
            ) from error
        self._closers.append(member.close)
        return self._guarded(member)


def _opened(stream: ByteStream, unseal: Unseal | None) -> IO[bytes]:
    if unseal is None:
        raise StoreKeyError(
            "The file is encrypted, and no key is set.",
            hint="Set its key: UNABRIDGED_KEY=file:PATH, or `unabridged config set key file:PATH`.",
        )
    return unseal(cast("BinaryIO", stream))


def _left_out(archive: zipfile.ZipFile) -> Counter[str]:
    paths = [name.split("/") for name in archive.namelist() if not name.endswith("/")]
    named = (part for path in paths for part in path[-2:] if part in _NOT_CONVERSATIONS)
    return Counter(_NOT_CONVERSATIONS[part] for part in named)


def _holds_conversations(name: str) -> bool:
    base = name.rsplit("/", 1)[-1].lower()
    return base.startswith("conversations") and base.endswith(".json")


def _size(stream: BinaryIO) -> int | None:
    try:
        if not stream.seekable():
            return None
        here = stream.tell()
        end = stream.seek(0, io.SEEK_END)
        stream.seek(here)
    except (OSError, ValueError, AttributeError):
        return None
    return end - here
