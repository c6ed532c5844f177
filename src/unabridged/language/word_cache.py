"""A bounded cache of values by word, as fast as a dictionary for the words of daily use."""

from collections.abc import Callable
from typing import TypeVar

MOST = 8_192
"""Words that are held, before those set aside: more than a person uses, about 2 MB."""

Value = TypeVar("Value")


class WordCache(dict[str, Value]):
    """Words and what was computed from them; a word that is missing is computed.

    When it is full, its words are set aside, and those set aside before are dropped. A word that is
    asked for comes back. Any number of threads may share it.

    Args:
        compute: Computes the value of a word.
        most: Words to hold; up to as many are set aside.
    """

    def __init__(self, compute: Callable[[str], Value], most: int = MOST) -> None:
        super().__init__()
        self.most = most
        self._compute = compute
        self._aside: dict[str, Value] = {}

    def __missing__(self, word: str) -> Value:
        if len(self) >= self.most:
            self._aside = dict(self)
            self.clear()
        value = self._aside.pop(word, None)
        if value is None:
            value = self._compute(word)
        self[word] = value
        return value
