"""Random histories with branches, facts, requirements and condensations; then something is forgotten."""

import json
from datetime import timedelta

from hypothesis import HealthCheck, given, settings, strategies as st
from tests.helpers.examples import examples
from tests.helpers.talker import Talker
from tests.opened import store_of

from unabridged.domain.chat import Abilities
from unabridged.domain.record import RecordKind
from unabridged.log.entrances import texts_of_message
from unabridged.models.scripted import ScriptedModel
from unabridged.testing.clock import ManualClock

PLACES = ("Oslo", "Bern", "Turin")
SAYINGS = (
    "I live in {place}, says {name}.",
    "My cousin {name} lives in {place}.",
    "The system must send {name} a report within 5 seconds.",
    "We walked along the river with {name} and spoke of the weather for a good while. " * 4,
    "Hello {name}",
)
STEPS = st.lists(
    st.tuples(
        st.sampled_from(["say", "say", "say", "new", "retry", "undo", "tend", "pin"]),
        st.sampled_from(SAYINGS),
        st.sampled_from(PLACES),
    ),
    min_size=3,
    max_size=14,
)


def name_of(number):
    """A name that is no part of another."""
    return "Xq" + "".join("bcdfghjklm"[int(digit)] for digit in f"{number:04d}") + "z"


def play(memory, steps):
    """Say it all; give the names that each exchange has."""
    said = {}
    for number, (step, saying, place) in enumerate(steps):
        last = memory.exchanges(1)
        if step == "new":
            memory.new_session()
        elif step == "undo" and last:
            memory.undo()
        elif step == "tend":
            list(memory.maintain())
        elif step == "pin" and last:
            memory.pin(exchange=last[-1].id)
        else:
            retry = last[-1].id if step == "retry" and last else None
            text = saying.format(name=name_of(number), place=place)
            context = memory.prepare("" if retry else text, retry_of=retry)
            memory.record(context, f"So it is {name_of(number)}. " + "I see that well. " * 9)
            said[context.id] = {name_of(number)}
            if retry:
                said[context.id] |= {n for n in said[retry] if n in context.user.text}
    list(memory.maintain())
    return said


def texts(memory):
    """Everything that the store gives, as text."""
    store = store_of(memory)
    found = [session.title for session in store.sessions()]
    found += [t for e in store.scan(limit=1000) for m in e.messages for t in texts_of_message(m)]
    for kind in RecordKind:
        found += [json.dumps(dict(r.body), ensure_ascii=False) for r in store.records(kind)]
    return "\n".join(found)


@settings(max_examples=examples(25), deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(steps=STEPS, data=st.data(), repeats=st.booleans())
def test_nothing_holds_it_and_everything_else_stays(steps, data, repeats):
    model = ScriptedModel(abilities=Abilities("m", trained_window=2048, source="server"))
    options = {"window": 2048, "condense_tokens": 200, "condense_messages": 2}
    clock = ManualClock(step=timedelta(hours=1))
    with Talker.open(upstream=model, clock=clock, ephemeral=True, **options) as memory:
        said = play(memory, steps)
        if not said:
            return
        picked = data.draw(st.lists(st.sampled_from(sorted(said)), min_size=1, unique=True))
        plan = memory.space.forgetting.plan(picked, with_repeats=repeats)
        gone = {exchange.id for exchange in plan.exchanges}
        assert set(picked) <= gone
        staying = {fact.id for fact in plan.staying}
        receipt = memory.space.forgetting.execute(plan)
        kept = set().union(*(n for i, n in said.items() if i not in gone), set())
        lost = set().union(*(said[i] for i in gone)) - kept
        held = texts(memory)
        assert [name for name in lost if name in held] == []
        assert [name for name in kept if name not in held] == []
        assert set(store_of(memory).get(said)) == set(said) - gone
        assert staying <= {fact.id for fact in memory.facts.all(None)}
        for fact in memory.facts.all():
            assert not fact.exchange or fact.quote in memory.get(fact.exchange).user.text
        for one in memory.space.condensations.condensations():
            assert gone.isdisjoint(one.covers)
        assert receipt.exchanges == len(gone)
        for name in lost:
            assert all(f.exchange.id not in gone for f in memory.space.search(name))
        # Told again, it does not come back.
        for exchange in plan.exchanges:
            if any(m.id in plan.shared for m in exchange.messages):
                continue
            text, parent = exchange.user.text, exchange.parent
            if len(text.split()) >= 5:
                assert memory.space.forgetting.was_forgotten(text), (text, parent)
        before = memory.stats().exchanges
        again = memory.space.forgetting.resume()
        assert again == []
        assert memory.stats().exchanges == before
