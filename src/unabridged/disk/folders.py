"""Private folders."""

import os
import stat
from collections.abc import Iterable
from pathlib import Path

from unabridged.disk.atomic_write import sync_folder
from unabridged.errors import SettingError

FOLDER_MODE = 0o700


def private_folder(path: Path) -> None:
    """Create a folder and its parents durably, for the owner only.

    The umask does not matter. An existing folder keeps its permissions.
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
        sync_folder(folder.parent)  # durable files in it would be lost with its name


def check_paths(names: Iterable[str]) -> None:
    """Check names that a file lists before they are used as paths.

    Raises:
        ValueError: The system cannot have a file of that name.
    """
    for name in names:
        if not name or b"\0" in os.fsencode(name):
            raise ValueError(f"{name!r} is not a path")


def check_home(home: Path) -> None:
    """Refuse a home that is a symbolic link, not a folder, or belongs to another user.

    Raises:
        SettingError: It is one of these.
    """
    try:
        said = home.lstat()
    except FileNotFoundError:
        return
    except OSError as error:
        raise SettingError(
            f"The home folder {home} cannot be read: {error.strerror or error}.",
            hint="Choose an accessible folder with --home or UNABRIDGED_HOME.",
        ) from error
    if stat.S_ISLNK(said.st_mode):
        raise SettingError(
            f"The home folder {home} is a symbolic link.",
            hint=f"Use the folder itself: --home {home.resolve()}",
        )
    if not stat.S_ISDIR(said.st_mode):
        raise SettingError(
            f"The home folder {home} is not a folder.",
            hint="Choose a folder with --home or UNABRIDGED_HOME.",
        )
    if os.name != "nt" and said.st_uid != os.geteuid():
        raise SettingError(
            f"The home folder {home} belongs to another user (number {said.st_uid}).",
            hint="Choose a folder of yours with --home or UNABRIDGED_HOME.",
        )
