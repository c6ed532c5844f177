"""Leaving: a whole space is wiped from its folder, and a kill at any moment leaves it to be finished.

What is to go is written down first, beside the files, with the receipt for it. Whoever opens the
folder next finishes it, so that nobody ever meets a space that is half there.
"""

import os
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from unabridged.disk.atomic_write import remove, sync_folder, system_errors, wipe, write_whole
from unabridged.disk.folders import private_folder
from unabridged.stores.json_codec import pack, unpack

LEAVING = ".forgetting"
"""Suffix of the file that says that a space is to go."""


def parts_of(path: Path) -> list[Path]:
    """Return every file of a space: its own and all whose names begin with its name.

    Drafts that a crash left and what was set aside are among them.
    """
    own = [path, *path.parent.glob(f"{path.name}*"), *path.parent.glob(f".{path.name}*")]
    parts = {part for each in own for part in _files(each)}
    return sorted(part for part in parts if not part.name.endswith(LEAVING))


def _files(path: Path) -> Iterator[Path]:
    if path.is_dir() and not path.is_symlink():
        yield from (part for part in path.rglob("*") if part.is_file() or part.is_symlink())
    elif path.exists() or path.is_symlink():
        yield path


def leave(path: Path, parts: Iterable[Path], receipt: Path, shown: dict[str, Any]) -> int:
    """Wipe a space, and leave a receipt for it; return the bytes that were overwritten.

    Args:
        path: Its file, which need not be there.
        parts: What to wipe, in or below its folder.
        receipt: The file of the receipt, somewhere in the home.
        shown: The receipt, as plain data.

    Raises:
        StoreError: Something cannot be wiped; it is finished when the folder is opened next.
    """
    intent = path.with_name(path.name + LEAVING)
    home = path.parent.parent
    data = {
        "parts": [_from(home, part) for part in parts],
        "receipt": _from(home, receipt),
        "shown": shown,
    }
    write_whole(intent, pack(data))
    return finish(intent)


def _from(home: Path, path: Path) -> str:
    return Path(os.path.relpath(path, home)).as_posix()


def finish_for(path: Path) -> None:
    """Finish what was begun with a file, if anything was."""
    intent = path.with_name(path.name + LEAVING)
    if intent.exists():
        finish(intent)


def finish(intent: Path) -> int:
    """Do what an intent says, as far as it is not done; every step can be repeated."""
    try:
        said = unpack(intent.read_bytes())
    except FileNotFoundError:
        return 0  # another process finished it
    home = intent.parent.parent
    parts = [home / name for name in said["parts"]]
    size = 0
    with system_errors(intent):
        for part in parts:
            if part.is_symlink():
                part.unlink()
            elif part.is_file():
                size += wipe(part)
        for folder in sorted({part.parent for part in parts}, reverse=True):
            _clear(folder, intent.parent)
    receipt = home / said["receipt"]
    if not receipt.exists():
        with system_errors(receipt):
            private_folder(receipt.parent)
        write_whole(receipt, pack(said["shown"]))
    remove(intent)
    with suppress(FileNotFoundError):
        sync_folder(intent.parent)
    return size


def _clear(folder: Path, stays: Path) -> None:
    if folder.is_dir() and stays in folder.parents and not any(folder.iterdir()):
        folder.rmdir()
    if folder.is_dir():
        sync_folder(folder)
