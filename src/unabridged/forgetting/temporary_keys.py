"""Keys that last as long as their holder: for spaces that are kept in memory only."""

import secrets
from collections.abc import Sequence

LENGTH = 32
"""Bytes of a key: as many as the strength of the digests asks for."""


class PassingKeys:
    """One key, made when it is first needed and never kept. Implements ``ports.Keys``."""

    def __init__(self) -> None:
        self._key: bytes | None = None

    def held(self) -> Sequence[bytes]:
        return [] if self._key is None else [self._key]

    def current(self) -> bytes:
        if self._key is None:
            self._key = secrets.token_bytes(LENGTH)
        return self._key
