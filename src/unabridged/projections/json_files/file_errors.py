"""Errors of readable files, with hints."""

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
        hint=f"Show the difference and import it: unabridged adopt {path} "
        "(or restore the file: --undo).",
    )


def foreign(path: Path) -> StoreEditedError:
    """Return the error for a file without our key."""
    return StoreEditedError(
        f"{path} was not written by unabridged, or its part `unabridged` was removed. "
        "It is not overwritten.",
        hint=f"Import its content: unabridged adopt {path}",
    )


def unknown(path: Path, count: int) -> StoreEditedError:
    """Return the error for a file with exchanges that the log lacks."""
    return StoreEditedError(
        f"{path} contains {count:,} exchange{'s' * (count != 1)} that memory lacks. "
        "It is not overwritten.",
        hint=f"Import them: unabridged adopt {path} (or restore the file: --undo).",
    )


def unreadable(path: Path, data: bytes, error: Exception) -> StoreDamagedError:
    """Return the error for a file with invalid JSON or another layout."""
    try:
        json.loads(data)
    except json.JSONDecodeError as bad:
        return damaged(path, f"line {bad.lineno}, column {bad.colno}: {bad.msg}")
    except (UnicodeDecodeError, RecursionError) as bad:
        return damaged(path, str(bad))
    return StoreEditedError(
        f"{path} has another layout than it was written with: {error}. It is not overwritten.",
        hint=f"Correct it, or restore it from memory: unabridged adopt --undo {path}",
    )


def damaged(path: Path, what: str) -> StoreDamagedError:
    """Return the error for a damaged file."""
    return StoreDamagedError(
        f"{path} is damaged: {what}.",
        hint=f"Restore it from memory: unabridged adopt --undo {path}",
    )


def too_new(path: Path, number: int) -> StoreFormatError:
    """Return the error for a file that a newer version wrote."""
    return StoreFormatError(
        f"{path} was written by a newer version (format {number}).",
        hint="Update unabridged and repeat.",
    )


def other_space(path: Path, space: SpaceId) -> StoreError:
    """Return the error for a file of another space."""
    return StoreError(
        f"{path} contains the space {space.name!r}. It is not overwritten.",
        hint="Use another file, or the --user and --agent of this one.",
    )


def nothing(path: Path) -> NotFoundError:
    """Return the error for a missing file."""
    return NotFoundError(f"There is no file {path}.", hint="Check the path.")
