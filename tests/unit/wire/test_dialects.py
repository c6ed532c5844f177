import base64
import json
from contextlib import suppress
from datetime import UTC, datetime
from itertools import pairwise

import pytest
from hypothesis import given, strategies as st

from unabridged.domain.chat import ChatRequest, StreamChunk, ToolSpec, Usage
from unabridged.domain.message import Image, Message, Reasoning, Role, Text, ToolCall, ToolResult
from unabridged.errors import InputError, UpstreamBrokenError, UpstreamError, UpstreamRefusedError
from unabridged.wire import anthropic, anthropic_request, ollama, openai
from unabridged.wire.incoming_message import IncomingMessage

PNG = "data:image/png;base64,iVBORw0KGgo="
ASSEMBLERS = {
    openai: openai.OpenAIStreamAssembler,
    ollama: ollama.OllamaStreamAssembler,
}
NOW = datetime(2026, 11, 21, tzinfo=UTC)

words = st.text(st.characters(exclude_categories=("Cs",)), min_size=1, max_size=20)
names = st.from_regex(r"[a-z_]{1,10}", fullmatch=True)
arguments = st.dictionaries(names, st.one_of(words, st.integers(), st.booleans()), max_size=3)
calls = st.builds(
    lambda i, n, a: ToolCall(f"id-{i}", n, json.dumps(a)), st.integers(0, 99), names, arguments
)


@st.composite
def conversations(draw):
    """Drafts as a client may send them, normal: one text, calls with results behind them."""
    said = []
    for _ in range(draw(st.integers(1, 4))):
        rules = draw(st.lists(words, max_size=2))
        said += [IncomingMessage(Role.SYSTEM, (Text(rule),)) for rule in rules]
        pictures = (Image(PNG),) * draw(st.integers(0, 2))
        said.append(IncomingMessage(Role.USER, (Text(draw(words)), *pictures)))
        asked = draw(st.lists(calls, max_size=3, unique_by=lambda c: c.id))
        if asked:
            said.append(IncomingMessage(Role.ASSISTANT, tuple(asked)))
            said += [
                IncomingMessage(Role.TOOL, (ToolResult(c.id, c.name, draw(words)),)) for c in asked
            ]
        said.append(IncomingMessage(Role.ASSISTANT, (Text(draw(words)),)))
    return said


def same(drafts):
    """Arguments compared as values: a dialect may write the same JSON otherwise."""
    return [
        (
            draft.role,
            [
                (part.id, part.name, json.loads(part.arguments))
                if isinstance(part, ToolCall)
                else part
                for part in draft.parts
            ],
        )
        for draft in drafts
    ]


@given(conversations())
@pytest.mark.parametrize("dialect", [openai, ollama])
def test_messages_survive_both_ways(dialect, said):
    wire = json.loads(json.dumps(dialect.messages(said)))
    assert same(dialect.drafts(wire)) == same(said)


@pytest.mark.parametrize(
    ("dialect", "field"), [(openai, "reasoning_content"), (ollama, "thinking")]
)
def test_a_clients_reasoning_is_sent_in_the_field_of_the_dialect(dialect, field):
    said = [Message("1", Role.ASSISTANT, (Reasoning("a thought"), Text("Yes.")), NOW)]
    wire = dialect.messages(said)
    assert wire == ({"role": "assistant", "content": "Yes.", field: "a thought"},)
    assert same(dialect.drafts(wire)) == same(said)


def test_openai_sends_plain_strings_where_there_is_only_text():
    said = [
        IncomingMessage(Role.USER, (Text("a"), Text("b"))),
        IncomingMessage(Role.USER, (Text("c"), Image(PNG))),
    ]
    plain, mixed = openai.messages(said)
    assert plain == {"role": "user", "content": "a\nb"}
    assert mixed["content"][1] == {"type": "image_url", "image_url": {"url": PNG}}


def test_openai_splits_results_and_keeps_arguments_as_they_came():
    said = [
        IncomingMessage(Role.ASSISTANT, (Text("Let me see."), ToolCall("a", "f", '{"x" :1'))),
        IncomingMessage(Role.TOOL, (ToolResult("a", "f", "1"), ToolResult("b", "g", "2"))),
    ]
    asked, one, two = openai.messages(said)
    assert asked["content"] == "Let me see."
    assert asked["tool_calls"][0]["function"]["arguments"] == '{"x" :1'
    assert (one["tool_call_id"], two["tool_call_id"]) == ("a", "b")


def test_ollama_takes_objects_and_base64_and_names_what_it_cannot_fetch():
    said = [
        IncomingMessage(
            Role.ASSISTANT, (ToolCall("a", "f", '{"x": 1}'), ToolCall("b", "f", "not json"))
        ),
        IncomingMessage(Role.USER, (Text("see"), Image(PNG), Image("https://example.org/a.png"))),
    ]
    asked, shown = ollama.messages(said)
    arguments = [call["function"]["arguments"] for call in asked["tool_calls"]]
    assert arguments == [{"x": 1}, {"input": "not json"}]
    assert [base64.b64decode(data) for data in shown["images"]] == [b"\x89PNG\r\n\x1a\n"]
    assert shown["content"] == "see\n[image: https://example.org/a.png]"


def test_bodies_tell_window_and_limit():
    spec = ToolSpec("t", "does", {"type": "object", "properties": {}})
    request = ChatRequest(
        (Message("1", Role.USER, (Text("hi"),), NOW),),
        tools=(spec,),
        window=4096,
        max_output=99,
        options={"temperature": 0, "think": False},
    )
    told = ollama.body(request, "m")
    assert told["options"] == {"temperature": 0, "num_ctx": 4096, "num_predict": 99}
    assert (told["truncate"], told["shift"], told["think"], told["stream"]) == (False,) * 3 + (
        True,
    )
    assert told["tools"] == [spec.schema]
    old = ollama.body(request, "m", refuse=False)
    assert "truncate" not in old
    assert "shift" not in old
    asked = openai.body(request, "m", limit="max_completion_tokens")
    assert asked["max_completion_tokens"] == 99
    assert asked["stream_options"] == {"include_usage": True}
    assert "num_ctx" not in json.dumps(asked)


def test_tool_specs_survive():
    spec = ToolSpec("t", "does", {"type": "object", "properties": {"a": {"type": "string"}}})
    assert openai.tool_spec(spec.schema) == spec
    with pytest.raises(InputError):
        openai.tool_spec({"type": "function"})


chunks = st.lists(
    st.one_of(
        st.builds(lambda t: StreamChunk(text=t), words),
        st.builds(lambda t: StreamChunk(reasoning=t), words),
    ),
    max_size=6,
)


def whole(said):
    return (
        "".join(c.text for c in said),
        "".join(c.reasoning for c in said),
        [(c.id, c.name, json.loads(c.arguments)) for chunk in said for c in chunk.calls],
    )


@given(chunks, st.lists(calls, max_size=3, unique_by=lambda c: c.id), st.lists(st.integers(1, 4)))
def test_an_openai_stream_survives_with_calls_cut_anywhere(said, asked, cuts):
    head = {"answer": "a", "created": 1, "model": "m"}
    events = [openai.event(chunk, first=not place, **head) for place, chunk in enumerate(said)]
    for index, call in enumerate(asked):
        function = {"name": call.name, "arguments": ""}
        begin = {"index": index, "id": call.id, "type": "function", "function": function}
        events.append({"choices": [{"delta": {"tool_calls": [begin]}}]})
        rest = call.arguments
        for cut in [*cuts, len(rest) + 1]:
            part, rest = rest[:cut], rest[cut:]
            delta = {"index": index, "function": {"arguments": part}}
            events.append({"choices": [{"delta": {"tool_calls": [delta]}}]})
    end = StreamChunk(done=True, finish="tool_calls" if asked else "stop")
    events.append(openai.event(end, **head))
    events.append(openai.usage_event(Usage(7, 3, 2), **head))
    assembler = openai.OpenAIStreamAssembler()
    got = [chunk for event in events if (chunk := assembler.feed(event)) is not None]
    got.append(assembler.end())
    assert whole(got) == whole([*said, StreamChunk(calls=tuple(asked))])
    assert got[-1].done
    assert got[-1].finish == end.finish
    assert got[-1].usage == Usage(7, 3, 2)


@given(chunks, st.lists(calls, max_size=3, unique_by=lambda c: c.id))
def test_an_ollama_stream_survives(said, asked):
    sent = [
        *said,
        StreamChunk(calls=tuple(asked)),
        StreamChunk(done=True, finish="stop", usage=Usage(7, 3)),
    ]
    assembler = ollama.OllamaStreamAssembler()
    lines = [ollama.line(chunk, model="m", created="now") for chunk in sent]
    got = [chunk for line in lines if (chunk := assembler.feed(line)) is not None]
    assembler.end()
    assert whole(got) == whole(sent)
    assert got[-1].usage == Usage(7, 3)
    assert got[-1].finish == ("tool_calls" if asked else "stop")


def test_calls_without_ids_or_index_are_told_apart():
    def event(*calls):
        return {"choices": [{"delta": {"tool_calls": list(calls)}, "finish_reason": None}]}

    same_index = openai.OpenAIStreamAssembler()
    for name in ("a", "b"):
        same_index.feed(
            event({"index": 0, "id": name, "function": {"name": name, "arguments": "{}"}})
        )
    same_index.done()
    assert [call.name for call in same_index.end().calls] == ["a", "b"]

    no_index = openai.OpenAIStreamAssembler()
    no_index.feed(event({"id": "1", "function": {"name": "a", "arguments": '{"x"'}}))
    no_index.feed(event({"function": {"arguments": ":1}"}}))
    no_index.feed(event({"id": "2", "function": {"name": "b", "arguments": {"y": 2}}}))
    no_index.done()
    assert [call.arguments for call in no_index.end().calls] == ['{"x":1}', '{"y": 2}']

    old = ollama.OllamaStreamAssembler(calls_before=2)
    call = {"function": {"name": "f", "arguments": {}}}
    chunk = old.feed({"message": {"tool_calls": [call, call]}, "done": False})
    assert [made.id for made in chunk.calls] == ["call_2", "call_3"]


def test_a_stream_without_end_is_broken():
    assembler = openai.OpenAIStreamAssembler()
    assembler.feed({"choices": [{"delta": {"content": "x"}}]})
    with pytest.raises(UpstreamBrokenError):
        assembler.end()
    lines = ollama.OllamaStreamAssembler()
    lines.feed({"message": {"content": "x"}, "done": False})
    with pytest.raises(UpstreamBrokenError):
        lines.end()


@pytest.mark.parametrize("dialect", [openai, ollama])
def test_errors_and_nonsense_in_mid_stream_are_typed(dialect):
    with pytest.raises(UpstreamRefusedError, match="out of memory"):
        ASSEMBLERS[dialect]().feed({"error": "out of memory"})
    with pytest.raises(UpstreamBrokenError):
        ASSEMBLERS[dialect]().feed({"hello": 1})


@pytest.mark.parametrize("dialect", [openai, ollama])
@pytest.mark.parametrize(
    "message",
    [{}, {"role": "wizard", "content": "x"}, {"role": "user", "content": 3}, {"role": 7}],
)
def test_messages_that_cannot_be_taken_say_which(dialect, message):
    with pytest.raises(InputError, match="Message 2"):
        dialect.drafts([{"role": "user", "content": "x"}, message])


def test_clients_ways_are_read():
    read = openai.drafts(
        [
            {"role": "developer", "content": "be brief"},
            {
                "role": "assistant",
                "content": None,
                "tool_calls": [{"id": "1", "function": {"name": "f"}}],
            },
            {"role": "tool", "tool_call_id": "1", "content": [{"type": "text", "text": "noon"}]},
            {"role": "assistant", "content": "x", "reasoning_content": "hm"},
        ]
    )
    assert read[0].role is Role.SYSTEM
    assert read[2].parts == (ToolResult("1", "f", "noon"),)
    assert read[3].parts == (Reasoning("hm"), Text("x"))
    part = {"type": "input_audio", "input_audio": {"data": "AAAA", "format": "wav"}}
    (draft,) = openai.drafts([{"role": "user", "content": [part]}])
    assert [one.kind for one in draft.parts] == ["input_audio"]
    assert openai.messages([draft]) == ({"role": "user", "content": [part]},)
    with pytest.raises(InputError, match="without a type"):
        openai.drafts([{"role": "user", "content": [{"input_audio": {}}]}])


def test_ollamas_old_tool_messages_find_their_call():
    call = {"function": {"name": "f", "arguments": {}}}
    read = ollama.drafts(
        [
            {"role": "assistant", "content": "", "tool_calls": [call, call]},
            {"role": "tool", "content": "one", "tool_name": "f"},
            {"role": "tool", "content": "two"},
        ]
    )
    assert [draft.parts[0].call_id for draft in read[1:]] == ["call_0", "call_1"]


def test_whole_answers():
    said = [
        StreamChunk(text="a"),
        StreamChunk(reasoning="r"),
        StreamChunk(text="b"),
        StreamChunk(done=True, usage=Usage(5, 2, 1)),
    ]
    told = openai.completion(said, answer="x", created=1, model="m")
    assert told["choices"][0]["message"] == {
        "role": "assistant",
        "content": "ab",
        "reasoning_content": "r",
    }
    assert told["usage"]["total_tokens"] == 7
    assert openai.usage(told["usage"]) == Usage(5, 2, 1)
    line = ollama.answer(said, model="m", created="now", seconds=0.5)
    assert line["message"] == {"role": "assistant", "content": "ab", "thinking": "r"}
    assert (line["prompt_eval_count"], line["total_duration"]) == (5, 500_000_000)


@pytest.mark.parametrize(
    ("name", "full"),
    [
        ("llama3", "llama3:latest"),
        ("llama3:8b", "llama3:8b"),
        ("reg:5000/me/llama3", "reg:5000/me/llama3:latest"),
        ("", ""),
    ],
)
def test_full_names(name, full):
    assert ollama.full_name(name) == full
    assert ollama.full_name(full) == full


@given(
    st.text(st.characters(exclude_categories=("Cs",)), max_size=12), st.lists(st.integers(0, 30))
)
def test_characters_cut_in_halves_come_whole(text, cuts):
    units = text.encode("utf-16-le")
    edges = sorted({0, len(units), *(2 * cut for cut in cuts if 2 * cut < len(units))})
    halves = [units[a:b].decode("utf-16-le", "surrogatepass") for a, b in pairwise(edges)]
    one, two = openai.OpenAIStreamAssembler(), ollama.OllamaStreamAssembler()
    got = [one.feed({"choices": [{"delta": {"content": half}}]}) for half in halves]
    one.done()
    assert "".join(c.text for c in [*got, one.end()] if c) == text
    sent = [{"message": {"content": half}, "done": False} for half in halves]
    lines = [two.feed(line) for line in [*sent, {"message": {}, "done": True}]]
    assert "".join(c.text for c in lines if c) == text


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                "choices delta message content tool_calls function name arguments id index error "
                "usage done role images thinking type text image_url url finish_reason".split()
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)
json_objects = st.dictionaries(
    st.sampled_from(
        ["choices", "message", "error", "usage", "done", "role", "content", "tool_calls"]
    ),
    json_values,
    max_size=4,
)


@given(json_objects)
@pytest.mark.parametrize("dialect", [openai, ollama])
def test_whatever_a_server_sends_gives_a_chunk_or_a_typed_error(dialect, value):
    assembler = ASSEMBLERS[dialect]()
    with suppress(UpstreamError):
        chunk = assembler.feed(value)
        assert chunk is None or isinstance(chunk, StreamChunk)
        assembler.end()


@given(st.lists(json_objects, max_size=3))
@pytest.mark.parametrize("dialect", [openai, ollama])
def test_whatever_a_client_sends_is_read_or_refused_in_words(dialect, values):
    with suppress(InputError):
        assert all(isinstance(draft, IncomingMessage) for draft in dialect.drafts(values))


def test_mistrals_thinking_parts_are_told_from_its_words():
    thinking = {"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]}
    content = [thinking, {"type": "text", "text": "Yes."}]
    chunk = openai.OpenAIStreamAssembler().feed({"choices": [{"delta": {"content": content}}]})
    assert (chunk.text, chunk.reasoning) == ("Yes.", "hm")


def test_half_a_character_is_replaced():
    line = {"message": {"content": "a\ud83d"}, "done": True}
    assert ollama.OllamaStreamAssembler().feed(line).text == "a\ufffd"
    assert (
        ollama.OllamaStreamAssembler().feed(line | {"message": {"content": "\ude00b"}}).text
        == "\ufffdb"
    )


def test_a_reminder_of_openais_dialect_is_a_block_of_anthropics():
    texts = ["<system-reminder>\nIt is Monday.\n</system-reminder>", "Read."]
    content = [{"type": "text", "text": text} for text in texts]
    (draft,) = openai.drafts([{"role": "user", "content": content}])
    assert draft.text == "Read."
    assert anthropic_request.check_for_anthropic([draft], ()) == ()
    message = Message("1", Role.USER, draft.parts, NOW)
    (item,) = anthropic.messages([anthropic_request.for_anthropic(message)])
    assert item["content"] == content
