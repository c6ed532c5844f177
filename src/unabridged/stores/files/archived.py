"""The file of archived sessions."""

from collections.abc import Iterator, Sequence

import msgspec

from unabridged.stores.files.layout import (
    Head,
    Layout,
    Read,
    Shown,
)


class _ArchiveFile(msgspec.Struct, forbid_unknown_fields=True):
    unabridged: msgspec.Raw


class ArchiveLayout:
    """Sessions that were moved out of the active set; as the layout of their space shows them.

    Args:
        layout: That of the space.
    """

    shows = 0

    def __init__(self, layout: Layout) -> None:
        self.dress = layout.dress
        self.style = layout.style
        self.texts = layout.texts
        self.splits = layout.splits

    def heads(self, _head: Head, /) -> list[bytes]:
        """The values that are made from the rest; see ``Layout``."""
        return []

    def render(
        self, _heads: Sequence[bytes], _shown: Sequence[Shown], hidden: Sequence[bytes], /
    ) -> Iterator[bytes]:
        """Give the bytes of a file; see ``Layout``."""
        yield b'{\n  "unabridged": '
        yield from hidden
        yield b"\n}\n"

    def read(self, data: bytes) -> Read:
        """Take a file apart; see ``Layout``."""
        return Read([], [], msgspec.json.decode(data, type=_ArchiveFile).unabridged)
