from dataclasses import replace

import numpy as np
import pytest
from tests.helpers.space_digests import digest_of
from tests.opened import entries_of

from unabridged.domain.record import RecordKind
from unabridged.domain.results import Transcript
from unabridged.domain.scope import SpaceId
from unabridged.errors import StoreDamagedError, StoreFullError
from unabridged.retrieval.passages import passages
from unabridged.stores import copy_space
from unabridged.stores.copy_space import compare, copy
from unabridged.stores.in_memory import InMemoryStore
from unabridged.stores.sqlite import SqliteStore
from unabridged.testing.log_writer import LogWriter
from unabridged.testing.stores_blobs import BLOBS, ORIGINAL
from unabridged.testing.stores_reads import EVERY_PART, ODD_TEXTS
from unabridged.testing.stores_writes import conversation, make_record

SPACE = SpaceId("ada", "helper")


@pytest.fixture(params=["memory", "sqlite"])
def make(request, tmp_path):
    """Makes stores of one kind, each for a space of its own."""
    made = []

    def one(name="one"):
        if request.param == "memory":
            made.append(InMemoryStore(SpaceId(name, "helper")))
        else:
            made.append(SqliteStore(tmp_path / f"{name}.db", SpaceId(name, "helper")))
        return made[-1]

    yield one
    for store in made:
        store.close()


def fill(store):
    talk = LogWriter(store, "s1")
    talk.header = replace(talk.header, title="Every part \ud83d", source="chatgpt")
    talk.answer(talk.begin(EVERY_PART), EVERY_PART[::-1])
    said = [talk.say(text, text) for text in ODD_TEXTS]
    old = talk.say("old", "old")
    again = talk.regenerate(talk.edit(old, "new", "new"), "newer")
    talk.go_to(old.messages[-1].id, old.id)
    LogWriter(store, "s2").begin("Is anybody there?", original=ORIGINAL)
    session, exchanges = conversation()
    store.import_session(session, exchanges)
    store.put(make_record(f"r-{kind}", again.id, said[0].id, kind=kind) for kind in RecordKind)
    store.put([replace(make_record("alone"), blobs=BLOBS)])
    return store


def content(store):
    return (
        sorted(store.sessions(), key=lambda s: s.id),
        sorted(store.scan(limit=10_000), key=lambda x: x.id),
        {s.id: store.recent(s.id, 1000) for s in store.sessions()},
        [record for kind in RecordKind for record in store.records(kind)],
        store.originals(m.id for x in store.scan(limit=10_000) for m in x.messages),
        replace(store.totals(), bytes=0),
    )


def test_the_exchanges_of_a_session_are_those_of_every_branch(make):
    held = [fill(InMemoryStore(SPACE)), fill(make())]
    for store in held:
        for session in store.sessions():
            found = store.exchanges_of(session.id)
            assert sorted(found, key=lambda x: x.id) == [
                x for x in store.scan(limit=10_000) if x.session == session.id
            ]
            for place, exchange in enumerate(found):
                assert exchange.parent in {None, *(x.id for x in found[:place])}
        assert store.exchanges_of("nothing") == []


def test_everything_goes_over_and_twice_adds_nothing(make):
    giver, taker = fill(InMemoryStore(SPACE)), make()
    done = copy(giver, taker)
    assert (done.exchanges, done.records) == (giver.totals().exchanges, len(RecordKind) + 1)
    assert done.began_empty
    assert content(taker) == content(giver)
    assert digest_of(taker).value == digest_of(giver).value
    assert compare(giver, taker).equal
    again = copy(giver, taker)
    assert (again.exchanges, again.records, again.began_empty) == (0, 0, False)
    assert content(taker) == content(giver)


class Stopping:
    """A store that fails at the n-th write."""

    def __init__(self, store, after):
        self.store, self.left = store, after

    def __getattr__(self, name):
        if name in {"import_session", "set_session", "put"}:
            self.left -= 1
            if self.left < 0:
                raise StoreFullError("full", hint="")
        return getattr(self.store, name)


def test_copying_that_was_stopped_anywhere_goes_on(make, monkeypatch):
    monkeypatch.setattr(copy_space, "PAGE", 2)
    giver = fill(InMemoryStore(SPACE))
    for after in range(1000):
        taker = make(f"t{after}")
        try:
            copy(giver, Stopping(taker, after))
        except StoreFullError:
            copy(giver, taker)
            assert content(taker) == content(giver), after
        else:
            assert after > 5
            break


def test_what_is_there_stays_and_a_session_goes_on(make):
    giver, taker = InMemoryStore(SPACE), make()
    talk = LogWriter(giver, "s1")
    talk.say("one", "1")
    copy(giver, taker)
    taker.set_session(replace(taker.session("s1"), title="Mine"), talk.header.head)
    more = talk.say("two", "2")
    LogWriter(taker, "s9").say("my own", "yes")
    done = copy(giver, taker)
    assert (done.exchanges, done.began_empty) == (1, False)
    assert taker.session("s1").title == "Mine"
    assert taker.recent("s1", 9)[-1] == more
    found = compare(giver, taker)
    assert found.exchanges_equal
    assert not found.equal
    assert found.more == 1


def test_a_long_session_goes_on(make):
    giver, taker = InMemoryStore(SPACE), make()
    talk = LogWriter(giver, "s1")
    for number in range(5):
        talk.say(f"{number}", "1")
    copy(giver, taker)
    last = [talk.say(f"more {number}", "1") for number in range(5)][-1]
    assert copy(giver, taker).exchanges == 5
    assert taker.recent("s1", 1) == [last]


def test_what_was_forgotten_there_does_not_come_again(make):
    giver, taker = InMemoryStore(SPACE), make()
    said = [LogWriter(giver, name).say(name, "1") for name in ("s1", "s2")]

    def sift(given: Transcript) -> Transcript | None:
        return None if given.session.id == "s1" else given

    done = copy(giver, taker, sift=sift)
    assert done.passed_over == {said[0].id}
    assert taker.scan() == [said[1]]
    found = compare(giver, taker, passed_over=done.passed_over)
    assert found.exchanges_equal


@pytest.mark.parametrize("change", [
    lambda s, x: s.erase([x.id]),
    lambda s, x: s.set_session(replace(s.session("s1"), title="else"), s.session("s1").head),
    lambda s, x: s.put([make_record("r", kind=RecordKind.RUN)]),
    lambda s, x: LogWriter(s, "s9").begin("more"),
])  # fmt: skip
def test_any_change_changes_the_digest(make, change):
    store = make()
    said = LogWriter(store, "s1").say("one", "1")
    store.put([make_record("r", said.id)])
    before = digest_of(store).value
    assert digest_of(store).value == before
    change(store, said)
    assert digest_of(store).value != before


def test_an_exchange_that_hangs_on_nothing_is_told(make):
    giver, taker = InMemoryStore(SPACE), make()
    said = LogWriter(giver, "s1").say("one", "1")
    entries_of(giver)[said.id].exchange = replace(said, parent="gone")
    with pytest.raises(StoreDamagedError, match="gone"):
        copy(giver, taker)
    assert taker.scan() == []


def test_vectors_that_cost_something_go_along(tmp_path):
    giver, taker = (SqliteStore(tmp_path / f"{n}.db", SPACE) for n in "ab")
    said = [LogWriter(giver, "s1").say("one", "1"), LogWriter(giver, "s2").say("two", "2")]
    rng = np.random.default_rng(7)
    made = {x.id: list(rng.normal(size=(len(passages(x)), 8)).astype(np.float32)) for x in said}
    giver.put_vectors("costly", made)
    giver.activate_vectors("costly")
    assert copy(giver, taker).vectors == 2
    assert taker.embedded_by() == "costly"
    ids = [x.id for x in said]
    given, got = giver.vectors("costly", ids), taker.vectors("costly", ids)
    assert [np.asarray(given[i]).tolist() for i in ids] == [
        np.asarray(got[i]).tolist() for i in ids
    ]
    assert np.asarray(got[ids[0]]) == pytest.approx(np.asarray(made[ids[0]]), abs=0.05)
    assert giver.vectors("unknown", ids) == {}
    assert copy(giver, taker).vectors == 0
    giver.close()
    taker.close()
