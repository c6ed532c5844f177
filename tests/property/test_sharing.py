"""Facts shared between spaces, edited on every side in any order: no value lost silently."""

from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

from hypothesis import given, settings, strategies as st
from tests.helpers.examples import examples

from unabridged.domain.fact import FactState
from unabridged.domain.record import RecordKind
from unabridged.domain.scope import SpaceId
from unabridged.domain.share import Share, ShareKind, ShareSide, from_record
from unabridged.forgetting.temporary_keys import PassingKeys
from unabridged.forgetting.tombstones import ForgottenIndex
from unabridged.knowledge.facts import Facts
from unabridged.knowledge.statements import Statement, to_record
from unabridged.sharing.deliver import Taker, deliver
from unabridged.sharing.share_content import ShareSelection
from unabridged.stores.in_memory import InMemoryStore
from unabridged.testing.clock import ManualClock

T = datetime(2026, 5, 1, tzinfo=UTC)
ONE, SEVERAL, FREE = "lives in", "likes", ""
VALUES = ("Zurich", "Bern", "Basel", "Geneva")


@dataclass
class Made:
    """A statement as an observer who sees everything knows it."""

    value: str
    by: str
    at: int
    space: int
    known: set[str]
    replaces: str | None


@dataclass
class World:
    """Spaces with clocks of their own, and what an observer saw."""

    skews: list[int]
    seen: dict[str, Made] = field(default_factory=dict)
    time: int = 0

    def __post_init__(self):
        self.clocks = [ManualClock(T + timedelta(minutes=skew)) for skew in self.skews]
        self.stores = [InMemoryStore(SpaceId("ann", f"a{n}")) for n in range(len(self.skews))]
        pairs = zip(self.stores, self.clocks, strict=True)
        self.knowledge = [Facts(store, clock) for store, clock in pairs]

    def held(self, n):
        return {r.id for r in self.stores[n].records(RecordKind.FACT)}

    def _note(self, n, before, value, by="user", replaces=None):
        made = self.held(n) - before
        if not made:  # an equal fact is returned, not stored twice
            return
        (fact,) = made
        self.time += 1
        known = {name for name in before if name in self.seen}
        self.seen[fact] = Made(value, by, self.time, n, known, replaces)

    def add(self, n, attribute, value):
        before = self.held(n)
        text = f"The user {attribute} {value}."
        self.knowledge[n].add(text, attribute=attribute, value=value if attribute else "")
        self._note(n, before, value)

    def draw(self, n, value):
        before = self.held(n)
        name, at = self.clocks[n].new_id(), self.clocks[n].now()
        made = Statement(name, f"Lives in {value}.", at, attribute=ONE, value=value, by="rules-1")
        self.stores[n].put([to_record(made)])
        self._note(n, before, value, "rules-1")

    def edit(self, n, pick, value):
        current = self.knowledge[n].all()
        if not current:
            return
        old = current[pick % len(current)]
        before = self.held(n)
        told = value if old.attribute else None
        self.knowledge[n].edit(old.id, text=f"The user {old.attribute} {value}.", value=told)
        self._note(n, before, value, replaces=old.id)

    def share(self, giver, taker):
        store = self.stores[taker]
        draft = Share(
            id=self.clocks[giver].new_id(),
            kind=ShareKind.SHARE,
            side=ShareSide.GIVEN,
            other=store.space,
            at=self.clocks[giver].now(),
            by="ann",
            all_facts=True,
        )
        to = Taker(store, ForgottenIndex(store, PassingKeys()), lambda exchange: exchange)
        wanted = ShareSelection(all_facts=True)
        # Each side reads its own clock: what arrives is dated by who is given to.
        return deliver(self.stores[giver], to, wanted, draft, self.clocks[taker])

    def current(self, n):
        facts = {fact.id: fact for fact in self.knowledge[n].all()}
        return sorted(
            (
                fact.attribute,
                fact.value or fact.text,
                tuple(sorted(facts[name].value or facts[name].text for name in fact.disputed_by)),
            )
            for fact in facts.values()
        )

    def may_have_ended(self, n, old):
        """Whether something in a space has the right to end a statement there."""
        return any(self._may_end(n, name, old) for name in self.held(n) if name in self.seen)

    def must_have_ended(self, n, old):
        """Whether its own space took it back before anything else was said."""
        other = self.seen[old]
        return any(
            one.space == other.space and one.at > other.at and one.value != other.value
            for one in (self.seen[name] for name in self.held(n) if name in self.seen)
        )

    def _may_end(self, n, new, old):
        one, other = self.seen[new], self.seen[old]
        if one.space == other.space and one.at > other.at:
            return True
        if one.space == n and old in one.known:
            return True
        return old in self._edited(new)

    def _edited(self, name):
        found = []
        while name in self.seen and self.seen[name].replaces:
            name = self.seen[name].replaces
            found.append(name)
        return found


steps = st.lists(
    st.one_of(
        st.tuples(st.just("add"), st.integers(0, 2), st.sampled_from(VALUES)),
        st.tuples(st.just("draw"), st.integers(0, 2), st.sampled_from(VALUES)),
        st.tuples(st.just("edit"), st.integers(0, 2), st.integers(0, 9), st.sampled_from(VALUES)),
        st.tuples(st.just("share"), st.integers(0, 2), st.integers(0, 2)),
        st.tuples(st.just("share"), st.integers(0, 2), st.integers(0, 2)),
    ),
    max_size=14,
)
spaces = st.lists(st.integers(-600, 600), min_size=2, max_size=3, unique=True)


PERSON, RULES, BOTH = ("add", "edit"), ("draw",), ("add", "edit", "draw")


def walk(world, taken, attributes, by):
    count = len(world.stores)
    for number, (what, n, *rest) in enumerate(taken):
        if what not in (*by, "share"):
            continue
        if what == "add":
            world.add(n % count, attributes[number % len(attributes)], *rest)
        elif what == "draw":
            world.draw(n % count, *rest)
        elif what == "edit":
            world.edit(n % count, *rest)
        elif what == "share" and n % count != rest[0] % count:
            world.share(n % count, rest[0] % count)
        yield


@given(spaces, steps, st.sampled_from([PERSON, RULES, BOTH]))
@settings(max_examples=examples(150), deadline=None)
def test_nothing_ends_but_by_its_own_space_an_edit_or_what_was_said_here_later(skews, taken, by):
    world = World(skews)
    for _ in walk(world, taken, (ONE,), by):
        for n in range(len(skews)):
            current = world.current(n)
            values = {value for _, value, _ in current}
            for name in world.held(n):
                if name in world.seen and world.seen[name].value not in values:
                    assert world.may_have_ended(n, name)
            for _, value, against in current:
                assert set(against) == values - {value}


@given(spaces, steps)
@settings(max_examples=examples(100), deadline=None)
def test_what_a_person_replaced_in_its_own_space_comes_back_nowhere(skews, taken):
    world = World(skews)
    for _ in walk(world, taken, (ONE,), PERSON):
        pass
    for n in range(len(skews)):
        held = [world.seen[name] for name in world.held(n) if name in world.seen]
        values = {value for _, value, _ in world.current(n)}
        for name in world.held(n):
            made = world.seen[name]
            alone = all(one.space == made.space for one in held if one.value == made.value)
            last = max(one.at for one in held if one.value == made.value)
            if alone and made.at == last and world.must_have_ended(n, name):
                assert made.value not in values


@given(spaces, steps)
@settings(max_examples=examples(60), deadline=None)
def test_sharing_again_changes_nothing(skews, taken):
    world = World(skews)
    for _ in walk(world, taken, (ONE, SEVERAL, FREE), BOTH):
        pass
    world.share(0, 1)
    before = [(s.records(RecordKind.FACT), s.records(RecordKind.SHARE)) for s in world.stores]
    again = world.share(0, 1)
    assert (again.exchanges, again.facts) == (0, 0)
    after = [(s.records(RecordKind.FACT), s.records(RecordKind.SHARE)) for s in world.stores]
    assert after == before


@given(spaces, steps)
@settings(max_examples=examples(60), deadline=None)
def test_no_statement_is_lost_and_history_keeps_what_was_superseded(skews, taken):
    world = World(skews)
    for _ in walk(world, taken, (ONE, SEVERAL, FREE), BOTH):
        pass
    for n, book in enumerate(world.knowledge):
        own = {name for name, made in world.seen.items() if made.space == n}
        assert own <= world.held(n)
        told = {fact.value or fact.text for fact in book.all(None)}
        assert all(any(world.seen[name].value in text for text in told) for name in own)
        assert not any(fact.state is FactState.WITHDRAWN for fact in book.all(None))
        assert all(
            from_record(r).revoked is None for r in world.stores[n].records(RecordKind.SHARE)
        )


def test_what_was_edited_twice_takes_the_place_of_what_was_carried_first():
    world = World([0, 0])
    world.add(0, FREE, "Zurich")
    world.share(0, 1)
    for value in ("Bern", "Basel"):
        world.edit(0, 0, value)
    world.share(0, 1)
    assert world.current(1) == world.current(0) == [("", "The user  Basel.", ())]
