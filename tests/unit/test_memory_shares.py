"""The settings that divide memory: what a person sets is what the ledger says."""

from datetime import timedelta

import pytest
from tests.helpers.talker import Talker

from unabridged.domain.chat import Abilities
from unabridged.domain.context import Tier
from unabridged.errors import PromptTooLargeError
from unabridged.models.scripted import ScriptedModel
from unabridged.testing.clock import ManualClock

MEMORY = ("immediate", "recent", "semantic", "knowledge")
BOATS = ("Marta", "Elin", "Nora", "Tilda", "Frida", "Alva")


def opened(folder, **settings) -> Talker:
    able = Abilities("m", trained_window=8192, tools=True, source="server")
    model = ScriptedModel(("Yes.",), abilities=able)
    clock = ManualClock(step=timedelta(minutes=7))
    return Talker.open(folder, upstream=model, clock=clock, **settings)


def fill(memory: Talker, count: int = 60) -> None:
    for n in range(count):
        text = f"Boat {n} is called {BOATS[n % 6]} and was painted in {1950 + n} by {BOATS[n % 5]}."
        memory.record(memory.prepare(text), f"I see: {text} " + "It lies in the north basin. " * 4)


def held(ledger) -> int:
    return sum(ledger.parts[name] for name in MEMORY)


@pytest.mark.slow
def test_memory_cap_bounds_what_memory_takes_and_why_says_so(tmp_path):
    with opened(tmp_path, memory_cap=900) as memory:
        memory.space.pins.add("The harbour is in Visby.")
        fill(memory)
        context = memory.prepare("remember the boat that was painted in 1963?")
        ledger = context.ledger
        assert 0 < held(ledger) <= 900
        assert ledger.budget_available == context.budget.memory == 900
        assert (ledger.bound, sum(ledger.parts.values())) == ("memory_cap", ledger.window)
        assert ledger.parts["unused"] > 1000
        memory.record(context, "Elin.")
        account = memory.why()
        assert account.intact
        assert account.ledger == ledger
    with opened(tmp_path) as memory:
        again = memory.prepare("remember the boat that was painted in 1963?").ledger
    assert again.bound == ""
    assert held(again) > 900


def test_pins_beyond_the_cap_stay_and_leave_nothing_for_the_rest(tmp_path):
    with opened(tmp_path, memory_cap=20) as memory:
        memory.space.pins.add("The harbour is in Visby, behind the old wall. " * 5)
        memory.record(memory.prepare("Hello there"), "Hello.")
        ledger = memory.prepare("remember the boats?").ledger
        assert ledger.parts["knowledge"] == held(ledger) == ledger.budget_available > 20
        assert sum(ledger.parts.values()) == ledger.window


def test_no_share_for_facts_means_none_beside_the_pins(tmp_path):
    told = {}
    for share in (0.125, 0.0):
        with opened(tmp_path / str(share), knowledge_share=share) as memory:
            memory.record(memory.prepare("My sister Elin lives in Visby."), "I see.")
            list(memory.maintain())
            memory.new_session()
            context = memory.prepare("like last time, where does my sister live?")
            told[share] = len(context.ledger.kept(Tier.KNOWLEDGE))
    assert told[0.125] >= 1
    assert told[0.0] == 0


@pytest.mark.slow
@pytest.mark.parametrize(("share", "more"), [(0.05, False), (0.9, True)])
def test_the_vivid_share_moves_what_recall_may_take_of_a_full_history(tmp_path, share, more):
    question = "remember exactly which boats were painted by Marta, Elin and Nora?"
    semantic = {}
    for name, chosen in (("usual", 0.6), ("chosen", share)):
        with opened(tmp_path / name, memory_cap=2500, vivid_share=chosen) as memory:
            fill(memory)
            memory.new_session()
            fill(memory)
            semantic[name] = memory.prepare(question).ledger.parts["semantic"]
    assert (semantic["chosen"] > semantic["usual"]) is more


def test_a_message_too_large_is_still_refused_with_a_cap(tmp_path):
    with opened(tmp_path, memory_cap=100) as memory, pytest.raises(PromptTooLargeError):
        memory.prepare("word " * 20_000)
