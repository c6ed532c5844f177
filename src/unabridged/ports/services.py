"""Protocols of services that the engine is handed: clock, tokenizer, cipher, keys."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Protocol, runtime_checkable


@runtime_checkable
class Clock(Protocol):
    """The source of times and ids, so that tests can set both."""

    def now(self) -> datetime:
        """Return the time, with a time zone."""
        ...

    def new_id(self) -> str:
        """Return a new id: 26 characters that sort by the time they were made (ULID)."""
        ...


@runtime_checkable
class Tokenizer(Protocol):
    """Counts tokens as one model does, or estimates them."""

    @property
    def identity(self) -> str:
        """Its name and version; only counts of one identity are comparable."""
        ...

    @property
    def exact(self) -> bool:
        """Whether it is the model's own tokenizer; if not, counts are calibrated."""
        ...

    def count(self, text: str) -> int:
        """Return the tokens of a text, without a template around it."""
        ...

    def by_script(self, text: str) -> Mapping[str, float]:
        """Return the tokens by script class (``latin``, ``cjk``, ``code`` …); they add up to the count."""
        ...


class Cipher(Protocol):
    """Encrypts what is written to disk."""

    @property
    def identity(self) -> str:
        """The name of the method and a mark of the key; never the key."""
        ...

    def encrypt(self, data: bytes, purpose: bytes) -> bytes:
        """Encrypt and authenticate data for a purpose.

        The purpose names what the data is for and where it belongs. It is not secret. Decrypting needs it,
        so that one sealed piece cannot replace another.
        """
        ...

    def decrypt(self, data: bytes, purpose: bytes) -> bytes:
        """Return what ``seal`` encrypted.

        Raises:
            StoreKeyError: It was sealed with another key.
            StoreDamagedError: It is not what was sealed.
        """
        ...


class Keys(Protocol):
    """The keys of tombstones; none is stored in a space's own files."""

    def held(self) -> Sequence[bytes]:
        """Return every key; none before anything was forgotten."""
        ...

    def current(self) -> bytes:
        """Return the key to use from now on; if there is none, make one, durably.

        Raises:
            StoreError: It cannot be stored.
        """
        ...
