"""Search the raw bytes of files."""

from collections.abc import Iterable, Sequence

BLOCK = 1 << 22
"""Bytes searched at once."""


class ByteSearch:
    """Searches files for pieces, each in every form of bytes it may have."""

    def __init__(self, pieces: Sequence[Sequence[bytes]]) -> None:
        self._left = {number: tuple(forms) for number, forms in enumerate(pieces)}
        longest = max((len(form) for forms in pieces for form in forms), default=1)
        self._overlap = longest - 1
        self.bytes = 0
        self.files: list[str] = []
        self.found: list[int] = []

    def through(self, name: str, blocks: Iterable[bytes]) -> None:
        """Search a file, given its name and its bytes in order."""
        self.files.append(name)
        end = b""
        for block in blocks:
            self.bytes += len(block)
            held = end + block
            hits = [n for n, forms in self._left.items() if any(form in held for form in forms)]
            for number in hits:
                self.found.append(number)
                del self._left[number]
            end = held[-self._overlap :] if self._overlap else b""
