"""Leaving: a whole space is wiped from its folder, and a kill at any moment leaves it to be finished.

What is to go is written down first, beside the files, with the receipt for it. Whoever opens the
folder next finishes it, so that nobody ever meets a space that is half there.
"""

import os
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from unabridged.disk.atomic_write import of_the_system, remove, sync_folder, wipe, write_whole
from unabridged.disk.folders import private_folder
from unabridged.stores.json_codec import pack, unpack

LEAVING = ".forgetting"
"""What stands behind a file's name in the name of what says that it is to go."""


def parts_of(path: Path) -> list[Path]:
    """Every file of a space: its own and all whose names begin with its name, folders opened up.

    Drafts that a crash left and what was set aside are among them.
    """
    own = [path, *path.parent.glob(f"{path.name}*"), *path.parent.glob(f".{path.name}*")]
    return sorted({part for each in own for part in _files(each) if not _is_intent(part)})


def _files(path: Path) -> Iterator[Path]:
    if path.is_dir() and not path.is_symlink():
        yield from (part for part in path.rglob("*") if part.is_file() or part.is_symlink())
    elif path.exists() or path.is_symlink():
        yield path


def _is_intent(path: Path) -> bool:
    return path.name.endswith(LEAVING)


def leave(path: Path, parts: Iterable[Path], receipt: Path, shown: dict[str, Any]) -> int:
    """Wipe a space, and leave a receipt for it.

    Args:
        path: Its file, which need not be there.
        parts: What to wipe, in or below its folder.
        receipt: Where the receipt is kept, somewhere in the home.
        shown: The receipt, as plain data.

    Returns:
        Bytes that were overwritten.

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
    """Finish what was begun with a file, where anything was.

    Raises:
        StoreError: It cannot be.
    """
    intent = path.with_name(path.name + LEAVING)
    if intent.exists():
        finish(intent)


def finish(intent: Path) -> int:
    """Do what an intent says, as far as it is not done; every step can be done again."""
    try:
        said = unpack(intent.read_bytes())
    except FileNotFoundError:
        return 0  # another process finished it
    home = intent.parent.parent
    parts = [home / name for name in said["parts"]]
    size = 0
    try:
        for part in parts:
            if part.is_symlink():
                part.unlink()
            elif part.is_file():
                size += wipe(part)
        for folder in sorted({part.parent for part in parts}, reverse=True):
            _clear(folder, intent.parent)
    except OSError as error:
        raise of_the_system(error, intent) from error
    receipt = home / said["receipt"]
    if not receipt.exists():
        try:
            private_folder(receipt.parent)
        except OSError as error:
            raise of_the_system(error, receipt) from error
        write_whole(receipt, pack(said["shown"]))
    remove(intent)
    with suppress(FileNotFoundError):
        sync_folder(intent.parent)
    return size


def _clear(folder: Path, stays: Path) -> None:
    if (
        folder.is_dir()
        and folder != stays
        and stays in folder.parents
        and not any(folder.iterdir())
    ):
        folder.rmdir()
    if folder.is_dir():
        sync_folder(folder)
