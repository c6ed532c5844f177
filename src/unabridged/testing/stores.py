"""The contract of a store, as tests. Inherit ``StoreContract`` and give it your store.

    class TestMyStore(StoreContract):
        @pytest.fixture
        def store(self, tmp_path):
            store = MyStore(tmp_path, Space("ada", "tests"))
            yield store
            store.close()

        def reopen(self, store):
            store.close()
            return MyStore(store.folder, store.space)

``pytest`` is needed. ``testing.stateful`` has a state machine for the same store.
"""

from dataclasses import replace

import pytest

from unabridged.domain.record import RecordKind
from unabridged.errors import StoreClosedError
from unabridged.ports import Store, SupportsChainHead, SupportsCheck
from unabridged.testing.log_writer import LogWriter
from unabridged.testing.stores_blobs import BlobsContract
from unabridged.testing.stores_lookup import looked_up
from unabridged.testing.stores_writes import conversation, make_record


class _RecordsContract(BlobsContract):
    """Records are written, replaced, found and removed."""

    def test_records_are_put_and_replaced(self, store: Store) -> None:
        """One of the same kind and id is replaced; another kind is another record."""
        talk = LogWriter(store)
        one, two = talk.say("eins", "1").id, talk.say("zwei", "2").id
        store.put([make_record("b"), make_record("a", one, two)])
        store.put([make_record("b", two), make_record("b", kind=RecordKind.OVERVIEW)])
        store = self.reopen(store)
        assert store.records(RecordKind.FACT) == [
            make_record("a", one, two),
            make_record("b", two),
        ]
        assert store.records(RecordKind.OVERVIEW) == [make_record("b", kind=RecordKind.OVERVIEW)]

    def test_a_record_drawn_from_what_was_forgotten_is_passed_over(self, store: Store) -> None:
        """Its maker read the exchange before; none of its text comes back."""
        talk = LogWriter(store)
        one, two = talk.say("eins", "1"), talk.say("zwei", "2")
        store.put([make_record("a", two.id)])
        store.erase([one.id])
        store.put([make_record("a", one.id, two.id), make_record("b", one.id), make_record("c")])
        talk.begin("drei", records=(make_record("d", one.id), make_record("e", two.id)))
        held = store.records(RecordKind.FACT)
        assert held == [make_record("a", two.id), make_record("c"), make_record("e", two.id)]

    def test_records_come_in_the_order_of_their_ids(self, store: Store) -> None:
        """All, by ids, or the newest."""
        store.put(make_record(name) for name in ("c", "a", "d", "b"))
        assert [r.id for r in store.records(RecordKind.FACT)] == ["a", "b", "c", "d"]
        assert [r.id for r in store.records(RecordKind.FACT, newest=2)] == ["c", "d"]
        assert [r.id for r in store.records(RecordKind.FACT, ids=["d", "x", "a"])] == ["a", "d"]
        assert [r.id for r in store.records(RecordKind.FACT, ids=["d", "a"], newest=1)] == ["d"]
        assert store.records(RecordKind.FACT, ids=[]) == []
        assert store.records(RecordKind.FACT, newest=0) == []

    def test_records_are_dropped(self, store: Store) -> None:
        """Unknown ids are ignored."""
        store.put([make_record("a"), make_record("b")])
        store.delete(RecordKind.FACT, ["a", "nothing"])
        store.delete(RecordKind.OVERVIEW, ["b"])
        assert [r.id for r in store.records(RecordKind.FACT)] == ["b"]

    def test_records_go_in_with_a_batch(self, store: Store) -> None:
        """Records appended with messages are stored with them."""
        talk = LogWriter(store)
        begun = talk.begin("hello", records=(make_record("a"),))
        talk.answer(begun, "hi", records=(make_record("a", begun.id), make_record("b")))
        assert store.records(RecordKind.FACT) == [make_record("a", begun.id), make_record("b")]

    def test_a_record_given_back_is_a_copy(self, store: Store) -> None:
        """A change of a written or returned record does not change the stored one."""
        record = make_record("a")
        body = dict(record.body)
        store.put([replace(record, body=body)])
        body["says"] = "changed"
        found = store.records(RecordKind.FACT)[0].body
        assert found == record.body
        found["list"].append("changed")
        assert store.records(RecordKind.FACT) == [record]


class _ForgettingContract(_RecordsContract):
    """Forgotten exchanges are removed; later ones stay."""

    def test_children_take_the_parent(self, store: Store) -> None:
        """The path closes over a gap, for exchanges and for messages."""
        talk = LogWriter(store)
        said = [talk.say(f"question {i}", f"answer {i}") for i in range(5)]
        assert store.erase([said[1].id, said[2].id, said[1].id, "nothing"]) == 2
        store = self.reopen(store)
        left = store.recent("s1", 9)
        assert [exchange.id for exchange in left] == [said[0].id, said[3].id, said[4].id]
        assert left[1].parent == said[0].id
        assert left[1].user.parent == said[0].messages[-1].id
        assert store.get([said[1].id]) == {}
        totals = store.totals()
        assert (totals.exchanges, totals.messages, totals.tokens) == (3, 6, 15)

    def test_a_forgotten_head_goes_back(self, store: Store) -> None:
        """The session's head is the last message before it; the session can continue."""
        talk = LogWriter(store)
        said = [talk.say(f"{i}", f"{i}") for i in range(3)]
        store.erase([said[2].id, said[1].id])
        found = store.session("s1")
        assert found is not None
        assert found.head == said[0].messages[-1].id
        talk.header, talk.parent = found, said[0].id
        more = talk.say("more", "more")
        assert store.recent("s1", 9) == [said[0], more]

    def test_a_forgotten_root_leaves_its_branches(self, store: Store) -> None:
        """If nothing precedes a forgotten head, the newest remaining exchange is the head."""
        talk = LogWriter(store)
        old = talk.say("one", "1")
        new = talk.edit(old, "two", "2")
        assert store.erase([new.id]) == 1
        assert store.recent("s1", 9) == [old]

    def test_an_empty_session_goes(self, store: Store) -> None:
        """A session is removed with its last exchange; others stay."""
        talk, other = LogWriter(store), LogWriter(store, "s2")
        said, kept = [talk.say("one", "1"), talk.say("two", "2")], other.say("a", "b")
        assert store.erase(exchange.id for exchange in said) == 2
        assert [session.id for session in store.sessions()] == ["s2"]
        assert store.scan() == [kept]
        assert store.totals().sessions == 1

    def test_records_drawn_from_it_go(self, store: Store) -> None:
        """Its records and its context are removed; other records stay."""
        talk = LogWriter(store)
        one, two = talk.say("one", "1"), talk.say("two", "2")
        context = make_record(one.id, kind=RecordKind.CONTEXT)
        store.put([make_record("a", one.id, two.id), make_record("b", two.id), context])
        store.erase([one.id])
        assert store.records(RecordKind.FACT) == [make_record("b", two.id)]
        assert store.records(RecordKind.CONTEXT) == []

    @pytest.mark.parametrize("which", [0, 1])
    def test_a_shared_question_survives(self, store: Store, which: int) -> None:
        """A user's message stays as long as one of its answers does."""
        talk = LogWriter(store)
        first = talk.say("one", "1")
        old = talk.say("two", "2")
        twins = [old, talk.regenerate(old, "zwei")]
        assert store.erase([twins[which].id]) == 1
        store = self.reopen(store)
        left = twins[1 - which]
        assert store.get([left.id]) == {left.id: left}
        assert store.scan() == [first, left]
        assert store.totals().messages == 4
        assert store.recent("s1", 5) == [first, left]
        assert list(looked_up(store, "two")) == [left.id]
        assert store.erase([left.id]) == 1
        assert store.totals().messages == 2

    def test_a_title_made_from_it_goes(self, store: Store) -> None:
        """A title from the forgotten text is cleared; one set by the user stays."""
        for name, title in (("s1", "my secret word"), ("s2", "Given by hand")):
            talk = LogWriter(store, name)
            talk.header = replace(talk.header, title=title)
            first = talk.say("my secret word", "ok")
            talk.say("go on", "ok")
            store.erase([first.id])
        titles = {session.id: session.title for session in store.sessions()}
        assert titles == {"s1": "", "s2": "Given by hand"}

    def test_what_was_forgotten_can_be_admitted_again(self, store: Store) -> None:
        """Forgotten ids can be used again."""
        session, said = conversation()
        store.import_session(session, said)
        store.erase(exchange.id for exchange in said)
        assert store.import_session(session, said) == len(said)
        assert store.scan() == said


class StoreContract(_ForgettingContract):
    """The contract of a store. Override the fixture ``store``, and ``reopen``."""

    @pytest.fixture
    def store(self) -> Store:
        """A new, empty store; override it."""
        raise NotImplementedError("override the fixture `store`")

    def test_it_knows_its_space(self, store: Store) -> None:
        """Also after reopening."""
        space = store.space
        assert self.reopen(store).space == space

    def test_a_closed_store_says_so(self, store: Store) -> None:
        """A second close does nothing; all other calls are refused."""
        store.close()
        store.close()
        for ask in (store.scan, store.sessions, store.totals, lambda: store.erase([])):
            with pytest.raises(StoreClosedError):
                ask()
        with pytest.raises(StoreClosedError):
            LogWriter(store).begin("hello")

    def test_a_sound_store_says_so(self, store: Store) -> None:
        """A check finds no fault after all operations."""
        if not isinstance(store, SupportsCheck):
            pytest.skip("this store does not check itself")
        talk = LogWriter(store)
        old = talk.say("one \ud800", "1")
        talk.regenerate(old, "eins")
        store.put([make_record("a", old.id, old.id), make_record("b")])
        store.erase([old.id])
        assert store.check() == []

    def test_every_change_goes_into_what_proves_it(self, store: Store) -> None:
        """The proof stays valid after all operations, also after reopening."""
        if not isinstance(store, SupportsChainHead) or not isinstance(store, SupportsCheck):
            pytest.skip("this store proves nothing")
        talk = LogWriter(store)
        one, two = talk.say("one", "1"), talk.say("two", "2")
        talk.regenerate(two, "zwei")
        talk.edit(two, "deux", "2")
        session, said = conversation()
        store.import_session(session, said)
        header = store.session(session.id)
        assert header is not None
        store.set_session(replace(header, title="another"), header.head)
        store.put([make_record("a", one.id), make_record("a", one.id), make_record("b")])
        store.delete(RecordKind.FACT, ["b"])
        before = store.chain_head()
        assert store.check() == []
        store.erase([one.id, two.id, said[0].id])
        assert store.check() == []
        store = self.reopen(store)
        assert isinstance(store, SupportsChainHead)
        assert isinstance(store, SupportsCheck)
        after = store.chain_head()
        assert store.check() == []
        assert after.writes > before.writes
        assert after.links == before.links
        store.erase(exchange.id for exchange in store.scan())
        assert store.check() == []
        assert store.sessions() == []
