"""What an adapter does, and which there are."""

import importlib
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple, Protocol

from bench.formats.locomo import LocomoTalk
from unabridged.domain.message import Message
from unabridged.ports import Embedder


class Peer(Protocol):
    """A memory that holds many people's conversations apart, used as its makers show it."""

    def add(self, talk: LocomoTalk) -> None:
        """Add a conversation, turn by turn or in batches."""
        ...

    def search(self, talk: LocomoTalk, question: str, turns: int) -> list[str]:
        """The message ids of the best turns of a conversation, best first."""
        ...

    def close(self) -> None:
        """Close files."""
        ...


class PeerKind(NamedTuple):
    """An adapter.

    Attributes:
        module: Where it is, within this package; its ``open_peer`` takes a folder and an embedder.
        package: The package to install, by its import name; empty for Unabridged.
        note: How it is used.
    """

    module: str
    package: str
    note: str


KINDS: Mapping[str, PeerKind] = MappingProxyType(
    {
        "unabridged": PeerKind(
            "unabridged_peer", "", "SpaceLog.import_transcript and Memory.search; a space each"
        ),
        "chromadb": PeerKind("chroma", "chromadb", "a collection each; one add for each session"),
        "mem0": PeerKind("mem0", "mem0", "infer=False, Qdrant on disk, no threshold"),
        "langgraph": PeerKind(
            "langgraph", "langgraph.store.sqlite", "SqliteStore; a put for each turn"
        ),
        "llamaindex": PeerKind(
            "llamaindex", "llama_index.core", "VectorStoreIndex, persisted; an index each"
        ),
        "mempalace": PeerKind("mempalace", "mempalace", "drawers; search_memories within a wing"),
        "rank_bm25": PeerKind("rank_bm25", "rank_bm25", "BM25Okapi in memory, on lower-case words"),
    }
)
"""Name of a peer to its adapter."""


def installed(name: str) -> bool:
    """Return whether a peer can be measured here."""
    package = KINDS[name].package
    try:
        return not package or find_spec(package) is not None
    except ModuleNotFoundError:  # a parent of it is missing
        return False


def open_peer(name: str, folder: Path, embedder: Embedder) -> Peer:
    """Open a peer in an empty folder."""
    module = importlib.import_module(f"bench.peers.{KINDS[name].module}")
    peer: Peer = module.open_peer(folder, embedder)
    return peer


def turns(talk: LocomoTalk) -> list[Message]:
    """Every turn of a conversation, in order."""
    return [m for held in talk.sessions for e in held.exchanges for m in e.messages]


def numbers(vectors: Any) -> list[list[float]]:
    """Vectors as lists of plain numbers."""
    found: list[list[float]] = vectors.tolist()
    return found


def batches(messages: Sequence[Message], size: int = 100) -> list[Sequence[Message]]:
    """Messages in batches."""
    return [messages[n : n + size] for n in range(0, len(messages), size)]
