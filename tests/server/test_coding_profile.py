"""The profile ``coding``, for agents in front of a server."""

import pytest
from tests.helpers.agent_talks import assistant, request, user
from tests.helpers.client_talks import OPENAI
from tests.helpers.front_door import opened
from tests.helpers.strict_server import StrictModel
from tests.helpers.talker import talking

from unabridged.domain.scope import Scope

DECIDED = "We decided to keep the migrations in SQL files, because the ORM's were not repeatable."
LIMIT = "The system must finish an export within two seconds."


@pytest.fixture
def door(serving):
    with opened(serving, OPENAI, profile="coding") as made:
        yield made


def ask(door, *messages, **headers):
    return door.ask(OPENAI, request(OPENAI, list(messages), many_tools=2), **headers)


def test_a_new_conversation_knows_what_was_decided(door):
    ask(door, user(DECIDED))
    arrived = ask(door, user("Where do we keep the migrations?"))
    assert "because the ORM's were not repeatable" in arrived["messages"][-1]["content"]


def test_a_project_that_names_itself_has_its_own_memory(door):
    ask(door, user(DECIDED), **{"x-unabridged-agent": "boat"})
    question = user("Where do we keep the migrations?")
    assert ask(door, question)["messages"] == [question]
    arrived = ask(door, user("Where are the migrations kept?"), **{"x-unabridged-agent": "boat"})
    assert "repeatable" in arrived["messages"][-1]["content"]


def test_constraints_are_collected(door):
    ask(door, user(LIMIT))
    with talking(door.url.service.pool, Scope()) as memory:
        list(memory.maintain())
        assert "finish an export" in str(memory.requirements.all())


@pytest.mark.parametrize(("profile", "status"), [("coding", 400), ("", 200)])
def test_a_history_that_does_not_fit_is_refused(serving, profile, status):
    models = [StrictModel(window=8_192)]
    with opened(serving, OPENAI, models=models, profile=profile, window=8_192) as door:
        turns = [
            m for n in range(40) for m in (user(f"Question {n}? " * 40), assistant("Yes. " * 40))
        ]
        body = request(OPENAI, [*turns, user("And now?")], many_tools=2)
        answer = door.post(OPENAI, body)
        assert answer.status_code == status, answer.text[:200]
        assert ("maximum context length" in answer.text) == (status == 400)
