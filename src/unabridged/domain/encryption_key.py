"""A key: 32 secret bytes from which a key is derived for each purpose."""

from dataclasses import dataclass, field
from hashlib import blake2b

KEY_BYTES = 32


@dataclass(frozen=True, slots=True)
class EncryptionKey:
    """A person's key. It is never used itself: see ``for_``.

    Attributes:
        secret: 32 random bytes; never shown.

    Raises:
        ValueError: It has another length.
    """

    secret: bytes = field(repr=False)

    def __post_init__(self) -> None:
        if len(self.secret) != KEY_BYTES:
            raise ValueError(f"a key has {KEY_BYTES} bytes")

    def for_(self, purpose: str) -> bytes:
        """Derive the key of a purpose: 32 bytes that reveal nothing of other purposes' keys.

        Keyed BLAKE2b (RFC 7693) over the purpose's name, as key derivation in counterless form.

        Args:
            purpose: A name such as ``chain``, ``tombstone`` or ``files``.
        """
        return blake2b(purpose.encode(), key=self.secret, digest_size=KEY_BYTES).digest()

    @property
    def mark(self) -> str:
        """A fingerprint that reveals nothing of the key: 8 hexadecimal digits."""
        return self.for_("mark")[:4].hex()
