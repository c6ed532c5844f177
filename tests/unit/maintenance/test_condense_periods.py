"""Sessions that were left as wholes, months, and what a summary shows of them."""

from datetime import UTC, datetime, timedelta

import pytest
from tests.helpers.talker import Talker

from unabridged.domain.chat import Abilities
from unabridged.domain.condensation import Level
from unabridged.domain.context import ItemKind
from unabridged.models.scripted import ScriptedModel
from unabridged.testing.clock import ManualClock

TRIPS = {
    "Lisbon": ["The flight to Lisbon leaves on 12 March.", "The hotel in Lisbon costs 90 euros."],
    "Kyoto": ["The train to Kyoto takes two hours.", "In Kyoto we stay with Haruki for 5 days."],
}
FILLER = "That sounds lovely, and I am glad to hear it. Tell me more whenever you like. " * 3


@pytest.fixture
def memory(tmp_path):
    model = ScriptedModel(abilities=Abilities("m", trained_window=8192, source="server"))
    clock = ManualClock(datetime(2026, 3, 2, 9, 0, tzinfo=UTC), timedelta(minutes=1))
    with Talker.open(tmp_path, upstream=model, window=8192, clock=clock) as opened:
        opened.time = clock
        yield opened


def tell_trips(memory):
    for place, said in TRIPS.items():
        memory.new_session(place)
        for text in said:
            memory.record(memory.prepare(text), FILLER)
    memory.new_session()
    memory.record(memory.prepare("What is the capital of Peru?"), "Lima.")


def run(memory, pages=None):
    return list(memory.maintain(pages=pages))


def test_a_session_that_was_left_is_condensed_as_a_whole(memory):
    tell_trips(memory)
    run(memory)
    whole = [c for c in memory.space.condensations.condensations() if c.level is Level.CONVERSATION]
    assert len(whole) == 2
    for one, (place, said) in zip(whole, TRIPS.items(), strict=True):
        assert one.tokens < one.source_tokens / 2
        text = " ".join(line.text for line in one.lines)
        assert place in text
        assert [e.user.text for e in memory.space.condensations.expand(one.id).exchanges] == said


def test_it_is_made_anew_when_the_session_went_on(memory):
    tell_trips(memory)
    run(memory)
    before = memory.space.condensations.condensations()
    run(memory)
    assert memory.space.condensations.condensations() == before
    memory.switch("Lisbon")
    memory.record(memory.prepare("We also visit Porto on 20 March."), FILLER)
    memory.new_session()
    memory.record(memory.prepare("Hello there."), "Hello.")
    run(memory)
    after = [c for c in memory.space.condensations.condensations() if c.level is Level.CONVERSATION]
    assert len(after) == 2
    assert any(len(c.covers) == 3 for c in after)


def test_a_month_that_ended_is_condensed_over_its_sessions(memory):
    tell_trips(memory)
    run(memory)
    assert not [c for c in memory.space.condensations.condensations() if c.level is Level.PERIOD]
    memory.time.time = datetime(2026, 4, 5, tzinfo=UTC)
    run(memory)
    (month,) = [c for c in memory.space.condensations.condensations() if c.level is Level.PERIOD]
    whole = [c for c in memory.space.condensations.condensations() if c.level is Level.CONVERSATION]
    assert set(month.parts) == {c.id for c in whole}
    assert set(month.covers) == {name for c in whole for name in c.covers}
    assert len(memory.space.condensations.expand(month.id).exchanges) == len(month.covers)
    run(memory)
    assert len(memory.space.condensations.condensations()) == 3


def test_who_asks_for_an_overview_gets_condensed_conversations(memory):
    tell_trips(memory)
    run(memory)
    memory.new_session()
    context = memory.prepare("Summarize what we discussed about the trip to Lisbon.")
    rows = [r for r in context.ledger.rows if r.kind is ItemKind.CONDENSATION]
    assert rows
    sent = context.prompt[-1].text
    assert "<recalled-summary" in sent
    assert rows[0].id in sent
    assert sum(context.ledger.parts.values()) == 8192
    memory.begin(context)
    account = memory.why(context.id)
    assert account.intact
    assert account.messages == tuple(context.messages)


def test_a_summary_survives_in_why_when_its_session_went_on(memory):
    tell_trips(memory)
    run(memory)
    memory.new_session()
    context = memory.prepare("Summarize what we discussed about the trip to Lisbon.")
    memory.record(context, "You fly on 12 March.")
    memory.switch("Lisbon")
    memory.record(memory.prepare("We also visit Porto on 20 March."), FILLER)
    memory.new_session()
    memory.record(memory.prepare("Hello there."), "Hello.")
    run(memory)
    assert memory.why(context.id).intact


def test_facts_that_bear_on_a_message_stand_in_the_prompt(memory):
    memory.record(memory.prepare("My sister Anna lives in Oslo."), "Nice.")
    memory.record(memory.prepare("My favourite colour is green."), "Good to know.")
    run(memory)
    assert memory.facts.all()
    memory.new_session()
    context = memory.prepare("Where does my sister Anna live?")
    facts = [r for r in context.ledger.rows if r.kind is ItemKind.FACT]
    assert facts
    memory.begin(context)
    account = memory.why(context.id)
    assert account.intact
    assert account.messages == tuple(context.messages)


def test_who_asks_for_everything_gets_the_months_before_the_newest_conversations(memory):
    for number in range(15):
        memory.new_session(f"Trip {number}")
        memory.record(memory.prepare(f"The flight to town {number} leaves at noon."), FILLER)
        memory.record(memory.prepare(f"The hotel in town {number} costs 90 euros."), FILLER)
    memory.time.time = datetime(2026, 4, 5, tzinfo=UTC)
    memory.new_session()
    memory.record(memory.prepare("Hello there."), "Hello.")
    run(memory)
    (month,) = [c for c in memory.space.condensations.condensations() if c.level is Level.PERIOD]
    memory.new_session()
    context = memory.prepare("What have we talked about so far?")
    assert month.id in context.prompt[-1].text
    memory.begin(context)
    assert memory.why(context.id).intact
