"""Search files for bytes, past everything that reads them."""

from collections.abc import Iterable, Sequence

BLOCK = 1 << 22
"""Bytes that are looked through at once."""


class ByteSearch:
    """Looks for pieces, each in every form of bytes that it may have, in one file after the other."""

    def __init__(self, pieces: Sequence[Sequence[bytes]]) -> None:
        self._left = {number: tuple(forms) for number, forms in enumerate(pieces)}
        longest = max((len(form) for forms in pieces for form in forms), default=1)
        self._overlap = longest - 1
        self.bytes = 0
        self.files: list[str] = []
        self.found: list[int] = []

    def through(self, name: str, blocks: Iterable[bytes]) -> None:
        """Look through a file, given its name for people and its bytes in order."""
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
