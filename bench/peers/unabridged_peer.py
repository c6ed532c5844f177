"""Ourselves, measured as the others are."""

from pathlib import Path

from bench.core.store_sizes import model
from bench.formats.locomo import LocomoTalk
from unabridged.domain.settings import Settings
from unabridged.memory import Memory
from unabridged.ports import Embedder


class UnabridgedPeer:
    """A space for each conversation; an exchange that is found gives both its turns.

    Args:
        folder: The home.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._held: dict[str, Memory] = {}

    def add(self, talk: LocomoTalk) -> None:
        """Admit each session."""
        settings = Settings(home=str(self._folder), user=talk.id)
        self._held[talk.id] = Memory.open(settings=settings, upstream=model("bench"))
        for session in talk.sessions:
            self._held[talk.id].space.log.import_transcript(session)

    def search(self, talk: LocomoTalk, question: str, turns: int) -> list[str]:
        """Search for half as many exchanges."""
        found = self._held[talk.id].search(question, limit=(turns + 1) // 2)
        return [message.id for each in found for message in each.exchange.messages]

    def close(self) -> None:
        """Close every space."""
        for memory in self._held.values():
            memory.close()


def open_peer(folder: Path, _embedder: Embedder) -> UnabridgedPeer:
    """Open ourselves; the default embedder is what we embed with anyway."""
    return UnabridgedPeer(folder)
