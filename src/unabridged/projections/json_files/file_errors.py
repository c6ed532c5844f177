"""What is wrong with a file, in the words of the error tree, with what to do about it."""

import json
from collections.abc import Sequence
from pathlib import Path

from unabridged.domain.scope import SpaceId
from unabridged.errors import (
    NotFoundError,
    StoreDamagedError,
    StoreEditedError,
    StoreError,
    StoreFormatError,
)

_SHOWN = 3


def edited(path: Path, what: Sequence[str]) -> StoreEditedError:
    """Return the error for a file that was changed by hand."""
    more = f" and {len(what) - _SHOWN} more" if len(what) > _SHOWN else ""
    return StoreEditedError(
        f"{path} was edited by hand: {'; '.join(what[:_SHOWN])}{more}. It is not overwritten.",
        hint=f"See the difference and take it into memory: unabridged adopt {path} "
        "(or write the file again: --undo).",
    )


def foreign(path: Path) -> StoreEditedError:
    """Return the error for a file that has nothing of ours in it."""
    return StoreEditedError(
        f"{path} was not written by unabridged, or its part `unabridged` was removed. "
        "It is not overwritten.",
        hint=f"Take what it holds into memory: unabridged adopt {path}",
    )


def unknown(path: Path, count: int) -> StoreEditedError:
    """Return the error for a file with exchanges that the log does not hold."""
    return StoreEditedError(
        f"{path} holds {count:,} exchange{'s' * (count != 1)} that memory does not hold. "
        "It is not overwritten.",
        hint=f"Take them into memory: unabridged adopt {path} (or write the file again: --undo).",
    )


def unreadable(path: Path, data: bytes, error: Exception) -> StoreDamagedError:
    """Return the error for a file that is no JSON, or not laid out as it should be."""
    try:
        json.loads(data)
    except json.JSONDecodeError as bad:
        return damaged(path, f"line {bad.lineno}, column {bad.colno}: {bad.msg}")
    except (UnicodeDecodeError, RecursionError) as bad:
        return damaged(path, str(bad))
    return StoreEditedError(
        f"{path} is not laid out as it was written: {error}. It is not overwritten.",
        hint=f"Correct it, or write it again from memory: unabridged adopt --undo {path}",
    )


def damaged(path: Path, what: str) -> StoreDamagedError:
    """Return the error for a file that is not what was written."""
    return StoreDamagedError(
        f"{path} is damaged: {what}.",
        hint=f"Write it again from memory: unabridged adopt --undo {path}",
    )


def too_new(path: Path, number: int) -> StoreFormatError:
    """Return the error for a file that a newer version wrote."""
    return StoreFormatError(
        f"{path} was written by a newer version (format {number}).",
        hint="Update unabridged and repeat.",
    )


def other_space(path: Path, space: SpaceId) -> StoreError:
    """Return the error for a file that holds the space of somebody else."""
    return StoreError(
        f"{path} holds the space {space.name!r}. It is not overwritten.",
        hint="Name another file, or the user and agent whose it is.",
    )


def nothing(path: Path) -> NotFoundError:
    """Return the error for a file that is not there."""
    return NotFoundError(f"There is no file {path}.", hint="Check the path.")
