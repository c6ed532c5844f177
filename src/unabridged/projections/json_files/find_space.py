"""Find the files of a space, and the space that a file belongs to."""

import re
from collections.abc import Iterator
from pathlib import Path

from unabridged.domain.scope import SpaceId
from unabridged.errors import InputError, StoreError
from unabridged.language.lazy_pattern import lazy_pattern
from unabridged.projections.json_files import file_bytes, files_state
from unabridged.projections.json_files.file_paths import (
    JSON,
    PACKED,
    SESSION_END,
    FilePaths,
    custom_paths,
    paths_of,
)
from unabridged.projections.json_files.layouts import KNOWN

_SESSION_FILE = lazy_pattern(rf"(.+)_[A-Za-z0-9-]+{SESSION_END}{re.escape(JSON)}")


def locate(root: Path, space: SpaceId, layout: str, custom: Path | None = None) -> FilePaths:
    """Return the paths of a space's files: in a folder, or one custom file."""
    if custom is not None:
        return custom_paths(custom, layout)
    return paths_of(root, space, layout, lambda paths: space_in(paths, layout))


def space_in(paths: FilePaths, layout: str) -> SpaceId | None:
    """Return the space of existing files; None if there are none, or they do not show it."""
    state = files_state.load(paths.state)
    if state.space and paths.files():
        return SpaceId(**state.space)
    return next(_told(paths, layout), None)


def paths_of_file(path: Path, layout: str) -> FilePaths:
    """Return the paths of a space from one of its readable files.

    Raises:
        InputError: It is not such a file.
    """
    name = path.name.removesuffix(PACKED)
    stem = name.removesuffix(JSON)
    if stem != name and not stem.startswith("."):
        if layout != "agent":
            return FilePaths(path.parent, stem, name)
        if found := _SESSION_FILE.fullmatch(name):
            return FilePaths(path.parent, found[1])
    raise InputError(f"{path} is not a file of a space.", hint="Use the JSON file that you edited.")


def _told(paths: FilePaths, layout: str) -> Iterator[SpaceId]:
    for path in paths.files():
        try:
            hidden = KNOWN[layout].parse(file_bytes.read(path)).hidden
            if hidden is not None:
                yield hidden.header.named
        except (StoreError, FileNotFoundError, ValueError, TypeError, KeyError, RecursionError):
            continue  # damaged or edited: another file may show it
