"""Ids for imported conversations: the same file always has the same ids."""

import hashlib
from datetime import UTC, datetime, timedelta

_CROCKFORD = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
_PAIRS = tuple(first + second for first in _CROCKFORD for second in _CROCKFORD)
"""What ten bits are written as."""
_SHIFTS = tuple(range(120, -10, -10))
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MILLISECOND = timedelta(milliseconds=1)
_RANDOM_BITS = 80


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
    return "".join([_PAIRS[number >> shift & 1023] for shift in _SHIFTS])


def _hash(seeds: tuple[str, ...]) -> "hashlib._Hash":
    parts: list[bytes] = []
    for seed in seeds:
        data = seed.encode("utf-8", "surrogatepass")
        parts += (len(data).to_bytes(8, "big"), data)
    return hashlib.sha256(b"".join(parts))
