"""MemPalace: its drawers, and its own search over them."""

import importlib
from pathlib import Path
from typing import Any

from bench.formats.locomo import LocomoTalk
from bench.peers.peer import batches, numbers, turns as turns_of
from unabridged.ports import Embedder


class _Embedding:
    """Our embedder, as MemPalace and Chroma call one."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self.dimension = embedder.dimension
        self.identity = embedder.identity

    @staticmethod
    def name() -> str:
        """The name under which a collection remembers it."""
        return "default"

    def __call__(self, input: list[str]) -> list[list[float]]:  # noqa: A002 - their word
        return numbers(self._embedder.embed(list(input)))

    def embed_query(self, input: list[str]) -> list[list[float]]:  # noqa: A002 - their word
        """Embed questions."""
        return [self._embedder.embed_query(text).tolist() for text in input]

    def is_legacy(self) -> bool:
        """Chroma asks; it is not."""
        return False

    def default_space(self) -> str:
        """How near vectors are."""
        return "cosine"

    def supported_spaces(self) -> list[str]:
        """How near vectors can be."""
        return ["cosine"]

    def get_config(self) -> dict[str, Any]:
        """What a collection keeps of it."""
        return {}


class MemPalace:
    """A wing for each conversation.

    Args:
        folder: The palace.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = str(folder)
        palace = importlib.import_module("mempalace.palace")
        self._search = importlib.import_module("mempalace.searcher").search_memories
        self._drawers = palace.get_collection(self._folder)

    def add(self, talk: LocomoTalk) -> None:
        """Upsert a hundred turns at once."""
        for batch in batches(turns_of(talk)):
            self._drawers.upsert(
                ids=[message.id for message in batch],
                documents=[message.text for message in batch],
                metadatas=[
                    {
                        "wing": talk.id,
                        "room": "talk",
                        "source_file": message.id,
                        "chunk_index": 0,
                        "filed_at": message.at.isoformat(),
                    }
                    for message in batch
                ],
            )

    def search(self, talk: LocomoTalk, question: str, turns: int) -> list[str]:
        """Search a wing."""
        found = self._search(question, self._folder, wing=talk.id, n_results=turns)
        return [str(hit["source_file"]) for hit in found["results"]]

    def close(self) -> None:
        """Do nothing: it closes with the process."""


def open_peer(folder: Path, embedder: Embedder) -> MemPalace:
    """Open a palace that embeds as we do."""
    embedding: Any = importlib.import_module("mempalace.embedding")
    ours = _Embedding(embedder)
    embedding.get_embedding_function = lambda *_, **__: ours
    return MemPalace(folder)
