"""LlamaIndex: developers.llamaindex.ai."""

import importlib
from pathlib import Path
from typing import Any

from bench.formats.locomo import LocomoTalk
from bench.peers.peer import numbers, turns as turns_of
from unabridged.ports import Embedder


class LlamaIndex:
    """An index for each conversation, persisted in a folder of its own.

    Args:
        folder: Where indexes are kept.
        embedder: Makes the vectors.
    """

    def __init__(self, folder: Path, embedder: Embedder) -> None:
        self._folder = folder
        self._embedder = embedder
        self._core = importlib.import_module("llama_index.core")
        self._schema = importlib.import_module("llama_index.core.schema")
        mock = importlib.import_module("llama_index.core.embeddings").MockEmbedding
        self._never_asked = mock(embed_dim=embedder.dimension)
        self._held: dict[str, Any] = {}

    def add(self, talk: LocomoTalk) -> None:
        """Insert every turn as a node with its vector, and persist."""
        said = turns_of(talk)
        vectors = numbers(self._embedder.embed([message.text for message in said]))
        nodes = [
            self._schema.TextNode(id_=message.id, text=message.text, embedding=vector)
            for message, vector in zip(said, vectors, strict=True)
        ]
        index = self._core.VectorStoreIndex(nodes, embed_model=self._never_asked)
        index.storage_context.persist(str(self._folder / talk.id))
        self._held[talk.id] = index

    def search(self, talk: LocomoTalk, question: str, turns: int) -> list[str]:
        """Retrieve from its index."""
        retriever = self._held[talk.id].as_retriever(similarity_top_k=turns)
        bundle = self._schema.QueryBundle(
            question, embedding=self._embedder.embed_query(question).tolist()
        )
        return [each.node.node_id for each in retriever.retrieve(bundle)]

    def close(self) -> None:
        """Do nothing: indexes are in memory."""


def open_peer(folder: Path, embedder: Embedder) -> LlamaIndex:
    """Open an empty set of indexes."""
    return LlamaIndex(folder, embedder)
