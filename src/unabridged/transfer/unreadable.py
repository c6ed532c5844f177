"""Keeps the unreadable records of a foreign file in the home, so that nothing is lost.

A line for each record: ``{"file", "where", "reason", "raw"}``; ``raw_base64`` replaces ``raw`` if
the bytes are not UTF-8. The file's name ends with a digest of its content, so that a repeated import
keeps it once.
"""

import base64
import hashlib
import re
from collections.abc import Callable, Iterator
from datetime import datetime
from pathlib import Path

import msgspec

from unabridged.disk.atomic_write import of_the_system, write_whole
from unabridged.domain.results import SkippedRecord

END = ".unread.jsonl"
SEALED = ".sealed"
MOST = 64 << 20
"""The most bytes to keep of one file's records; the others stay in that file only."""
_NAME = re.compile(r"[^\w.-]+")
_LONGEST_NAME = 60


class Aside:
    """Collects the unreadable records of one file.

    Attributes:
        kept: The number of kept records.
        left: The number of records too large or too many to keep; they are in the file only.
    """

    def __init__(self, file: str) -> None:
        self.kept = 0
        self.left = 0
        self._file = file
        self._lines: list[bytes] = []
        self._held = 0

    def add(self, unread: SkippedRecord) -> None:
        """Add a record; skip one of which nothing is lost."""
        if not unread.raw:
            return
        line = msgspec.json.encode(dict(self._line(unread))) + b"\n"
        if self._held + len(line) > MOST:
            self.left += 1
            return
        self.kept += 1
        self._held += len(line)
        self._lines.append(line)

    def write(
        self, folder: Path, at: datetime, seal: Callable[[bytes], bytes] | None = None
    ) -> Path | None:
        """Write the records durably, for their owner only.

        Returns:
            The file; None if there is nothing to keep.

        Raises:
            StoreError: It cannot be written.
        """
        if not self._lines:
            return None
        data = b"".join(self._lines)
        name = _NAME.sub("-", Path(self._file).name).strip("-.")[:_LONGEST_NAME] or "stdin"
        end = f"-{name}-{hashlib.sha256(data).hexdigest()[:12]}{END}"
        end += SEALED if seal else ""
        try:
            there = next(
                (path for path in sorted(folder.iterdir()) if path.name.endswith(end)), None
            )
        except OSError as error:
            raise of_the_system(error, folder) from error
        if there is not None:
            return there
        path = folder / f"{at:%Y%m%dT%H%M%SZ}{end}"
        write_whole(path, seal(data) if seal else data)
        return path

    def _line(self, unread: SkippedRecord) -> Iterator[tuple[str, str]]:
        yield "file", self._file.encode("utf-8", "replace").decode()
        yield "where", unread.where.encode("utf-8", "replace").decode()
        yield "reason", unread.reason.encode("utf-8", "replace").decode()
        try:
            yield "raw", unread.raw.decode()
        except UnicodeDecodeError:
            yield "raw_base64", base64.b64encode(unread.raw).decode()
