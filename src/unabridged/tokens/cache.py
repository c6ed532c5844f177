"""A memo of values computed from texts, limited by characters."""

from collections import OrderedDict
from collections.abc import Callable
from threading import Lock
from typing import Generic, TypeVar

_T = TypeVar("_T")

MOST_CHARS = 4_000_000
"""The default limit in characters: a few times the longest prompts."""


class Memo(Generic[_T]):
    """Stores a value for each text; drops the least recently used.

    Args:
        most_chars: Characters of all texts together; longer texts are not stored.
    """

    def __init__(self, most_chars: int = MOST_CHARS) -> None:
        self._most = most_chars
        self._held = 0
        self._values: OrderedDict[str, _T] = OrderedDict()
        self._lock = Lock()

    def __len__(self) -> int:
        return len(self._values)

    def of(self, text: str, compute: Callable[[str], _T]) -> _T:
        """Return the value of a text, computed only if it is not stored."""
        with self._lock:
            if text in self._values:
                self._values.move_to_end(text)
                return self._values[text]
        value = compute(text)
        if len(text) <= self._most:
            with self._lock:
                self._keep(text, value)
        return value

    def _keep(self, text: str, value: _T) -> None:
        if text not in self._values:
            self._held += len(text)
        self._values[text] = value
        while self._held > self._most:
            gone, _ = self._values.popitem(last=False)
            self._held -= len(gone)
