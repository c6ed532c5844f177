from datetime import UTC, datetime

from tests.helpers.indexed import open_indexed

from unabridged.domain.scope import SpaceId
from unabridged.embeddings.static import StaticEmbedder
from unabridged.retrieval.analyze import Analyzer
from unabridged.retrieval.search import Search, SearchQuery
from unabridged.testing.log_writer import LogWriter
from unabridged.testing.stores_lookup import index_of

NOW = datetime(2026, 5, 1, tzinfo=UTC)


class AnotherTable(StaticEmbedder):
    """Of the same dimension, and yet nothing that may be compared."""

    identity = "static-another"


def test_vectors_of_two_embedders_are_never_compared(tmp_path):
    store = open_indexed(tmp_path / "space.db", SpaceId("ada"), embedder=StaticEmbedder())
    said = LogWriter(store).say("I adopted a kitten", "How lovely!")
    question = SearchQuery("cat", NOW)
    same = Search(store, index_of(store), Analyzer(StaticEmbedder()))
    assert [found.exchange.id for found in same.find(question, 5)] == [said.id]
    assert same.trouble == ""
    other = Search(store, index_of(store), Analyzer(AnotherTable()))
    assert other.find(question, 5) == []
    assert "static-en" in other.trouble
    store.close()


def test_a_question_is_embedded_only_if_there_is_something_to_compare(tmp_path):
    embedder = StaticEmbedder()
    store = open_indexed(tmp_path / "space.db", SpaceId("ada"), embedder=embedder)
    search = Search(store, index_of(store), Analyzer(embedder))
    assert search.embedded_by() == ""
    assert search.find(SearchQuery("cat", NOW), 5) == []
    said = LogWriter(store).say("I adopted a kitten", "How lovely!")
    assert search.embedded_by() == embedder.identity
    assert [found.exchange.id for found in search.find(SearchQuery("cat", NOW), 5)] == [said.id]
    store.close()
