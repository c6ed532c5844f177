"""The manifest of a search index: its files, and its revision of the log."""

from hashlib import blake2b
from pathlib import Path
from typing import Annotated

import msgspec

from unabridged.disk.atomic_write import write_whole
from unabridged.errors import StoreDamagedError, StoreKeyError
from unabridged.ports import Cipher

NAME = "manifest"
FORMAT = 2
_DIGEST = 16
MOST_DIMENSIONS = 1 << 16
"""Numbers in a vector, at most."""
_PURPOSE = b"index manifest"


class ListedSegment(msgspec.Struct, frozen=True):
    """A segment file that belongs to the index.

    Attributes:
        name: The file.
        removed: The numbers of its exchanges that were erased, or replaced by a later entry.
    """

    name: str
    removed: tuple[int, ...] = ()


class Manifest(msgspec.Struct, frozen=True):
    """The parts of an index.

    Attributes:
        serial: A random id that changes with each writing.
        generation: The generation of the space.
        revision: The revision of the log up to which it is complete; -1 while it is being built.
        embedder: The identity of the embedder of its vectors; empty for none.
        dimension: Numbers in a vector.
        stored: Whether the log stores those vectors.
        segments: Its files.
        bare: The numbers of exchanges that still lack the vectors of that embedder.
        format: The format of manifests.
    """

    serial: str
    generation: str
    revision: int
    embedder: str = ""
    dimension: Annotated[int, msgspec.Meta(ge=0, le=MOST_DIMENSIONS)] = 0
    stored: bool = False
    segments: tuple[ListedSegment, ...] = ()
    bare: tuple[int, ...] = ()
    format: int = FORMAT


def read(folder: Path, cipher: Cipher | None) -> Manifest | None:
    """Return the manifest in a folder; None if it is missing, damaged, or of another format."""
    try:
        data = (folder / NAME).read_bytes()
        if cipher is not None:
            data = cipher.decrypt(data, _PURPOSE)
        body = data[_DIGEST:]
        if blake2b(body, digest_size=_DIGEST).digest() != data[:_DIGEST]:
            return None
        found = msgspec.json.decode(body, type=Manifest)
    except (OSError, StoreDamagedError, StoreKeyError, ValueError, RecursionError):
        return None
    return found if found.format == FORMAT else None


def write(folder: Path, manifest: Manifest, cipher: Cipher | None) -> None:
    """Write a manifest; a crash leaves the old or the new one.

    Raises:
        StoreError: It cannot be written; the old one is unchanged.
    """
    body = msgspec.json.encode(manifest)
    data = blake2b(body, digest_size=_DIGEST).digest() + body
    write_whole(folder / NAME, data if cipher is None else cipher.encrypt(data, _PURPOSE))
