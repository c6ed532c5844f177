import re
import threading
from pathlib import Path

import apsw
import numpy as np
import pytest
from hypothesis import given, strategies as st
from tests.helpers.indexed import open_indexed
from tests.opened import connection_of, database_of

import unabridged.stores.sqlite as package
from unabridged.domain.index_query import IndexQuery
from unabridged.domain.scope import SpaceId
from unabridged.embeddings.static import StaticEmbedder
from unabridged.errors import NotFoundError, StoreClosedError, StoreError, StoreFormatError
from unabridged.index import clusters, merge_policy
from unabridged.ports import Store, SupportsCheck
from unabridged.stores.in_memory import InMemoryStore
from unabridged.stores.json_codec import pack, unpack
from unabridged.stores.sqlite import SqliteStore, rows, sqlite_errors, wipe_free_pages
from unabridged.stores.sqlite.open_file import FORMAT
from unabridged.stores.sqlite.sql import statements
from unabridged.testing.log_writer import LogWriter
from unabridged.testing.stores_lookup import index_of, looked_up

SPACE = SpaceId("ada", "unit")
ANY_TEXT = st.text(st.characters())
PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | ANY_TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(ANY_TEXT, inner, max_size=3),
    max_leaves=8,
)  # fmt: skip


@pytest.fixture
def store(tmp_path):
    store = SqliteStore(tmp_path / "space.db", SPACE)
    yield store
    store.close()


@given(PLAIN)
def test_plain_data_is_packed_faithfully(value):
    assert unpack(pack(value)) == value


@given(ANY_TEXT)
def test_texts_become_columns_faithfully(text):
    db = apsw.Connection(":memory:")
    kept = db.execute("SELECT ?", (rows.column(text),)).fetchall()[0][0]
    assert rows.text_of(kept) == text


def test_stores_are_what_the_ports_ask_for(store):
    typed: Store = store
    assert isinstance(typed, SupportsCheck)
    assert not isinstance(InMemoryStore(SPACE), SupportsCheck)


def test_every_statement_is_used_and_named_once():
    folder = Path(package.__file__).parent
    files = [*folder.glob("*.py"), folder.parents[1] / "home" / "spaces.py"]
    code = "".join(file.read_text(encoding="utf-8") for file in files)
    asked = set(re.findall(r'(?:run|one|rows)\(\s*"([^"]+)"', code))
    assert asked <= set(statements())
    # Those of the recovery are named by their table: "recover message up".
    named = {re.sub(r"recover (\w+) (up|down|one)", r"\1", name) for name in statements()}
    assert {name for name in named if f'"{name}"' not in code} == set()
    assert "f'SELECT" not in code
    assert 'f"SELECT' not in code


def test_settings_that_durability_and_forgetting_need(store):
    connection = connection_of(store)
    assert connection.pragma("journal_mode") == "wal"
    assert connection.pragma("synchronous") == 2
    assert connection.pragma("secure_delete") == 1
    assert connection.pragma("user_version") == FORMAT


def test_creating_is_asked_for(tmp_path):
    with pytest.raises(NotFoundError):
        SqliteStore(tmp_path / "space.db", SPACE, create=False)
    with pytest.raises(NotFoundError):
        SqliteStore(tmp_path / "space.db")
    assert list(tmp_path.iterdir()) == []


def test_the_space_of_a_file_is_fixed(store):
    with pytest.raises(StoreFormatError, match="ada/unit"):
        SqliteStore(store.path, SpaceId("bob", "unit"))
    other = SqliteStore(store.path)
    assert other.space == SPACE
    other.close()


def test_two_objects_see_each_others_writes(store):
    other = SqliteStore(store.path, SPACE)
    said = LogWriter(store).say("hello", "hi")
    assert other.recent("s1", 5) == [said]
    assert other.totals() == store.totals()
    other.close()


def test_a_store_may_be_closed_in_another_thread(store):
    LogWriter(store).say("hello", "hi")
    thread = threading.Thread(target=store.close)
    thread.start()
    thread.join()


def test_opening_does_not_read_the_rows(store, monkeypatch):
    LogWriter(store).say("hello", "hi")
    monkeypatch.setattr(rows, "message_of", None)
    SqliteStore(store.path, SPACE).close()


@pytest.mark.parametrize("kind", [apsw.Error, apsw.NoMemError, apsw.MisuseError, apsw.AuthError])
def test_any_fault_of_sqlite_has_its_place_in_the_tree(kind, tmp_path):
    found = sqlite_errors.translate(kind("x"), tmp_path / "x.db")
    assert isinstance(found, StoreError)
    assert found.hint


def test_gaps_of_pages_are_found():
    leaf = bytes([13, 0, 0, 0, 2, 0x0F, 0x00, 0]) + bytes(4096 - 8)
    assert wipe_free_pages.gap_of(leaf) == (12, 0x0F00)
    inner = bytes([5, 0, 0, 0, 1, 0x0E, 0x00, 0, 0, 0, 0, 9]) + bytes(4096 - 12)
    assert wipe_free_pages.gap_of(inner) == (14, 0x0E00)
    assert wipe_free_pages.gap_of(bytes(4096)) == (0, 0)
    assert wipe_free_pages.gap_of(bytes(100) + leaf[:-100], 100) == (112, 0x0F00)
    damaged = bytes([13, 0, 0, 0xFF, 0xFF, 0x0F, 0x00, 0]) + bytes(4096 - 8)
    assert wipe_free_pages.gap_of(damaged) == (0, 0)


def test_a_large_space_has_centres_and_finds_the_same_after_a_rebuild(tmp_path, monkeypatch):
    monkeypatch.setattr(merge_policy, "SEALED_EXCHANGES", 8)
    monkeypatch.setattr(clusters, "wanted", lambda passages: 4 if passages >= 40 else 0)
    embedder = StaticEmbedder()
    store = open_indexed(tmp_path / "space.db", SPACE, embedder=embedder)
    things = ("bicycle", "kitten", "garden", "piano", "soup", "train", "novel", "lamp")
    for number in range(12):
        talk = LogWriter(store, f"s{number}")
        for thing in things:
            talk.say(f"I bought a {thing} number {number}", "Nice!")
    store.rebuild()
    assert database_of(store).rows("centres", (1,))
    index_query = IndexQuery(("bought",), embedder.embed_query("the cat that I bought"), 16)
    before = index_of(store).search(index_query)
    assert before.found.any()
    store.rebuild()
    after = index_of(store).search(index_query)
    for name in before.__slots__:
        assert np.array_equal(getattr(before, name), getattr(after, name)), name
    assert store.check() == []
    store.close()


def test_what_follows_the_forgotten_moves_up_in_the_index(tmp_path):
    store = open_indexed(tmp_path / "space.db", SpaceId("ada", "moving"))
    talk = LogWriter(store)
    said = [talk.say(f"word{number} of marble", "Yes") for number in range(7)]
    assert store.erase([said[n].id for n in (0, 2, 3, 5)]) == 4
    assert [x.id for x in store.recent("s1", 9)] == [said[n].id for n in (1, 4, 6)]
    assert store.check() == []
    for number in (1, 4, 6):
        assert list(looked_up(store, f"word{number}")) == [said[number].id]
    store.close()


def test_nothing_is_written_to_a_file_that_was_moved_away(store, tmp_path):
    talk = LogWriter(store)
    talk.say("kept in the file", "yes")
    path, away = store.path, tmp_path / "away.db"
    path.rename(away)
    with pytest.raises(StoreError, match="moved while"):
        talk.say("said to nobody", "no")
    away.rename(path)
    assert store.totals().exchanges == 1
    LogWriter(store, "s2").say("it is back", "good")
    other = SqliteStore(path, SPACE)
    assert other.totals().exchanges == 2
    other.close()


def test_readers_wait_for_nobody(store):
    said = [LogWriter(store, f"s{number}").say("hello", "hi") for number in range(8)]
    held, go = threading.Barrier(9), threading.Event()
    seen = []

    def read(number):
        with database_of(store).read():
            before = database_of(store).one("how many exchanges")
            held.wait(60)  # eight readers and a writer, each in the midst of its transaction
            assert go.wait(60)
            seen.append((before, database_of(store).one("how many exchanges"), number))

    readers = [threading.Thread(target=read, args=(number,)) for number in range(8)]
    for reader in readers:
        reader.start()
    with database_of(store).write():
        held.wait(60)
    more = LogWriter(store, "more").say("while they read", "yes")
    assert store.recent("more", 1) == [more]
    go.set()
    for reader in readers:
        reader.join()
    assert sorted(seen) == [((8,), (8,), number) for number in range(8)]
    assert store.get([one.id for one in said]) == {one.id: one for one in said}
    assert store.totals().exchanges == 9
    store.close()
    with pytest.raises(StoreClosedError):
        store.totals()
