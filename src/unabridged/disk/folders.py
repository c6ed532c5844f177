"""Folders that are for their owner only."""

import os
import stat
from pathlib import Path

from unabridged.disk.atomic_write import sync_folder
from unabridged.errors import SettingError

FOLDER_MODE = 0o700


def private_folder(path: Path) -> None:
    """Make a folder, and those above it, durable, for its owner only whatever the umask is.

    One that is there already keeps its rights.
    """
    missing = []
    step = path
    while not step.exists():
        missing.append(step)
        step = step.parent
    for folder in reversed(missing):
        folder.mkdir(mode=FOLDER_MODE, exist_ok=True)
        if os.name != "nt":
            folder.chmod(FOLDER_MODE)
        sync_folder(folder.parent)  # what is made durable in it would be lost with its name


def check_home(home: Path) -> None:
    """Refuse a home that is a symbolic link, no folder, or belongs to another user.

    Raises:
        SettingError: It is.
    """
    try:
        said = home.lstat()
    except FileNotFoundError:
        return
    except OSError as error:
        raise SettingError(
            f"The home folder {home} cannot be looked at: {error.strerror or error}.",
            hint="Name another home that you may use, for example with UNABRIDGED_HOME.",
        ) from error
    if stat.S_ISLNK(said.st_mode):
        raise SettingError(
            f"The home folder {home} is a symbolic link.",
            hint=f"Name the folder itself: {home.resolve()}.",
        )
    if not stat.S_ISDIR(said.st_mode):
        raise SettingError(
            f"The home folder {home} is no folder.",
            hint="Name a folder as home, for example with UNABRIDGED_HOME.",
        )
    if os.name != "nt" and said.st_uid != os.geteuid():
        raise SettingError(
            f"The home folder {home} belongs to another user (number {said.st_uid}).",
            hint="Name a home of your own, for example with UNABRIDGED_HOME.",
        )
