"""Promise 6: the same store, message and settings give the same result, however it is indexed."""

import tempfile
from datetime import timedelta
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st
from tests.helpers.examples import examples
from tests.helpers.indexed import open_indexed
from tests.opened import flush

from unabridged.domain.intent import Intent
from unabridged.domain.scope import SpaceId
from unabridged.embeddings.static import StaticEmbedder
from unabridged.embeddings.word_pieces import StaticLexicon
from unabridged.index import merge_policy
from unabridged.projections.search_index.index import SearchIndex
from unabridged.retrieval.analyze import Analyzer
from unabridged.retrieval.search import Search, SearchQuery
from unabridged.stores.in_memory import InMemoryStore
from unabridged.testing.log_writer import START, LogWriter
from unabridged.testing.stores_lookup import index_of

SPACE = SpaceId("ada", "same")
WORDS = (
    "garden", "train", "Lisbon", "cousin", "window", "get_user_id", "42", "yesterday", "coffee",
    "东京塔", "she", "the", "hotel", "blue", "folder", "🌊", "trian", "March", "river", "paints",
)  # fmt: skip
TEXT = st.lists(st.sampled_from(WORDS), max_size=12).map(" ".join)
STEP = st.one_of(
    st.tuples(st.just("say"), TEXT, TEXT),
    st.tuples(st.just("begin"), TEXT, st.just("")),
    st.tuples(st.just("again"), st.integers(0, 99), TEXT),
    st.tuples(st.just("edit"), st.integers(0, 99), TEXT),
    st.tuples(st.just("forget"), st.integers(0, 99), st.just("")),
    st.tuples(st.just("seal"), st.just(""), st.just("")),
)
QUESTIONS = (
    "Where is the garden of my cousin?",
    "hotel Lisbon yesterday",
    "get_user_id 42",
    "东京塔",
)
EMBEDDER, LEXICON = StaticEmbedder(), StaticLexicon()


class _Both:
    """One store whose ids stand in the order of time, whatever the session."""

    def __init__(self, store):
        self.store = store
        self.talk = LogWriter(store)
        self.said = []

    def take(self, step):
        verb, first, second = step
        if verb == "say":
            self.said.append(self.talk.say(first, second))
        elif verb == "begin":
            self.said.append(self.talk.begin(first))
        elif verb in ("again", "edit") and self.said:
            chosen = self.said[first % len(self.said)]
            if len(chosen.messages) < 2:
                return
            if verb == "again":
                self.said.append(self.talk.regenerate(chosen, second))
            else:
                self.said.append(self.talk.edit(chosen, second, "as you say"))
        elif verb == "forget" and self.said:
            self._forget(self.said.pop(first % len(self.said)))

    def _forget(self, chosen):
        self.store.erase([chosen.id])
        self.talk.header = self.store.session("s1") or LogWriter(None).header
        last = self.store.recent("s1", 1)
        self.talk.parent = last[0].id if last else None
        self.said = list(self.store.get([x.id for x in self.said]).values())


def results(store, index=None):
    reader = Analyzer(EMBEDDER, LEXICON)
    finder = Search(store, index or SearchIndex(store, reader), reader)
    now = START + timedelta(days=2)
    return [
        [(e.exchange.id, e.score) for e in finder.find(SearchQuery(text, now, intent), 20)]
        for text in QUESTIONS
        for intent in Intent
        if intent in Intent
    ]


def _open(path, space=None):
    return open_indexed(path, space, embedder=EMBEDDER, lexicon=LEXICON)


@pytest.mark.parametrize("sealed", [1024, 3])
@settings(
    max_examples=examples(40),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(steps=st.lists(STEP, min_size=1, max_size=25))
def test_results_do_not_depend_on_the_index(sealed, steps, monkeypatch):
    monkeypatch.setattr(merge_policy, "SEALED_EXCHANGES", sealed)
    monkeypatch.setattr(merge_policy, "FANOUT", 2)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "space.db"
        store = _open(path, SPACE)
        file, memory = _Both(store), _Both(InMemoryStore(SPACE))
        for step in steps:
            if step[0] == "seal":
                index_of(store).follow()
                flush(store, merge=False)
            file.take(step)
            memory.take(step)
        wanted = results(memory.store)
        assert results(store, index_of(store)) == wanted
        store.close()
        store = _open(path)
        assert results(store, index_of(store)) == wanted
        store.rebuild()
        assert store.check() == []
        assert results(store, index_of(store)) == wanted
        assert results(store) == wanted
        store.close()


def test_the_questions_find_something():
    both = _Both(InMemoryStore(SPACE))
    both.take(("say", "the garden of my cousin in Lisbon", "a hotel with get_user_id 42 东京塔"))
    assert [len(found) for found in results(both.store)] == [1] * len(QUESTIONS) * len(Intent)
