"""Sessions of Claude Code and Codex, and requests to OpenAI's API."""

import json

import pytest

from unabridged.domain.exchange import ExchangeState
from unabridged.domain.message import Image, Reasoning, Role, Text, ToolCall, ToolResult

LINE = {"sessionId": "s", "isSidechain": False}


def line(name, kind, parent, content, **more):
    message = {
        "role": kind,
        "content": content,
        **({"id": more.pop("mid")} if "mid" in more else {}),
    }
    base = {**LINE, "type": kind, "uuid": name, "parentUuid": parent, "message": message}
    return {**base, **more}


def wrapped(kind, payload, second=0):
    return {"timestamp": f"2026-01-01T00:00:{second:02d}Z", "type": kind, "payload": payload}


def said(role, text):
    return wrapped("response_item", {"type": "message", "role": role, "content": text})


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("claude-code.jsonl", ("claude-code", 1, 4)),
        ("codex.jsonl", ("codex", 1, 3)),
        ("codex-bare.jsonl", ("codex", 1, 1)),
        ("openai-requests.jsonl", ("openai", 4, 7)),
    ],
)
def test_fixtures_are_known_by_content(read, fixtures, name, expected):
    got = read(fixtures / name)
    assert (got.format, len(got.conversations), len(got.ids)) == expected
    assert got.items == read(fixtures / name).items


def test_an_answer_of_several_lines_is_one_message_with_its_results_behind_it(read, fixtures):
    (conversation,) = read(fixtures / "claude-code.jsonl").conversations
    first = conversation.exchanges[0]
    roles = [Role.USER, Role.ASSISTANT, Role.TOOL, Role.TOOL, Role.ASSISTANT]
    assert [message.role for message in first.messages] == roles
    assert [type(part) for part in first.messages[1].parts] == [Reasoning, Text, ToolCall, ToolCall]
    assert first.messages[3].parts == (
        ToolResult("toolu_2", "", "no forecast", failed=True),
        Image("data:image/png;base64,iVBORw0KGgo="),
    )
    assert (first.mode, first.model) == ("tools", "claude-opus-4-5")


def test_an_edited_question_is_a_branch_and_a_compaction_is_none(read, fixtures):
    (conversation,) = read(fixtures / "claude-code.jsonl").conversations
    first, eight, six, tomorrow = conversation.exchanges
    assert eight.parent == six.parent == first.id
    assert (tomorrow.parent, tomorrow.state) == (six.id, ExchangeState.INCOMPLETE)
    assert conversation.session.head == tomorrow.messages[-1].id
    assert conversation.session.title == "A watering plan for the beds"
    assert conversation.session.foreign_id == "5e550000-0000-4000-8000-000000000001"


def test_what_the_program_said_and_sub_agents_are_counted(read, fixtures):
    got = read(fixtures / "claude-code.jsonl")
    assert "sub-agent message (2×)" in got.reasons
    assert "program message (2×)" in got.reasons
    assert not any("Caveat" in text or "continued" in text for texts in got.texts for text in texts)


def test_lines_of_an_earlier_session_stay_with_it(read, as_lines):
    old = line("a", "user", None, "old"), line("b", "assistant", "a", "yes")
    alone = read(as_lines(*old))
    both = read(as_lines(*old, line("c", "user", "b", "new", sessionId="t")))
    assert both.texts == [["old", "yes"], ["new"]]
    assert both.ids[0] == alone.ids[0]


def test_lines_in_any_order_with_unknown_parents_and_circles_hang_together(read, as_lines):
    got = read(as_lines(
        line("b", "assistant", "a", "answer"),
        line("a", "user", None, "question"),
        line("a", "user", None, "again the same uuid"),
        line("c", "assistant", "gone", "goes on"),
        line("x", "user", "y", "circle"),
        line("y", "assistant", "x", "circle too"),
    ))  # fmt: skip
    assert "circle of messages, cut open" in got.reasons
    assert "repeated line" in got.reasons
    assert {text for texts in got.texts for text in texts} == {
        "answer", "circle", "circle too", "goes on", "question"}  # fmt: skip


def test_results_of_unknown_calls_and_odd_blocks_are_kept_or_told(read, as_lines):
    odd = {"type": "video", "url": "v"}
    got = read(as_lines(
        line("a", "user", None, "q"),
        line("b", "user", "a", [{"type": "tool_result", "tool_use_id": "none", "content": "r"}]),
        line("c", "assistant", "b", ["words", odd, 7, {"type": "redacted_thinking", "data": "x"}]),
        line("d", "assistant", "c", None),
    ))  # fmt: skip
    (conversation,) = got.conversations
    (exchange,) = conversation.exchanges
    assert exchange.messages[1].parts == (ToolResult("none", "", "r"),)
    (unread,) = [item for item in got.unread if "video" in item.reason]
    assert json.loads(unread.raw) == odd


def test_a_longer_session_file_only_adds(read, fixtures, as_lines):
    data = (fixtures / "claude-code.jsonl").read_bytes().splitlines(keepends=True)
    for cut in range(8, len(data)):
        shorter = read(b"".join(data[:cut]))
        finished = [i for c in shorter.conversations for i in [e.id for e in c.exchanges][:-1]]
        assert set(finished) <= set(read(b"".join(data)).ids)


def test_items_keep_tools_times_and_models_and_a_turn_taken_back_is_a_branch(read, fixtures):
    (conversation,) = read(fixtures / "codex.jsonl").conversations
    tulips, roses, lilies = conversation.exchanges
    assert roses.parent == lilies.parent == tulips.id
    assert (tulips.model, lilies.model) == ("gpt-5-codex", "gpt-5.1")
    assert tulips.messages[2].parts[0] == ToolCall(
        "call_1", "shell", '{"command":["wc","tulips.txt"]}'
    )
    assert tulips.messages[3].parts[0].call_id == "call_1"
    assert lilies.state is ExchangeState.INCOMPLETE
    assert conversation.session.head == lilies.messages[-1].id
    assert str(tulips.at) == "2026-02-01 09:00:04+00:00"


def test_a_session_of_before_september_2025_is_read(read, fixtures):
    (conversation,) = read(fixtures / "codex-bare.jsonl").conversations
    (exchange,) = conversation.exchanges
    assert exchange.messages[3].parts == (ToolResult("call_9", "", "koi", failed=True),)
    assert exchange.answer.text == "There is a koi."
    assert str(exchange.at) == "2025-08-18 01:16:13.522000+00:00"


def test_a_session_without_items_is_read_from_its_events(read, as_lines):
    item = {"type": "AgentMessage", "content": [{"type": "Text", "text": "yes"}]}
    got = read(as_lines(
        wrapped("session_meta", {"id": "p", "history_mode": "paginated"}),
        wrapped("event_msg", {"type": "user_message", "message": "hello?"}, 1),
        wrapped("event_msg", {"type": "item_completed", "item": item}, 2),
    ))  # fmt: skip
    assert got.texts == [["hello?", "yes"]]


def test_a_fork_keeps_its_own_name_and_a_sub_agent_is_left_out(read, as_lines):
    fork = [wrapped("session_meta", {"id": name}) for name in ("child", "parent")]
    got = read(as_lines(*fork, said("user", "q")))
    assert got.conversations[0].session.foreign_id == "child"
    agent = wrapped("session_meta", {"id": "x", "source": {"subagent": {"thread_spawn": {}}}})
    got = read(as_lines(agent, said("user", "do it"), said("assistant", "done")))
    assert not got.conversations
    assert got.reasons == ["sub-agent message (2×)"]


def test_a_session_of_nobody_says_so(read, as_lines):
    got = read(as_lines(wrapped("session_meta", {"id": "n"}), wrapped("turn_context", {})))
    assert got.reasons == ["empty conversation"]


def test_requests_with_their_answers(read, fixtures):
    got = read(fixtures / "openai-requests.jsonl")
    batch, joke, key, hello = got.conversations
    assert batch.exchanges[-1].state is ExchangeState.UNANSWERED
    shown = next(e for e in joke.exchanges if e.messages[-1].id == joke.session.head)
    assert shown.answer.text == "The first joke."
    assert key.session.foreign_id == "resp_3"
    assert [m.role for m in key.exchanges[0].messages][-3:] == [
        Role.ASSISTANT, Role.TOOL, Role.ASSISTANT]  # fmt: skip
    assert {e.answer.text for e in hello.exchanges} == {"Hello!", "Yo."}
    (told,) = [item for item in got.unread if "batch's output" in item.reason]
    assert b"chatcmpl-1" in told.raw


def test_lines_for_fine_tuning_are_conversations_of_their_own(read, as_lines):
    ask = {"role": "user", "content": "sum"}
    old = {"role": "assistant", "function_call": {"name": "add", "arguments": "{}"}}
    got = read(as_lines(
        {"messages": [ask, {"role": "assistant", "content": "a"}]},
        {"messages": [ask, old, {"role": "function", "name": "add", "content": "3"}]},
        {"messages": [ask, {"role": "assistant", "content": "a"}]},
    ))  # fmt: skip
    assert (len(got.conversations), len(set(got.ids))) == (3, 3)
    assert len({c.session.id for c in got.conversations}) == 3
    calls = got.conversations[1].exchanges[0].messages
    assert (calls[1].parts, calls[2].parts) == (
        (ToolCall("add", "add", "{}"),), (ToolResult("add", "add", "3"),))  # fmt: skip


def test_items_of_the_responses_api_a_line_each(read, as_lines):
    got = read(as_lines(
        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "q"}]},
        {"type": "function_call", "call_id": "c", "name": "f", "arguments": "{}"},
        {"type": "function_call_output", "call_id": "c", "output": "r"},
        {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "a"}]},
    ))  # fmt: skip
    (exchange,) = got.conversations[0].exchanges
    assert [m.role.value for m in exchange.messages] == ["user", "assistant", "tool", "assistant"]
