"""Replace the file of a store and set the old one aside. Nothing is overwritten.

A file that is to replace another one is staged next to it (``<name>.salvaged``, ``<name>.restored``).
From then on the replacement is decided: the next opening of the space finishes it, so that a crash
at any step leaves the old or the new file, whole.
"""

import os
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from unabridged.disk.atomic_write import UNFINISHED, sync_folder
from unabridged.disk.large_files import give_name
from unabridged.disk.locks import locked
from unabridged.stores.sqlite.database import FOLDER_END
from unabridged.stores.sqlite.exclusive import alone

COMPANIONS = ("-wal", "-shm", "-journal", FOLDER_END)
"""Suffixes of the files that belong to a database."""
LOCK = ".lock"
"""The file of the folder that is locked during a replacement."""
WAITING = {".salvaged": "damaged", ".restored": "replaced"}
"""Suffixes of the staged file, and of the file that it replaces."""


@contextmanager
def work_folder(parent: Path, name: str = "") -> Iterator[Path]:
    """Create a folder for drafts within the block."""
    folder = parent / f".{name}{secrets.token_hex(8)}{UNFINISHED}"
    folder.mkdir(mode=0o700)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def sweep(parent: Path) -> None:
    """Remove draft folders of killed programs; the caller has the lock."""
    for left in parent.glob(f".*{UNFINISHED}"):
        if left.is_dir():
            shutil.rmtree(left)


def waiting(path: Path) -> list[Path]:
    """Return the staged files of a file; normally at most one."""
    beside = [path.with_name(path.name + end) for end in WAITING]
    return [one for one in beside if one.exists()]


def finish(path: Path, busy_timeout: float) -> Path | None:
    """Move a staged file into place, if there is one; return the old file's new path.

    Raises:
        StoreBusyError: Others have the file open, or are replacing it.
        OSError: The system failed; another attempt continues.
    """
    aside = None
    if waiting(path):
        with locked(path.parent / LOCK, busy_timeout):
            for one in waiting(path):
                aside = _put(one, path, busy_timeout)
    return aside


def replace(draft: Path, path: Path, end: str, busy_timeout: float) -> Path | None:
    """Replace a file; return the old one's new path. The caller has the lock.

    Args:
        draft: The new file: durable, without companions, on the same file system.
        path: The path to replace.
        end: One of ``WAITING``.
        busy_timeout: Seconds to wait for others that have it open.

    Raises:
        StoreBusyError: Others have the file open; nothing was changed.
    """
    one = path.with_name(path.name + end)
    with alone(path, busy_timeout):
        os.replace(draft, one)  # noqa: PTH105 - every call of this file is one of `os`: tests stand in
        sync_folder(path.parent)
    return _put(one, path, busy_timeout)


def quarantine(path: Path, word: str = "damaged") -> Path | None:
    """Rename a file and its companions to ``<name>.<word>-<n>``; return its new path.

    The companions go first, so that another attempt after a crash uses the same number.
    """
    ends = _parts(path)
    if not ends:
        return None
    aside = quarantine_name(path, word)
    for end in ends:
        os.rename(path.with_name(path.name + end), aside.with_name(aside.name + end))  # noqa: PTH104 - as above
        sync_folder(path.parent)
    return aside


def quarantine_name(path: Path, word: str) -> Path:
    """Return the path for setting a file aside."""
    ends, number = _parts(path), 1
    while _is_taken(_aside(path, word, number), ends):
        number += 1
    return _aside(path, word, number)


def _parts(path: Path) -> list[str]:
    return [end for end in (*COMPANIONS, "") if path.with_name(path.name + end).exists()]


def _put(one: Path, path: Path, busy_timeout: float) -> Path | None:
    aside = None
    if path.exists() and path.samefile(one):  # a crash left it both names
        os.unlink(one)  # noqa: PTH108 - as above
        return None
    with alone(path, busy_timeout):
        aside = quarantine(path, WAITING[one.name.removeprefix(path.name)])
    give_name(one, path)
    return aside


def _aside(path: Path, word: str, number: int) -> Path:
    return path.with_name(f"{path.name}.{word}-{number}")


def _is_taken(aside: Path, ends: list[str]) -> bool:
    return aside.exists() or any(aside.with_name(aside.name + end).exists() for end in ends)


def finish_all(folder: Path, busy_timeout: float) -> None:
    """Call ``finish`` for every file of a folder."""
    for end in WAITING:
        for one in folder.glob(f"*{end}"):
            finish(one.with_name(one.name.removesuffix(end)), busy_timeout)
