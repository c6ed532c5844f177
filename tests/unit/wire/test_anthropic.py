import json
from datetime import UTC, datetime

import pytest
from hypothesis import given, strategies as st

from unabridged.domain.chat import ChatRequest, StreamChunk, ToolSpec, Usage
from unabridged.domain.client_history import RequestEdits
from unabridged.domain.message import (
    Foreign,
    Image,
    Message,
    Reasoning,
    Role,
    Text,
    ToolCall,
    ToolResult,
)
from unabridged.errors import InputError, UpstreamBrokenError, UpstreamError
from unabridged.server.stream_parser import MessagesListener
from unabridged.wire import anthropic, anthropic_answer, anthropic_request
from unabridged.wire.anthropic_answer import AnswerHead, MessagesSpeaker
from unabridged.wire.incoming_message import IncomingMessage, merged
from unabridged.wire.originals import items_of, original_of
from unabridged.wire.translate_options import options_for

NOW = datetime(2026, 11, 26, tzinfo=UTC)
REMINDER = "<system-reminder>\nThe date is today.\n</system-reminder>\n"

words = st.text(st.characters(exclude_categories=("Cs",)), min_size=1, max_size=20).filter(
    lambda text: "<" not in text
)
names = st.from_regex(r"[a-z_]{1,10}", fullmatch=True)
inputs = st.dictionaries(names, st.one_of(words, st.integers(), st.booleans()), max_size=3)
PNG = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "iVBOR="}}
PDF = {
    "type": "document",
    "source": {"type": "base64", "media_type": "application/pdf", "data": "JVBERi0="},
}


def said(text, **more):
    return {"type": "text", "text": text, **more}


texts = st.builds(said, words)
marked = st.builds(lambda t: said(t, cache_control={"type": "ephemeral"}), words)
reminders = st.just(said(REMINDER))
beside = st.sampled_from([PNG, PDF, {"type": "search_result", "title": "x", "content": []}])
thoughts = st.builds(lambda t: {"type": "thinking", "thinking": t, "signature": "c2ln"}, words)
hidden = st.just({"type": "redacted_thinking", "data": "b3BhcXVl"})
uses = st.builds(
    lambda i, n, a: {"type": "tool_use", "id": f"toolu_{i}", "name": n, "input": a},
    st.integers(0, 99),
    names,
    inputs,
)


def result_of(call, content, failed):
    block = {"type": "tool_result", "tool_use_id": call["id"], "content": content}
    return {**block, "is_error": True} if failed else block


results = st.one_of(words, st.lists(st.one_of(texts, st.just(PNG)), max_size=3))


@st.composite
def conversations(draw):
    """Items as clients send them: results with words behind them, thoughts, files, reminders."""
    items = []
    for _ in range(draw(st.integers(1, 3))):
        own = draw(st.lists(st.one_of(texts, marked, reminders, beside), min_size=1, max_size=3))
        plain = draw(st.booleans())
        items.append({"role": "user", "content": draw(words) if plain else own})
        if asked := draw(st.lists(uses, max_size=2, unique_by=lambda use: use["id"])):
            before = draw(st.lists(st.one_of(thoughts, hidden, texts), max_size=2))
            items.append({"role": "assistant", "content": [*before, *asked]})
            told = [result_of(use, draw(results), draw(st.booleans())) for use in asked]
            behind = draw(st.lists(st.one_of(reminders, texts), max_size=2))
            items.append({"role": "user", "content": [*told, *behind]})
        items.append({"role": "assistant", "content": [*draw(st.lists(thoughts)), said("Yes.")]})
    return items


def read(items):
    return anthropic.drafts({"messages": items})


def blocks_in(items):
    return [block for n, item in enumerate(items) for block in anthropic.blocks_of(item, n)]


# ---- items and messages


@given(conversations())
def test_every_block_is_in_exactly_one_message_and_its_original_gives_it_back(items):
    found = []
    for draft in read(items):
        kept = Message("1", draft.role, draft.parts, NOW, original=original_of(draft))
        (item,) = items_of([kept], "anthropic")
        found += anthropic.blocks_of(item, 0)
    assert sorted(map(json.dumps, found)) == sorted(map(json.dumps, blocks_in(items)))


@given(conversations())
def test_without_edits_every_item_is_the_clients(items):
    made = anthropic.edited(items, read(items), RequestEdits())
    assert all(one is other for one, other in zip(made, items, strict=True))


@given(conversations(), st.data())
def test_what_memory_adds_is_all_that_changes(items, data):
    drafts = read(items)
    users = [n for n, draft in enumerate(drafts) if draft.role is Role.USER]
    chosen = data.draw(st.sets(st.sampled_from(users)))
    edits = RequestEdits(after={n: f"block {n}" for n in chosen}, newest=users[-1])
    made = anthropic.edited(items, drafts, edits)
    assert len(made) == len(items)
    for place, (item, before) in enumerate(zip(made, items, strict=True)):
        added = [said(f"block {n}") for n in chosen if drafts[n].place == place]
        assert blocks_in([item]) == [*blocks_in([before]), *added]
        assert added or item is before


@given(conversations(), st.data())
def test_what_is_left_out_goes_whole_and_nothing_else(items, data):
    drafts = read(items)
    gone = frozenset(range(data.draw(st.integers(0, len(drafts) - 1))))
    first = len(gone)
    edits = RequestEdits(before={first: "what was before"}, left_out=gone, newest=first)
    made = anthropic.edited(items, drafts, edits)
    kept = [block for n in range(first, len(drafts)) for block in blocks_in([drafts[n].item[1]])]
    assert sorted(map(json.dumps, blocks_in(made))) == sorted(
        map(json.dumps, [said("what was before"), *kept])
    )


@given(conversations())
def test_typed_parts_survive_both_ways(items):
    drafts = read(items)
    again = read(json.loads(json.dumps(anthropic.messages(drafts))))

    def flat(found):
        parts = [p for d in found for p in d.parts if not isinstance(p, Reasoning)]
        return [p for p in parts if not isinstance(p, Text | Foreign | Image)], "".join(
            p.text for p in parts if isinstance(p, Text)
        )

    assert flat(again) == flat(drafts)


def test_results_are_a_round_and_the_words_behind_them_a_message_of_the_same_item():
    use = {"type": "tool_use", "id": "t1", "name": "look", "input": {"at": "a"}}
    other = {**use, "id": "t2"}
    items = [
        {"role": "user", "content": "Look."},
        {"role": "assistant", "content": [use, other]},
        {
            "role": "user",
            "content": [
                result_of(use, "one", failed=False),
                result_of(other, "two", failed=True),
                said("Now stop."),
            ],
        },
    ]
    drafts = read(items)
    assert [(d.role, d.place) for d in drafts] == [
        (Role.USER, 0),
        (Role.ASSISTANT, 1),
        (Role.TOOL, 2),
        (Role.TOOL, 2),
        (Role.USER, 2),
    ]
    assert drafts[3].parts == (ToolResult("t2", "look", "two", failed=True),)
    made = anthropic.edited(items, drafts, RequestEdits(after={4: "recalled"}, newest=4))
    assert made[2]["content"] == [*items[2]["content"], said("recalled")]
    edits = RequestEdits(before={4: "earlier"}, left_out=frozenset({0, 1, 2, 3}), newest=4)
    assert anthropic.edited(items, drafts, edits) == [
        {"role": "user", "content": [said("earlier"), said("Now stop.")]}
    ]


def test_an_item_with_results_and_reminders_is_no_message_of_the_user():
    use = {"type": "tool_use", "id": "t1", "name": "look", "input": {}}
    items = [
        {"role": "user", "content": [said(REMINDER), said("Look.")]},
        {"role": "assistant", "content": [use]},
        {"role": "user", "content": [result_of(use, "one", failed=False), said(REMINDER)]},
    ]
    drafts = read(items)
    assert [draft.role for draft in drafts] == [Role.USER, Role.ASSISTANT, Role.TOOL]
    assert drafts[0].text == "Look."
    assert not drafts[2].text


def test_a_reminder_alone_is_what_was_said():
    assert read([{"role": "user", "content": [said(REMINDER)]}])[0].text == REMINDER


def test_texts_in_a_row_of_an_answer_are_one():
    parts = [said("It is "), said("12 m", citations=[{"type": "x"}]), said(".")]
    (draft,) = read([{"role": "assistant", "content": parts}])
    assert draft.text == "It is 12 m."


@pytest.mark.parametrize(
    "item",
    [
        {"role": "tool", "content": "x"},
        {"role": "user", "content": 3},
        {"role": "user", "content": ["x"]},
        {"role": "narrator", "content": "x"},
    ],
)
def test_no_item_of_the_dialect_is_refused(item):
    with pytest.raises(InputError):
        read([item])


def test_the_system_prompt_is_a_text_or_blocks():
    rules = [said("One."), said("Two.", cache_control={"type": "ephemeral"})]
    for system in ("One.\nTwo.", rules):
        first = anthropic.drafts({"system": system, "messages": []})[0]
        assert (first.role, first.text, first.place) == (Role.SYSTEM, "One.\nTwo.", None)


def test_a_prompt_of_ours_alternates_with_all_results_first():
    prompt = [
        Message("1", Role.USER, (Text("Look."),), NOW),
        Message("2", Role.ASSISTANT, (ToolCall("a", "look", "{}"), ToolCall("b", "f", "[1]")), NOW),
        Message("3", Role.TOOL, (ToolResult("a", "look", "one"),), NOW),
        Message("4", Role.TOOL, (ToolResult("b", "f", "two", failed=True),), NOW),
        Message("5", Role.USER, (Text("And now?"),), NOW),
    ]
    items = anthropic.messages(prompt)
    assert [item["role"] for item in items] == ["user", "assistant", "user"]
    assert [block["type"] for block in items[2]["content"]] == [
        "tool_result",
        "tool_result",
        "text",
    ]
    assert items[1]["content"][1]["input"] == {"input": [1]}


def test_inserted_messages_keep_what_their_parts_lack_and_results_stay_together():
    use = {"type": "tool_use", "id": "t1", "name": "look", "input": {}}
    uses_ = [use, {**use, "id": "t2"}]
    thought = {"type": "thinking", "thinking": "hm", "signature": "c2ln"}
    told = [result_of(one, "x", failed=False) for one in uses_]
    earlier = [
        {"role": "user", "content": "Look."},
        {"role": "assistant", "content": [thought, *uses_]},
        {"role": "user", "content": told},
        {"role": "assistant", "content": "Seen."},
    ]
    stored = tuple(
        Message(str(n), draft.role, draft.parts, NOW, original=original_of(draft))
        for n, draft in enumerate(read(earlier))
    )
    newest = {"role": "user", "content": "And now?"}
    edits = RequestEdits(inserted=stored, newest=0)
    made = anthropic.edited([newest], read([newest]), edits, lambda m: items_of(m, "anthropic"))
    assert made == [*earlier, newest]


# ---- answers


calls = st.builds(
    lambda i, n, a: ToolCall(f"toolu_{i}", n, json.dumps(a, ensure_ascii=False)),
    st.integers(0, 99),
    names,
    inputs,
)
answers = st.tuples(
    st.lists(st.builds(lambda t: StreamChunk(reasoning=t), words), max_size=3),
    st.lists(st.builds(lambda t: StreamChunk(text=t), words), max_size=4),
    st.lists(calls, max_size=3),
    st.sampled_from(["stop", "length", "tool_calls", "content_filter"]),
)
HEAD = AnswerHead("msg_1", "claude", 7)


def chunks_of(made):
    thoughts, told, called, finish = made
    end = StreamChunk(calls=tuple(called), done=True, finish=finish, usage=Usage(9, 4, 2))
    return [*thoughts, *told, end]


def frames_of(chunks):
    speaker = MessagesSpeaker(HEAD)
    events = speaker.begin()
    for chunk in chunks[:-1]:
        events += speaker.feed(chunk)
    return [anthropic_answer.frame(event) for event in (*events, *speaker.end(chunks[-1]))]


@given(answers, st.data())
def test_an_answer_as_events_is_read_as_it_was_said(made, data):
    chunks = chunks_of(made)
    stream = b"".join(frames_of(chunks))
    cuts = data.draw(st.lists(st.integers(0, len(stream)), max_size=6).map(sorted))
    listener, heard, passed = MessagesListener(), [], b""
    for start, end in zip([0, *cuts], [*cuts, len(stream)], strict=True):
        for piece in listener.feed(stream[start:end]):
            heard += [piece.chunk] if piece.chunk else []
            passed += piece.frame
    assert not list(listener.end())
    assert passed == stream
    assert merged(heard) == merged(chunks)
    assert [chunk.done for chunk in heard].count(True) == 1


@given(answers)
def test_a_whole_answer_is_read_as_it_was_said(made):
    whole = anthropic_answer.answer(chunks_of(made), HEAD)
    (piece,) = MessagesListener().whole(json.dumps(whole).encode())
    assert piece.chunk == merged(chunks_of(made))


@given(answers)
def test_events_open_and_close_one_block_after_another(made):
    is_open, last = None, -1
    for raw in frames_of(chunks_of(made)):
        event = json.loads(raw.partition(b"data: ")[2])
        kind = event["type"]
        if kind == "content_block_start":
            assert is_open is None
            assert event["index"] == last + 1
            is_open = last = event["index"]
        elif kind == "content_block_delta":
            assert event["index"] == is_open
        elif kind == "content_block_stop":
            assert event["index"] == is_open
            is_open = None
    assert is_open is None


def test_texts_apart_are_stored_as_the_client_sends_them_again():
    content = [said("Let me see."), {"type": "thinking", "thinking": "hm"}, said("It is.")]
    whole = {"type": "message", "content": content, "stop_reason": "end_turn"}
    (piece,) = MessagesListener().whole(json.dumps(whole).encode())
    (sent,) = read([{"role": "assistant", "content": content}])
    assert piece.chunk.text == sent.text == "Let me see.\nIt is."


def test_cached_tokens_are_a_part_of_the_prompt():
    counted = {"input_tokens": 3, "cache_creation_input_tokens": 5, "cache_read_input_tokens": 90}
    assert anthropic_answer.usage({**counted, "output_tokens": 2}) == Usage(98, 2, 90)
    assert anthropic_answer.usage_object(Usage(98, 2, 90))["input_tokens"] == 8


def test_a_stream_that_stops_early_or_fails_is_an_error():
    listener = MessagesListener()
    list(listener.feed(b"".join(frames_of(chunks_of(([], [StreamChunk("a")], [], "stop")))[:-1])))
    with pytest.raises(UpstreamBrokenError):
        list(listener.end())
    error = anthropic_answer.frame(anthropic_answer.error_body("overloaded_error", "Overloaded"))
    with pytest.raises(UpstreamError, match="Overloaded"):
        list(MessagesListener().feed(error))


# ---- requests


def test_options_have_their_counterparts():
    wire = {
        "temperature": 0.5,
        "stop_sequences": ["END"],
        "tool_choice": {"type": "any", "disable_parallel_tool_use": True},
        "output_config": {"format": {"type": "json_schema", "schema": {"type": "object"}}},
    }
    ours = anthropic_request.options(wire)
    assert ours["stop"] == ["END"]
    assert ours["tool_choice"] == "required"
    assert ours["parallel_tool_calls"] is False
    assert options_for("openai", "anthropic", ours) == wire
    assert options_for("anthropic", "ollama", wire) == {
        "temperature": 0.5,
        "stop": ["END"],
        "format": {"type": "object"},
    }
    heat = options_for("ollama", "anthropic", {"options": {"temperature": 1.4, "top_k": 3}})
    assert heat == {"temperature": 1, "top_k": 3}


def test_a_body_has_what_the_dialect_requires():
    prompt = (
        Message("0", Role.SYSTEM, (Text("Be brief."),), NOW),
        Message("1", Role.USER, (Text("Hello."),), NOW),
    )
    tool = ToolSpec("look", "Looks.", {"type": "object", "properties": {}})
    wire = anthropic_request.body(ChatRequest(prompt, tools=(tool,)), "claude")
    assert wire["system"] == "Be brief."
    assert wire["max_tokens"] > 0
    assert wire["messages"] == [{"role": "user", "content": "Hello."}]
    assert anthropic_request.tool_spec(wire["tools"][0]) == tool


@pytest.mark.parametrize(
    ("more", "upstream"),
    [
        ({"tools": [{"type": "web_search_20250305", "name": "web_search"}]}, "openai"),
        ({"mcp_servers": [{"url": "https://example.org"}]}, "ollama"),
        ({"messages": [{"role": "user", "content": [PDF, said("Read.")]}]}, "ollama"),
        ({"messages": [{"role": "user", "content": [{"type": "container_upload"}]}]}, "openai"),
    ],
)
def test_what_has_no_translation_is_refused(more, upstream):
    body = {"messages": [], **more}
    with pytest.raises(InputError, match=upstream):
        anthropic_request.check_translatable(body, anthropic.drafts(body), upstream)


def test_what_has_a_translation_is_translated():
    content = [PDF, said(REMINDER), said("Read."), {"type": "redacted_thinking", "data": "x"}]
    body = {"messages": [{"role": "user", "content": content}]}
    (draft,) = anthropic.drafts(body)
    assert "Redacted" in anthropic_request.check_translatable(body, [draft], "openai")[0]
    message = Message("1", Role.USER, draft.parts, NOW)
    file, reminder, own = anthropic_request.translated(message, "openai").parts
    assert isinstance(file, Foreign)
    assert file.kind == "file"
    assert (reminder, own) == (Text(REMINDER), Text("Read."))
    back = anthropic_request.for_anthropic(Message("1", Role.USER, (file, own), NOW))
    assert json.loads(back.parts[0].data)["source"] == PDF["source"]


def test_what_anthropic_cannot_take_is_refused_or_noted():
    audio = Foreign("input_audio", json.dumps({"type": "input_audio"}))
    with pytest.raises(InputError, match="input_audio"):
        anthropic_request.check_for_anthropic([IncomingMessage(Role.USER, (audio,))], ())
    thought = IncomingMessage(Role.ASSISTANT, (Reasoning("hm"),))
    assert "signature" in anthropic_request.check_for_anthropic([thought], ())[0]
    assert anthropic.messages([thought]) == ()
