"""Chroma: docs.trychroma.com."""

import importlib
from pathlib import Path
from typing import Any

from bench.formats.locomo import LocomoTalk
from bench.peers.peer import batches, numbers, turns as turns_of
from unabridged.ports import Embedder


class Chroma:
    """A collection for each conversation.

    Args:
        client: Chroma's client.
        embedder: Makes the vectors.
    """

    def __init__(self, client: Any, embedder: Embedder) -> None:
        self._client = client
        self._embedder = embedder
        self._held: dict[str, Any] = {}

    def add(self, talk: LocomoTalk) -> None:
        """Add a hundred turns at once."""
        held = self._client.create_collection(
            name=f"talk-{talk.id}", embedding_function=None, metadata={"hnsw:space": "cosine"}
        )
        self._held[talk.id] = held
        for batch in batches(turns_of(talk)):
            texts = [message.text for message in batch]
            held.add(
                ids=[message.id for message in batch],
                documents=texts,
                embeddings=numbers(self._embedder.embed(texts)),
            )

    def search(self, talk: LocomoTalk, question: str, turns: int) -> list[str]:
        """Query its collection."""
        vector = self._embedder.embed_query(question).tolist()
        found = self._held[talk.id].query(query_embeddings=[vector], n_results=turns)
        ids: list[str] = found["ids"][0]
        return ids

    def close(self) -> None:
        """Do nothing: the client closes with the process."""


def open_peer(folder: Path, embedder: Embedder) -> Chroma:
    """Open a persistent client."""
    chromadb = importlib.import_module("chromadb")
    settings = chromadb.config.Settings(anonymized_telemetry=False)
    return Chroma(chromadb.PersistentClient(path=str(folder), settings=settings), embedder)
