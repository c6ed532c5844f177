"""Who asks "remember …?" gets what was said around it too, where the setting says so."""

from datetime import timedelta

import pytest
from tests.helpers.talker import Talker

from unabridged.domain.context import Decision, Tier
from unabridged.domain.reasons import AROUND
from unabridged.testing.clock import ManualClock

ASKED = "Remember the lighthouse model that I built?"


def told(memory, clock, *texts, pause=timedelta(minutes=2)):
    for text in texts:
        clock.time += pause
        memory.record(memory.prepare(text), "I see.")


@pytest.fixture
def clock():
    return ManualClock()


@pytest.fixture
def memory(tmp_path, clock):
    with Talker.open(
        tmp_path,
        upstream="quote",
        window=8192,
        recall_neighbors=True,
        min_relevance=0.6,
        clock=clock,
    ) as memory:
        told(memory, clock, "I am building a lighthouse model out of balsa.")
        told(memory, clock, "Then the glue would not dry.", "So I warmed it with the kettle!")
        told(memory, clock, "We had soup.", pause=timedelta(hours=9))
        clock.time += timedelta(days=3)
        memory.new_session()
        told(memory, clock, "Taxes are due in May.", "The form is green.")
        clock.time += timedelta(days=3)
        memory.new_session()
        yield memory


def recalled(context):
    text = context.prompt[-1].text
    return text[: text.find("</recalled>")]


def test_a_talk_comes_back_whole_and_in_order(memory):
    context = memory.prepare(ASKED)
    fence = recalled(context)
    told = ("lighthouse model out of balsa", "glue would not dry", "warmed it with the kettle")
    places = [fence.index(words) for words in told]
    assert places == sorted(places)
    assert "soup" not in fence
    rows = [row for row in context.ledger.kept(Tier.SEMANTIC) if row.reason == AROUND]
    assert len(rows) == 2
    assert all(row.score is None and row.decision is Decision.KEPT for row in rows)
    memory.record(context, "Yes.")
    account = memory.why(context.id)
    assert account.intact
    assert not set(account.words) & {row.id for row in rows}


def test_only_who_asks_for_details_gets_it(memory):
    context = memory.prepare("I want to build another lighthouse model.")
    assert "balsa" in recalled(context)
    assert "kettle" not in recalled(context)


def test_it_takes_only_what_room_is_left(tmp_path, clock):
    with Talker.open(
        tmp_path, upstream="quote", window=1024, recall_neighbors=True, clock=clock
    ) as memory:
        told(memory, clock, "I built a lighthouse model.", *[f"{n} " * 90 for n in range(4)])
        clock.time += timedelta(days=3)
        memory.new_session()
        context = memory.prepare(ASKED)
        assert "I built a lighthouse model." in recalled(context)
        left = [r for r in context.ledger.rows if r.decision is Decision.LEFT_OUT]
        assert left
        assert sum(context.ledger.parts.values()) == 1024


def test_without_the_setting_only_what_was_found_comes(tmp_path, clock):
    with Talker.open(tmp_path, upstream="quote", window=8192, clock=clock) as memory:
        told(memory, clock, "I am building a lighthouse model.", "So I warmed it with the kettle!")
        clock.time += timedelta(days=3)
        memory.new_session()
        rows = memory.prepare(ASKED).ledger.rows
        assert not [row for row in rows if row.reason == AROUND]
