"""What was written last, so that an edited or stale file is noticed without reading every file."""

from pathlib import Path

import msgspec

from unabridged.disk import atomic_write
from unabridged.projections.json_files.file_bytes import Stamp

FORMAT = 1


class WrittenFile(msgspec.Struct, array_like=True):
    """A file as it was written; the digest is over its bytes, unpacked."""

    stamp: Stamp
    digest: str


class FilesState(msgspec.Struct, omit_defaults=True):
    """What the files of a space were when they were written last.

    Attributes:
        generation: The generation of the log that they follow; empty before the first writing.
        revision: How far they follow it.
        files: The files, by name.
        late: The files that could not be written since, by name.
    """

    format: int = FORMAT
    space: dict[str, str] = {}
    generation: str = ""
    revision: int = 0
    files: dict[str, WrittenFile] = {}
    late: list[str] = []


def load(path: Path) -> FilesState:
    """Read the state; an empty one if there is none that can be used."""
    try:
        state = msgspec.json.decode(path.read_bytes(), type=FilesState)
    except FileNotFoundError:
        return FilesState()
    except OSError as error:
        raise atomic_write.of_the_system(error, path) from error
    except (msgspec.MsgspecError, UnicodeDecodeError):
        return FilesState()  # every file is then read and compared
    return state if state.format == FORMAT else FilesState()


def save(path: Path, state: FilesState) -> None:
    """Write the state."""
    atomic_write.write_whole(path, msgspec.json.encode(state))
