"""Keys in memory only, for spaces that are not stored."""

import secrets
from collections.abc import Sequence

LENGTH = 32
"""Bytes of a key, as required by the strength of the digests."""


class PassingKeys:
    """One key, made on first use and never stored. Implements ``ports.Keys``."""

    def __init__(self) -> None:
        self._key: bytes | None = None

    def held(self) -> Sequence[bytes]:
        return [] if self._key is None else [self._key]

    def current(self) -> bytes:
        if self._key is None:
            self._key = secrets.token_bytes(LENGTH)
        return self._key
