from datetime import UTC, datetime

from unabridged.domain.scope import Space
from unabridged.embeddings.static import StaticEmbedder
from unabridged.retrieval.entries import Reader
from unabridged.retrieval.finder import Finder, Question
from unabridged.testing.indexed import index_of, open_indexed
from unabridged.testing.talk import Talk

NOW = datetime(2026, 5, 1, tzinfo=UTC)


class AnotherTable(StaticEmbedder):
    """Of the same dimension, and yet nothing that may be compared."""

    identity = "static-another"


def test_vectors_of_two_embedders_are_never_compared(tmp_path):
    store = open_indexed(tmp_path / "space.db", Space("ada"), embedder=StaticEmbedder())
    said = Talk(store).say("I adopted a kitten", "How lovely!")
    question = Question("cat", NOW)
    same = Finder(store, index_of(store), Reader(StaticEmbedder()))
    assert [found.exchange.id for found in same.find(question, 5)] == [said.id]
    assert same.trouble == ""
    other = Finder(store, index_of(store), Reader(AnotherTable()))
    assert other.find(question, 5) == []
    assert "static-en" in other.trouble
    store.close()
