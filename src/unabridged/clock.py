"""The real clock, and ids that sort by time."""

import os
import re
import threading
from datetime import UTC, datetime

_ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
_RANDOM_BITS = 80
_ENDING = re.compile(rf"[{_ALPHABET}]{{6,25}}")


def ulid(milliseconds: int, randomness: int) -> str:
    """Write a ULID: 48 bits of time and 80 of randomness in 26 Crockford digits.

    Format: https://github.com/ulid/spec
    """
    value = (milliseconds << _RANDOM_BITS) | randomness
    return "".join(_ALPHABET[(value >> shift) & 31] for shift in range(125, -1, -5))


def may_end_id(wanted: str) -> bool:
    """Return whether a text can be the end of an id, as lists show it: 6 to 25 digits."""
    return _ENDING.fullmatch(wanted) is not None


def ends_id(wanted: str, name: str) -> bool:
    """Return whether a text is the end of an id."""
    return may_end_id(wanted) and name.endswith(wanted)


class SystemClock:
    """The machine's time, and ids that never go backwards within a process."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._last = (0, 0)

    def now(self) -> datetime:
        return datetime.now(UTC)  # noqa: TID251 - the only place that may read the clock

    def new_id(self) -> str:
        milliseconds = int(self.now().timestamp() * 1000)
        with self._lock:
            last, randomness = self._last
            if milliseconds <= last:
                milliseconds, randomness = last, randomness + 1
            else:
                # The top bit stays free, so that counting up never overflows.
                randomness = int.from_bytes(os.urandom(10)) >> 1
            self._last = (milliseconds, randomness)
            return ulid(milliseconds, randomness)
