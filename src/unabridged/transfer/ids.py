"""Ids for imported conversations: the same file always has the same ids."""

import hashlib
from base64 import b32encode
from datetime import UTC, datetime, timedelta

_CROCKFORD = bytes.maketrans(
    b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", b"0123456789ABCDEFGHJKMNPQRSTVWXYZ"
)
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MILLISECOND = timedelta(milliseconds=1)
_RANDOM_BITS = 80
_TEXT_LENGTH = 26
_PADDED_BYTES = 20
_PADDING_BITS = 8 * _PADDED_BYTES - 5 * _TEXT_LENGTH
"""Base 32 encodes groups of 5 bytes as 8 characters; the text form is the beginning of four."""


def digest(*seeds: str) -> str:
    """Return the SHA-256 of texts in hexadecimal; the boundaries between them count."""
    return _hash(seeds).hexdigest()


def derived_id(at: datetime, *seeds: str) -> str:
    """Return a ULID whose time is a date and whose random part is a digest.

    The text form is that of the ULID specification (github.com/ulid/spec): 48 bits of
    milliseconds and 80 further bits in Crockford's base 32, 26 characters, so that ids sort by
    date. Dates before 1970 sort as 1970.

    The seeds identify the thing: format, foreign ids, content.
    """
    milliseconds = max(0, (at - _EPOCH) // _MILLISECOND)
    random = int.from_bytes(_hash(seeds).digest()[: _RANDOM_BITS // 8], "big")
    number = milliseconds << _RANDOM_BITS | random
    encoded = b32encode((number << _PADDING_BITS).to_bytes(_PADDED_BYTES, "big"))
    return encoded[:_TEXT_LENGTH].translate(_CROCKFORD).decode("ascii")


def _hash(seeds: tuple[str, ...]) -> "hashlib._Hash":
    state = hashlib.sha256()
    for seed in seeds:
        data = seed.encode("utf-8", "surrogatepass")
        state.update(len(data).to_bytes(8, "big"))
        state.update(data)
    return state
