"""LangGraph's SQLite store: langchain-ai.github.io/langgraph."""

import importlib
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from bench.formats.locomo import LocomoTalk
from bench.peers.peer import numbers, turns as turns_of
from unabridged.ports import Embedder


class LangGraph:
    """A namespace for each conversation.

    Args:
        store: LangGraph's store.
        stack: Closes it.
    """

    def __init__(self, store: Any, stack: ExitStack) -> None:
        self._store = store
        self._stack = stack

    def add(self, talk: LocomoTalk) -> None:
        """Put turn by turn."""
        for message in turns_of(talk):
            self._store.put(("talk", talk.id), message.id, {"text": message.text})

    def search(self, talk: LocomoTalk, question: str, turns: int) -> list[str]:
        """Search a namespace."""
        found = self._store.search(("talk", talk.id), query=question, limit=turns)
        return [item.key for item in found]

    def close(self) -> None:
        """Close the store."""
        self._stack.close()


def open_peer(folder: Path, embedder: Embedder) -> LangGraph:
    """Open a store that embeds the field ``text``."""
    module = importlib.import_module("langgraph.store.sqlite")
    stack = ExitStack()
    index = {
        "dims": embedder.dimension,
        "embed": lambda texts: numbers(embedder.embed(list(texts))),
        "fields": ["text"],
    }
    opened = module.SqliteStore.from_conn_string(str(folder / "store.db"), index=index)
    store = stack.enter_context(opened)
    store.setup()
    return LangGraph(store, stack)
