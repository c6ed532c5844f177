"""Anthropic's Messages API at the door: before its own upstream byte for byte, else translated."""

import json

import pytest
from tests.helpers.agent_talks import called, filler, request, result, rounds, user
from tests.helpers.arrivals import is_context_error, is_same
from tests.helpers.client_talks import ANTHROPIC, OLLAMA, OPENAI
from tests.helpers.front_door import HEADERS, opened
from tests.helpers.strict_rules import Strictness
from tests.helpers.strict_server import StrictModel
from tests.server.test_front_door_losses import Replies

from unabridged.domain.message import ToolCall
from unabridged.testing.replies import ScriptedReply

PATH = "/v1/messages"
MARK = {"cache_control": {"type": "ephemeral"}}
SECRET = "sk-ant-api03-zanzibarquokka"  # a word to be searched for
THINKS = {"thinking": {"type": "enabled", "budget_tokens": 1_024}, "max_tokens": 2_000}


def texts(text, **more):
    return {"type": "text", "text": text, **more}


def claude_code(messages, **fields):
    """What Claude Code sends: marks on the system prompt, the tools and the newest messages."""
    body = request(ANTHROPIC, messages, many_tools=5, **{**THINKS, **fields})
    body["tools"][-1] |= MARK
    system = [texts("You are Claude Code."), texts(filler(500, "Rules."), **MARK)]
    metadata = {"user_id": "user_1_account__session_2"}
    return {**body, "system": system, "metadata": metadata}


def test_the_body_arrives_byte_for_byte_where_memory_adds_nothing(serving):
    raw = (
        b'{ "model":"m","max_tokens" : 64, "messages":[{"role":"user", "content":"Gr\\u00fc\xc3\xbcn'
        b'"}],\n "temperature":1.0,"stop_sequences":[], "metadata":{"user_id":"a"}}'
    )
    with opened(serving, ANTHROPIC) as door:
        headers = {**HEADERS, "content-type": "application/json"}
        answer = door.client.post(f"{door.url}{PATH}", content=raw, headers=headers)
        assert answer.status_code == 200, answer.text
        assert door.server.accepted[0].raw == raw


@pytest.mark.parametrize("stream", [False, True])
def test_an_answer_comes_back_as_the_upstream_gave_it(serving, stream):
    call = ToolCall("toolu_1", "read", '{"path": "a.py"}')
    reply = ScriptedReply("I read it.", calls=(call,), reasoning="It is short.")
    with opened(serving, ANTHROPIC, reply) as door:
        body = claude_code([user("Read a.py.")], stream=stream)
        through = door.post(ANTHROPIC, body)
        straight = door.client.post(f"{door.server.url}{PATH}", json=body, headers=HEADERS)
    assert through.status_code == straight.status_code == 200

    def numberless(answer):
        return answer.text.replace("msg_", "").translate(dict.fromkeys(map(ord, "0123456789")))

    assert numberless(through) == numberless(straight)
    assert through.headers["content-type"] == straight.headers["content-type"]


def test_the_clients_headers_go_on_and_are_kept_nowhere(serving, tmp_path):
    sent = {
        "x-api-key": SECRET,
        "anthropic-beta": "interleaved-thinking-2025-05-14,context-1m-2025-08-07",
        "anthropic-version": "2023-06-01",
        "anthropic-dangerous-direct-browser-access": "true",
    }
    with opened(serving, ANTHROPIC, home=tmp_path / "kept") as door:
        answer = door.post(ANTHROPIC, claude_code([user("Hi")]), **sent)
        assert answer.status_code == 200, answer.text
        assert door.server.accepted[0].headers.items() >= sent.items()
        bearer = {"authorization": f"Bearer {SECRET}"}
        assert door.post(ANTHROPIC, claude_code([user("Hi")]), **bearer).status_code == 200
        assert door.server.accepted[1].headers["authorization"] == bearer["authorization"]
    kept = [path for path in (tmp_path / "kept").rglob("*") if path.is_file()]
    assert not [path for path in kept if SECRET.encode() in path.read_bytes()]


def test_a_loop_with_signed_thoughts_goes_through(serving):
    """The strict upstream refuses a thought without the signature that it gave."""
    script = Replies()
    with opened(serving, ANTHROPIC, script) as door:
        script.next = "Noted."
        door.post(ANTHROPIC, claude_code([user("Module 7 listens on port 7707.")]))
        messages = [user("On which port does module 7 listen?")]
        for number in range(4):
            call = ToolCall(f"toolu_{number}", "read", '{"path": "a.py"}')
            script.next = ScriptedReply("", calls=(call,), reasoning=f"I need file {number}.")
            answer = door.post(ANTHROPIC, claude_code(messages))
            assert answer.status_code == 200, answer.text
            got = door.upstream_body()["messages"]
            assert len(got) == len(messages)
            assert is_same(messages[0], got[0])
            assert got[1:] == messages[1:]
            given = {"type": "tool_result", "tool_use_id": call.id, "content": f"# {number}"}
            messages.append({"role": "assistant", "content": answer.json()["content"]})
            messages.append({"role": "user", "content": [given]})
        assert "7707" in str(got[0])


def test_breakpoints_of_the_cache_stay_where_they_were_set(serving):
    messages = [user("Hi"), {"role": "assistant", "content": [texts("Yo.", **MARK)]}]
    messages.append({"role": "user", "content": [texts("Run."), texts("Now.", **MARK)]})
    body = claude_code(messages)
    with opened(serving, ANTHROPIC) as door:
        door.post(ANTHROPIC, claude_code([user("Run means: start the tests now.")]))
        got = door.ask(ANTHROPIC, body)
    assert got["system"] == body["system"]
    assert got["tools"] == body["tools"]
    assert all(map(is_same, messages, got["messages"]))
    assert json.dumps(got).count("cache_control") == json.dumps(body).count("cache_control")


def test_what_is_added_stands_after_the_results_of_a_message_that_has_both(serving):
    messages = [user("Read it."), called(ANTHROPIC, 1, thought="Hm.")]
    said = result(ANTHROPIC, 1, "x = 1")
    said["content"].append(texts("Stop. On which port does module 7 listen?"))
    with opened(serving, ANTHROPIC) as door:
        door.post(ANTHROPIC, claude_code([user("Module 7 listens on port 7707.")]))
        got = door.ask(ANTHROPIC, claude_code([*messages, said]))["messages"]
    assert got[1] == messages[1]
    assert got[2]["content"][:2] == said["content"]
    assert "7707" in str(got[2]["content"][2:])


BLOCKS = {
    "document": {
        "type": "document",
        "source": {"type": "text", "media_type": "text/plain", "data": "Port 1."},
        "title": "a.txt",
        "citations": {"enabled": True},
    },
    "picture": {
        "type": "image",
        "source": {"type": "base64", "media_type": "image/png", "data": "iVBORw0KGgo="},
    },
    "search result": {
        "type": "search_result",
        "source": "https://example.org",
        "title": "A",
        "content": [{"type": "text", "text": "Port 1."}],
    },
    "new": {"type": "x_hologram", "depth": [1, None]},
}


@pytest.mark.parametrize("name", BLOCKS)
def test_blocks_arrive_as_they_came(serving, name):
    messages = [{"role": "user", "content": [texts("Look."), BLOCKS[name]]}]
    with opened(serving, ANTHROPIC, strict=Strictness(unknown=False)) as door:
        for _ in range(2):
            got = door.ask(ANTHROPIC, claude_code(messages))["messages"]
            assert len(got) == len(messages)
            assert all(map(is_same, messages, got))
            messages = [*messages, {"role": "assistant", "content": "Yes."}, user("Again.")]


@pytest.mark.parametrize("upstream", [ANTHROPIC, OPENAI, OLLAMA])
def test_too_long_is_said_in_anthropics_words_and_nothing_is_sent(serving, upstream):
    messages = [user("Find it."), *rounds(ANTHROPIC, 5, 2_500)]
    with opened(serving, upstream, models=[StrictModel(window=8_192)], window=8_192) as door:
        for stream in (False, True):
            body = request(ANTHROPIC, messages, many_tools=3, stream=stream)
            answer = door.post(ANTHROPIC, body)
            assert is_context_error(ANTHROPIC, answer.status_code, answer.text), answer.text
        assert door.server.chats == []


def test_errors_of_the_upstream_come_back_as_they_are(serving):
    with opened(serving, ANTHROPIC) as door:
        answer = door.post(ANTHROPIC, claude_code([user("Hi")], x_field=1))
        straight = door.client.post(
            f"{door.server.url}{PATH}", json=claude_code([user("Hi")], x_field=1), headers=HEADERS
        )
    assert (answer.status_code, answer.json()) == (straight.status_code, straight.json())


@pytest.mark.parametrize("upstream", [ANTHROPIC, OPENAI, OLLAMA])
def test_faulty_requests_get_errors_in_its_shape(serving, upstream):
    with opened(serving, upstream) as door:
        for body in ({"model": "m"}, {"model": "m", "max_tokens": 1, "messages": "x"}, []):
            answer = door.post(ANTHROPIC, body)
            assert answer.status_code == 400
            assert answer.json()["type"] == "error"
            assert answer.json()["error"]["type"] == "invalid_request_error"


@pytest.mark.parametrize("upstream", [ANTHROPIC, OPENAI, OLLAMA])
def test_tokens_are_counted(serving, upstream):
    with opened(serving, upstream) as door:
        path = f"{door.url}{PATH}/count_tokens"
        counts = []
        for tokens in (100, 2_000):
            body = claude_code([user(filler(tokens, "Read."))])
            body.pop("max_tokens")
            counts.append(door.client.post(path, json=body, headers=HEADERS).json())
    assert counts[0]["input_tokens"] + 1_000 < counts[1]["input_tokens"]


@pytest.mark.parametrize("upstream", [ANTHROPIC, OPENAI, OLLAMA])
def test_models_are_listed_in_its_shape(serving, upstream):
    with opened(serving, upstream) as door:
        listed = door.client.get(f"{door.url}/v1/models", headers=HEADERS).json()
    assert [(row["type"], row["id"].partition(":")[0]) for row in listed["data"]] == [
        ("model", "m")
    ]
    assert "has_more" in listed


CHOICES = [
    ({"type": "auto"}, "auto"),
    ({"type": "any"}, "required"),
    ({"type": "tool", "name": "read"}, {"type": "function", "function": {"name": "read"}}),
    ({"type": "none"}, "none"),
]


@pytest.mark.parametrize(("choice", "expected"), CHOICES)
def test_the_choice_of_a_tool_is_translated(serving, choice, expected):
    body = request(ANTHROPIC, [user("Read.")], many_tools=4, tool_choice=choice)
    with opened(serving, OPENAI) as door:
        got = door.ask(ANTHROPIC, body)
    assert got["tool_choice"] == expected
    names = [tool["function"]["name"] for tool in got["tools"]]
    assert names == [tool["name"] for tool in body["tools"]]


@pytest.mark.parametrize("upstream", [OPENAI, OLLAMA])
@pytest.mark.parametrize("stream", [False, True])
def test_a_translated_answer_has_its_blocks_and_reason(serving, upstream, stream):
    call = ToolCall("call_1", "read", '{"path": "a.py"}')
    reply = ScriptedReply("I read it.", calls=(call,), reasoning="It is short.")
    with opened(serving, upstream, reply) as door:
        answer = door.post(ANTHROPIC, claude_code([user("Read a.py.")], stream=stream))
    assert answer.status_code == 200, answer.text
    if stream:
        events = [json.loads(ln[6:]) for ln in answer.text.splitlines() if ln[:6] == "data: "]
        kinds = [event["type"] for event in events if event["type"] != "ping"]
        assert kinds[0] == "message_start"
        assert kinds[-2:] == ["message_delta", "message_stop"]
        blocks = [e["content_block"] for e in events if e["type"] == "content_block_start"]
        reason = next(e["delta"] for e in events if e["type"] == "message_delta")["stop_reason"]
    else:
        blocks, reason = answer.json()["content"], answer.json()["stop_reason"]
    assert [b["type"] for b in blocks if b["type"] != "thinking"] == ["text", "tool_use"]
    assert blocks[-1]["name"] == "read"
    assert reason == "tool_use"


def test_it_remembers_between_conversations(serving):
    with opened(serving, ANTHROPIC) as door:
        door.ask(ANTHROPIC, claude_code([user("My cat is called Zanzibar, she weighs 5 kilos.")]))
        got = door.ask(ANTHROPIC, claude_code([user("How heavy is my cat Zanzibar?")]))
    assert "5 kilos" in str(got["messages"][-1])
