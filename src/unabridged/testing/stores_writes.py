"""The contract of writing; ``testing.stores`` has the whole contract."""

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta

import pytest

from unabridged.domain.exchange import Exchange, ExchangeState
from unabridged.domain.record import Record, RecordKind
from unabridged.domain.session import Session
from unabridged.domain.write import Batch
from unabridged.errors import DuplicateIdError, HeadMovedError, StoreError
from unabridged.ports import Store
from unabridged.testing.log_writer import START, LogWriter
from unabridged.testing.stores_reads import ReadingContract


def make_record(name: str, *exchanges: str, kind: RecordKind = RecordKind.FACT) -> Record:
    """Return a record with every kind of plain data in it."""
    return Record(kind, name, START, {"says": name, "list": [1, 2.5, None, True]}, exchanges)


def conversation() -> tuple[Session, list[Exchange]]:
    """Return a foreign conversation with an edit and a regeneration."""
    talk = LogWriter(None, "in")
    first, old = talk.say("one", "1"), talk.say("two", "2")
    edited = talk.edit(old, "three", "3")
    again = talk.regenerate(edited, "drei")
    return replace(talk.header, title="Numbers"), [first, old, edited, again]


class WritingContract(ReadingContract):
    """A write happens whole or not at all."""

    def refused(self, store: Store, error: type[Exception], write: Callable[[], object]) -> None:
        """Run a write that must fail, and check that nothing is left of it."""
        before = (store.scan(), store.sessions(), store.records(RecordKind.FACT))
        counts = replace(store.totals(), bytes=0)
        with pytest.raises(error):
            write()
        assert (store.scan(), store.sessions(), store.records(RecordKind.FACT)) == before
        assert replace(store.totals(), bytes=0) == counts

    def test_a_head_that_moved_is_refused(self, store: Store) -> None:
        """Compare and swap: the slower of two writers gets an error, and writes nothing."""
        fast, slow = LogWriter(store), LogWriter(store)
        fast.begin("I was first")
        slow.parent, slow._count = None, 50
        self.refused(
            store, HeadMovedError, lambda: slow.begin("me too", records=(make_record("f"),))
        )
        moved = replace(fast.header, title="x")
        self.refused(store, HeadMovedError, lambda: store.set_session(moved, "elsewhere"))
        self.refused(
            store, HeadMovedError, lambda: store.set_session(Session("s9", "", START, START), "x")
        )

    def test_a_taken_id_is_refused(self, store: Store) -> None:
        """A message's id is unique in the space, also within one batch."""
        talk = LogWriter(store)
        first = talk.say("one", "1")
        again = replace(first, id="other", messages=first.messages[:1])
        batch = Batch(talk.header, again, records=(make_record("f"),))
        self.refused(store, DuplicateIdError, lambda: store.append(batch, talk.header.head))
        fresh = talk.message("two")
        twice = Batch(replace(talk.header, head=fresh.id), replace(again, messages=(fresh, fresh)))
        self.refused(store, DuplicateIdError, lambda: store.append(twice, talk.header.head))

    @pytest.mark.parametrize("fault", ["parent", "opened_by", "head", "session", "empty"])
    def test_what_hangs_in_the_air_is_refused(self, store: Store, fault: str) -> None:
        """An unknown parent, an unknown head, a wrong session."""
        talk = LogWriter(store)
        talk.say("one", "1")
        message = talk.message("two", parent=talk.header.head)
        exchange = Exchange("n", "s1", talk.parent, ExchangeState.OPEN, (message,), START)
        header = replace(talk.header, head="nothing" if fault == "head" else message.id)
        if fault == "parent":
            exchange = replace(exchange, parent="nothing")
        elif fault == "session":
            exchange = replace(exchange, session="s2")
        elif fault == "empty":
            exchange, header = replace(exchange, messages=()), talk.header
        opened_by = "nothing" if fault == "opened_by" else None
        batch = Batch(header, exchange, opened_by, (make_record("f"),))
        self.refused(store, StoreError, lambda: store.append(batch, talk.header.head))

    def test_amend_changes_the_header_only(self, store: Store) -> None:
        """Title and head; the head may go to any message of the session, or to none."""
        talk = LogWriter(store)
        first, second = talk.say("one", "1"), talk.say("two", "2")
        talk.header = replace(talk.header, title="About numbers")
        talk.go_to(first.messages[-1].id, first.id)
        assert store.session("s1") == talk.header
        assert store.recent("s1", 5) == [first]
        talk.go_to(None, None)
        assert store.recent("s1", 5) == []
        assert [exchange.id for exchange in store.scan()] == [first.id, second.id]
        stray = replace(talk.header, head="nothing")
        self.refused(store, StoreError, lambda: store.set_session(stray, None))

    def test_admitting_twice_adds_nothing(self, store: Store) -> None:
        """A conversation with branches is imported whole, once."""
        session, said = conversation()
        assert store.import_session(session, said) == len(said)
        assert store.recent("in", 10) == [said[0], said[-1]]
        assert store.session("in") == session
        before = (store.scan(), store.sessions(), store.totals())
        assert (
            store.import_session(replace(session, title="other", updated=session.updated), said)
            == 0
        )
        assert (store.scan(), store.sessions(), store.totals()) == before

    def test_admitting_more_moves_the_head(self, store: Store) -> None:
        """A known session keeps its title, and continues if the new exchanges extend its path."""
        session, said = conversation()
        store.import_session(replace(session, head=said[0].messages[-1].id), said[:1])
        later = replace(session, title="other", updated=session.updated + timedelta(days=1))
        assert store.import_session(later, said) == len(said) - 1
        assert store.session("in") == replace(later, title=session.title)
        store.set_session(replace(later, head=said[1].messages[-1].id), later.head)
        more = replace(
            said[0],
            id="zz",
            parent=said[0].id,
            messages=(replace(said[0].user, id="zz-m", parent=said[0].messages[-1].id),),
        )
        assert store.import_session(replace(later, head="zz-m"), [more]) == 1
        kept = store.session("in")
        assert kept is not None
        assert kept.head == said[1].messages[-1].id

    def test_an_answer_that_comes_later_is_on_the_path(self, store: Store) -> None:
        """A message imported without an answer gets its answer later."""
        session, said = conversation()
        user, *answer = said[0].messages
        lone = replace(said[0], id="lone", messages=(user,), state=ExchangeState.UNANSWERED)
        store.import_session(replace(session, head=user.id), [lone])
        whole = replace(said[0], id="whole", messages=(user, *answer))
        assert store.import_session(replace(session, head=answer[-1].id), [lone, whole]) == 1
        assert [exchange.id for exchange in store.recent(session.id, 5)] == ["whole"]

    def test_admitting_is_all_or_nothing(self, store: Store) -> None:
        """One invalid exchange refuses all."""
        session, said = conversation()
        stray = replace(said[0], id="stray", parent="nothing", messages=said[0].messages)
        self.refused(store, StoreError, lambda: store.import_session(session, [*said, stray]))
        taken = replace(said[0], id="taken", parent=None, messages=(said[1].messages[1],) * 2)
        self.refused(store, DuplicateIdError, lambda: store.import_session(session, [*said, taken]))
