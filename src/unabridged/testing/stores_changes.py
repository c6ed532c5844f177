"""The contract of the change feed: a follower misses nothing."""

from dataclasses import dataclass, field, replace

from unabridged.domain.changes import Changes
from unabridged.domain.record import RecordKind
from unabridged.domain.session import Session
from unabridged.ports import Store
from unabridged.testing.log_writer import START, LogWriter
from unabridged.testing.stores_lookup import LookupContract, looked_up
from unabridged.testing.stores_writes import make_record


@dataclass
class Replica:
    """The state of a store, built from its changes alone.

    Attributes:
        revision: The last followed revision.
        numbers: The number of each existing exchange.
        given: All numbers ever seen, with their exchanges.
        sessions: The headers, read when they changed.
        within: The session of each exchange.
        parents: The parent of each exchange, read when it was written or moved.
    """

    revision: int | None = None
    numbers: dict[str, int] = field(default_factory=dict)
    given: dict[int, str] = field(default_factory=dict)
    sessions: dict[str, Session] = field(default_factory=dict)
    within: dict[str, str] = field(default_factory=dict)
    parents: dict[str, str | None] = field(default_factory=dict)

    def follow(self, store: Store) -> Changes:
        """Apply changes."""
        changes = store.changes(self.revision)
        if changes.full:
            self.numbers, self.given, self.sessions, self.parents = {}, {}, {}, {}
            self.within = {}
        for name in changes.erased:
            self.numbers.pop(name, None)
            self.parents.pop(name, None)
            session = self.within.pop(name, "")
            if session not in self.within.values():
                self.sessions.pop(session, None)
        for name, number in zip(changes.written, changes.numbers, strict=True):
            assert self.numbers.setdefault(name, number) == number
            self.numbers[name] = number
            assert self.given.setdefault(number, name) == name
        touched = store.get([*changes.written, *changes.moved])
        self.parents.update((name, exchange.parent) for name, exchange in touched.items())
        self.within.update((name, exchange.session) for name, exchange in touched.items())
        for session in changes.sessions:
            header = store.session(session)
            assert header is not None
            self.sessions[session] = header
        self.revision = changes.revision
        return changes

    def agrees(self, store: Store) -> None:
        """Compare with the store itself."""
        exchanges = store.scan(limit=1_000_000)
        assert self.numbers.keys() == {exchange.id for exchange in exchanges}
        assert len(set(self.numbers.values())) == len(self.numbers)
        assert self.parents == {exchange.id: exchange.parent for exchange in exchanges}
        assert self.sessions == {session.id: session for session in store.sessions()}


class ChangesContract(LookupContract):
    """Changes since a revision are returned once and in order."""

    def test_changes_are_told_in_order(self, store: Store) -> None:
        """Started and extended exchanges come by their last change; numbers stay."""
        talk = LogWriter(store)
        start = store.changes(None)
        assert start.full
        assert start.written == ()
        one, two = talk.begin("eins"), LogWriter(store, "s2").begin("zwei")
        begun = store.changes(start.revision)
        assert (begun.written, begun.full) == ((one.id, two.id), False)
        assert begun.sessions == {"s1", "s2"}
        assert list(begun.numbers) == sorted(begun.numbers)
        talk.answer(one, "1")
        more = store.changes(begun.revision)
        assert (more.written, more.numbers) == ((one.id,), begun.numbers[:1])
        assert store.changes(start.revision).written == (two.id, one.id)
        assert store.changes(None).written == (two.id, one.id)

    def test_nothing_changed(self, store: Store) -> None:
        """Without changes the feed is empty and the revision stays, also after reopening."""
        LogWriter(store).say("eins", "1")
        seen = store.changes(None).revision
        assert store.last_revision() == seen
        assert store.changes(seen) == Changes(seen)

    def test_each_write_is_a_revision(self, store: Store) -> None:
        """One more for each transaction."""
        looked_up(store, "nothing")  # an attached index may store its embedder
        seen = store.last_revision()
        talk = LogWriter(store)
        begun = talk.begin("eins")
        talk.answer(begun, "1")
        store.put([make_record("a", begun.id)])
        store.delete(RecordKind.FACT, ["a"])
        header = replace(talk.header, title="new")
        store.set_session(header, header.head)
        store.erase([begun.id])
        assert store.last_revision() == seen + 6

    def test_an_import_is_one_change(self, store: Store) -> None:
        """Parents come before children; known exchanges are not repeated."""
        talk = LogWriter(None, "in")
        said = [talk.say(f"{n}", "yes") for n in range(3)]
        store.import_session(replace(talk.header, head=said[0].messages[-1].id), said[:1])
        seen = store.last_revision()
        store.import_session(talk.header, said)
        changes = store.changes(seen)
        assert changes.written == (said[1].id, said[2].id)
        assert changes.sessions == {"in"}

    def test_what_was_erased_is_told(self, store: Store) -> None:
        """With the relinked exchanges and the kinds of removed records."""
        talk = LogWriter(store)
        said = [talk.say(f"{n}", "yes") for n in range(4)]
        store.put([make_record("a", said[1].id)])
        seen = store.last_revision()
        store.erase([said[1].id])
        changes = store.changes(seen)
        assert (changes.written, changes.erased, changes.moved) == (
            (),
            (said[1].id,),
            (said[2].id,),
        )
        assert changes.kinds == {RecordKind.FACT}
        assert changes.sessions == {"s1"}
        assert said[1].id not in store.changes(None).written

    def test_kinds_of_records_are_told(self, store: Store) -> None:
        """Of written, replaced or removed ones, and of no others."""
        begun = LogWriter(store).begin(
            "hello", records=(make_record("b", kind=RecordKind.OVERVIEW),)
        )
        assert store.changes(None).kinds >= {RecordKind.OVERVIEW}
        for change in (
            lambda: store.put([make_record("a", begun.id)]),
            lambda: store.put([make_record("a", begun.id), make_record("b")]),
            lambda: store.delete(RecordKind.FACT, ["b"]),
            lambda: store.erase([begun.id]),
        ):
            seen = store.last_revision()
            change()
            assert store.changes(seen).kinds == {RecordKind.FACT}
        seen = store.last_revision()
        store.delete(RecordKind.FACT, ["nothing"])
        assert store.changes(seen).kinds == frozenset()

    def test_a_number_is_never_given_twice(self, store: Store) -> None:
        """Also if its exchange was removed, or came back."""
        talk = LogWriter(store, "in")
        one = talk.say("eins", "1")
        (first,) = store.changes(None).numbers
        store.erase([one.id])
        store.import_session(talk.header, [one])
        (again,) = store.changes(None).numbers
        assert again > first
        assert store.changes(None).erased == ()

    def test_a_follower_misses_nothing(self, store: Store) -> None:
        """A follower from the beginning has the whole state."""
        replica = Replica()
        talk = LogWriter(store)
        said = []
        for n in range(6):
            said.append(talk.say(f"question {n}", "answer"))
            if n % 2:
                replica.follow(store)
        talk.regenerate(said[-1], "another")
        store.erase([said[0].id, said[3].id])
        replica.follow(store)
        replica.agrees(store)
        store = self.reopen(store)
        replica.follow(store)
        replica.agrees(store)

    def test_a_generation_is_given_once(self, store: Store) -> None:
        """It identifies this space for its lifetime."""
        generation = store.generation
        assert generation
        store.put([replace(make_record("a"), at=START)])
        assert store.generation == generation
