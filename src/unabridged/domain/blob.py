"""A blob: bytes that several messages or records share. The store keeps each once."""

from dataclasses import dataclass
from enum import StrEnum
from hashlib import sha256


class BlobKind(StrEnum):
    """The kind of a blob."""

    SYSTEM = "system"
    """The system prompt of a context, as UTF-8; lone surrogates are kept."""
    TOOLS = "tools"
    """The tools that a context offered, as JSON."""
    IMAGE = "image"
    """An image."""
    ORIGINAL = "original"
    """A message as another program stored or sent it, as JSON."""


@dataclass(frozen=True, slots=True)
class Blob:
    """Bytes and their kind. A store keeps them as long as something uses them."""

    kind: BlobKind
    data: bytes

    @property
    def digest(self) -> str:
        """The id: SHA-256 of kind and bytes, in hex."""
        return sha256(self.kind.encode() + b"\0" + self.data).hexdigest()

    @property
    def text(self) -> str:
        """The bytes as text."""
        return self.data.decode("utf-8", "surrogatepass")


def system_blob(text: str) -> Blob:
    """Return the blob of a system prompt."""
    return Blob(BlobKind.SYSTEM, text.encode("utf-8", "surrogatepass"))
