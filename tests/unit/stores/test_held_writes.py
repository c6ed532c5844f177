"""``auto_save`` off: what was recorded is held back, told, and saved when somebody says so."""

from dataclasses import replace

import pytest
from tests.opened import count_from

from unabridged.domain.record import Record, RecordKind
from unabridged.domain.scope import SpaceId
from unabridged.errors import StoreFullError
from unabridged.ports import SupportsSaving
from unabridged.stores.held_writes import HeldWrites
from unabridged.stores.sqlite import SqliteStore
from unabridged.testing.log_writer import START, LogWriter
from unabridged.testing.stores_changes import Replica

SPACE = SpaceId("ada", "tests")


class Bench:
    """Opens and closes stores of one file."""

    def __init__(self, path):
        self.path = path
        self.opened = []

    def open(self, *, auto_save=True):
        store = SqliteStore(self.path, SPACE)
        self.opened.append(store)
        return store if auto_save else HeldWrites(store)

    def again(self, store):
        store.close()
        return self.open()


@pytest.fixture
def bench(tmp_path):
    made = Bench(tmp_path / "space.db")
    yield made
    for store in made.opened:
        store.close()


def test_what_is_recorded_is_held_back_until_it_is_saved(bench):
    store = bench.open(auto_save=False)
    assert isinstance(store, SupportsSaving)
    said = [LogWriter(store, "s1").say("one", "1"), LogWriter(store, "s2").say("two", "2")]
    store.put([Record(RecordKind.FACT, "f", START, {})])
    assert store.unsaved == 5
    assert store.scan() == said
    assert bench.open().scan() == []
    assert store.save() == 5
    assert store.unsaved == 0
    assert store.save() == 0
    again = bench.again(store)
    assert again.scan() == said
    assert [r.id for r in again.records(RecordKind.FACT)] == ["f"]


def test_what_was_never_saved_is_gone_with_the_process(bench):
    store = bench.open(auto_save=False)
    LogWriter(store).say("one", "1")
    assert bench.again(store).scan() == []


def test_what_others_wrote_meanwhile_stays_and_what_was_held_becomes_a_branch(bench):
    store, other = bench.open(auto_save=False), bench.open()
    first = LogWriter(other).say("one", "1")
    talk = LogWriter(store)
    talk.header, talk.parent = store.session("s1"), first.id
    count_from(talk, 100)
    mine = talk.say("mine", "held back")
    theirs = LogWriter(other)
    theirs.header, theirs.parent = other.session("s1"), first.id
    count_from(theirs, 200)
    quicker = theirs.say("theirs", "written at once")
    new = LogWriter(other, "s2").say("another", "session")
    assert store.save() == 2
    store = bench.again(store)
    assert store.scan() == [first, mine, quicker, new]
    assert store.recent("s1", 9) == [first, mine]
    assert {x.parent for x in (mine, quicker)} == {first.id}


def test_a_save_that_fails_keeps_everything_held_back(bench, monkeypatch):
    store = bench.open(auto_save=False)
    said = LogWriter(store).say("one", "1")
    with monkeypatch.context() as m:
        m.setattr(SqliteStore, "append", lambda *_: (_ for _ in ()).throw(StoreFullError("full")))
        with pytest.raises(StoreFullError):
            store.save()
    assert store.unsaved == 2
    assert store.scan() == [said]
    assert store.save() == 2
    assert bench.again(store).scan() == [said]


def test_forgetting_is_never_held_back(bench):
    store = bench.open(auto_save=False)
    talk = LogWriter(store)
    gone, stays = talk.say("SECRET", "1"), talk.say("two", "2")
    store.save()
    more = talk.say("three", "3")
    store.erase([gone.id])
    assert store.unsaved == 0
    assert gone.id not in bench.open().get([gone.id])
    left = bench.again(store).scan()
    assert [x.id for x in left] == [stays.id, more.id]


def test_a_title_that_was_held_back_does_not_take_the_head_from_others(bench):
    store, other = bench.open(auto_save=False), bench.open()
    LogWriter(other).say("one", "1")
    header = store.session("s1")
    store.set_session(replace(header, title="Mine"), header.head)
    talk = LogWriter(other)
    talk.header, talk.parent = header, "s1-x00001"
    count_from(talk, 50)
    said = talk.say("two", "2")
    store.save()
    assert store.session("s1").title == "Mine"
    assert store.recent("s1", 1) == [said]


def test_who_follows_the_changes_misses_nothing_of_what_is_held_or_written_meanwhile(bench):
    store, other = bench.open(auto_save=False), bench.open()
    replica = Replica()
    talk, theirs = LogWriter(store), LogWriter(other, "s2")
    steps = [
        lambda: talk.say("one", "1"),
        lambda: theirs.say("two", "2"),
        store.save,
        lambda: talk.say("three", "3"),
        store.save,
        lambda: store.erase([talk.parent]),
        lambda: theirs.say("four", "4"),
    ]
    for step in steps:
        step()
        before = store.last_revision()
        replica.follow(store)
        assert store.last_revision() == before == replica.revision
        assert set(replica.numbers) == {one.id for one in store.scan()}
        assert store.changes(before).written == ()
