"""What is handed in from around the engine: the time, and what counts tokens."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Protocol, runtime_checkable


@runtime_checkable
class Clock(Protocol):
    """The time and fresh ids, so that both can be given in tests."""

    def now(self) -> datetime:
        """The time, with a time zone."""
        ...

    def new_id(self) -> str:
        """A fresh id: 26 characters that sort by the time they were made (ULID)."""
        ...


@runtime_checkable
class Tokenizer(Protocol):
    """Counts tokens as one model does, or estimates them."""

    @property
    def identity(self) -> str:
        """Its name and version; counts are comparable only under one identity."""
        ...

    @property
    def exact(self) -> bool:
        """Whether it is the model's own tokenizer; if not, counts are calibrated."""
        ...

    def count(self, text: str) -> int:
        """Tokens of a text without any template around it."""
        ...

    def by_script(self, text: str) -> Mapping[str, float]:
        """Tokens by script class (``latin``, ``cjk``, ``code`` …); they add up to the count."""
        ...


class Cipher(Protocol):
    """Makes what is written to disk unreadable without a key."""

    @property
    def identity(self) -> str:
        """The name of the method and a mark of the key; never the key."""
        ...

    def encrypt(self, data: bytes, purpose: bytes) -> bytes:
        """Encrypt and authenticate data for a purpose.

        The purpose says what it is for and where it belongs. It is not hidden, and is needed to open it
        again, so that one sealed piece cannot be put in another's place.
        """
        ...

    def decrypt(self, data: bytes, purpose: bytes) -> bytes:
        """Give what ``seal`` hid.

        Raises:
            StoreKeyError: It was sealed with another key.
            StoreDamagedError: It is not what was sealed.
        """
        ...


class Keys(Protocol):
    """The keys by which what was forgotten is recognised; none lies in a space's own files."""

    def held(self) -> Sequence[bytes]:
        """Every key that there is; none before anything was forgotten."""
        ...

    def current(self) -> bytes:
        """The key to use from now on; one is made, and is durable, where there is none.

        Raises:
            StoreError: It cannot be kept.
        """
        ...
