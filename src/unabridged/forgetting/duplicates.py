"""Repeats: what says elsewhere what is to be forgotten, found by its words alone."""

from collections.abc import Iterable, Sequence

from unabridged.language.sentences import sentences
from unabridged.language.words import fold, words

RUN = 5
"""Words in a row that are compared; shorter texts repeat nothing by themselves."""
LONG_RUN = 8
"""Words in a row that no two people say by chance."""
SHARE = 0.5
"""Of a text's runs: from so many on the text as a whole says the same."""


class Traces:
    """The words of what is to be forgotten, laid out so that texts can be held against them.

    Args:
        texts: The words of every message.
    """

    def __init__(self, texts: Iterable[str]) -> None:
        self._runs: set[tuple[str, ...]] = set()
        self._sentences: set[tuple[str, ...]] = set()
        self._words: set[str] = set()
        for text in texts:
            said = words(fold(text))
            self._words.update(said)
            self._runs.update(_runs_of(said))
            self._sentences.update(_sentences_of(text))

    def repeated_in(self, text: str) -> str:
        """By what a text says the same, in words; empty where it does not."""
        said = words(fold(text))
        if sum(word in self._words for word in said) < RUN:
            return ""  # as almost every text; runs take ten times as long to look at
        runs = _runs_of(said)
        shared = [run in self._runs for run in runs]
        if not any(shared):
            return ""
        if sum(shared) >= SHARE * len(runs):
            return "says the same"
        if any(sentence in self._sentences for sentence in _sentences_of(text)):
            return "repeats a sentence"
        longest = _longest(shared)
        return f"repeats {longest} words in a row" if longest >= LONG_RUN else ""


def _runs_of(said: Sequence[str]) -> list[tuple[str, ...]]:
    return [tuple(said[i : i + RUN]) for i in range(len(said) - RUN + 1)]


def _sentences_of(text: str) -> list[tuple[str, ...]]:
    found = (tuple(words(fold(sentence))) for sentence in sentences(text))
    return [said for said in found if len(said) >= RUN]


def _longest(shared: Sequence[bool]) -> int:
    best = row = 0
    for one in shared:
        row = row + 1 if one else 0
        best = max(best, row)
    return best + RUN - 1 if best else 0
