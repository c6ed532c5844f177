"""Finding the space that a file belongs to, and taking the file over under the space's lock."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from unabridged.disk.locks import locked
from unabridged.domain.adoption import Adoption
from unabridged.domain.scope import Space
from unabridged.errors import InputError, StoreDamagedError, StoreEditedError
from unabridged.stores.files import faults, log as logs, paper, sheet, together
from unabridged.stores.files.adopting import Adopting, Plan
from unabridged.stores.files.folder import FilesFolder
from unabridged.stores.files.layouts import KNOWN
from unabridged.stores.files.names import JSON, PACKED, SESSION_END, SPACE_END, Place
from unabridged.stores.files.taking import Means

_SESSION_FILE = re.compile(rf"(.+)_[A-Za-z0-9-]+{SESSION_END}{re.escape(JSON)}")


def place_of_file(path: Path, layout: str) -> Place:
    """Give the place of a space from one of its readable files.

    Raises:
        InputError: It is no such file.
    """
    name = path.name.removesuffix(PACKED)
    stem = name.removesuffix(JSON)
    if layout != "agent":
        if stem != name and not stem.startswith(".") and ".archive-" not in stem:
            return Place(path.parent, stem, name)
    elif stem.endswith(SPACE_END) and stem != name:
        return Place(path.parent, stem.removesuffix(SPACE_END), name)
    elif found := _SESSION_FILE.fullmatch(name):
        return Place(path.parent, found[1], f"{found[1]}{SPACE_END}{JSON}")
    raise InputError(
        f"{path} is no file of a space.",
        hint="Name the JSON file that you edited; companions and archives are not for editing.",
    )


class FileAdoption:
    """One file that is to be taken over.

    Args:
        path: The file.
        layout: ``model``, ``agent`` or ``user``.
        spaces: The spaces of the home, in that layout.
        asked: The space that the settings name.
        means: What is needed from outside.

    Raises:
        InputError: It is no file of a space, or nothing tells of which.
    """

    def __init__(
        self,
        path: Path,
        layout: str,
        *,
        spaces: FilesFolder,
        asked: Space,
        means: Means,
    ) -> None:
        if not path.exists() and not path.is_symlink():
            raise faults.nothing(path)
        self._path = path
        self._layout = layout
        self._spaces = spaces
        self._place = place_of_file(path, layout)
        self._means = means
        self.space = self._told() or self._asked(asked)

    def view(self, *, undo: bool = False) -> Adoption:
        """Say what taking it over would do; nothing is changed."""
        with self._locked():
            return self._adopting().plan(undo=undo).view

    def take(self, shown: Adoption, *, undo: bool = False, forget_removed: bool = False) -> None:
        """Take it over as it was shown.

        Args:
            shown: What a person was shown.
            undo: Write it as it was before it was edited or damaged instead.
            forget_removed: Forget what is no longer shown, for good.

        Raises:
            StoreEditedError: It was changed once more since it was shown.
            StoreError: It cannot be written; it is as it was.
        """
        with self._locked():
            adopting = self._adopting()
            plan: Plan = adopting.plan(undo=undo)
            if plan.view != shown:
                raise StoreEditedError(
                    f"{self._path} was changed since it was shown.",
                    hint="Look at it again, and repeat.",
                )
            adopting.take(plan, forget_removed=forget_removed)

    def _adopting(self) -> Adopting:
        desk = self._spaces.desk(self._place, self.space)
        return Adopting(desk, self._path, self._means)

    @contextmanager
    def _locked(self) -> Iterator[None]:
        with locked(self._place.lock, self._spaces.timeout):
            together.finish(self._place.intent)
            yield

    def _told(self) -> Space | None:
        """The space that the file names, or the one that is always there beside it."""
        names = [self._path, self._place.path, self._place.path.with_name(f"{self._place.main}.gz")]
        for path in names:
            try:
                about = sheet.about_of(
                    KNOWN[self._layout], paper.read(path, self._spaces.encryption)
                )
            except (StoreDamagedError, FileNotFoundError, ValueError, TypeError, KeyError):
                continue
            if about is not None:
                return Space(**about.space)
        log = logs.newest(self._place.folder, self._place.stem)
        told = logs.space_of(log, self._spaces.encryption) if log is not None else {}
        return Space(**told) if told else None

    def _asked(self, asked: Space) -> Space:
        """The space that the settings name, where this is its file."""
        own = place_of_file(self._spaces.path_of(asked), self._layout)
        if (own.folder.resolve(), own.stem) == (self._place.folder.resolve(), self._place.stem):
            return asked
        raise InputError(
            f"{self._path} does not say whose it is.",
            hint="Name the user, agent and model whose memory it holds: --user, --agent, --model.",
        )
