"""Mem0, without an LLM: docs.mem0.ai."""

import importlib
from pathlib import Path
from typing import Any

from bench.formats.locomo import LocomoTalk
from bench.peers.peer import turns as turns_of
from unabridged.ports import Embedder


class _Embedding:
    """Our embedder, as Mem0 calls one."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder

    def embed(self, text: str, memory_action: str | None = None) -> list[float]:
        """Embed a text, stored or asked."""
        one = self._embedder.embed_query if memory_action == "search" else None
        vector: list[float] = (one(text) if one else self._embedder.embed([text])[0]).tolist()
        return vector

    def embed_batch(self, texts: list[str], memory_action: str | None = None) -> list[list[float]]:
        """Embed texts."""
        return [self.embed(text, memory_action) for text in texts]


class Mem0:
    """A user for each conversation.

    Args:
        memory: Mem0's memory.
    """

    def __init__(self, memory: Any) -> None:
        self._memory = memory

    def add(self, talk: LocomoTalk) -> None:
        """Add turn by turn, as they are said."""
        for message in turns_of(talk):
            said = [{"role": str(message.role), "content": message.text}]
            meta = {"turn": message.id}
            self._memory.add(said, user_id=talk.id, metadata=meta, infer=False)

    def search(self, talk: LocomoTalk, question: str, turns: int) -> list[str]:
        """Search a user's memories."""
        found = self._memory.search(
            question, filters={"user_id": talk.id}, top_k=turns, threshold=0.0
        )
        return [each["metadata"]["turn"] for each in found["results"]]

    def close(self) -> None:
        """Close the vector store."""
        self._memory.vector_store.client.close()


def open_peer(folder: Path, embedder: Embedder) -> Mem0:
    """Open a memory over Qdrant on disk; the keys are never used, since no model is asked."""
    memory = importlib.import_module("mem0").Memory.from_config(
        {
            "vector_store": {
                "provider": "qdrant",
                "config": {
                    "path": str(folder / "qdrant"),
                    "on_disk": True,
                    "embedding_model_dims": embedder.dimension,
                },
            },
            "llm": {"provider": "openai", "config": {"api_key": "none"}},
            "embedder": {"provider": "openai", "config": {"api_key": "none"}},
            "history_db_path": str(folder / "history.db"),
        }
    )
    memory.embedding_model = _Embedding(embedder)
    return Mem0(memory)
