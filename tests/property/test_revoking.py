"""Sessions and facts shared and revoked in any order: a space holds its own, and what a share holds."""

from hypothesis import given, note, settings, strategies as st
from tests.helpers.examples import examples
from tests.helpers.talker import Talker

from unabridged.domain.settings import Settings
from unabridged.domain.share import ShareSide, ShareState
from unabridged.testing.clock import ManualClock

SAID = ("I live in Zurich.", "I live in Bern.", "My dog is called Rex.", "I like tea.", "Hello.")
spaces = st.integers(0, 2)
steps = st.lists(
    st.one_of(
        st.tuples(st.just("say"), spaces, st.integers(0, len(SAID) - 1), st.integers(0, 1)),
        st.tuples(st.just("share"), spaces, spaces, st.integers(0, 1)),
        st.tuples(st.just("share"), spaces, spaces, st.integers(0, 1)),
        st.tuples(st.just("facts"), spaces, spaces, st.just(0)),
        st.tuples(st.just("handoff"), spaces, spaces, st.integers(0, 1)),
        st.tuples(st.just("revoke"), spaces, st.integers(0, 5), st.just(0)),
    ),
    min_size=6,
    max_size=18,
)


class World:
    """Three spaces that keep nothing, and what was said in each of them."""

    def __init__(self):
        clock = ManualClock()
        chosen = [
            Settings(store="memory", upstream="quote", user="ann", agent=f"a{n}", embedder="none")
            for n in range(3)
        ]
        self.memories = [Talker.open(settings=one, clock=clock) for one in chosen]
        self.own = [set() for _ in self.memories]

    def close(self):
        for memory in self.memories:
            memory.close()

    def say(self, n, what, where):
        memory = self.memories[n]
        sessions = memory.space.sessions.all()
        if where < len(sessions):
            memory.switch(sessions[where].id)
        else:
            memory.new_session()
        context = memory.prepare(SAID[what])
        memory.record(context, "I see.")
        memory.facts.learn_pending()
        self.own[n].add(context.id)

    def give(self, n, to, **wanted):
        giver, taker = self.memories[n].space.sharing, self.memories[to].space.sharing
        giver.give(giver.draft(self.memories[to].space.sharing.taker.store.space, **wanted), taker)

    def share(self, n, to, pick, kind="share"):
        sessions = self.memories[n].space.sessions.all()
        if n != to and sessions:
            self.give(n, to, sessions=[sessions[pick % len(sessions)].id], kind=kind)

    def revoke(self, n, pick):
        listed = self.memories[n].space.sharing.listing()
        if listed:
            share = listed[pick % len(listed)]
            other = next(
                m for m in self.memories if m.space.sharing.taker.store.space == share.other
            )
            ends = (self.memories[n], other)
            taker, giver = ends if share.side is ShareSide.TAKEN else ends[::-1]
            taker.space.sharing.revoke(share)
            giver.space.sharing.revoke(share)

    def check(self):
        for n, memory in enumerate(self.memories):
            shares = memory.space.sharing.listing()
            held = [s for s in shares if s.state is not ShareState.REVOKED]
            taken = [s for s in held if s.side is ShareSide.TAKEN]
            exchanges = {x.id for c in memory.space.log.transcripts() for x in c.exchanges}
            assert exchanges == self.own[n].union(*(s.exchange_ids for s in taken))
            foreign = set().union(*(s.fact_ids for s in taken))
            for fact in memory.facts.all(None):
                assert fact.exchange in exchanges or fact.id in foreign
                assert (fact.origin is None) == (fact.exchange in self.own[n])
                if fact.quote:
                    assert fact.quote in memory.get(fact.exchange).user.text
            by_id = {fact.id: fact for fact in memory.facts.all()}
            for fact in by_id.values():
                assert all(fact.id in by_id[name].disputed_by for name in fact.disputed_by)
            for share in shares:
                other = next(
                    m for m in self.memories if m.space.sharing.taker.store.space == share.other
                )
                mirrored = next(s for s in other.space.sharing.listing() if s.id == share.id)
                assert (mirrored.state, mirrored.carries) == (share.state, share.carries)


@given(steps)
@settings(max_examples=examples(60), deadline=None)
def test_a_space_holds_its_own_and_what_a_share_holds(taken):
    world = World()
    try:
        note(str(taken))
        world.say(0, 0, 0)
        world.share(0, 1, 0)
        world.share(0, 2, 0)
        for what, n, *rest in taken:
            if what == "say":
                world.say(n, *rest)
            elif what in {"share", "handoff"}:
                world.share(n, *rest, kind=what)
            elif what == "facts" and n != rest[0]:
                world.give(n, rest[0], all_facts=True)
            elif what == "revoke":
                world.revoke(n, rest[0])
            world.check()
    finally:
        world.close()
