"""The state of the last writing, to detect edited or stale files without reading them."""

from pathlib import Path

import msgspec

from unabridged.disk import atomic_write
from unabridged.domain.scope import SpaceId
from unabridged.projections.json_files.file_bytes import Stamp

FORMAT = 1


class WrittenFile(msgspec.Struct, array_like=True):
    """A file as it was written; the digest is over its uncompressed bytes."""

    stamp: Stamp
    digest: str


class FilesState(msgspec.Struct, omit_defaults=True):
    """The state of a space's files at the last writing.

    Attributes:
        generation: The generation of the log; empty before the first writing.
        revision: The revision that they follow.
        files: The files, by name.
        late: The files that could not be written since, by name.
    """

    format: int = FORMAT
    space: dict[str, str] = {}
    generation: str = ""
    revision: int = 0
    files: dict[str, WrittenFile] = {}
    late: list[str] = []

    def __post_init__(self) -> None:
        SpaceId(**self.space)  # other names make it unusable


def load(path: Path) -> FilesState:
    """Return the state; an empty one if there is no usable one."""
    try:
        state = msgspec.json.decode(path.read_bytes(), type=FilesState)
    except FileNotFoundError:
        return FilesState()
    except OSError as error:
        raise atomic_write.of_the_system(error, path) from error
    except (ValueError, RecursionError):
        return FilesState()  # every file is then read and compared
    return state if state.format == FORMAT else FilesState()


def save(path: Path, state: FilesState) -> None:
    """Write the state."""
    atomic_write.write_whole(path, msgspec.json.encode(state))
