"""A memo of what was computed for texts, bounded by the characters that it holds."""

from collections import OrderedDict
from collections.abc import Callable
from threading import Lock
from typing import Generic, TypeVar

_T = TypeVar("_T")

MOST_CHARS = 4_000_000
"""Characters of all texts that a memo holds, by default: a few times the longest prompts."""


class Memo(Generic[_T]):
    """Remembers a value per text; what was not asked for longest goes first.

    Args:
        most_chars: Characters of all texts together; longer texts are not remembered.
    """

    def __init__(self, most_chars: int = MOST_CHARS) -> None:
        self._most = most_chars
        self._held = 0
        self._values: OrderedDict[str, _T] = OrderedDict()
        self._lock = Lock()

    def __len__(self) -> int:
        return len(self._values)

    def of(self, text: str, compute: Callable[[str], _T]) -> _T:
        """Give the value of a text, computed once while the memo holds it."""
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
