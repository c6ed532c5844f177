"""The file of the audit log: lines of JSON, chained under a key of the home.

Each key has its own chain: ``logs/audit/MARK.jsonl``, where MARK is the mark of the key. A line ends
with a keyed BLAKE2b digest (RFC 7693) over the digest of the line before it and the rest of the line.
``logs/audit/head.json`` is a checkpoint file: the number and the digest of the last line, and of the
last one that was removed because of its age. A checkpoint outside the home has the same.
"""

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from hashlib import blake2b
from hmac import compare_digest
from pathlib import Path
from typing import Annotated

import msgspec

from unabridged.disk.atomic_write import FILE_MODE, sync_folder, system_errors, write_whole
from unabridged.disk.locks import locked
from unabridged.domain.audit import AuditEntry, Outcome
from unabridged.domain.encryption_key import EncryptionKey
from unabridged.domain.hash_chain import MacKey
from unabridged.domain.scope import SpaceId
from unabridged.stores.checkpoint_file import Checkpoint, CheckpointFile

SUFFIX, HEAD, LOCK = ".jsonl", "head.json", ".lock"
LOCK_SECONDS = 30.0
SLACK = 10
"""Old entries go once the oldest is a tenth of the bound too old, so that the file is seldom rewritten."""
_MAC_BYTES, _SPACE_BYTES = 16, 8
_MAC = b',"mac":"'
_TAIL = 4096
"""Bytes that hold the last line; one has about 200."""
_START = bytes(_MAC_BYTES)


@dataclass(frozen=True, slots=True)
class NewEntry:
    """What is to be written as one entry."""

    at: datetime
    who: str
    what: str
    space: SpaceId | None
    outcome: Outcome
    times: int
    count: int


class _Row(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    number: Annotated[int, msgspec.Meta(ge=1)]
    at: Annotated[datetime, msgspec.Meta(tz=True)]
    who: str
    what: str
    space: str
    outcome: Outcome
    times: int
    count: int
    mac: Annotated[str, msgspec.Meta(pattern="^[0-9a-f]{32}$")]


@dataclass(frozen=True, slots=True)
class _Place:
    """A place in a chain: the number of an entry and its digest."""

    number: int = 0
    mac: bytes = _START


class AuditChain:
    """The entries under one key. Processes can share it.

    Args:
        folder: The folder of the audit log; it exists.
        key: The key.
        anchor: The checkpoint file outside the home; None for none.
    """

    def __init__(self, folder: Path, key: EncryptionKey, anchor: CheckpointFile | None) -> None:
        self.path = folder / f"{key.mark}{SUFFIX}"
        self._key = key
        self._chain = blake2b(key=key.for_("audit chain"), digest_size=_MAC_BYTES)
        head = CheckpointFile(folder / HEAD, MacKey(key.for_("audit head"), key.mark))
        self._heads = [head] if anchor is None else [head, anchor]
        self._name = f"audit {key.mark}"

    def space_of(self, space: SpaceId | None) -> str:
        """Return the keyed digest of a space; empty for none."""
        if space is None:
            return ""
        name = msgspec.json.encode([space.user, space.agent, space.model])
        key = self._key.for_("audit space")
        return blake2b(name, key=key, digest_size=_SPACE_BYTES).hexdigest()

    def append(self, noted: Sequence[NewEntry], keep: timedelta | None) -> None:
        """Write entries durably; then remove those that are older than ``keep``.

        Raises:
            StoreError: They cannot be written, or the head was changed.
        """
        with system_errors(self.path), locked(self.path.parent / LOCK, LOCK_SECONDS):
            head, base = self._head()
            lines, last = [], max(self._last(), head, key=lambda place: place.number)
            for one in noted:
                line, last = self._line(one, last)
                lines.append(line)
            self._write(b"".join(lines))
            first = next(self._rows(), None)
            before = noted[-1].at - keep if keep is not None and noted else None
            rest: bytes | None = None
            if first is not None and _is_old(first, base, before, keep):
                base, rest = self._without_old(base, before)
            for each in self._heads:
                each.remember(self._name, self._checkpoint(last, base))
            if rest is not None:
                write_whole(self.path, rest)

    def entries(self) -> Iterator[AuditEntry]:
        """Return the entries, the oldest first; lines that cannot be read are left out."""
        base = self._head()[1].number
        for row in self._rows():
            if row is not None and row.number > base:
                yield AuditEntry(
                    row.number, row.at, row.who, row.what, row.space, row.outcome, row.times, row.count
                )  # fmt: skip

    def check(self) -> tuple[int, list[str]]:
        """Return how many entries there are, and what does not match."""
        flaws: list[str] = []
        head, base = self._head()
        last, found = base, 0
        for row, line in self._lines():
            if row is None:
                flaws.append(f"the line after entry {last.number} is not an entry.")
                continue
            mac = bytes.fromhex(row.mac)
            if row.number <= base.number:  # to be removed because of its age
                continue
            if row.number != last.number + 1:
                flaws.append(f"entry {last.number + 1} is missing or not in its place.")
            elif not compare_digest(self._digest(last.mac, line[: line.rindex(_MAC)]), mac):
                flaws.append(f"entry {row.number} was changed.")
            last, found = _Place(row.number, mac), found + 1
            if row.number == head.number and not compare_digest(mac, head.mac):
                flaws.append(f"entry {row.number} is not the one that was written.")
        if last.number < head.number:
            flaws.append(f"it ends with entry {last.number}, and {head.number} were written.")
        if self.path.exists() and head.number == 0:
            flaws.append(f"its head is missing in {self._heads[0].path}.")
        return found, flaws

    def moor(self) -> None:
        """Set the checkpoints to the present state, even if they were newer."""
        first = next(self._rows(), None)
        before = first.number - 1 if first is not None else 0
        with locked(self.path.parent / LOCK, LOCK_SECONDS):
            base = self._head()[1]
            base = base if base.number >= before else _Place()
            for each in self._heads:
                each.remember(self._name, self._checkpoint(self._last(), base), anew=True)

    def _head(self) -> tuple[_Place, _Place]:
        # The furthest of the checkpoints: an older one may have been put back.
        heads = [self._read_head(each) for each in self._heads]
        return max(heads, key=lambda found: found[0].number)

    def _read_head(self, file: CheckpointFile) -> tuple[_Place, _Place]:
        if file is self._heads[0] and not file.path.exists():
            return _Place(), _Place()
        known = file.recall(self._name)
        if known is None or known.mark != self._key.mark:  # anybody can prove one without a mark
            return _Place(), _Place()
        number, _, mac = known.state.partition(" ")
        base = _Place(int(number), bytes.fromhex(mac)) if mac else _Place()
        return _Place(known.number, bytes.fromhex(known.root)), base

    def _checkpoint(self, last: _Place, base: _Place) -> Checkpoint:
        state = f"{base.number} {base.mac.hex()}" if base.number else ""
        path = str(self.path.absolute())
        return Checkpoint(path, self._key.mark, last.number, last.number, last.mac.hex(), state)

    def _digest(self, before: bytes, text: bytes) -> bytes:
        digest = self._chain.copy()
        digest.update(before + text)
        return digest.digest()

    def _line(self, one: NewEntry, last: _Place) -> tuple[bytes, _Place]:
        number, space = last.number + 1, self.space_of(one.space)
        row = _Row(
            number, one.at, one.who, one.what, space, one.outcome, one.times, one.count, "0" * 32
        )
        text = msgspec.json.encode(row).rpartition(_MAC)[0]
        mac = self._digest(last.mac, text)
        return b"".join([text, _MAC, mac.hex().encode(), b'"}\n']), _Place(number, mac)

    def _last(self) -> _Place:
        # An unfinished line at the end was never acknowledged: it is removed.
        try:
            with self.path.open("r+b") as file:
                start = max(0, file.seek(0, os.SEEK_END) - _TAIL)
                file.seek(start)
                tail = file.read()
                whole, newline, rest = tail.rpartition(b"\n")
                if rest:
                    file.truncate(start + len(whole) + len(newline))
        except FileNotFoundError:
            return _Place()
        row = _read(whole.rpartition(b"\n")[2])
        return _Place() if row is None else _Place(row.number, bytes.fromhex(row.mac))

    def _write(self, data: bytes) -> None:
        is_new = not self.path.exists()
        with os.fdopen(
            os.open(self.path, os.O_CREAT | os.O_APPEND | os.O_WRONLY, FILE_MODE), "ab"
        ) as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        if is_new:
            sync_folder(self.path.parent)

    def _without_old(self, base: _Place, before: datetime | None) -> tuple[_Place, bytes]:
        kept: list[bytes] = []
        for row, line in self._lines():
            is_gone = row is not None and (
                row.number <= base.number or (before is not None and row.at < before)
            )
            if row is not None and is_gone and not kept:
                base = max(base, _Place(row.number, bytes.fromhex(row.mac)), key=lambda p: p.number)
            else:
                kept.append(line + b"\n")
        return base, b"".join(kept)

    def _rows(self) -> Iterator[_Row | None]:
        return (row for row, _ in self._lines())

    def _lines(self) -> Iterator[tuple[_Row | None, bytes]]:
        if not self.path.exists():
            return
        with system_errors(self.path), self.path.open("rb") as file:
            for line in file:
                if line.endswith(b"\n"):
                    yield _read(line[:-1]), line[:-1]


def _is_old(first: _Row, base: _Place, before: datetime | None, keep: timedelta | None) -> bool:
    too_old = before is not None and keep is not None and first.at < before - keep / SLACK
    return first.number <= base.number or too_old


def _read(line: bytes) -> _Row | None:
    try:
        row = msgspec.json.decode(line, type=_Row)
    except (ValueError, RecursionError):
        return None
    return row if line.endswith(f'{_MAC.decode()}{row.mac}"}}'.encode()) else None
