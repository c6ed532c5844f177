"""What a disk may hold after a power cut: every legal state of files whose writes were traced.

The model is pessimistic. Of a file, what was written since its last sync is kept, dropped, or torn:
some of its sectors (512 bytes, at multiples of 512) arrive and others do not, in any order. Of a
folder, what was made, renamed or removed since the folder's last sync is kept or dropped, entry by
entry; a rename within or between folders happens whole or not at all. A file that is dropped from
its folder is gone, however durable its bytes are.

Sources: Pillai et al., "All File Systems Are Not Created Equal" (OSDI 2014) for what file systems
do; https://www.sqlite.org/atomiccommit.html, section 2, for what SQLite expects of a disk: a sector
is not written backwards and what lies beside the written bytes stays (powersafe overwrite).
"""

import random
from dataclasses import dataclass, field
from pathlib import Path

SECTOR = 512


@dataclass(frozen=True, slots=True)
class Write:
    """Bytes of a file."""

    inode: int
    offset: int
    data: bytes


@dataclass(frozen=True, slots=True)
class Cut:
    """A file was given a size."""

    inode: int
    size: int


@dataclass(frozen=True, slots=True)
class Sync:
    """A file's bytes are durable."""

    inode: int


@dataclass(frozen=True, slots=True)
class Entry:
    """Names of folders came or went: ``made`` is set, then ``gone`` removed. Paths are relative.

    ``inode`` is -1 for a folder. ``folders`` are those whose entries changed.
    """

    folders: tuple[str, ...]
    made: str = ""
    inode: int = -1
    gone: str = ""
    moves: bool = False


@dataclass(frozen=True, slots=True)
class SyncFolder:
    """A folder's entries are durable."""

    folder: str


@dataclass(frozen=True, slots=True)
class Mark:
    """Not an operation: what the program knew at this point."""

    said: object


Event = Write | Cut | Sync | Entry | SyncFolder | Mark


@dataclass(slots=True)
class File:
    """Bytes that are durable, and what was written since."""

    durable: bytearray = field(default_factory=bytearray)
    pending: list[Write | Cut] = field(default_factory=list)


class Shadow:
    """A disk that follows a trace, and can say at any point what a power cut would leave.

    Args:
        files: What lies there before: relative path to inode and bytes, all durable.
        folders: Relative paths of the folders that are there before.
    """

    def __init__(self, files: dict[str, tuple[int, bytes]], folders: set[str]) -> None:
        self.files = {inode: File(bytearray(data)) for inode, data in files.values()}
        self.names = {path: inode for path, (inode, _) in files.items()}
        self.folders = set(folders)
        self.entries: list[Entry] = []

    def apply(self, event: Event) -> None:
        """Go on by one event."""
        if isinstance(event, Write | Cut):
            self._file(event.inode).pending.append(event)
        elif isinstance(event, Sync):
            file = self._file(event.inode)
            for change in file.pending:
                _change(file.durable, change)
            file.pending.clear()
        elif isinstance(event, Entry):
            self.entries.append(event)
        elif isinstance(event, SyncFolder):
            kept = []
            for entry in self.entries:
                if event.folder in entry.folders:
                    _enter(self.names, self.folders, entry)
                else:
                    kept.append(entry)
            self.entries = kept

    def leave(self, target: Path, rng: random.Random) -> None:
        """Make files of one state that a power cut may leave now; ``target`` is empty."""
        names, folders = dict(self.names), set(self.folders)
        fate = _fate(rng)
        for entry in self.entries:
            if rng.random() < fate:
                _enter(names, folders, entry)
        for folder in sorted(folders):
            if _is_held(folder, folders):
                (target / folder).mkdir(exist_ok=True)
        fate = _fate(rng)
        written: dict[int, Path] = {}
        for path, inode in names.items():
            if not _is_held(path, folders):
                continue
            if inode in written:
                (target / path).hardlink_to(written[inode])
            else:
                written[inode] = target / path
                written[inode].write_bytes(self._survived(inode, fate, rng))

    def _file(self, inode: int) -> File:
        return self.files.setdefault(inode, File())

    def _survived(self, inode: int, fate: float, rng: random.Random) -> bytes:
        file = self._file(inode)
        if not file.pending:
            return file.durable
        left = bytearray(file.durable)
        for change in file.pending:
            if rng.random() < fate:
                _change(left, change)
            elif isinstance(change, Write) and rng.random() < 0.5:
                for piece in _sectors(change):
                    if rng.random() < 0.5:
                        _change(left, piece)
        return left


def _fate(rng: random.Random) -> float:
    """How likely a change survives: none of them, all, or some."""
    return rng.choice((0.0, 1.0, 0.3, 0.5, 0.7, 0.9))


def _change(data: bytearray, change: Write | Cut) -> None:
    if isinstance(change, Cut):
        data[change.size :] = bytes(max(0, change.size - len(data)))
        return
    if len(data) < change.offset:
        data.extend(bytes(change.offset - len(data)))
    data[change.offset : change.offset + len(change.data)] = change.data


def _sectors(write: Write) -> list[Write]:
    """The parts of a write that lie in one sector of the disk each."""
    parts, at = [], 0
    while at < len(write.data):
        stop = min(len(write.data), at + SECTOR - (write.offset + at) % SECTOR)
        parts.append(Write(write.inode, write.offset + at, write.data[at:stop]))
        at = stop
    return parts


def _enter(names: dict[str, int], folders: set[str], entry: Entry) -> None:
    """Let an entry happen, where what it needs did."""
    if entry.moves and entry.gone not in names and entry.gone not in folders:
        return
    if entry.gone in folders and entry.moves:
        _move_folder(names, folders, entry.gone, entry.made)
        return
    if entry.gone:
        names.pop(entry.gone, None)
        folders.discard(entry.gone)
    if entry.made and entry.inode < 0:
        folders.add(entry.made)
    elif entry.made:
        names[entry.made] = entry.inode


def _move_folder(names: dict[str, int], folders: set[str], old: str, new: str) -> None:
    for path in [p for p in names if p.startswith(old + "/")]:
        names[new + path[len(old) :]] = names.pop(path)
    for path in [p for p in folders if p == old or p.startswith(old + "/")]:
        folders.discard(path)
        folders.add(new + path[len(old) :])


def _is_held(path: str, folders: set[str]) -> bool:
    """Whether every folder above it is there."""
    parent = path.rpartition("/")[0]
    return not parent or (parent in folders and _is_held(parent, folders))
