"""A memo of values computed from texts. It holds no text, so that none outlives a forgetting."""

from collections import OrderedDict
from collections.abc import Callable
from hashlib import blake2b
from threading import Lock
from typing import Generic, TypeVar

_T = TypeVar("_T")

MOST = 8_192
"""The default number of texts: a few times the parts of the longest prompts."""
DIGEST_BYTES = 16


class Memo(Generic[_T]):
    """Stores a value for each text, by its digest; drops the least recently used.

    Args:
        most: The number of texts whose values are stored.
    """

    def __init__(self, most: int = MOST) -> None:
        self._most = most
        self._values: OrderedDict[bytes, _T] = OrderedDict()
        self._lock = Lock()

    def __len__(self) -> int:
        return len(self._values)

    def of(self, text: str, compute: Callable[[str], _T]) -> _T:
        """Return the value of a text, computed only if it is not stored."""
        data = text.encode("utf-8", "surrogatepass")
        name = blake2b(data, digest_size=DIGEST_BYTES).digest()
        with self._lock:
            if name in self._values:
                self._values.move_to_end(name)
                return self._values[name]
        value = compute(text)
        with self._lock:
            self._values[name] = value
            if len(self._values) > self._most:
                self._values.popitem(last=False)
        return value
