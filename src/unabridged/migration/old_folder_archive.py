"""The backup of an old folder: every byte in one zip, verified, and restored from it.

The zip holds ``files/000001`` and so on, and ``manifest.json`` with the name, digest, size, mode and
time of each: so names that zip does not allow are stored too. Links are stored as links, neither
followed nor changed.
"""

import json
import os
import shutil
import stat
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import IO, BinaryIO

import msgspec

from unabridged.disk.atomic_write import sync_folder, system_errors
from unabridged.disk.folders import private_folder
from unabridged.disk.large_files import give_name, new_file, writing
from unabridged.errors import BackupError, MigrationError

MANIFEST = "manifest.json"
VERSION = 1
_CHUNK = 1 << 20
_DAMAGED = (
    zipfile.BadZipFile,
    zlib.error,
    EOFError,
    KeyError,
    ValueError,
    RuntimeError,  # NotImplementedError too, and RecursionError
    msgspec.ValidationError,
)
"""The errors of reading a damaged zip."""
FILE, FOLDER, LINK = "file", "folder", "link"


class ArchiveMember(msgspec.Struct, frozen=True, kw_only=True):
    """One entry of a folder.

    Attributes:
        name: Its path in the folder, with slashes.
        kind: ``file``, ``folder`` or ``link``.
        mode: Its permissions.
        mtime: Its last change, in nanoseconds since 1970.
        size: Bytes of a file.
        sha256: Digest of a file.
        held: Its name in the zip; or the target of a link.
    """

    name: str
    kind: str
    mode: int
    mtime: int
    size: int = 0
    sha256: str = ""
    held: str = ""


class OldFolderManifest(msgspec.Struct, frozen=True, kw_only=True):
    """The manifest of a zip.

    Attributes:
        at: When it was made, ISO 8601.
        folder: The folder.
        whole: Whether it contains the whole folder; else only some entries.
        spaces: The names of the spaces made from it.
        entries: The entries, folders before their content.
        version: The version of this format.
    """

    at: str
    folder: str
    whole: bool
    spaces: list[str]
    entries: list[ArchiveMember]
    version: int = VERSION


@dataclass(frozen=True, slots=True)
class ArchiveSelection:
    """The part of a folder to archive.

    Attributes:
        folder: The folder.
        at: The time, ISO 8601.
        only: Only these files, or None for everything.
        spaces: The names of the spaces made from it.
    """

    folder: Path
    at: str
    only: tuple[Path, ...] | None = None
    spaces: tuple[str, ...] = ()


def make(wanted: ArchiveSelection, target: Path) -> OldFolderManifest:
    """Archive a folder in a new zip, which gets its name after a check.

    Raises:
        MigrationError: The folder cannot be read, or is changing.
        BackupError: The bytes written differ from those read.
        StoreFullError: The disk is full.
    """
    draft = target.with_name(f".{target.name}.new")
    draft.unlink(missing_ok=True)
    try:
        with system_errors(target):
            with new_file(draft) as stream:
                made = _fill(stream, wanted)
            if verify(draft) != made:
                raise BackupError(
                    f"{draft} differs from what was written.", hint="Check the disk, then repeat."
                )
            give_name(draft, target)
    finally:
        draft.unlink(missing_ok=True)
    return made


def _fill(stream: BinaryIO, wanted: ArchiveSelection) -> OldFolderManifest:
    entries: list[ArchiveMember] = []
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as packed:
        for path, name in _walk(wanted.folder, wanted.only):
            entries.append(_kept(packed, path, name, f"files/{len(entries) + 1:06}"))
        manifest = OldFolderManifest(
            at=wanted.at,
            folder=os.fspath(wanted.folder),
            whole=wanted.only is None,
            spaces=list(wanted.spaces),
            entries=entries,
        )
        packed.writestr(MANIFEST, json.dumps(msgspec.to_builtins(manifest)))
    return manifest


def _walk(folder: Path, only: tuple[Path, ...] | None) -> Iterator[tuple[Path, str]]:
    if only is not None:
        yield from ((path, path.relative_to(folder).as_posix()) for path in sorted(only))
        return
    try:
        found = sorted(os.scandir(folder), key=lambda entry: entry.name)
    except OSError as error:
        raise _unreadable(folder, error) from error
    for each in found:
        path = folder / each.name
        yield path, each.name
        if each.is_dir(follow_symlinks=False):
            for inner, name in _walk(path, None):
                yield inner, f"{each.name}/{name}"


def _kept(packed: zipfile.ZipFile, path: Path, name: str, held: str) -> ArchiveMember:
    try:
        said = path.lstat()
        mode, mtime = stat.S_IMODE(said.st_mode), said.st_mtime_ns
        if stat.S_ISLNK(said.st_mode):
            return ArchiveMember(
                name=name, kind=LINK, mode=mode, mtime=mtime, held=str(path.readlink())
            )
        if stat.S_ISDIR(said.st_mode):
            return ArchiveMember(name=name, kind=FOLDER, mode=mode, mtime=mtime)
        if not stat.S_ISREG(said.st_mode):
            raise MigrationError(
                f"{path} is neither a file nor a folder.", hint="Move it away, then repeat."
            )
        with path.open("rb") as stream, packed.open(held, "w", force_zip64=True) as into:
            size, digest = _copied(stream, into)
            again = os.fstat(stream.fileno())
    except OSError as error:
        raise _unreadable(path, error) from error
    if (again.st_size, again.st_mtime_ns) != (size, mtime):
        raise MigrationError(
            f"{path} was changed while it was read.",
            hint="Close the program that it belongs to, and repeat.",
        )
    return ArchiveMember(
        name=name, kind=FILE, mode=mode, mtime=mtime, size=size, sha256=digest, held=held
    )


def _copied(stream: IO[bytes], into: IO[bytes] | None) -> tuple[int, str]:
    size, digest = 0, sha256()
    while piece := stream.read(_CHUNK):
        size += len(piece)
        digest.update(piece)
        if into is not None:
            into.write(piece)
    return size, digest.hexdigest()


def verify(path: Path) -> OldFolderManifest:
    """Read a whole zip and return its manifest.

    Raises:
        BackupError: It was changed.
    """
    try:
        with zipfile.ZipFile(path) as packed:
            manifest = msgspec.convert(json.loads(packed.read(MANIFEST)), OldFolderManifest)
            for entry in manifest.entries:
                if entry.kind == FILE:
                    with packed.open(entry.held) as stream:
                        found = _copied(stream, None)
                    if found != (entry.size, entry.sha256):
                        raise BackupError(
                            f"{entry.name} in {path} differs from what was written.",
                            hint="Check the disk; the folder itself is unchanged.",
                        )
    except _DAMAGED as error:
        raise BackupError(f"{path} is damaged: {error}.", hint="Check the disk.") from error
    return manifest


def differing(manifest: OldFolderManifest, folder: Path) -> tuple[list[ArchiveMember], list[Path]]:
    """Return the differences of a folder: missing, changed and new entries.

    Raises:
        MigrationError: The folder cannot be read.
    """
    changed = [entry for entry in manifest.entries if not _is_as(entry, folder / entry.name)]
    if not manifest.whole or not folder.is_dir():
        return changed, []
    known = {entry.name for entry in manifest.entries}
    return changed, [path for path, name in _walk(folder, None) if name not in known]


def _is_as(entry: ArchiveMember, path: Path) -> bool:
    try:
        said = path.lstat()
        if entry.kind == LINK:
            return stat.S_ISLNK(said.st_mode) and str(path.readlink()) == entry.held
        if stat.S_IMODE(said.st_mode) != entry.mode:
            return False
        if entry.kind == FOLDER:
            return stat.S_ISDIR(said.st_mode)
        if not stat.S_ISREG(said.st_mode) or said.st_size != entry.size:
            return False
        with path.open("rb") as stream:
            return _copied(stream, None)[1] == entry.sha256
    except FileNotFoundError:
        return False
    except OSError as error:
        raise _unreadable(path, error) from error


def put_back(zipped: Path, manifest: OldFolderManifest, folder: Path) -> None:
    """Restore a folder byte for byte, without touching unchanged entries.

    Repeating it continues where it stopped. New entries are removed: archive them before.

    Raises:
        StoreError: Something cannot be written; the entries restored so far stay.
    """
    changed, news = differing(manifest, folder)
    with system_errors(folder):
        for path in reversed(news):
            _remove(path)
        private_folder(folder)
        with zipfile.ZipFile(zipped) as packed:
            for entry in changed:
                _put(packed, entry, folder / entry.name)
        for entry in reversed(changed):  # a folder's time and permissions, once it is filled
            if entry.kind == FOLDER:
                (folder / entry.name).chmod(entry.mode)
                os.utime(folder / entry.name, ns=(entry.mtime, entry.mtime))


def _put(packed: zipfile.ZipFile, entry: ArchiveMember, path: Path) -> None:
    private_folder(path.parent)
    if entry.kind == FOLDER:
        if path.is_symlink() or (path.exists() and not path.is_dir()):
            _remove(path)
        private_folder(path)
        return
    if path.is_dir() and not path.is_symlink():
        _remove(path)
    if entry.kind == LINK:
        path.unlink(missing_ok=True)
        path.symlink_to(entry.held)
        sync_folder(path.parent)
        return
    with packed.open(entry.held) as stream, writing(path) as into:
        _copied(stream, into)
    path.chmod(entry.mode)
    os.utime(path, ns=(entry.mtime, entry.mtime))


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def _unreadable(path: Path, error: OSError) -> MigrationError:
    return MigrationError(
        f"{path} cannot be read: {error.strerror or error}.",
        hint="Make it readable for you; nothing was changed.",
    )
