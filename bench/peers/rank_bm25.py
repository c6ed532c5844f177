"""rank_bm25, in memory: words only."""

import importlib
import re
from pathlib import Path
from typing import Any

from bench.formats.locomo import LocomoTalk
from bench.peers.peer import turns as turns_of
from unabridged.ports import Embedder

_words = re.compile(r"\w+").findall


class RankBm25:
    """An index for each conversation; adding means building it again."""

    def __init__(self) -> None:
        self._okapi = importlib.import_module("rank_bm25").BM25Okapi
        self._held: dict[str, tuple[list[str], Any]] = {}

    def add(self, talk: LocomoTalk) -> None:
        """Build its index."""
        said = turns_of(talk)
        index = self._okapi([_words(message.text.lower()) for message in said])
        self._held[talk.id] = ([message.id for message in said], index)

    def search(self, talk: LocomoTalk, question: str, turns: int) -> list[str]:
        """Score everything."""
        names, index = self._held[talk.id]
        found: list[str] = index.get_top_n(_words(question.lower()), names, n=turns)
        return found

    def close(self) -> None:
        """Do nothing: it is in memory."""


def open_peer(_folder: Path, _embedder: Embedder) -> RankBm25:
    """Open an empty set of indexes."""
    return RankBm25()
