"""The pages of a file as they lie on the disk, and of its log; sound or not.

Read through SQLite's own file layer: opening and closing the file otherwise would drop the locks
that this process holds on it (https://www.sqlite.org/howtocorrupt.html, 2.2).
"""

import struct
from collections.abc import Iterator
from pathlib import Path

import apsw

USUAL = 4096
"""Bytes of a page, where the file cannot tell."""
_BLOCK = 256
_LOG_HEAD, _FRAME_HEAD = 32, 24
_LARGEST = 65_536


class Pages:
    """The pages of a file that may be damaged, each as it was written last.

    Source: https://www.sqlite.org/fileformat2.html, 1.3.2 (size of a page) and 4 (the log). Frames
    of the log count where they have the salts that most have, whether or not the sums over them
    fit: what is in them proves itself.

    Args:
        path: The file; its log is read too.
    """

    def __init__(self, path: Path) -> None:
        self._file: apsw.VFSFile | None = None
        self._bytes = 0
        if path.exists():
            flags = [apsw.SQLITE_OPEN_MAIN_DB | apsw.SQLITE_OPEN_READONLY, 0]
            self._file = apsw.VFSFile("", str(path), flags)
            self._bytes = self._file.xFileSize()
        log = path.with_name(path.name + "-wal")
        data = log.read_bytes() if log.exists() else b""
        self.size = self._size_of(data)
        self._frames = _frames(data, self.size)
        self.count = max(1, self._bytes // self.size, *self._frames)

    def _size_of(self, log: bytes) -> int:
        said = struct.unpack(">H", self._read(16, 2).ljust(2, b"\0"))[0]
        found = _LARGEST if said == 1 else said
        if found >= 512 and found & (found - 1) == 0:
            return int(found)
        written = int.from_bytes(log[8:12], "big")
        plausible = 512 <= written <= _LARGEST and written & (written - 1) == 0
        return written if plausible else USUAL

    def _read(self, place: int, amount: int) -> bytes:
        there = min(amount, self._bytes - place)
        if self._file is None or there <= 0:
            return b""
        return bytes(self._file.xRead(there, place))

    def current(self) -> Iterator[tuple[int, bytes]]:
        """Every page, with its number, as it was written last."""
        for start in range(0, self._bytes, _BLOCK * self.size):
            block = self._read(start, _BLOCK * self.size)
            for place in range(0, len(block), self.size):
                number = (start + place) // self.size + 1
                if number not in self._frames:
                    yield number, block[place : place + self.size].ljust(self.size, b"\0")
        for number, versions in self._frames.items():
            yield number, versions[-1]

    def older(self) -> Iterator[tuple[int, bytes]]:
        """What newer versions of pages took the place of, the newest first."""
        for number, versions in self._frames.items():
            for data in reversed(versions[:-1]):
                yield number, data
            stored = self._read((number - 1) * self.size, self.size)
            if stored:
                yield number, stored.ljust(self.size, b"\0")

    def page(self, number: int) -> bytes | None:
        """A page as it was written last; None where there is none."""
        if number in self._frames:
            return self._frames[number][-1]
        return self.stored(number)

    def stored(self, number: int) -> bytes | None:
        """A page as it lies in the file, whatever the log says; None where there is none."""
        found = self._read((number - 1) * self.size, self.size) if number > 0 else b""
        return found if len(found) == self.size else None

    def close(self) -> None:
        """Let go of the file."""
        if self._file is not None:
            self._file.xClose()
            self._file = None


def _frames(log: bytes, size: int) -> dict[int, list[bytes]]:
    """The versions of each page in a log, the newest last."""
    found: list[tuple[int, bytes, bytes]] = []
    salts: dict[bytes, int] = {}
    for place in range(_LOG_HEAD, len(log) - _FRAME_HEAD - size + 1, _FRAME_HEAD + size):
        salt = log[place + 8 : place + 16]
        number = int.from_bytes(log[place : place + 4], "big")
        body = place + _FRAME_HEAD
        found.append((number, salt, log[body : body + size]))
        salts[salt] = salts.get(salt, 0) + 1
    said = log[16:24]
    current = said if said in salts else max(salts, key=lambda one: salts[one], default=b"")
    versions: dict[int, list[bytes]] = {}
    for number, salt, data in found:
        if salt == current:
            versions.setdefault(number, []).append(data)
    return versions
