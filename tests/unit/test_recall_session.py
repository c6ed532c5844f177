"""``recall = session``: five sessions of one agent at the same time, and nothing crosses over."""

import itertools
import json
from dataclasses import replace
from datetime import timedelta

import pytest
from tests.helpers.memories import say
from tests.helpers.talker import Talker
from tests.opened import use_settings

from unabridged.domain.chat import Abilities
from unabridged.domain.context import Tier
from unabridged.domain.message import ToolCall
from unabridged.errors import ContextRefusedError
from unabridged.models.scripted import ScriptedModel
from unabridged.testing.clock import ManualClock

NAMES = ("Ottilie", "Rosalind", "Benedikt", "Cornelius", "Wilhelmina")
QUESTIONS = (
    "Remember what my sister is called?",
    "what did we discuss so far?",
    "Like last time: what would my sister like, and what is she called?",
    "what do you know of my sister and of the colour of her boat?",
)


def model(*answers) -> ScriptedModel:
    able = Abilities("m", trained_window=8192, tools=True, source="server")
    return ScriptedModel(answers or ("Yes.",), abilities=able)


@pytest.fixture(params=["sqlite", "files", "memory"])
def settings(request):
    kept = {"json_files": "agent"} if request.param == "files" else {"store": request.param}
    return {**kept, "recall_scope": "session"}


def opened(folder, settings, answers=(), **more) -> Talker:
    clock = ManualClock(step=timedelta(seconds=5))
    return Talker.open(folder, upstream=model(*answers), clock=clock, **settings, **more)


def prompt(context) -> str:
    return json.dumps(list(context.messages), ensure_ascii=False)


@pytest.fixture
def five(tmp_path, settings):
    """A memory with five sessions that were talked in by turns; name to session."""
    with opened(tmp_path, settings) as memory:
        sessions = {}
        for name in NAMES:
            memory.new_session()
            say(memory, f"My sister is called {name}. She likes {name}-tea.", f"Hello {name}!")
            sessions[name] = memory.header.id
        for _, (name, session) in itertools.product(range(3), sessions.items()):
            memory.switch(session)
            say(memory, f"The boat of {name} is painted in {name}-blue.", f"{name}-blue it is.")
        list(memory.maintain())
        yield memory, sessions


def others(name):
    return [other for other in NAMES if other != name]


def test_nothing_of_another_session_reaches_a_prompt(five):
    memory, sessions = five
    for name, session in sessions.items():
        memory.switch(session)
        for question in QUESTIONS:
            text = prompt(memory.prepare(question))
            assert name in text
            assert not [other for other in others(name) if other in text]


def test_a_new_session_starts_with_nothing_recalled_and_with_the_pins(five):
    memory, _ = five
    memory.space.pins.add("The harbour is in Visby.")
    memory.new_session()
    for question in QUESTIONS:
        context = memory.prepare(question)
        text = prompt(context)
        assert not [name for name in NAMES if name in text]
        assert "Visby" in text
        assert context.ledger.parts["semantic"] == 0
        assert {row.reason for row in context.ledger.kept(Tier.KNOWLEDGE)} == {"pinned"}


def test_a_person_finds_everything(five):
    memory, sessions = five
    memory.switch(sessions[NAMES[0]])
    found = {hit.exchange.session for hit in memory.space.search("what is my sister called?", 50)}
    assert found == set(sessions.values())
    here = {hit.exchange.session for hit in search_here(memory, 50)}
    assert here == {sessions[NAMES[0]]}
    memory.new_session()
    assert search_here(memory) == []


def search_here(memory, limit=10):
    reach = memory.space.reach(memory.header.id if memory.header else None)
    return memory.space.search("what is my sister called?", limit, reach=reach)


def test_facts_of_the_session_and_those_a_person_gave_are_told(five):
    memory, sessions = five
    memory.facts.add("My sister's favourite harbour is Visby.")
    name, session = next(iter(sessions.items()))
    memory.switch(session)
    use_settings(memory, replace(memory.space.settings, max_turns=1))
    for _ in range(3):  # what stands whole in the prompt is not told as a fact again
        say(memory, "The weather is fine and the wind is from the north.")
    context = memory.prepare("like last time: what is my sister called, which harbour is hers?")
    told = {row.id for row in context.ledger.kept(Tier.KNOWLEDGE)}
    facts = [fact.text for fact in memory.facts.all(None) if fact.id in told]
    assert any(name in text for text in facts)
    assert any("Visby" in text for text in facts)
    assert not [other for other in others(name) if other in prompt(context)]


def test_the_search_tool_that_the_model_has_finds_the_session_only(tmp_path, settings):
    with opened(tmp_path, settings) as memory:
        call = ToolCall("c1", "search_memory", '{"query": "what is my sister called?"}')
        for name in NAMES[:2]:
            memory.new_session()
            say(memory, f"My sister is called {name}.", "Hello.")
        memory.asked = model(call, "She is.")
        exchange = memory.chat("what is my sister called?", mode="tools").finish()
        results = [result.text for message in exchange.messages for result in message.results]
        assert NAMES[1] in results[0]
        assert NAMES[0] not in results[0]


def test_quote_quotes_the_session_only(tmp_path, settings):
    with Talker.open(tmp_path, upstream="quote", **settings) as memory:
        for name in NAMES[:2]:
            memory.new_session()
            memory.chat(f"My sister is called {name}.").finish()
        second = memory.chat("What is my sister called?").finish().answer.text
        assert NAMES[1] in second
        assert NAMES[0] not in second
        memory.space.pins.add("My sister collects stamps of Visby.")
        memory.new_session()
        fresh = memory.chat("What is my sister called?").finish().answer.text
        assert "Visby" in fresh
        assert not [name for name in NAMES if name in fresh]


def test_a_branch_recalls_its_session_only(tmp_path, settings):
    with opened(tmp_path, settings) as memory:
        say(memory, "My sister is called Ottilie.")
        memory.new_session()
        say(memory, "Good morning to you.")
        asked = say(memory, "What is my sister called?")
        again = memory.prepare("", retry_of=asked.id)
        assert "Ottilie" not in prompt(again)
        memory.undo()
        assert "Ottilie" not in prompt(memory.prepare("Remember what my sister is called?"))


def test_the_whole_space_is_recalled_where_nobody_says_otherwise(tmp_path):
    with opened(tmp_path, {"store": "sqlite"}) as memory:
        say(memory, "My sister is called Ottilie.")
        memory.new_session()
        assert "Ottilie" in prompt(memory.prepare("Remember what my sister is called?"))


def test_a_prompt_made_shorter_after_a_refusal_recalls_the_session_only(tmp_path):
    with opened(tmp_path, {"recall_scope": "session"}) as memory:
        say(memory, "My sister is called Ottilie.")
        memory.new_session()
        context = memory.prepare("Remember what my sister is called?")
        memory.begin(context)
        refusal = ContextRefusedError("too long", hint="", window=4096, prompt_tokens=5000)
        again = memory.shorter(context, refusal)
        assert again.ledger.window == 4096
        assert "Ottilie" not in prompt(again)
