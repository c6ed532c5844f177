"""What is wrong with a file, in the words of the error tree, with what to do about it."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

from unabridged.errors import (
    NotFoundError,
    StoreDamagedError,
    StoreEditedError,
    StoreError,
    StoreFormatError,
)

_SHOWN = 3
_UNTOUCHED = "Nothing was changed, and other spaces are not affected."


def edited(path: Path, what: Sequence[str]) -> StoreEditedError:
    """A file was changed by hand."""
    more = f" and {len(what) - _SHOWN} more" if len(what) > _SHOWN else ""
    return StoreEditedError(
        f"{path} was edited by hand: {'; '.join(what[:_SHOWN])}{more}.",
        hint=f"See the difference and take it over with: unabridged adopt {path}",
    )


def foreign(path: Path) -> StoreEditedError:
    """A file has nothing of ours in it."""
    return StoreEditedError(
        f"{path} was not written by unabridged, or its part `unabridged` was removed.",
        hint=f"Take over what it holds with: unabridged adopt {path}",
    )


def unreadable(path: Path, data: bytes, error: Exception) -> StoreDamagedError:
    """A file is no JSON, or not laid out as it should be."""
    try:
        json.loads(data)
    except json.JSONDecodeError as bad:
        return StoreDamagedError(
            f"{path} is damaged: line {bad.lineno}, column {bad.colno}: {bad.msg}.",
            hint=f"{_UNTOUCHED} Mend that place, or have the file written anew from its companion: "
            f"unabridged adopt --undo {path}",
        )
    except (UnicodeDecodeError, RecursionError) as bad:
        return damaged(path, str(bad))
    return StoreEditedError(
        f"{path} is not laid out as it was written: {error}.",
        hint=f"Undo the edit, or have it looked at with: unabridged adopt {path}",
    )


def damaged(path: Path, what: str) -> StoreDamagedError:
    """A file is not what was written."""
    return StoreDamagedError(
        f"{path} is damaged: {what}.", hint=f"{_UNTOUCHED} Restore it from a backup."
    )


def missing(path: Path) -> StoreDamagedError:
    """A file that another one names is not there."""
    return StoreDamagedError(
        f"{path} is missing.", hint=f"{_UNTOUCHED} Put it back, from a backup for example."
    )


def too_new(path: Path, number: int) -> StoreFormatError:
    """A newer version wrote it."""
    return StoreFormatError(
        f"{path} was written by a newer version (format {number}).",
        hint="Update unabridged and repeat.",
    )


def other_space(path: Path, names: Mapping[str, str]) -> StoreError:
    """A file holds the space of somebody else."""
    held = "/".join(name for name in names.values() if name)
    return StoreError(
        f"{path} holds the space {held!r}.",
        hint="Name another file, or the user and agent whose it is.",
    )


def nothing(path: Path) -> NotFoundError:
    """There is no file."""
    return NotFoundError(f"There is no store in {path}.", hint="Check the path.")
