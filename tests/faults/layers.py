"""A layer between the program and the disk: it notes every operation, and can let any of them fail.

SQLite is watched through a file layer of its own (an APSW VFS, which becomes the default), all else
through the functions of ``os`` and ``open``, for the files below one folder. The store is not told:
it runs as it always does, but for SQLite's shared memory, which a layer in Python does not have, so
that its connections lock the file exclusively.
"""

# It stands in for the functions of `os`, with the arguments that they take:
# ruff: noqa: PTH109, PTH110, PTH112, PTH115, PTH118, PLR0917
import builtins
import errno
import io
import os
import shutil
from collections.abc import Callable
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Self
from unittest import mock

import apsw
from tests.faults.shadow import Cut, Entry, Event, Mark, Shadow, Sync, SyncFolder, Write

CHECKPOINT_PAGES = 12
"""Pages of SQLite's log after which it is moved into the file: often, so that this is watched too."""
_SYSTEM = "unix"
_JOURNALS = ("-wal", "-journal")
Hook = Callable[[str, str], int]
"""Is told an operation's kind and path before it happens; gives the errno to fail with, or 0."""


class Layer:
    """Watches every operation on the files below a folder, for as long as it is entered.

    Args:
        root: The folder.
        hook: Lets operations fail; None for none.
        keep: Whether events are noted.
        sqlite: Whether SQLite's files are watched too; then each is for one connection at a time.

    Attributes:
        events: What happened, in order.
        shadow: The disk as it was in the beginning.
    """

    def __init__(
        self, root: Path, hook: Hook | None = None, *, keep: bool = True, sqlite: bool = True
    ) -> None:
        self.sqlite = sqlite
        self.root = str(root.resolve())
        self.hook = hook
        self.keep = keep
        self.events: list[Event] = []
        self.names: dict[str, int] = {}
        self.inodes = 0
        self.said = 0
        files, folders = self._look() if keep else ({}, set())
        self.shadow = Shadow(files, folders)

    def _look(self) -> tuple[dict[str, tuple[int, bytes]], set[str]]:
        files, folders, seen = {}, set(), {}
        for path in Path(self.root).rglob("*"):
            name = self.relative(path)
            if path.is_dir():
                folders.add(name)
                continue
            inode = seen.setdefault(path.stat().st_ino, len(seen) + 1)
            files[name] = (inode, path.read_bytes())
            self.names[name] = inode
        self.inodes = len(seen)
        return files, folders

    def __enter__(self) -> Self:
        self._stack = ExitStack()
        if self.sqlite:
            self._vfs = _Vfs(self)
            self._stack.callback(self._vfs.unregister)
            apsw.connection_hooks.append(_alone)
            self._stack.callback(apsw.connection_hooks.remove, _alone)
        for patch in _System(self).patches():
            self._stack.enter_context(patch)
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def relative(self, path: object) -> str:
        """The path below the root; empty for the root, ``..`` for what lies elsewhere."""
        full = os.path.normpath(os.path.join(os.getcwd(), os.fspath(path)))
        if full == self.root:
            return ""
        return full[len(self.root) + 1 :] if full.startswith(self.root + os.sep) else ".."

    def before(self, kind: str, name: str) -> int:
        """An operation is about to happen; gives the errno with which it fails, or 0."""
        self.said = self.hook(kind, name) if self.hook is not None else 0
        return self.said

    def note(self, event: Event) -> None:
        """An operation happened."""
        if self.keep:
            self.events.append(event)

    def mark(self, said: object) -> None:
        """Note what the program knows now."""
        self.note(Mark(said))

    def made(self, name: str) -> int:
        """A new file has this name."""
        self.inodes += 1
        self.names[name] = self.inodes
        self.note(Entry((folder_of(name),), made=name, inode=self.inodes))
        return self.inodes

    def removed(self, name: str) -> None:
        """A name is gone."""
        self.names.pop(name, None)
        self.note(Entry((folder_of(name),), gone=name))

    def moved(self, old: str, new: str) -> None:
        """A file or folder has another name, which takes the place of what had it."""
        if old in self.names:
            self.names[new] = self.names.pop(old)
        for path in [path for path in self.names if path.startswith(old + "/")]:
            self.names[new + path[len(old) :]] = self.names.pop(path)
        folders = tuple({folder_of(old), folder_of(new)})
        self.note(Entry(folders, made=new, inode=self.names.get(new, -1), gone=old, moves=True))


def folder_of(name: str) -> str:
    """The folder that an entry lies in; empty for the root."""
    return name.rpartition("/")[0]


def _alone(connection: apsw.Connection) -> None:
    connection.pragma("locking_mode", "exclusive")
    connection.pragma("wal_autocheckpoint", CHECKPOINT_PAGES)


class _Vfs(apsw.VFS):
    """SQLite's way to the disk."""

    def __init__(self, layer: Layer) -> None:
        self.layer = layer
        super().__init__("watched", _SYSTEM, makedefault=True)

    def xOpen(self, name, flags):  # noqa: N802 (apsw's name)
        path = name.filename() if isinstance(name, apsw.URIFilename) else name
        known = self.layer.relative(path) if path else ".."
        there = known == ".." or os.path.exists(path)
        if known != "..":
            _refuse(self.layer.before("open" if there else "create", known), "CANTOPEN")
        file = _VfsFile(self.layer, known, name, flags)
        if not there and known not in self.layer.names:
            self.layer.made(known)
            file.fresh = known.endswith(_JOURNALS)
        return file

    def xDelete(self, name, sync):  # noqa: N802
        known = self.layer.relative(name)
        if known == "..":
            return super().xDelete(name, sync)
        _refuse(self.layer.before("delete", known), "IOERR_DELETE")
        super().xDelete(name, sync)
        self.layer.removed(known)
        if sync:
            self.layer.note(SyncFolder(folder_of(known)))
        return None

    def xGetLastError(self):  # noqa: N802
        said = self.layer.said
        return (said, os.strerror(said)) if said else super().xGetLastError()


class _VfsFile(apsw.VFSFile):
    """A file that SQLite has open."""

    fresh = False

    def __init__(self, layer: Layer, known: str, name: object, flags: list[int]) -> None:
        self.layer, self.known = layer, known
        super().__init__(_SYSTEM, name, flags)

    def _ours(self) -> int:
        return self.layer.names.get(self.known, 0)

    def xRead(self, amount, offset):  # noqa: N802
        if self.known != "..":
            _refuse(self.layer.before("read", self.known), "IOERR_READ")
        return super().xRead(amount, offset)

    def xWrite(self, data, offset):  # noqa: N802
        if self.known != "..":
            _refuse(self.layer.before("write", self.known), "IOERR_WRITE")
        super().xWrite(data, offset)
        if self.known != "..":
            self.layer.note(Write(self._ours(), offset, bytes(data)))

    def xSync(self, flags):  # noqa: N802
        if self.known != "..":
            _refuse(self.layer.before("sync", self.known), "IOERR_FSYNC")
        super().xSync(flags)
        if self.known != "..":
            self.layer.note(Sync(self._ours()))
            if self.fresh:  # SQLite syncs the folder of a new log or journal with its first sync
                self.layer.note(SyncFolder(folder_of(self.known)))
                self.fresh = False

    def xTruncate(self, size):  # noqa: N802
        if self.known != "..":
            _refuse(self.layer.before("truncate", self.known), "IOERR_TRUNCATE")
        super().xTruncate(size)
        if self.known != "..":
            self.layer.note(Cut(self._ours(), size))


def _refuse(number: int, code: str) -> None:
    """Raise what SQLite's own layer reports for an errno."""
    if not number:
        return
    if number in (errno.ENOSPC, errno.EDQUOT) and code == "IOERR_WRITE":
        raise apsw.FullError(os.strerror(number))
    kind = apsw.CantOpenError if code == "CANTOPEN" else apsw.IOError
    error = kind(os.strerror(number))
    error.extendedresult = getattr(apsw, f"SQLITE_{code}")
    raise error


class _System:
    """The functions of ``os`` that leave traces on the disk, and ``open``."""

    NAMES = (
        "open close read write fsync fdatasync ftruncate truncate rename replace link unlink remove "
        "mkdir rmdir"
    ).split()

    def __init__(self, layer: Layer) -> None:
        self.layer = layer
        self.real = {name: getattr(os, name) for name in self.NAMES}
        self.real_open = builtins.open
        self.handles: dict[int, str] = {}

    def patches(self) -> list[object]:
        """What puts this class in the place of the system."""
        replaced = [mock.patch.object(os, name, getattr(self, name)) for name in self.NAMES]
        replaced += [mock.patch.object(each, "open", self.open_file) for each in (builtins, io)]
        for name in ("_use_fd_functions", "_USE_CP_SENDFILE", "_USE_CP_COPY_FILE_RANGE"):
            if hasattr(shutil, name):
                replaced.append(mock.patch.object(shutil, name, False))
        return replaced

    def _known(self, path: object, dir_fd: int | None = None) -> str:
        if dir_fd is not None:
            path = os.path.join(os.readlink(f"/proc/self/fd/{dir_fd}"), os.fspath(path))
        return self.layer.relative(os.fsdecode(path))

    def _before(self, kind: str, name: str) -> None:
        number = self.layer.before(kind, name)
        if number:
            raise OSError(number, os.strerror(number), name)

    def open(self, path, flags, mode=0o777, *, dir_fd=None):
        known = self._known(path, dir_fd)
        if known == "..":
            return self.real["open"](path, flags, mode, dir_fd=dir_fd)
        there = os.path.lexists(os.path.join(self.layer.root, known))
        if there or flags & os.O_CREAT:
            self._before("open" if there else "create", known)
        handle = self.real["open"](path, flags, mode, dir_fd=dir_fd)
        self.handles[handle] = known
        if not there:
            self.layer.made(known)
        elif flags & os.O_TRUNC and known in self.layer.names:
            self.layer.note(Cut(self.layer.names[known], 0))
        return handle

    def close(self, handle):
        self.handles.pop(handle, None)
        self.real["close"](handle)

    def read(self, handle, size):
        if handle in self.handles:
            self._before("read", self.handles[handle])
        return self.real["read"](handle, size)

    def write(self, handle, data):
        known = self.handles.get(handle)
        if known is None:
            return self.real["write"](handle, data)
        self._before("write", known)
        written = self.real["write"](handle, data)
        offset = os.lseek(handle, 0, os.SEEK_CUR) - written
        if written:
            said = bytes(memoryview(data).cast("B")[:written])
            self.layer.note(Write(self.layer.names.get(known, 0), offset, said))
        return written

    def fsync(self, handle):
        known = self.handles.get(handle)
        if known is None:
            return self.real["fsync"](handle)
        folder = os.path.isdir(os.path.join(self.layer.root, known))
        self._before("sync folder" if folder else "sync", known)
        self.layer.note(SyncFolder(known) if folder else Sync(self.layer.names.get(known, 0)))
        return None

    fdatasync = fsync

    def ftruncate(self, handle, size):
        known = self.handles.get(handle)
        if known is not None:
            self._before("truncate", known)
        self.real["ftruncate"](handle, size)
        if known is not None:
            self.layer.note(Cut(self.layer.names.get(known, 0), size))

    def truncate(self, path, size):
        handle = path if isinstance(path, int) else self.open(path, os.O_WRONLY)
        try:
            self.ftruncate(handle, size)
        finally:
            if handle is not path:
                self.close(handle)

    def rename(self, source, target, *, src_dir_fd=None, dst_dir_fd=None):
        old, new = self._known(source, src_dir_fd), self._known(target, dst_dir_fd)
        if old != ".." or new != "..":
            self._before("rename", new)
        self.real["replace"](source, target, src_dir_fd=src_dir_fd, dst_dir_fd=dst_dir_fd)
        if old != ".." and new != "..":
            self.layer.moved(old, new)
            for handle, known in self.handles.items():
                if known == old:
                    self.handles[handle] = new

    replace = rename

    def link(self, source, target, **more):
        old, new = self._known(source), self._known(target)
        if new == "..":
            return self.real["link"](source, target, **more)
        self._before("link", new)
        self.real["link"](source, target, **more)
        self.layer.names[new] = self.layer.names.get(old, 0)
        self.layer.note(Entry((folder_of(new),), made=new, inode=self.layer.names[new]))
        return None

    def unlink(self, path, *, dir_fd=None):
        known = self._known(path, dir_fd)
        if known != "..":
            self._before("delete", known)
        self.real["unlink"](path, dir_fd=dir_fd)
        if known != "..":
            self.layer.removed(known)

    remove = unlink

    def mkdir(self, path, mode=0o777, *, dir_fd=None):
        known = self._known(path, dir_fd)
        if known != ".." and not os.path.lexists(os.path.join(self.layer.root, known)):
            self._before("make folder", known)
        self.real["mkdir"](path, mode, dir_fd=dir_fd)
        if known != "..":
            self.layer.note(Entry((folder_of(known),), made=known))

    def rmdir(self, path, *, dir_fd=None):
        known = self._known(path, dir_fd)
        if known != "..":
            self._before("remove folder", known)
        self.real["rmdir"](path, dir_fd=dir_fd)
        if known != "..":
            self.layer.note(Entry((folder_of(known),), gone=known))

    def open_file(
        self, file, mode="r", buffering=-1, encoding=None, errors=None, newline=None,
        closefd=True, opener=None,
    ):  # fmt: skip
        if isinstance(file, int):
            known = file in self.handles
        else:
            known = opener is None and self._known(file) != ".."
        if not known:
            return self.real_open(file, mode, buffering, encoding, errors, newline, closefd, opener)
        handle = file if isinstance(file, int) else os.open(file, _flags(mode), 0o666)
        raw = _Raw(handle, mode, file, closefd)
        if "a" in mode:
            raw.seek(0, os.SEEK_END)
        if buffering == 0:
            return raw
        kind = io.BufferedReader if not raw.writable() else io.BufferedWriter
        size = buffering if buffering > 1 else io.DEFAULT_BUFFER_SIZE
        buffered = (io.BufferedRandom if "+" in mode else kind)(raw, size)
        if "b" in mode:
            return buffered
        return io.TextIOWrapper(buffered, encoding, errors, newline, line_buffering=buffering == 1)


def _flags(mode: str) -> int:
    both = "+" in mode
    for letter, flags in (("w", os.O_CREAT | os.O_TRUNC), ("x", os.O_CREAT | os.O_EXCL)):
        if letter in mode:
            return flags | (os.O_RDWR if both else os.O_WRONLY)
    if "a" in mode:
        return os.O_CREAT | (os.O_RDWR if both else os.O_WRONLY)
    return os.O_RDWR if both else os.O_RDONLY


class _Raw(io.RawIOBase):
    """A file over ``os``, as it stands now, so that what stands in for it is asked."""

    def __init__(self, handle: int, mode: str, name: object, closes: bool) -> None:
        self.handle, self.mode, self.name, self.closes = handle, mode, name, closes

    def readable(self):
        return "r" in self.mode or "+" in self.mode

    def writable(self):
        return any(letter in self.mode for letter in "wax+")

    def seekable(self):
        return True

    def fileno(self):
        return self.handle

    def readinto(self, buffer):
        data = os.read(self.handle, len(buffer))
        buffer[: len(data)] = data
        return len(data)

    def write(self, data):
        return os.write(self.handle, data)

    def seek(self, offset, whence=os.SEEK_SET):
        return os.lseek(self.handle, offset, whence)

    def tell(self):
        return os.lseek(self.handle, 0, os.SEEK_CUR)

    def truncate(self, size=None):
        size = self.tell() if size is None else size
        os.ftruncate(self.handle, size)
        return size

    def close(self):
        if not self.closed:
            super().close()
            if self.closes:
                with suppress(OSError):
                    os.close(self.handle)
