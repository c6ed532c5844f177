"""Parts, items and fields of kinds that we do not read go on all the same (D9, D10)."""

import json

import pytest
from tests.helpers.agent_talks import assistant, called, request, result, user
from tests.helpers.arrivals import is_same
from tests.helpers.client_talks import OLLAMA, OPENAI, RESPONSES
from tests.helpers.front_door import opened
from tests.helpers.strict_rules import Strictness

PICTURE = "iVBORw0KGgo="
URL = f"data:image/png;base64,{PICTURE}"
LENIENT = Strictness(unknown=False)
TEXT = {"type": "text", "text": "What is in it?"}
PARTS = {
    "file": {"type": "file", "file": {"file_data": "data:;base64,JVBE", "filename": "a.pdf"}},
    "file by id": {"type": "file", "file": {"file_id": "file-1"}},
    "audio": {"type": "input_audio", "input_audio": {"data": "UklGRg==", "format": "wav"}},
    "picture": {"type": "image_url", "image_url": {"url": URL, "detail": "low"}},
    "picture elsewhere": {"type": "image_url", "image_url": {"url": "https://example.org/a.png"}},
    "video": {"type": "video_url", "video_url": {"url": "https://example.org/a.mp4"}},
    "new": {"type": "x_hologram", "x_hologram": {"depth": [1, 2, {"a": None}]}},
    "marked text": {"type": "text", "text": "Short.", "cache_control": {"type": "ephemeral"}},
    "empty text": {"type": "text", "text": ""},
}
CUSTOM_TOOL = {
    "type": "custom",
    "custom": {"name": "patch", "description": "Apply a patch.", "format": {"type": "text"}},
}
CUSTOM_CALL = {"id": "call_1", "type": "custom", "custom": {"name": "patch", "input": "*** Begin"}}


def arrives(door, messages, **fields):
    got = door.ask(OPENAI, request(OPENAI, messages, **fields))
    assert len(got["messages"]) == len(messages)
    assert all(map(is_same, messages, got["messages"]))
    return got


@pytest.mark.parametrize("name", PARTS)
def test_a_part_arrives_as_it_came_and_again_with_the_next_message(serving, name):
    messages = [{"role": "user", "content": [TEXT, PARTS[name]]}]
    with opened(serving, OPENAI, strict=LENIENT) as door:
        arrives(door, messages)
        messages += [assistant("A cat."), user("And what colour is it?")]
        arrives(door, messages)
        messages += [assistant("Red."), {"role": "user", "content": [PARTS[name], TEXT]}]
        arrives(door, messages)


@pytest.mark.parametrize("name", PARTS)
def test_a_message_of_one_part_alone_arrives(serving, name):
    with opened(serving, OPENAI, strict=LENIENT) as door:
        arrives(door, [user("Hi"), assistant("Yo."), {"role": "user", "content": [PARTS[name]]}])


@pytest.mark.parametrize("name", ["picture", "new", "marked text"])
def test_a_tools_result_may_have_parts(serving, name):
    messages = [user("Look at it."), called(OPENAI, 1, name="view")]
    messages.append(result(OPENAI, 1, [{"type": "text", "text": "Here:"}, PARTS[name]]))
    with opened(serving, OPENAI, strict=LENIENT) as door:
        arrives(door, messages, many_tools=3)
        messages += [assistant("A cat."), user("And what colour is it?")]
        arrives(door, messages, many_tools=3)


def test_parts_of_an_answer_arrive(serving):
    content = [{"type": "text", "text": "No, "}, {"type": "refusal", "refusal": "I will not."}]
    spoken = {"role": "assistant", "content": None, "audio": {"id": "audio_1"}}
    messages = [user("Do it."), {"role": "assistant", "content": content}, user("Say it.")]
    with opened(serving, OPENAI, strict=LENIENT) as door:
        arrives(door, messages)
        arrives(door, [*messages, spoken, user("Louder.")])


def test_custom_tools_and_their_calls_arrive(serving):
    call = assistant(None, tool_calls=[CUSTOM_CALL])
    messages = [user("Patch it."), call, result(OPENAI, 1, "Done.")]
    choice = {"type": "custom", "custom": {"name": "patch"}}
    with opened(serving, OPENAI) as door:
        for _ in range(2):
            body = request(OPENAI, messages, tool_choice=choice) | {"tools": [CUSTOM_TOOL]}
            got = door.ask(OPENAI, body)
            assert got["tools"] == [CUSTOM_TOOL]
            assert got["tool_choice"] == choice
            assert all(map(is_same, messages, got["messages"]))
            messages = [*messages, assistant("It is patched."), user("Again.")]


def test_tools_of_unknown_kinds_arrive(serving):
    made = [{"type": "web_search", "web_search": {"search_context_size": "low"}}, CUSTOM_TOOL]
    with opened(serving, OPENAI, strict=LENIENT) as door:
        got = door.ask(OPENAI, {"model": "m", "messages": [user("Search.")], "tools": made})
    assert got["tools"] == made


def test_unknown_fields_of_messages_and_calls_arrive(serving):
    call = called(OPENAI, 1) | {"x_trace": "t1"}
    call["tool_calls"][0] |= {"index": 0, "extra_content": {"a": [1]}}
    messages = [user("Read it.") | {"x_id": 7}, call, result(OPENAI, 1, "1") | {"is_error": True}]
    with opened(serving, OPENAI, strict=LENIENT) as door:
        arrives(door, messages, many_tools=3)
        arrives(door, [*messages, assistant("1.", annotations=[]), user("Sure?")], many_tools=3)


def test_arguments_of_calls_are_not_written_again(serving):
    """Their spaces, order of keys and even faults are the model's, and a cache's key."""
    call = called(OPENAI, 1)
    call["tool_calls"][0]["function"]["arguments"] = '{ "b":1,"a" : "\\u00e9" ,'
    messages = [user("Read it."), call, result(OPENAI, 1, "x = 1")]
    with opened(serving, OPENAI) as door:
        arrives(door, messages, many_tools=3)
        arrives(door, [*messages, assistant("1."), user("Sure?")], many_tools=3)


def test_what_has_no_place_before_ollama_is_refused_by_its_name(serving):
    """A message without what it was about would be worse than a refusal."""
    with opened(serving, OLLAMA) as door:
        for name, kind in (("audio", "input_audio"), ("new", "x_hologram")):
            body = request(OPENAI, [{"role": "user", "content": [TEXT, PARTS[name]]}])
            answer = door.post(OPENAI, body)
            assert answer.status_code == 400
            assert kind in answer.json()["error"]["message"]
            assert door.server.accepted == []


def test_ollamas_pictures_and_unknown_fields_arrive(serving):
    messages = [
        {"role": "user", "content": "What is in it?", "images": [PICTURE], "x_id": 7},
        {"role": "assistant", "content": "A cat.", "x_trace": "t1"},
        {"role": "user", "content": "", "images": [PICTURE]},
    ]
    with opened(serving, OLLAMA) as door:
        got = door.ask(OLLAMA, request(OLLAMA, messages))["messages"]
    assert len(got) == len(messages)
    assert all(map(is_same, messages, got))


# Responses, before a server of chat completions

ASKED = {"type": "message", "role": "user", "content": "Look at the picture."}
VIEW = {"type": "function_call", "call_id": "c1", "name": "view_image", "arguments": "{}"}
FUNCTION = {"type": "function", "name": "view_image", "parameters": {"type": "object"}}


def responses(door, items, **fields):
    body = {"model": "m", "input": items, "tools": [FUNCTION], **fields}
    return door.ask(RESPONSES, body)


@pytest.mark.parametrize("upstream", [OPENAI, OLLAMA])
def test_a_picture_that_a_tool_gives_reaches_the_model(serving, upstream):
    """Codex's view_image."""
    output = [{"type": "input_image", "image_url": URL}]
    items = [ASKED, VIEW, {"type": "function_call_output", "call_id": "c1", "output": output}]
    with opened(serving, upstream) as door:
        got = responses(door, items)
        assert PICTURE in json.dumps(got)
        assert [m["role"] for m in got["messages"]][:3] == ["user", "assistant", "tool"]
        items += [
            {"type": "message", "role": "assistant", "content": "A cat."},
            {"type": "message", "role": "user", "content": "What colour?"},
        ]
        assert PICTURE in json.dumps(responses(door, items))


ITEMS = {
    "custom call": [
        {"type": "custom_tool_call", "call_id": "c1", "name": "patch", "input": "*** Begin mark7"},
        {"type": "custom_tool_call_output", "call_id": "c1", "output": "Done mark8"},
    ],
    "search": [
        {
            "type": "web_search_call",
            "id": "ws_1",
            "status": "completed",
            "action": {"type": "search", "query": "mark7"},
        }
    ],
    "shell": [
        {
            "type": "local_shell_call",
            "call_id": "c1",
            "status": "completed",
            "action": {"type": "exec", "command": ["echo", "mark7"], "env": {}},
        },
        {"type": "local_shell_call_output", "call_id": "c1", "output": "mark8"},
    ],
    "new": [{"type": "x_hologram_call", "id": "h1", "depth": "mark7"}],
}


@pytest.mark.parametrize("name", ITEMS)
def test_an_item_of_another_kind_does_not_end_the_run(serving, name):
    """What a chat server has no place for is told as left out, if it does not arrive as text."""
    last = {"type": "message", "role": "user", "content": "And now?"}
    body = {"model": "m", "input": [ASKED, *ITEMS[name], last], "tools": [FUNCTION]}
    with opened(serving, OPENAI) as door:
        answer = door.post(RESPONSES, body)
        assert answer.status_code == 200, answer.text
        got = json.dumps(door.upstream_body())
    assert "And now?" in got
    marks = [mark for mark in ("mark7", "mark8") if mark in json.dumps(body)]
    told = "x-unabridged-left-out" in answer.headers
    assert told or all(mark in got for mark in marks)


def test_a_file_of_an_input_reaches_a_chat_server(serving):
    part = {"type": "input_file", "file_data": "data:application/pdf;base64,JVBE"}
    content = [{"type": "input_text", "text": "Read it."}, {**part, "filename": "a.pdf"}]
    with opened(serving, OPENAI) as door:
        got = responses(door, [{"type": "message", "role": "user", "content": content}])
    assert got["messages"][-1]["content"][1] == PARTS["file"] | {
        "file": {"file_data": part["file_data"], "filename": "a.pdf"}
    }


@pytest.mark.parametrize("upstream", [OPENAI, OLLAMA])
def test_fields_of_the_responses_dialect_stay_in_it(serving, upstream):
    """Codex's client_metadata: a chat server refuses what it does not know (D10)."""
    fields = {
        "client_metadata": {"installation": "1"},
        "include": ["reasoning.encrypted_content"],
        "prompt_cache_key": "k1",
        "reasoning": {"effort": "low", "summary": "auto"},
        "store": False,
        "text": {"verbosity": "low"},
        "truncation": "disabled",
    }
    with opened(serving, upstream) as door:
        answer = door.post(RESPONSES, {"model": "m", "input": [ASKED], **fields})
        assert answer.status_code == 200, answer.text
        assert "client_metadata" not in door.upstream_body()
