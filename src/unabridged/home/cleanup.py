"""Checks of a home: leftovers of killed programs, files set aside, file permissions."""

import os
import re
import shutil
import stat
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

from unabridged.disk.atomic_write import FILE_MODE, UNFINISHED, remove
from unabridged.disk.folders import FOLDER_MODE
from unabridged.domain.results import Diagnosis
from unabridged.domain.sizes import size as file_size
from unabridged.home.backups import BackupsFolder

_DRAFTS = (UNFINISHED, ".new")
"""Suffixes of files that are being written; no other program reads them."""
_STOPPED = (".renaming", ".salvaged", ".restored", ".forgetting")
"""Suffixes of files for unfinished work; the next opening of the space finishes it."""
_ASIDE = re.compile(r".+\.(?:damaged|replaced)-\d+")
PATIENCE = 3600.0
"""Seconds after which a draft counts as abandoned."""
LEAST_ROOM = 100_000_000
"""Bytes that should be free on the disk."""
OLD_DAYS = 30
"""Days after which to advise another backup."""


def look_after(home: Path, now: datetime, *, repair: bool) -> Iterator[Diagnosis]:
    """Check everything in a home except its spaces.

    Args:
        home: The home.
        now: The time.
        repair: Remove the rights of others, and abandoned drafts.
    """
    try:
        yield Diagnosis("home", ok=True, text=str(home))
        paths = list(_walk(home))
        yield _rights(paths, repair=repair)
        yield from _leftovers(paths, now, repair=repair)
        yield _room(home)
        yield _backups(home, now)
    except OSError as error:
        yield Diagnosis(
            "home", ok=False, text=str(error), hint="Check the folder and its permissions."
        )


def _walk(home: Path) -> Iterator[Path]:
    yield home
    for folder, folders, files in os.walk(home):
        for name in (*folders, *files):
            path = Path(folder) / name
            if not path.is_symlink():
                yield path


def _rights(paths: list[Path], *, repair: bool) -> Diagnosis:
    found = _wide(paths)
    if found and repair:
        for path in found:
            path.chmod(FOLDER_MODE if path.is_dir() else FILE_MODE)
        found = _wide(paths)
    if not found:
        return Diagnosis("rights", ok=True, text="only you can read the files")
    text = f"others can read {len(found):,} files or folders: {found[0]}"
    return Diagnosis("rights", ok=False, text=text, hint="Repair: unabridged doctor --repair")


def _leftovers(paths: list[Path], now: datetime, *, repair: bool) -> Iterator[Diagnosis]:
    left = _drafts(paths, now)
    if left and repair:
        for path in left:
            if path.is_dir():
                shutil.rmtree(path, ignore_errors=True)
            else:
                remove(path)
        left = _drafts(paths, now)
    if left:
        text = f"{len(left):,} drafts left by a killed program: {left[0]}"
        yield Diagnosis("leftovers", ok=None, text=text, hint="Repair: unabridged doctor --repair")
    begun = [path for path in paths if path.name.endswith(_STOPPED) and path.exists()]
    if begun:
        text = f"unfinished: {begun[0].name}"
        yield Diagnosis("leftovers", ok=None, text=text, hint="Opening the space finishes it.")
    aside = [path for path in paths if _ASIDE.fullmatch(path.name) and path.is_file()]
    if aside:
        size = sum(path.stat().st_size for path in aside)
        text = f"{len(aside):,} files that were set aside, {file_size(size)}: {aside[0]}"
        hint = "`unabridged recover FILE` looks into one; remove them when you miss nothing."
        yield Diagnosis("set aside", ok=None, text=text, hint=hint)


def _wide(paths: list[Path]) -> list[Path]:
    return [] if os.name == "nt" else [path for path in paths if _mode(path) & 0o077]


def _drafts(paths: list[Path], now: datetime) -> list[Path]:
    found = [path for path in paths if path.name.endswith(_DRAFTS)]
    return [path for path in found if now.timestamp() - _touched(path) > PATIENCE]


def _room(home: Path) -> Diagnosis:
    free = shutil.disk_usage(home).free
    largest = max((p.stat().st_size for p in home.glob("*/*") if p.is_file()), default=0)
    text = f"{file_size(free)} free"
    if free < LEAST_ROOM:
        return Diagnosis(
            "disk", ok=False, text=text, hint="Delete something: writes fail when the disk is full."
        )
    if free < 3 * largest:
        hint = f"Verifying a backup unpacks it, and the largest file has {file_size(largest)}."
        return Diagnosis("disk", ok=None, text=text, hint=hint)
    return Diagnosis("disk", ok=True, text=text)


def _backups(home: Path, now: datetime) -> Diagnosis:
    folder = BackupsFolder(home / "backups")
    made = [one for one in folder.all() if one.at is not None]
    if lost := folder.lost():
        text = f"{len(made):,}, without the one that was made last: {lost}"
        hint = "Put it back if it was lost. If you moved it, make another one: unabridged backup create --all"
        return Diagnosis("backups", ok=None, text=text, hint=hint)
    if not made:
        return Diagnosis(
            "backups", ok=None, text="none yet", hint="Make one: unabridged backup create --all"
        )
    days = (now - (made[0].at or now)).days
    text = f"{len(made):,}, the newest {days:,} days old"
    hint = "Make another one: unabridged backup create --all" if days >= OLD_DAYS else ""
    return Diagnosis("backups", ok=None if hint else True, text=text, hint=hint)


def _mode(path: Path) -> int:
    try:
        return stat.S_IMODE(path.lstat().st_mode)
    except FileNotFoundError:  # others may remove it at any time
        return 0


def _touched(path: Path) -> float:
    try:
        return path.lstat().st_mtime
    except FileNotFoundError:
        return float("inf")
