"""The file of a backup: a zip archive (deflate) with a manifest as its first member.

``manifest.json`` holds ``format`` (1), ``at`` (ISO 8601), ``version``, ``home``, ``spaces`` (each
with ``user``, ``agent``, ``model``, ``store``, ``folder``, ``sessions``, ``exchanges``,
``messages``), ``left_out`` (name and reason) and ``members`` (name to ``bytes`` and ``digest``, BLAKE2b
of 32 bytes as hex). Any zip program can unpack it.
"""

import re
import shutil
import zipfile
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import partial
from hashlib import blake2b, file_digest
from pathlib import Path
from typing import IO

import msgspec

from unabridged.disk.large_files import new_file
from unabridged.domain.backup_results import Backup, BackupResult
from unabridged.domain.scope import SpaceId
from unabridged.domain.sizes import size
from unabridged.errors import BackupError

MANIFEST = "manifest.json"
FORMAT = 1
Moved = Callable[[str, int, int], None]
"""Called with the progress: the stage, the amount done, and the total."""
_PIECE = 1 << 20
_new_digest = partial(blake2b, digest_size=32)
_MOST = 64 << 20
"""The most bytes of a manifest."""
_SAFE = re.compile(r"(?:[A-Za-z0-9][A-Za-z0-9._-]*/)*[A-Za-z0-9_][A-Za-z0-9._-]*")
_UNREADABLE = (
    zipfile.BadZipFile,
    zlib.error,
    EOFError,
    NotImplementedError,
    RuntimeError,
    KeyError,
    ValueError,  # a member's name in other bytes than the list has
)
HINT = "Use another backup. List them: unabridged backup list"


class _Held(msgspec.Struct, frozen=True):
    user: str
    agent: str
    model: str
    store: str
    folder: str
    sessions: int
    exchanges: int
    messages: int


class _Member(msgspec.Struct, frozen=True):
    bytes: int
    digest: str


class BackupManifest(msgspec.Struct, frozen=True):
    """The manifest of a backup: its contents."""

    format: int
    at: datetime
    version: str
    home: bool
    spaces: tuple[_Held, ...]
    members: Mapping[str, _Member]
    left_out: tuple[tuple[str, str], ...] = ()

    @property
    def size(self) -> int:
        """Bytes of its content, unpacked."""
        return sum(member.bytes for member in self.members.values())

    def backup(self, path: Path) -> Backup:
        return Backup(
            path=str(path),
            at=self.at,
            bytes=path.stat().st_size,
            spaces=tuple(self.held(number) for number in range(len(self.spaces))),
            home=self.home,
            version=self.version,
            left_out=self.left_out,
        )

    def held(self, number: int) -> BackupResult:
        """Return one of its spaces."""
        one = self.spaces[number]
        space = SpaceId(one.user, one.agent, one.model)
        return BackupResult(space, one.store, one.sessions, one.exchanges, one.messages)

    def with_counts(self, counted: Sequence[BackupResult]) -> "BackupManifest":
        """Return it with other figures for each of its spaces."""
        held = tuple(
            msgspec.structs.replace(
                one, sessions=new.sessions, exchanges=new.exchanges, messages=new.messages
            )
            for one, new in zip(self.spaces, counted, strict=True)
        )
        return msgspec.structs.replace(self, spaces=held)


def described(
    folder: Path,
    spaces: list[tuple[str, BackupResult]],
    *,
    at: datetime,
    home: bool,
    left_out: list[tuple[str, str]],
) -> BackupManifest:
    """Describe a folder to pack: each space has the name of its folder."""
    held = tuple(
        _Held(
            x.space.user, x.space.agent, x.space.model, x.store, name,
            x.sessions, x.exchanges, x.messages,
        )
        for name, x in spaces
    )  # fmt: skip
    members = {}
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            name = path.relative_to(folder).as_posix()
            with path.open("rb") as file:
                digest = file_digest(file, _new_digest).hexdigest()
            members[name] = _Member(path.stat().st_size, digest)
    from importlib.metadata import version  # noqa: PLC0415 - 10 ms that only a backup needs

    ours = version("unabridged")
    return BackupManifest(FORMAT, at, ours, home, held, members, tuple(left_out))


def pack(folder: Path, manifest: BackupManifest, path: Path, moved: Moved) -> None:
    """Write a folder as an archive; its bytes are durable, its name not yet."""
    done = 0
    with new_file(path) as stream, zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(_info(MANIFEST, manifest.at), msgspec.json.encode(manifest))
        for name in manifest.members:
            with (
                (folder / name).open("rb") as source,
                archive.open(_info(name, manifest.at), "w", force_zip64=True) as target,
            ):
                while piece := source.read(_PIECE):
                    target.write(piece)
                    done += len(piece)
                    moved("pack", done, manifest.size)


def manifest_of(path: Path) -> BackupManifest:
    """Return the manifest of a backup.

    Raises:
        BackupError: It cannot be read, is not a backup, or has a newer version.
    """
    with _opened(path) as archive:
        return _manifest(archive, path)


def member_of(path: Path, name: str) -> bytes | None:
    """Return one small member of a backup, proved by its digest, or None.

    Raises:
        BackupError: As ``manifest_of``, or the member was changed.
    """
    with _opened(path) as archive:
        member = _manifest(archive, path).members.get(name)
        if member is None or member.bytes > _MOST:
            return None
        with archive.open(name) as source:
            return b"".join(_pieces(source, member, path))


@contextmanager
def _opened(path: Path) -> Iterator[zipfile.ZipFile]:
    try:
        with zipfile.ZipFile(path) as archive:
            yield archive
    except FileNotFoundError:
        raise BackupError(f"There is no backup {path}.", hint=HINT) from None
    except OSError as error:
        raise unreadable(path, error.strerror or str(error)) from error
    except _UNREADABLE as error:
        raise unreadable(path, str(error)) from error


def _manifest(archive: zipfile.ZipFile, path: Path) -> BackupManifest:
    if MANIFEST not in archive.namelist() or archive.getinfo(MANIFEST).file_size > _MOST:
        raise BackupError(f"{path} is not a backup of Unabridged.", hint="Check the path.")
    data = archive.read(MANIFEST)
    try:
        said = msgspec.json.decode(data)
        number = said.get("format") if isinstance(said, dict) else None
        if isinstance(number, int) and number != FORMAT:
            raise BackupError(
                f"{path} has format {number}; this version reads format {FORMAT}.",
                hint="Install a newer version of unabridged.",
            )
        manifest = msgspec.convert(said, BackupManifest)
    except (ValueError, RecursionError) as error:
        raise unreadable(path, f"its manifest cannot be read: {error}") from error
    for name in [*manifest.members, *(held.folder for held in manifest.spaces)]:
        if not _SAFE.fullmatch(name):
            raise unreadable(path, f"it contains an unknown file: {name!r}")
    folders = {held.folder for held in manifest.spaces}
    names = {(held.user, held.agent, held.model) for held in manifest.spaces}
    if not len(folders) == len(names) == len(manifest.spaces):
        raise unreadable(path, "it contains a space twice")
    try:
        manifest.at.astimezone(UTC)
    except OverflowError:
        raise unreadable(path, f"its time is invalid: {manifest.at}") from None
    return manifest


def unpack(path: Path, folder: Path, moved: Moved) -> BackupManifest:
    """Unpack a backup into a new folder, and prove every byte by its digest.

    Raises:
        BackupError: It was changed, or the disk is full.
    """
    manifest = manifest_of(path)
    room = shutil.disk_usage(folder).free
    if manifest.size > room:
        raise BackupError(
            f"{path} takes {size(manifest.size)} unpacked, and {size(room)} are free.",
            hint="Free some space on the disk and repeat.",
        )
    done = 0
    try:
        with zipfile.ZipFile(path) as archive:
            for name, member in manifest.members.items():
                target = folder / name
                target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
                with archive.open(name) as source, new_file(target) as stream:
                    for piece in _pieces(source, member, path):
                        stream.write(piece)
                        done += len(piece)
                        moved("unpack", done, manifest.size)
    except _UNREADABLE as error:
        raise unreadable(path, str(error)) from error
    return manifest


def _pieces(source: IO[bytes], member: _Member, path: Path) -> Iterator[bytes]:
    digest, left = _new_digest(), member.bytes
    while piece := source.read(min(_PIECE, left + 1)):
        left -= len(piece)
        if left < 0:
            break
        digest.update(piece)
        yield piece
    if left or digest.hexdigest() != member.digest:
        raise unreadable(path, "its content was changed")


def unreadable(path: Path, why: str) -> BackupError:
    """Return the error of a damaged backup."""
    return BackupError(f"The backup {path} cannot be read: {why.rstrip('.')}.", hint=HINT)


def _info(name: str, at: datetime) -> zipfile.ZipInfo:
    info = zipfile.ZipInfo(name, at.timetuple()[:6])
    info.compress_type = zipfile.ZIP_DEFLATED
    info.external_attr = 0o100600 << 16
    return info
