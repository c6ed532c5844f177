"""The judge of the front door is right itself: a faithful relay passes, each kind of loss is seen."""

import copy
import json
import random

import pytest
from tests.helpers import strict_rules as rules
from tests.helpers.arrivals import Sent, faults
from tests.helpers.client_talks import (
    ANTHROPIC,
    OLLAMA,
    OPENAI,
    RESPONSES,
    Said,
    Talk,
    Talker,
    body_of,
    sizes,
)
from tests.helpers.front_door import HEADERS, direct
from tests.helpers.strict_rules import Strictness
from tests.helpers.strict_server import Chat, StrictModel
from tests.server.clients import ollama_client, openai_client

TOO_LONG = {
    OPENAI: rules.chat_too_long(9_000, 0, 8_000)[1],
    OLLAMA: {"error": "request (9000 tokens) exceeds the available context size (8000 tokens)"},
    ANTHROPIC: rules.anthropic_too_long(9_000, 8_000)[1],
}


def talk(*, rounds=2, in_loop=False):
    """A talk that has everything in it."""
    talker = Talker(random.Random(7), OPENAI, foreign=True)
    made = Talk([Said("system", talker.words(100))], [talker.tool(n, 400) for n in range(4)])
    for _ in range(5):
        user = Said("user", talker.words(200), parts=[("image", "aW1hZ2U="), ("file", "[ab-1]")])
        made.said.append(user)
        for _ in range(rounds):
            talker.round(made, 100)
            called = next(one for one in reversed(made.said) if one.calls)
            called.reasoning = talker.words(40)
        made.said.append(talker.answer(100))
        made.said[-1].reasoning = talker.words(40)
    made.said += [Said("system", talker.words(40)), Said("user", talker.words(80))]
    if in_loop:
        talker.round(made, 100)
    return made


def judged(sent_body, got_body, *, in_loop=False, left=None, window=8_000, refusal=None):
    """What the judge says of a request that arrived so."""
    headers = {"x-unabridged-left-out": left} if left else {}
    status = 400 if refusal is not None else 200
    answer = json.dumps(refusal or {})
    sent = Sent(OPENAI, OPENAI, sent_body, window, in_loop, status, headers, answer)
    chats = [Chat("/v1/chat/completions", got_body, b"", {}, 200)] if status == 200 else []
    return faults(sent, chats)


def no_tool(body):
    del body["tools"][1]


def no_message(body):
    del body["messages"][3]


def no_newest(body):
    del body["messages"][-1]


def own_system(body):
    body["messages"].insert(0, {"role": "system", "content": "You are a helpful assistant."})


def invented(body):
    body["messages"].insert(-1, {"role": "assistant", "content": "[no answer came]"})


def no_reasoning(body):
    del next(m for m in body["messages"] if "reasoning_content" in m)["reasoning_content"]


def no_part(body):
    next(m for m in body["messages"] if isinstance(m["content"], list))["content"].pop(1)


def replaced_result(body):
    next(m for m in body["messages"] if m["role"] == "tool")["content"] = "[left out]"


def moved_system(body):
    at = max(n for n, m in enumerate(body["messages"]) if m["role"] == "system")
    body["messages"].insert(1, body["messages"].pop(at))


def block_in_system(body):
    body["messages"][0]["content"] += "\n<recalled>…</recalled>"


def block_before(body):
    body["messages"][-1]["content"] = "<recalled/>\n" + body["messages"][-1]["content"]


def no_field(body):
    del body["x_program"]


SPOILS = [
    no_tool,
    no_message,
    no_newest,
    own_system,
    invented,
    no_reasoning,
    no_part,
    replaced_result,
    moved_system,
    block_in_system,
    block_before,
    no_field,
]


@pytest.mark.parametrize("spoil", SPOILS)
def test_each_loss_is_seen(spoil):
    body = body_of(talk(), OPENAI, "m", stream=False) | {"x_program": {"a": 1}}
    got = copy.deepcopy(body)
    assert judged(body, got) == []
    spoil(got)
    assert judged(body, got)


@pytest.mark.parametrize("listed", [False, True])
def test_a_block_at_the_end_of_what_a_user_said_is_no_loss(listed):
    body = body_of(talk(), OPENAI, "m", stream=False)
    got = copy.deepcopy(body)
    block = {"type": "text", "text": "<recalled/>"}
    for message in got["messages"]:
        if message["role"] == "user" and isinstance(message["content"], list):
            message["content"].append(block)
        elif message["role"] == "user" and listed:
            message["content"] = [{"type": "text", "text": message["content"]}, block]
        elif message["role"] == "user":
            message["content"] += "\n<recalled/>"
    assert judged(body, got) == []


def condensed(body, up_to):
    """The body without what comes before a message, with a fence there."""
    got = copy.deepcopy(body)
    del got["messages"][1:up_to]
    first = got["messages"][1]
    first["content"] = [{"type": "text", "text": "<condensed/>"}, *first["content"]]
    return got


def test_what_is_left_out_must_be_counted_and_be_the_oldest():
    body = body_of(talk(), OPENAI, "m", stream=False)
    users = [n for n, m in enumerate(body["messages"]) if m["role"] == "user"]
    right = condensed(body, users[2])
    many = users[2] - 1
    size = sum(len(json.dumps(m)) for m in body["messages"][1 : users[2]]) // 4
    assert judged(body, right, left=f"messages={many}, tokens={size}") == []
    assert judged(body, right)
    assert judged(body, right, left=f"messages={many - 1}, tokens={size}")
    assert judged(body, right, left=f"messages={many}, tokens=1")
    assert judged(body, right, left=f"{many} messages")
    assert judged(body, right, left=f"messages={many}, tokens={size}", in_loop=True)
    assert judged(body, right, left=f"messages={many}, tokens={size}", window=1_000_000)
    torn = condensed(body, users[2])
    del torn["messages"][2]
    assert judged(body, torn, left=f"messages={many + 1}, tokens={size}")
    bare = condensed(body, users[2])
    bare["messages"][1]["content"].pop(0)
    assert judged(body, bare, left=f"messages={many}, tokens={size}")


def test_a_refusal_must_be_the_dialects_and_needed():
    body = body_of(talk(), OPENAI, "m", stream=False)
    assert judged(body, None, refusal=TOO_LONG[OPENAI]) == []
    assert judged(body, None, refusal=TOO_LONG[OPENAI], window=1_000_000)
    assert judged(body, None, refusal={"error": {"message": "No.", "code": "too_large"}})
    wordy = {"error": {"message": "It does not fit.", "code": "context_length_exceeded"}}
    assert judged(body, None, refusal=wordy)


@pytest.mark.parametrize("to", [OPENAI, OLLAMA, ANTHROPIC])
@pytest.mark.parametrize("of", [OPENAI, OLLAMA, ANTHROPIC, RESPONSES])
def test_a_translation_is_compared_by_what_is_in_it(of, to):
    if of == to:
        pytest.skip("the same dialect")
    made = talk()
    made.said = [one for one in made.said[:-2] if one.role != "system"] + made.said[-1:]
    for one in made.said:
        one.parts = [part for part in one.parts if part[0] == "image" and one.role == "user"]
    sent_body = body_of(made, of, "m", stream=False)

    def judge(got):
        sent = Sent(of, to, sent_body, 8_000, False, 200, {}, "")
        return faults(sent, [Chat(to, got, b"", {}, 200)])

    assert judge(body_of(made, to, "m", stream=False)) == []
    for spoil in (no_tool, no_message, no_newest, invented):
        got = body_of(copy.deepcopy(made), to, "m", stream=False)
        spoil(got)
        assert judge(got), spoil


@pytest.mark.parametrize("dialect", [OPENAI, ANTHROPIC])
def test_a_faithful_relay_loses_nothing(dialect):
    windows = (4_096, 16_384, 131_072)
    models = [StrictModel(f"w{window}", window) for window in windows]
    with direct(dialect, models=models, strict=Strictness(unknown=False)) as door:
        seen = set()
        for seed in range(40):
            source = random.Random(seed)
            window = source.choice(windows)
            made = Talker(source, dialect, foreign=True).talk(
                *sizes(source, window, most_characters=100_000, most_messages=200, most_tools=80)
            )
            sent, found = door.put(made, dialect, f"w{window}")
            assert found == [], (seed, found)
            seen.add(sent.status)
            door.server.clear()
    assert seen == {200, 400}


# The strict upstream against the official clients, and what it refuses


def test_the_official_clients_understand_the_strict_upstream():
    asked = [{"role": "user", "content": "Hello"}]
    with direct(OPENAI, "Good morning to you.") as door:
        with openai_client(door.url) as client:
            whole = client.chat.completions.create(model="m", messages=asked)
            assert whole.choices[0].message.content == "Good morning to you."
            stream = client.chat.completions.create(model="m", messages=asked, stream=True)
            pieces = [event.choices[0].delta.content or "" for event in stream]
            assert "".join(pieces) == "Good morning to you."
        with ollama_client(door.url) as client:
            assert client.chat("m", asked).message.content == "Good morning to you."
            lines = client.chat("m", asked, stream=True)
            assert "".join(line.message.content for line in lines) == "Good morning to you."


CALL = {"id": "c1", "type": "function", "function": {"name": "f", "arguments": "{}"}}
USER = {"role": "user", "content": "Hello"}
CALLED = {"role": "assistant", "content": None, "tool_calls": [CALL]}
RESULT = {"role": "tool", "tool_call_id": "c1", "content": "1"}
USE = {"role": "assistant", "content": [{"type": "tool_use", "id": "t", "name": "f", "input": {}}]}
USED = {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t", "content": "1"}]}
THOUGHT = {"type": "thinking", "thinking": "Hm", "signature": "x"}
REFUSED = [
    (OPENAI, {"client_metadata": {}}, [USER], "Unknown parameter: 'client_metadata'."),
    (OPENAI, {}, [USER, CALLED], "did not have response messages: c1"),
    (OPENAI, {}, [USER, RESULT], "must be a response to a preceeding message"),
    (OPENAI, {}, [USER, CALLED, USER], "did not have response messages: c1"),
    (OPENAI, {}, [{"role": "user", "content": "a" * 40_000}], "maximum context length is 8192"),
    (OPENAI, {"tool_choice": "auto"}, [USER], "only allowed when 'tools' are"),
    (OPENAI, {}, [USER, CALLED, RESULT], rules.NEEDED),
    (OPENAI, {}, [USER, USER], "must alternate"),
    (OPENAI, {}, [USER, {"role": "system", "content": "x"}], "must be at the beginning"),
    (OLLAMA, {}, [{"role": "user", "content": ["a"]}], "cannot unmarshal array"),
    (OLLAMA, {}, [{"role": "developer", "content": "a"}], "invalid role"),
    (OLLAMA, {}, [USER, {**USER, "tool_calls": [CALL]}], "cannot unmarshal string"),
    (OLLAMA, {"truncate": False}, [{**USER, "content": "a " * 40_000}], "available context size"),
    (ANTHROPIC, {}, [USER, USE, USER], "without `tool_result` blocks immediately after: t"),
    (ANTHROPIC, {}, [USER, USED], "unexpected `tool_use_id`"),
    (ANTHROPIC, {}, [USER, {"role": "assistant", "content": [THOUGHT]}], "Invalid `signature`"),
    (ANTHROPIC, {"thinking": {"type": "enabled"}}, [USER, USE, USED], "Expected `thinking`"),
    (ANTHROPIC, {}, [{"role": "system", "content": "x"}], "first message must"),
    (ANTHROPIC, {"x": 1}, [USER], "x: Extra inputs are not permitted"),
    (ANTHROPIC, {}, [{**USER, "content": "a" * 40_000}], "prompt is too long: 10"),
]


@pytest.mark.parametrize(("dialect", "fields", "messages", "words"), REFUSED)
def test_the_strict_upstream_refuses_what_real_servers_refuse(dialect, fields, messages, words):
    strict = Strictness(thinks=True, alternates=True, system_first=True)
    models = [StrictModel(window=8_192)]
    with direct(dialect, models=models, strict=strict) as door:
        bound = {"max_tokens": 5} if dialect == ANTHROPIC else {}
        answer = door.post(dialect, {"model": "m", "messages": messages, **bound, **fields})
    assert answer.status_code == 400
    assert words in answer.text


def test_anthropic_needs_its_version():
    with direct(ANTHROPIC) as door:
        body = {"model": "m", "messages": [USER], "max_tokens": 5}
        path = f"{door.url}/v1/messages"
        assert door.client.post(path, json=body).status_code == 400
        assert door.client.post(path, json=body, headers=HEADERS).status_code == 200
