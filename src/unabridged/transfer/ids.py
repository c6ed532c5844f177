"""Ids for what comes from elsewhere: the same file gives the same ids, today and next year."""

import hashlib
from datetime import UTC, datetime, timedelta

_ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MILLISECOND = timedelta(milliseconds=1)
_RANDOM_BITS = 80
_TEXT_LENGTH = 26


def digest(*seeds: str) -> str:
    """Give the SHA-256 of some texts as hexadecimal; where one ends and the next begins counts."""
    return _hash(seeds).hexdigest()


def derived_id(at: datetime, *seeds: str) -> str:
    """Give a ULID whose time is a date and whose random part is a digest.

    The text form is that of the ULID specification (github.com/ulid/spec): 48 bits of
    milliseconds and 80 further bits in Crockford's base 32, 26 characters, so that ids sort by
    date. Dates before 1970 sort as 1970.

    The seeds tell this thing from every other: format, foreign ids, content.
    """
    milliseconds = max(0, (at - _EPOCH) // _MILLISECOND)
    random = int.from_bytes(_hash(seeds).digest()[: _RANDOM_BITS // 8], "big")
    number = milliseconds << _RANDOM_BITS | random
    shifts = range(5 * (_TEXT_LENGTH - 1), -1, -5)
    return "".join(_ALPHABET[number >> shift & 31] for shift in shifts)


def _hash(seeds: tuple[str, ...]) -> "hashlib._Hash":
    state = hashlib.sha256()
    for seed in seeds:
        data = seed.encode("utf-8", "surrogatepass")
        state.update(len(data).to_bytes(8, "big"))
        state.update(data)
    return state
