"""Thoughts go back to the model that had them, above all inside a tool loop (D4)."""

import json

import pytest
from tests.helpers.agent_talks import (
    agent_requests,
    assistant,
    called,
    request,
    result,
    rounds,
    user,
)
from tests.helpers.client_talks import OLLAMA, OPENAI, REASONS, RESPONSES
from tests.helpers.front_door import direct, opened
from tests.helpers.strict_rules import NEEDED, Strictness
from tests.server.test_front_door_losses import Replies

THINKS = Strictness(thinks=True)


def test_the_loop_of_qwen_code_goes_through_a_server_that_needs_the_thought(serving):
    messages = [user("Say hello with the tool."), called(OPENAI, 1, thought="I need the tool.")]
    messages.append(result(OPENAI, 1, "hello"))
    body = request(OPENAI, messages, many_tools=3)
    with direct(OPENAI, strict=THINKS) as door:
        assert door.post(OPENAI, body).status_code == 200
    with opened(serving, OPENAI, strict=THINKS) as door:
        got = door.ask(OPENAI, body)["messages"]
    assert got[1:] == messages[1:]


def thought_of(door, body):
    """The thought, the text and the calls of a streamed answer, as a client puts them together."""
    thought, text, calls = "", "", []
    answer = door.post(OPENAI, {**body, "stream": True})
    assert answer.status_code == 200, answer.text
    for line in answer.text.splitlines():
        if not line.startswith("data: {"):
            continue
        for choice in json.loads(line[6:])["choices"]:
            thought += choice["delta"].get("reasoning_content") or ""
            text += choice["delta"].get("content") or ""
            calls += choice["delta"].get("tool_calls") or []
    for call in calls:
        call.pop("index")
    return thought, text, calls


def test_a_streamed_loop_of_several_rounds_and_turns_goes_through(serving):
    """The client sends back what it was given: two turns of three rounds each."""
    with opened(serving, OPENAI, Replies(), strict=THINKS) as door:
        messages = []
        for sent, reply in agent_requests(OPENAI, 2, 4, prompt_tokens=50, result_tokens=50):
            door.server.script.script.next = reply
            if sent[-1]["role"] == "user":
                messages.append(sent[-1])
            thought, text, calls = thought_of(door, request(OPENAI, messages, many_tools=3))
            assert thought == reply.reasoning
            answer = assistant(text or None)
            if thought:
                answer["reasoning_content"] = thought
            if calls:
                answer["tool_calls"] = calls
            messages.append(answer)
            messages += [
                {"role": "tool", "tool_call_id": call["id"], "content": "done"} for call in calls
            ]
        said = [m for m in door.upstream_body()["messages"] if m["role"] == "assistant"]
    assert said == [m for m in messages[:-1] if m["role"] == "assistant"]


@pytest.mark.parametrize("name", REASONS)
@pytest.mark.parametrize("in_loop", [True, False])
def test_each_field_for_thoughts_arrives_as_it_came(serving, name, in_loop):
    """Also those of closed turns: the upstream knows what its template does with them."""
    call = called(OPENAI, 1) | {name: "The file is short."}
    messages = [user("Read it."), call, result(OPENAI, 1, "x = 1")]
    if not in_loop:
        messages += [assistant("It sets x.", **{name: "That was easy."}), user("And y?")]
    with opened(serving, OPENAI, strict=Strictness(unknown=False)) as door:
        got = door.ask(OPENAI, request(OPENAI, messages, many_tools=3))["messages"]
    assert got[1:-1] == messages[1:-1]


def test_details_of_thoughts_that_no_rule_knows_arrive(serving):
    """OpenRouter's and Gemini's: lists and signatures beside the text."""
    details = [{"type": "reasoning.encrypted", "data": "c2VhbGVk", "id": "r1", "index": 0}]
    call = called(OPENAI, 1) | {"reasoning_details": details}
    call["tool_calls"][0]["extra_content"] = {"google": {"thought_signature": "c2lnbg=="}}
    messages = [user("Read it."), call, result(OPENAI, 1, "x = 1")]
    with opened(serving, OPENAI, strict=Strictness(unknown=False)) as door:
        for _ in range(2):
            got = door.ask(OPENAI, request(OPENAI, messages, many_tools=3))["messages"]
            assert got[1:3] == messages[1:3]
            messages = [*messages, assistant("It sets x."), user("And y?")]


def test_thoughts_arrive_at_ollama(serving):
    messages = [user("Read them."), *rounds(OLLAMA, 3, 50, thought="Now file")]
    messages += [assistant("Done.", thinking="All read."), user("And now?")]
    with opened(serving, OLLAMA) as door:
        got = door.ask(OLLAMA, request(OLLAMA, messages, many_tools=3))["messages"]
    assert got[1:-1] == messages[1:-1]


@pytest.mark.parametrize("name", REASONS)
def test_thoughts_are_translated_for_ollama(serving, name):
    call = called(OPENAI, 1) | {name: "The file is short."}
    messages = [user("Read it."), call, result(OPENAI, 1, "x = 1")]
    with opened(serving, OLLAMA) as door:
        got = door.ask(OPENAI, request(OPENAI, messages, many_tools=3))["messages"]
    assert got[1]["thinking"] == "The file is short."


def test_thoughts_of_ollamas_clients_are_translated_for_an_openai_server(serving):
    messages = [user("Read them."), *rounds(OLLAMA, 2, 50, thought="Now file")]
    with opened(serving, OPENAI, strict=THINKS) as door:
        got = door.ask(OLLAMA, request(OLLAMA, messages, many_tools=3))["messages"]
    assert [m["reasoning_content"] for m in got if m["role"] == "assistant"] == [
        "Now file 0",
        "Now file 1",
    ]


def test_thoughts_of_the_responses_dialect_reach_a_chat_server(serving):
    summary = [{"type": "summary_text", "text": "The file is short."}]
    items = [
        {"type": "message", "role": "user", "content": "Read it."},
        {"type": "reasoning", "id": "rs_1", "summary": summary, "encrypted_content": "c2VhbA=="},
        {"type": "function_call", "call_id": "c1", "name": "read", "arguments": "{}"},
        {"type": "function_call_output", "call_id": "c1", "output": "x = 1"},
    ]
    made = [{"type": "function", "name": "read", "parameters": {"type": "object"}}]
    with opened(serving, OPENAI, strict=THINKS) as door:
        got = door.ask(RESPONSES, {"model": "m", "input": items, "tools": made})["messages"]
    assert got[-2]["reasoning_content"] == "The file is short."


def test_a_missing_thought_gets_the_upstreams_own_words(serving):
    """What the client itself left out is not made up, and the refusal is passed on."""
    messages = [user("Read it."), called(OPENAI, 1), result(OPENAI, 1, "x = 1")]
    with opened(serving, OPENAI, strict=THINKS) as door:
        answer = door.post(OPENAI, request(OPENAI, messages, many_tools=3))
    assert answer.status_code == 400
    assert NEEDED in answer.json()["error"]["message"]
