"""What memory adds to a request stays the same where the request is repeated, so that caches hold."""

from itertools import pairwise

import pytest
from tests.helpers.agent_talks import assistant, filler, request, system, user
from tests.helpers.client_talks import ANTHROPIC, OLLAMA, OPENAI
from tests.helpers.front_door import opened
from tests.helpers.strict_rules import blocks_of
from tests.helpers.strict_server import StrictModel
from tests.helpers.talker import talking

from unabridged.domain.scope import Scope

DIALECTS = pytest.mark.parametrize("dialect", [OPENAI, OLLAMA, ANTHROPIC])
READONLY = {"x-unabridged": "readonly"}
QUESTION = "What is the name of my sister's sailing boat?"


def newest(door, dialect, *messages, **more):
    return door.ask(dialect, request(dialect, list(messages), **more))["messages"][-1]


@DIALECTS
def test_a_message_that_is_answered_again_keeps_its_block(serving, dialect):
    with opened(serving, dialect) as door:
        newest(door, dialect, user("My sister's sailing boat is called Halibut."))
        before = [user("Hello."), assistant("Yes.")]
        newest(door, dialect, before[0])
        first = newest(door, dialect, *before, user(QUESTION))
        assert "Halibut" in str(first)
        newest(door, dialect, user("My sister's sailing boat has a new name: Turbot."))
        assert [newest(door, dialect, *before, user(QUESTION)) for _ in range(3)] == [first] * 3
        went_on = [*before, user(QUESTION), assistant("Yes."), user("Thank you.")]
        after = door.ask(dialect, request(dialect, went_on))["messages"]
        assert after[2] == first
        edited = newest(door, dialect, *before, user(f"Tell me! {QUESTION}"))
        assert "Turbot" in str(edited)


def test_why_shows_the_block_of_a_message_that_was_answered_again(serving):
    with opened(serving, OPENAI) as door:
        newest(door, OPENAI, user("My sister's sailing boat is called Halibut."))
        for _ in range(2):
            answer = door.post(OPENAI, request(OPENAI, [user(QUESTION)]))
            with talking(door.url.service.pool, Scope()) as memory:
                report = memory.why(answer.headers["x-unabridged-context"])
            assert report.intact
            assert "Halibut" in str(report.messages)


def test_what_was_forgotten_is_not_in_the_block_again(serving):
    with opened(serving, OPENAI) as door:
        told = door.post(OPENAI, request(OPENAI, [user("My boat is called Halibut.")]))
        assert "Halibut" in str(newest(door, OPENAI, user("What is my boat called?")))
        with talking(door.url.service.pool, Scope()) as memory:
            memory.forget(told.headers["x-unabridged-context"])
        assert "Halibut" not in str(newest(door, OPENAI, user("What is my boat called?")))


@DIALECTS
def test_a_readonly_conversation_is_condensed_alike_from_request_to_request(serving, dialect):
    """Nothing of it is stored, and its beginning moves only when it must."""
    beginnings = []
    models = [StrictModel(window=16_384)]  # more than is set: no refusal by an estimate
    with opened(serving, dialect, models=models, window=8_192, fit="condense") as door:
        talk = [] if dialect == ANTHROPIC else [system("Be brief.")]
        for n in range(60):
            talk += [user(f"Question {n} on the rigging? {filler(120)}"), assistant("Yes. " * 20)]
            if n < 20:
                continue
            ask = request(dialect, [*talk, user(filler(20 + n % 7 * 40))], many_tools=3)
            answer = door.post(dialect, ask, **READONLY)
            assert answer.status_code == 200, answer.text
            sent = door.upstream_body()["messages"]
            first = next(m for m in sent if m["role"] == "user")
            if "x-unabridged-left-out" in answer.headers:
                beginnings.append(blocks_of(first)[0]["text"])
    moved = sum(one != before for before, one in pairwise(beginnings))
    assert len(beginnings) > 20
    assert 1 <= moved <= len(beginnings) // 6
