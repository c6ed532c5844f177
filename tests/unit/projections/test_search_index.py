"""The search index follows its log: what is new is analysed, and nothing else."""

import threading
from dataclasses import fields, replace
from datetime import UTC, datetime

import numpy as np
import pytest
from tests.helpers.indexed import open_indexed
from tests.opened import storage_of

from unabridged.domain.changes import Written
from unabridged.domain.index_query import IndexQuery
from unabridged.domain.message import Text
from unabridged.domain.scope import SpaceId
from unabridged.embeddings.static import StaticEmbedder
from unabridged.errors import StoreReadOnlyError, UpstreamError
from unabridged.index import merge_policy
from unabridged.projections.search_index.index import SearchIndex
from unabridged.retrieval.analyze import Analyzer
from unabridged.retrieval.search import Search, SearchQuery
from unabridged.stores.in_memory import InMemoryStore
from unabridged.testing.log_writer import LogWriter
from unabridged.testing.stores_lookup import index_of

SPACE = SpaceId("ada", "search")


class Watched(InMemoryStore):
    """Remembers which exchanges were read."""

    def __init__(self):
        super().__init__(SPACE)
        self.read = []

    def get(self, ids):
        names = list(ids)
        self.read += names
        return super().get(names)


@pytest.fixture
def store():
    return Watched()


@pytest.fixture
def index(store):
    return SearchIndex(store)


def found(index, *terms):
    rows = index.search(IndexQuery(terms))
    return rows.exchanges_of(np.flatnonzero(rows.found).tolist())


def read_by(store, act):
    store.read.clear()
    act()
    return store.read


def test_only_what_is_new_is_read(store, index):
    talk = LogWriter(store)
    first = talk.say("My boat is called Kestrel.", "Noted.")
    assert found(index, "kestrel") == [first.id]
    later = [talk.say(f"The {word} is in the shed.", "Noted.") for word in ("anchor", "rudder")]
    assert read_by(store, lambda: found(index, "anchor")) == [one.id for one in later]
    assert read_by(store, lambda: found(index, "rudder")) == []
    assert found(index, "rudder") == [later[1].id]


def test_an_answer_that_came_later_is_found(store, index):
    talk = LogWriter(store)
    begun = talk.begin("Where is the key?")
    assert found(index, "key") == [begun.id]
    talk.answer(begun, "Behind the zinnias.")
    assert read_by(store, lambda: found(index, "zinnia")) == [begun.id]
    assert found(index, "zinnia", "key") == [begun.id]


def test_what_is_erased_is_found_no_more_and_what_followed_it_moves_up(store, index):
    talk = LogWriter(store)
    said = [talk.say(f"Kestrel {number}", "Noted.") for number in range(5)]
    found(index, "kestrel")
    store.erase([said[1].id])
    assert set(read_by(store, index.follow)) == {said[2].id}
    assert found(index, "kestrel") == [one.id for one in said if one is not said[1]]
    rows = index.search(IndexQuery(("kestrel",)))
    assert rows.positions.tolist() == [0, 1, 2, 3]
    assert rows.before.tolist() == [-1, 0, 1, 2]
    assert index.check() == []


def test_what_was_just_written_is_not_read_from_the_log(store, index):
    said = LogWriter(store).say("My boat is called Kestrel.", "Noted.")
    written = Written(store.last_revision(), {said.id: said})
    assert read_by(store, lambda: index.follow(written)) == []
    assert found(index, "kestrel") == [said.id]


def test_what_others_wrote_since_is_read_from_the_log(store, index):
    talk = LogWriter(store)
    begun = talk.begin("Where is the key?")
    written = Written(store.last_revision(), {begun.id: begun})
    talk.answer(begun, "Behind the zinnias.")
    assert read_by(store, lambda: index.follow(written)) == [begun.id]
    assert found(index, "zinnia", "key") == [begun.id]


def test_an_import_is_indexed_as_the_log_gives_it(tmp_path):
    source, store = InMemoryStore(SPACE), open_indexed(tmp_path / "space.db", SPACE)
    talk = LogWriter(source)
    first = talk.say("My boat is called Kestrel.", "Noted.")
    talk.say("It has \ud800 a red sail.", "Red it is.")
    again = replace(first.messages[1], id="again", parts=(Text("Kestrel, then."),))
    branch = replace(first, id="branch", messages=(first.messages[0], again))
    exchanges = [*source.scan(), branch]
    assert store.import_session(talk.header, [*exchanges, first]) == 3
    for terms in (("kestrel",), ("kestrel", "red", "sail")):
        rows, expected = (
            one.search(IndexQuery(terms)) for one in (index_of(store), SearchIndex(store))
        )
        for field in fields(rows):
            assert np.array_equal(getattr(rows, field.name), getattr(expected, field.name))
    store.close()


def test_records_and_titles_make_no_work(store, index):
    talk = LogWriter(store)
    talk.say("My boat is called Kestrel.", "Noted.")
    found(index, "kestrel")
    store.set_session(talk.header, talk.header.head)
    assert read_by(store, lambda: found(index, "kestrel")) == []


class Paid:
    """An embedder that costs something, and may fail."""

    identity, instant, dimension = "paid-1", False, 8

    def __init__(self):
        self.fails = False
        self.asked = 0

    def embed(self, texts):
        if self.fails:
            raise UpstreamError("The server is away.", hint="Start it.")
        self.asked += len(texts)
        return np.eye(8, dtype=np.float32)[[len(text) % 8 for text in texts]]

    def embed_query(self, text):
        return self.embed([text])[0]

    def known(self, _text):
        return 0.0

    def close(self):
        pass


def test_a_server_that_fails_is_asked_again(store):
    embedder = Paid()
    index = SearchIndex(store, Analyzer(embedder))
    LogWriter(store).say("kestrel", "yes")
    vector = np.ones(8, dtype=np.float32)
    assert found(index, "kestrel")
    assert embedder.asked == 0
    embedder.fails = True
    assert index.search(IndexQuery(("kestrel",), vector)).user_nearness.tolist() == [0.0]
    embedder.fails = False
    assert index.search(IndexQuery(("kestrel",), vector)).user_nearness.tolist() != [0.0]
    asked = embedder.asked
    index.search(IndexQuery(("kestrel",), vector))
    assert embedder.asked == asked


def test_what_is_saved_is_not_analysed_again(tmp_path, monkeypatch):
    path = tmp_path / "space.db"
    store = open_indexed(path, SPACE, embedder=StaticEmbedder())
    talk = LogWriter(store)
    for number in range(40):
        talk.say(f"word{number} of marble", "yes")
    assert len(found(index_of(store), "marbl")) == 40
    store.close()
    store = open_indexed(path, SPACE, embedder=StaticEmbedder())
    analysed = []
    read = Analyzer.read
    monkeypatch.setattr(
        Analyzer, "read", lambda self, page, **how: analysed.extend(page) or read(self, page, **how)
    )
    LogWriter(store, "s2").say("marble again", "yes")
    assert len(found(index_of(store), "marbl")) == 41
    assert len(analysed) == 1
    store.close()


def test_two_processes_share_the_files(tmp_path, monkeypatch):
    monkeypatch.setattr(merge_policy, "SEALED_EXCHANGES", 4)
    path = tmp_path / "space.db"
    one, two = open_indexed(path, SPACE), open_indexed(path, SPACE)
    said = []
    for number in range(30):
        store = (one, two)[number % 2]
        said.append(LogWriter(store, f"s{number}").say(f"word{number} of marble", "yes"))
        assert len(found(index_of(one), "marbl")) == len(said)
        if number % 3:
            assert len(found(index_of(two), "marbl")) == len(said)
        if number % 10 == 9:
            gone = said.pop(number // 2 - 4)
            two.erase([gone.id])
            assert gone.id not in found(index_of(one), "marbl")
    assert one.check() == two.check() == []
    one.close()
    assert set(found(index_of(two), "marbl")) == {exchange.id for exchange in said}
    two.close()


def test_a_folder_that_cannot_be_written_stops_no_search(tmp_path, monkeypatch):
    monkeypatch.setattr(merge_policy, "SEALED_EXCHANGES", 4)
    store = open_indexed(tmp_path / "space.db", SPACE)
    talk = LogWriter(store)

    def refuse(*_args):
        raise StoreReadOnlyError("It cannot be written.", hint="Change its rights.")

    monkeypatch.setattr(type(storage_of(store)), "write", refuse)
    said = [talk.say(f"word{number} of marble", "yes") for number in range(9)]
    assert len(found(index_of(store), "marbl")) == 9
    assert store.erase([said[0].id]) == 1
    assert len(found(index_of(store), "marbl")) == 8
    store.close()


def test_many_threads_search_while_others_write(tmp_path):
    embedder = StaticEmbedder()
    store = open_indexed(tmp_path / "space.db", SPACE, embedder=embedder)
    index = index_of(store)
    LogWriter(store, "first").say("the marble bath", "yes")
    finder = Search(store, index, Analyzer(embedder))
    now = datetime(2026, 5, 1, tzinfo=UTC)
    failed, done, ended = [], [], threading.Event()

    def look():
        least = 0
        while not ended.is_set():
            rows = index.search(IndexQuery(("marbl",), embedder.embed_query("bath"), 1000))
            there = int(rows.found.sum())
            if there < least or len(set(rows.places.tolist())) != len(rows.places):
                failed.append((there, least))
            least = there
            finder.find(SearchQuery("marble", now), 5)
        done.append(least)

    def write(name):
        talk = LogWriter(store, name)
        for number in range(25):
            talk.answer(talk.begin(f"the marble bath {number}"), "yes")

    readers = [threading.Thread(target=look) for _ in range(6)]
    writers = [threading.Thread(target=write, args=(f"w{number}",)) for number in range(2)]
    for thread in (*readers, *writers):
        thread.start()
    for thread in writers:
        thread.join()
    ended.set()
    for thread in readers:
        thread.join()
    assert failed == []
    assert len(done) == len(readers)  # none of them ended by an error
    assert len(found(index, "marbl")) == 51
    assert store.check() == []
    store.close()
