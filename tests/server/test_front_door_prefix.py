"""What memory adds is frozen where it was added, so an upstream's cache holds as without us."""

from itertools import pairwise

import pytest
from tests.helpers.agent_talks import agent_requests, filler, request
from tests.helpers.arrivals import is_same
from tests.helpers.client_talks import ANTHROPIC, OLLAMA, OPENAI
from tests.helpers.front_door import Door, address, direct, opened
from tests.server.test_front_door_losses import Replies

SHARE = 0.95
TURNS, STEPS = 12, 5
SAID = (
    "Remember: the staging gateway is called Kestrel, and module {} of it listens on port 77{:02}."
)


def ask(turn):
    return f"Please change module {turn} of the staging gateway: on which port does it listen?"


def bodies(dialect):
    """The 60 requests of an agent, and the replies of its model."""
    for messages, reply in agent_requests(dialect, TURNS, STEPS, ask=ask):
        body = request(dialect, messages, many_tools=10, stream=True)
        if dialect == ANTHROPIC:
            text = filler(2_000, "You are a coder.")
            mark = {"cache_control": {"type": "ephemeral"}}
            body["system"] = [{"type": "text", "text": text, **mark}]
        yield body, reply


def walk(door, dialect, made):
    for body, reply in made:
        door.server.script.script.next = reply
        answer = door.post(dialect, body)
        assert answer.status_code == 200, answer.text[:300]


def earlier_conversations(door, dialect):
    """Say what the agent's questions are about, each in a conversation apart."""
    door.server.script.script.next = "I shall remember it."
    for turn in range(TURNS):
        body = request(dialect, [{"role": "user", "content": SAID.format(turn, turn)}])
        assert door.post(dialect, body).status_code == 200
    door.server.clear()


def straight(dialect):
    with direct(dialect, Replies()) as door:
        walk(door, dialect, bodies(dialect))
        return door.server.reuse()


@pytest.mark.slow
@pytest.mark.parametrize("dialect", [OPENAI, OLLAMA, ANTHROPIC])
def test_an_agents_prompts_are_reused_as_without_us(serving, dialect):
    with opened(serving, dialect, Replies(), window=131_072) as door:
        earlier_conversations(door, dialect)
        walk(door, dialect, bodies(dialect))
        asked = [chat.body for chat in door.server.accepted]
        assert len(asked) == TURNS * STEPS
        assert door.server.reuse() >= SHARE * straight(dialect)
        for earlier, later in pairwise(asked):
            assert later["messages"][: len(earlier["messages"])] == earlier["messages"]
        for (body, _), got in zip(bodies(dialect), asked, strict=True):
            assert len(got["messages"]) == len(body["messages"])
            assert all(map(is_same, body["messages"], got["messages"]))
            assert got["tools"] == body["tools"]
        added = sum(len(str(got["messages"])) for got in asked[-1:])
        added -= sum(len(str(body["messages"])) for body, _ in list(bodies(dialect))[-1:])
        assert added > 0, "nothing was recalled, so nothing was tried"


@pytest.mark.slow
@pytest.mark.parametrize("dialect", [OPENAI, OLLAMA])
def test_blocks_stay_where_they_were_after_a_restart(serving, dialect):
    made = list(bodies(dialect))[: 3 * STEPS]
    with opened(serving, dialect, Replies(), window=131_072) as door:
        earlier_conversations(door, dialect)
        walk(door, dialect, made[: 2 * STEPS])
        url = serving(**address(dialect, door.server), window=131_072)
        walk(Door(url, door.server, dialect, door.client), dialect, made[2 * STEPS :])
        asked = [chat.body["messages"] for chat in door.server.accepted]
    assert str(asked[-1]) != str(made[-1][0]["messages"]), "nothing was recalled"
    for earlier, later in pairwise(asked):
        assert later[: len(earlier)] == earlier


@pytest.mark.parametrize("dialect", [OPENAI, OLLAMA, ANTHROPIC])
def test_what_is_recalled_stands_at_the_end_of_the_newest_user_message(serving, dialect):
    with opened(serving, dialect, Replies(), window=32_768) as door:
        earlier_conversations(door, dialect)
        messages = [{"role": "user", "content": ask(7)}]
        got = door.ask(dialect, request(dialect, messages))["messages"]
    assert len(got) == 1
    assert is_same(messages[0], got[0])
    text = str(got[0]["content"])
    assert "7707" in text
    assert text.index(ask(7)) < text.index("7707")
    assert "cache_control" not in str(got)


@pytest.mark.parametrize("dialect", [OPENAI, OLLAMA, ANTHROPIC])
def test_in_a_tool_loop_the_block_stays_at_the_question(serving, dialect):
    with opened(serving, dialect, Replies(), window=32_768) as door:
        earlier_conversations(door, dialect)
        made = list(agent_requests(dialect, 1, 4, ask=lambda _: ask(7)))
        walk(door, dialect, [(request(dialect, each, many_tools=3), reply) for each, reply in made])
        asked = [chat.body["messages"] for chat in door.server.accepted]
    question = asked[0][-1]
    assert "7707" in str(question)
    for (sent, _), got in zip(made, asked, strict=True):
        at = next(n for n, message in enumerate(sent) if message["content"] == ask(7))
        assert got[at] == question
        assert got[:at] + got[at + 1 :] == sent[:at] + sent[at + 1 :]


@pytest.mark.parametrize("dialect", [OPENAI, OLLAMA])
def test_parts_of_a_message_stay_and_the_block_is_a_part_of_its_own(serving, dialect):
    picture = "aW1hZ2U="
    with opened(serving, dialect, Replies(), window=32_768) as door:
        earlier_conversations(door, dialect)
        if dialect == OLLAMA:
            message = {"role": "user", "content": ask(7), "images": [picture]}
        else:
            url = {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{picture}"}}
            message = {"role": "user", "content": [{"type": "text", "text": ask(7)}, url]}
        got = door.ask(dialect, request(dialect, [message]))["messages"]
    assert len(got) == 1
    assert is_same(message, got[0])
    assert "7707" in str(got)
    if dialect == OPENAI:
        assert [part["type"] for part in got[0]["content"]] == ["text", "image_url", "text"]


def test_the_boundary_of_a_condensed_request_stays_next_to_what_is_not_stored(serving):
    said = "room {0} costs {0} euros, says Anna of Turin, whose dog sleeps in the copper house. "
    talk, moved, before = [], 0, None
    with opened(serving, OLLAMA, Replies(), window=2_048, fit="condense") as door:
        door.server.script.script.next = "Noted."
        for turn in range(40):
            begin = "off the record: " if turn % 2 else "The "
            talk.append({"role": "user", "content": begin + said.format(turn) * 4})
            first = door.ask(OLLAMA, request(OLLAMA, talk))["messages"][0]
            moved += bool(turn) and first != before
            before = first
            talk.append({"role": "assistant", "content": "Noted."})
        assert "condensed" in str(first)
    assert moved <= 6
