"""What can be done with the spaces of a home, whatever keeps them."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from unabridged.domain.scope import SpaceId
from unabridged.ports import Store


@dataclass(frozen=True, slots=True)
class SpaceInfo:
    """One space of a home, as its file tells.

    Attributes:
        space: The space that it holds, or None where the file cannot tell.
        path: The file.
        bytes: Its size, log included.
        sessions: Sessions in it.
        exchanges: Exchanges in it.
        damaged: What is wrong with it, in words; empty for a sound file.
        hint: What to do about it, in words.
    """

    space: SpaceId | None
    path: Path
    bytes: int
    sessions: int
    exchanges: int
    damaged: str = ""
    hint: str = ""


class Spaces(Protocol):
    """The spaces of a home."""

    def path_of(self, space: SpaceId) -> Path:
        """The file of a space, whether it is there or not."""
        ...

    def open(self, space: SpaceId, *, create: bool = True) -> Store:
        """Open a space, beginning it where it is new.

        Raises:
            NotFoundError: There is none, and none was to be made.
            StoreError: It cannot be opened.
        """
        ...

    def rename(self, old: SpaceId, new: SpaceId) -> None:
        """Give a space other names. A crash leaves it under the old or the new ones, whole.

        Raises:
            NotFoundError: There is no such space.
            NameRefusedError: The new names are taken.
        """
        ...

    def merge(self, source: SpaceId, into: SpaceId) -> int:
        """Copy what ``into`` lacks, and give the exchanges that were added; the source is kept."""
        ...

    def quarantine(self, space: SpaceId) -> Path:
        """Move the files of a space out of the way, and give the new path.

        Raises:
            NotFoundError: There is none.
        """
        ...

    def parts_of(self, space: SpaceId) -> list[Path]:
        """Every file of a space: also what a crash left of it, and what was set aside."""
        ...

    def wipe(self, space: SpaceId, receipt: Path, shown: Mapping[str, Any]) -> int:
        """Overwrite and remove every file of a space, and leave a receipt; see ``stores.leaving``.

        Returns:
            Bytes that were overwritten.

        Raises:
            StoreBusyError: Others have it open.
            StoreError: It cannot be wiped; it is finished when the home is looked at next.
        """
        ...

    def list(self) -> list[SpaceInfo]:
        """Every space; a damaged one says so and hides no other."""
        ...
