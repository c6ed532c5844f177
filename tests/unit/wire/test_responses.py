import json
from datetime import UTC, datetime

import pytest
from hypothesis import given, settings, strategies as st
from openai.types.responses import Response, ResponseItem, ResponseStreamEvent
from pydantic import TypeAdapter

from unabridged.domain.chat import StreamChunk, ToolSpec, Usage
from unabridged.domain.message import Image, Message, Reasoning, Role, Text, ToolCall, ToolResult
from unabridged.errors import InputError
from unabridged.wire import responses, responses_answer as answers
from unabridged.wire.incoming_message import IncomingMessage

NOW = datetime(2026, 11, 22, tzinfo=UTC)
EVENT, ITEM = TypeAdapter(ResponseStreamEvent), TypeAdapter(ResponseItem)
HEAD = answers.ResponseHead("resp_x1", "m", 1.0, responses.echoed())
CALL = ToolCall("call_1", "weather", '{"city": "Köln"}')

words = st.text(st.characters(exclude_categories=("Cs",)), min_size=1, max_size=12)
calls = st.builds(
    lambda i, n: ToolCall(f"c{i}", n, "{}"),
    st.integers(0, 999),
    st.from_regex(r"[a-z]{1,8}", fullmatch=True),
)
chunks = st.lists(
    st.one_of(
        st.builds(StreamChunk, text=words),
        st.builds(StreamChunk, reasoning=words),
        st.builds(lambda call: StreamChunk(calls=(call,)), calls),
        st.builds(StreamChunk, words, words),
    ),
    max_size=12,
)


def read(**body):
    return responses.asked({"model": "m", **body})


def spoken(said, *, finish="stop"):
    speaker = answers.Speaker(HEAD)
    events = speaker.begin()
    for chunk in said:
        events += speaker.feed(chunk)
    events += speaker.feed(StreamChunk(done=True, finish=finish, usage=Usage(3, 2, 1)))
    return events + speaker.end(2.0)


# ---- requests ---------------------------------------------------------------------------------


def test_a_text_is_a_users_message_and_instructions_come_first():
    asked = read(input="Hello.", instructions="Be kind.")
    assert asked.drafts == (
        IncomingMessage(Role.SYSTEM, (Text("Be kind."),)),
        IncomingMessage(Role.USER, (Text("Hello."),)),
    )


def test_items_become_messages_with_calls_and_results_in_place():
    items = [
        {"role": "developer", "content": "Rule."},
        {"type": "message", "role": "user", "content": [
            {"type": "input_text", "text": "What is this?"},
            {"type": "input_image", "image_url": "data:image/png;base64,AA", "detail": "auto"},
        ]},
        {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "…"},
        {"type": "message", "id": "msg_1", "role": "assistant", "status": "completed", "content": [
            {"type": "output_text", "text": "I look.", "annotations": []}]},
        {"type": "function_call", "call_id": "c1", "name": "weather", "arguments": "{}"},
        {"type": "function_call", "call_id": "c2", "name": "time", "arguments": ""},
        {"type": "function_call_output", "call_id": "c2", "output": "noon"},
        {"type": "function_call_output", "call_id": "c1", "output": [
            {"type": "input_text", "text": "rain"}]},
        {"role": "assistant", "content": "It rains."},
    ]  # fmt: skip
    assert read(input=items).drafts == (
        IncomingMessage(Role.SYSTEM, (Text("Rule."),)),
        IncomingMessage(Role.USER, (Text("What is this?"), Image("data:image/png;base64,AA"))),
        IncomingMessage(
            Role.ASSISTANT,
            (Text("I look."), ToolCall("c1", "weather", "{}"), ToolCall("c2", "time", "{}")),
        ),
        IncomingMessage(Role.TOOL, (ToolResult("c2", "time", "noon"),)),
        IncomingMessage(Role.TOOL, (ToolResult("c1", "weather", "rain"),)),
        IncomingMessage(Role.ASSISTANT, (Text("It rains."),)),
    )


def test_answers_in_a_row_stay_apart_and_a_call_takes_what_precedes_it():
    said = [{"role": "assistant", "content": "One."}, {"role": "assistant", "content": "Two."}]
    assert len(read(input=said).drafts) == 2
    call = {"type": "function_call", "call_id": "c", "name": "f", "arguments": "{}"}
    behind = read(input=[call, {"role": "assistant", "content": "Said."}]).drafts
    assert behind == (IncomingMessage(Role.ASSISTANT, (Text("Said."), ToolCall("c", "f", "{}"))),)


def test_results_of_calls_that_the_server_keeps_get_their_names():
    item = {"type": "function_call_output", "call_id": "c9", "output": "x"}
    asked = responses.asked({"input": [item]}, names={"c9": "weather"})
    assert asked.drafts[0].parts == (ToolResult("c9", "weather", "x"),)


def test_references_are_looked_up():
    kept = {"msg_1": [{"role": "assistant", "content": "Kept."}], "rs_1": []}
    items = [{"type": "item_reference", "id": "rs_1"}, {"id": "msg_1"}]
    assert responses.drafts(items, find=kept.get) == (
        IncomingMessage(Role.ASSISTANT, (Text("Kept."),)),
    )
    with pytest.raises(InputError, match="not stored"):
        responses.drafts(items)


TOOL = {"type": "function", "name": "weather", "description": "Tells.", "strict": True}
SPEC = ToolSpec("weather", "Tells.", {"type": "object", "properties": {}})


def test_options_go_on_as_chat_completions_have_them():
    schema = {"type": "object", "properties": {}}
    asked = read(
        input="x",
        tools=[TOOL],
        tool_choice={"type": "function", "name": "weather"},
        text={
            "format": {"type": "json_schema", "name": "n", "schema": schema, "strict": True},
            "verbosity": "low",
        },
        reasoning={"effort": "high", "summary": "auto"},
        temperature=0.2,
        top_p=None,
        top_logprobs=2,
        max_output_tokens=64,
        metadata={"a": "b"},
        parallel_tool_calls=False,
        truncation="auto",
        store=False,
        include=["reasoning.encrypted_content"],
        seed=7,
    )
    assert asked.request_options.tools == (SPEC,)
    assert asked.request_options.max_output == 64
    assert asked.request_options.options == {
        "temperature": 0.2,
        "parallel_tool_calls": False,
        "seed": 7,
        "tool_choice": {"type": "function", "function": {"name": "weather"}},
        "response_format": {
            "type": "json_schema",
            "json_schema": {"name": "n", "schema": schema, "strict": True},
        },
        "verbosity": "low",
        "reasoning_effort": "high",
        "logprobs": True,
        "top_logprobs": 2,
    }
    assert asked.echo["metadata"] == {"a": "b"}
    assert asked.echo["store"] is False
    assert asked.echo["text"]["format"]["type"] == "json_schema"


def test_allowed_tools_leave_the_others_out():
    other = {**TOOL, "name": "time"}
    allowed = {"type": "allowed_tools", "mode": "required", "tools": [{"name": "time"}]}
    asked = read(input="x", tools=[TOOL, other], tool_choice=allowed)
    assert [tool.name for tool in asked.request_options.tools] == ["time"]
    assert asked.request_options.options["tool_choice"] == "required"


def test_tools_that_nobody_runs_here_are_left_out_and_told():
    hosted = {"type": "web_search"}
    asked = read(input="x", tools=[hosted, TOOL, hosted, {"type": "custom", "name": "patch"}])
    assert [tool.name for tool in asked.request_options.tools] == [SPEC.name, "patch"]
    assert asked.custom == {"patch"}
    assert [note.split()[2] for note in asked.notes] == ["web_search"]
    assert read(input="x", tools=[TOOL]).notes == ()


def test_tools_of_a_namespace_are_offered_and_called_by_their_whole_names():
    inside = [{**TOOL, "name": "close"}, {"type": "custom", "name": "patch"}]
    space = {"type": "namespace", "name": "agents", "description": "Sub-agents.", "tools": inside}
    called = {"type": "function_call", "call_id": "c", "name": "close", "namespace": "agents"}
    result = {"type": "function_call_output", "call_id": "c", "output": "closed"}
    forced = {"type": "function", "name": "close", "namespace": "agents"}
    asked = read(input=[called, result], tools=[TOOL, space], tool_choice=forced)
    names = [SPEC.name, "agents__close", "agents__patch"]
    assert [tool.name for tool in asked.request_options.tools] == names
    assert asked.request_options.options["tool_choice"]["function"]["name"] == "agents__close"
    assert (asked.custom, asked.notes) == ({"agents__patch"}, ())
    assert asked.drafts[0].calls[0].name == "agents__close"
    assert asked.drafts[1].parts[0].name == "agents__close"
    head = answers.ResponseHead("resp_a", "m", 0, custom=asked.custom, spaces=asked.spaces)
    made = answers.Speaker(head)
    calls = (
        ToolCall("c1", "agents__close", "{}"),
        ToolCall("c2", "agents__patch", '{"input": "x"}'),
        ToolCall("c3", SPEC.name, "{}"),
    )
    made.feed(StreamChunk(calls=calls))
    items = made.whole(0)["output"]
    assert [(item["name"], item.get("namespace")) for item in items] == [
        ("close", "agents"),
        ("patch", "agents"),
        (SPEC.name, None),
    ]
    assert items[1]["input"] == "x"


def test_a_whole_namespace_may_be_allowed():
    space = {"type": "namespace", "name": "agents", "tools": [{**TOOL, "name": "close"}]}
    allowed = {"type": "allowed_tools", "mode": "auto", "tools": [{"name": "agents"}]}
    asked = read(input="x", tools=[TOOL, space], tool_choice=allowed)
    assert [tool.name for tool in asked.request_options.tools] == ["agents__close"]


def test_without_tools_nothing_is_said_about_them():
    hosted = [{"type": "web_search"}]
    for tools in ([], hosted):
        asked = read(input="x", tools=tools, tool_choice="auto", parallel_tool_calls=True)
        assert asked.request_options.options == {}
    assert (
        "tool_choice" in read(input="x", tools=[TOOL], tool_choice="auto").request_options.options
    )


def test_what_is_asked_is_told():
    asked = read(input="x", stream=True, previous_response_id="resp_a")
    assert (asked.model, asked.stream, asked.previous) == ("m", True, "resp_a")


@pytest.mark.parametrize(
    "body",
    [
        {"input": 5},
        {"input": ["x"]},
        {"input": [{"no": "type"}]},
        {"input": [{"role": "nobody", "content": "x"}]},
        {"input": [{"role": "user", "content": [{"type": "input_file", "file_id": "f"}]}]},
        {"input": [{"role": "user", "content": [{"type": "input_image", "file_id": "f"}]}]},
        {"input": [{"role": "user", "content": {"a": 1}}]},
        {"input": [{"type": "function_call", "call_id": "c"}]},
        {"input": [{"type": "function_call_output", "call_id": "c", "output": {"a": 1}}]},
        {"input": "x", "instructions": ["y"]},
        {"input": "x", "tools": [{"type": "Ünbekannt"}]},
        {"input": "x", "tools": ["web_search"]},
        {"input": "x", "tools": {"a": 1}},
        {"input": "x", "tools": [{"type": "function"}]},
        {"input": "x", "tool_choice": {"type": "mcp", "server_label": "s"}},
        {"input": "x", "text": {"format": {"type": "grammar"}}},
        {"input": "x", "background": True},
        {"input": "x", "stream": "yes"},
        {"input": "x", "conversation": "conv_1"},
        {"input": "x", "prompt": {"id": "p"}},
    ],
)
def test_what_cannot_be_taken_is_refused(body):
    with pytest.raises(InputError) as caught:
        responses.asked(body)
    assert str(caught.value)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | words,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(words, inner, max_size=3),
    max_leaves=8,
)
kinds = st.sampled_from(
    "message function_call function_call_output reasoning item_reference input_text".split()
)
items = st.fixed_dictionaries(
    {},
    optional={
        "type": kinds | json_values,
        "role": st.sampled_from(["user", "assistant", "system", "tool"]) | json_values,
        "content": json_values
        | st.lists(st.fixed_dictionaries({"type": kinds, "text": json_values}), max_size=2),
        "call_id": json_values,
        "name": json_values,
        "arguments": json_values,
        "output": json_values,
    },
)


@settings(deadline=None)
@given(st.lists(items, max_size=4) | json_values, json_values, json_values)
def test_anything_is_read_or_refused_with_a_typed_error(given_input, tools, choice):
    try:
        asked = responses.asked({"input": given_input, "tools": tools, "tool_choice": choice})
    except InputError:
        return
    assert all(isinstance(draft, IncomingMessage) for draft in asked.drafts)


fields = st.sampled_from(
    "instructions text reasoning metadata top_logprobs max_output_tokens stream store model "
    "previous_response_id background prompt conversation include user".split()
)


@settings(deadline=None)
@given(st.dictionaries(fields, json_values, max_size=4))
def test_any_field_is_read_or_refused_with_a_typed_error(body):
    try:
        asked = responses.asked({**body, "input": "x"})
    except InputError:
        return
    assert asked.drafts[-1].text == "x"
    json.dumps(asked.echo)


# ---- answers ----------------------------------------------------------------------------------


@settings(deadline=None)
@given(chunks, st.sampled_from(["stop", "length", "tool_calls", "content_filter"]))
def test_events_follow_the_protocol_and_build_the_whole_response(said, finish):
    events = spoken(said, finish=finish)
    for event in events:
        EVENT.validate_python(json.loads(json.dumps(event)))
    assert [event["sequence_number"] for event in events] == list(range(len(events)))
    assert [event["type"] for event in events[:2]] == ["response.created", "response.in_progress"]
    incomplete = finish in ("length", "content_filter")
    assert events[-1]["type"] == f"response.{'incomplete' if incomplete else 'completed'}"
    whole = events[-1]["response"]
    assert whole["output"] == _rebuilt(events)
    parsed = Response.model_validate(whole)
    assert parsed.output_text == "".join(chunk.text for chunk in said)
    assert [c for chunk in said for c in chunk.calls] == [
        ToolCall(item.call_id, item.name, item.arguments)
        for item in parsed.output
        if item.type == "function_call"
    ]
    thought = "".join(
        part.text for item in parsed.output if item.type == "reasoning" for part in item.content
    )
    assert thought == "".join(chunk.reasoning for chunk in said)
    assert sum(item.type == "message" for item in parsed.output) <= 1
    assert (parsed.usage.input_tokens, parsed.usage.output_tokens) == (3, 2)
    assert parsed.usage.input_tokens_details.cached_tokens == 1
    ids = [item["id"] for item in whole["output"]]
    assert len(set(ids)) == len(ids)


def _rebuilt(events):
    """Put the output together from the events alone, as a client does."""
    output = []
    for event in events:
        match event["type"]:
            case "response.output_item.added":
                assert event["output_index"] == len(output)
                output.append(json.loads(json.dumps(event["item"])))
            case "response.content_part.added":
                output[event["output_index"]]["content"].append(dict(event["part"]))
            case "response.output_text.delta" | "response.reasoning_text.delta":
                output[event["output_index"]]["content"][0]["text"] += event["delta"]
            case "response.function_call_arguments.delta":
                output[event["output_index"]]["arguments"] += event["delta"]
            case "response.output_text.done" | "response.reasoning_text.done":
                part = output[event["output_index"]]["content"][event["content_index"]]
                assert part["text"] == event["text"]
            case "response.output_item.done":
                before = output[event["output_index"]]
                assert {**before, "status": event["item"]["status"]} == event["item"]
                output[event["output_index"]] = event["item"]
    return output


@settings(deadline=None)
@given(chunks)
def test_what_was_answered_comes_back_as_it_was_said(said):
    sent_back = read(input=spoken(said)[-1]["response"]["output"]).drafts
    text = "".join(chunk.text for chunk in said)
    called = tuple(call for chunk in said for call in chunk.calls)
    thought = "".join(chunk.reasoning for chunk in said)
    parts = [part for draft in sent_back for part in draft.parts]
    assert "".join(p.text for p in parts if isinstance(p, Reasoning)) == thought
    assert "".join(p.text for p in parts if isinstance(p, Text)) == text
    assert tuple(p for p in parts if isinstance(p, ToolCall)) == called
    assert all(draft.role is Role.ASSISTANT for draft in sent_back)


def test_an_answer_that_broke_off_keeps_what_came():
    speaker = answers.Speaker(HEAD)
    events = [
        *speaker.begin(),
        *speaker.feed(StreamChunk("Half a")),
        *speaker.fail("It broke off."),
    ]
    for event in events:
        EVENT.validate_python(event)
    whole = Response.model_validate(events[-1]["response"])
    assert (whole.status, whole.output_text) == ("failed", "Half a")
    assert whole.error.message == "It broke off."
    assert whole.output[0].status == "incomplete"


def test_events_are_framed_with_their_names():
    data = answers.frame({"type": "response.created", "text": "a\nb\u2028"})
    name, line, *rest = data.decode().split("\n")
    assert (name, rest) == ("event: response.created", ["", ""])
    assert json.loads(line.removeprefix("data: "))["text"] == "a\nb\u2028"


def test_what_is_stored_is_given_back_as_items():
    stored = [
        Message("1", Role.USER, (Text("Look."), Image("data:image/png;base64,AA")), NOW),
        Message("2", Role.ASSISTANT, (Reasoning("Hm."), Text("I ask."), CALL), NOW),
        Message("3", Role.TOOL, (ToolResult("call_1", "weather", "rain"),), NOW),
        Message("4", Role.ASSISTANT, (Text("Rain."),), NOW),
    ]
    output, given_in = answers.output_items(stored, "k"), answers.input_items(stored[:3:2])
    for item in output + given_in:
        ITEM.validate_python(item)
    assert [item["type"] for item in output] == ["reasoning", "message", "function_call", "message"]
    assert [item["type"] for item in given_in] == ["message", "function_call_output"]
    assert len({item["id"] for item in output}) == 4
    assert given_in[0]["content"][1]["image_url"] == "data:image/png;base64,AA"
    drafts = responses.drafts([given_in[0], *output[:3], given_in[1], output[3]])
    assert drafts[1].parts == (Reasoning("Hm."), Text("I ask."), CALL)
    assert drafts[2].parts == (ToolResult("call_1", "weather", "rain"),)
