import json
from datetime import UTC, datetime

import pytest

from unabridged.domain.exchange import ExchangeState
from unabridged.domain.message import Image, Reasoning, Role, Text, ToolCall, ToolResult

HELLO = {"role": "user", "content": "hello", "time": "2025-01-01T10:00:00Z", "session": "s"}
HI = {"role": "assistant", "content": "hi", "time": 1735725610, "session": "s", "model": "m1"}


def test_a_message_a_line_becomes_a_whole_exchange(read, as_lines):
    got = read(as_lines(HELLO, HI))
    (conversation,) = got.conversations
    (exchange,) = conversation.exchanges
    user, answer = exchange.messages
    assert (got.format, got.unread) == ("jsonl", [])
    assert exchange.state is ExchangeState.COMPLETE
    assert (exchange.model, exchange.at) == ("m1", datetime(2025, 1, 1, 10, tzinfo=UTC))
    assert answer.at == datetime(2025, 1, 1, 10, 0, 10, tzinfo=UTC)
    assert (user.parent, answer.parent) == (None, user.id)
    assert conversation.session.head == answer.id
    assert (conversation.session.title, conversation.session.foreign_id) == ("hello", "s")
    assert conversation.session.source == "jsonl"


def test_ids_are_ulids_of_the_message_dates(read, as_lines):
    (exchange,) = read(as_lines(HELLO, HI)).conversations[0].exchanges
    alphabet = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
    for message in exchange.messages:
        number = 0
        for char in message.id:
            number = number * 32 + alphabet.index(char)
        assert len(message.id) == 26
        assert number >> 80 == int(message.at.timestamp() * 1000)


def test_a_longer_file_adds_only_what_is_new(read, as_lines):
    more = [{"role": "user", "content": "again"}, {"role": "assistant", "content": "yes"}]
    more = [{**each, "session": "s"} for each in more]
    short, long = read(as_lines(HELLO, HI)), read(as_lines(HELLO, HI, *more))
    assert long.ids[:1] == short.ids
    assert len(long.ids) == 2
    assert long.conversations[0].session.id == short.conversations[0].session.id


def test_an_answer_that_came_later_is_not_lost(read, as_lines):
    short, long = read(as_lines(HELLO)), read(as_lines(HELLO, HI))
    assert short.ids != long.ids
    first, later = short.conversations[0].exchanges[0], long.conversations[0].exchanges[0]
    assert first.state is ExchangeState.UNANSWERED
    assert first.user == later.user


def test_sessions_may_lie_anywhere_in_the_file(read, as_lines):
    other = {**HELLO, "session": 7, "content": "other"}
    got = read(as_lines(HELLO, other, HI))
    assert got.texts == [["hello", "hi"], ["other"]]
    assert got.conversations[1].session.foreign_id == "7"


def test_without_a_session_the_file_is_one(read, as_lines):
    lines = [{k: v for k, v in each.items() if k != "session"} for each in (HELLO, HI, HELLO)]
    got = read(as_lines(*lines))
    assert [len(c.exchanges) for c in got.conversations] == [2]
    first, second = got.conversations[0].exchanges
    assert second.parent == first.id
    assert second.user.parent == first.messages[-1].id
    assert first.user.id != second.user.id


def test_missing_times_follow_the_one_before(read, as_lines):
    got = read(as_lines(HELLO, {"role": "assistant", "content": "hi", "session": "s"}))
    assert got.conversations[0].exchanges[0].messages[1].at.second == 1


def test_no_time_at_all_is_never_the_clock(read, as_lines):
    got = read(as_lines({"role": "user", "content": "hello"}))
    assert got.conversations[0].exchanges[0].at == datetime(1970, 1, 1, tzinfo=UTC)


@pytest.mark.parametrize("time", ["yesterday", True, 1e300, [], "0000-00-00", 1e25])
def test_a_time_that_cannot_be_read_loses_no_message(read, as_lines, time):
    got = read(as_lines(HELLO, {**HI, "time": time}))
    assert got.texts == [["hello", "hi"]]
    assert len(got.unread) == 1
    assert "time" in got.reasons[0]


@pytest.mark.parametrize(
    "time",
    ["2025-01-01T10:00:00Z", "2025-01-01T11:00:00+01:00", "2025-01-01 10:00", "1735725600",
     1735725600, 1735725600.0, 1735725600_000, 1735725600_000_000, "2025/01/01 (Wed) 10:00"],
)  # fmt: skip
def test_times_are_read_in_every_known_form(read, as_lines, time):
    got = read(as_lines({**HELLO, "time": time}))
    assert got.conversations[0].exchanges[0].at == datetime(2025, 1, 1, 10, tzinfo=UTC)


def test_bad_lines_are_told_with_their_number_and_the_rest_goes_on(read, as_lines):
    data = as_lines(HELLO) + b'{"role": "user", "con\n\n[1]\n\xff\xfe{}\n' + as_lines(HI)
    got = read(data)
    assert got.texts == [["hello", "hi"]]
    assert [item.where for item in got.unread] == ["line 2", "line 4", "line 5"]


def test_system_messages_are_counted_and_recorded_nowhere(read, as_lines):
    got = read(as_lines({"role": "system", "content": "be nice"}, HELLO, HI))
    assert got.texts == [["hello", "hi"]]
    assert got.reasons == ["system message"]


def test_an_answer_before_any_question_is_told(read, as_lines):
    got = read(as_lines(HI, HELLO, HI))
    assert got.texts == [["hello", "hi"]]
    assert [item.where for item in got.unread] == ["line 1"]


def test_answers_in_a_row_belong_to_the_question_before(read, as_lines):
    got = read(as_lines(HELLO, HI, {**HI, "content": "and you?"}))
    assert [len(e.messages) for e in got.conversations[0].exchanges] == [3]


def test_questions_in_a_row_are_unanswered_exchanges(read, as_lines):
    got = read(as_lines(HELLO, {**HELLO, "content": "hello?"}, HI))
    states = [e.state for e in got.conversations[0].exchanges]
    assert states == [ExchangeState.UNANSWERED, ExchangeState.COMPLETE]


def test_parts_tools_and_reasoning_are_kept(read, as_lines):
    image = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AA"}}
    call = {"id": "c1", "type": "function", "function": {"name": "add", "arguments": '{"a": 1}'}}
    got = read(as_lines(
        {"role": "user", "content": [{"type": "text", "text": "add"}, image]},
        {"role": "assistant", "content": None, "tool_calls": [call], "reasoning_content": "hm"},
        {"role": "tool", "tool_call_id": "c1", "name": "add", "content": "2"},
        {"role": "assistant", "content": "two"},
    ))  # fmt: skip
    (exchange,) = got.conversations[0].exchanges
    assert [m.role for m in exchange.messages] == [
        Role.USER, Role.ASSISTANT, Role.TOOL, Role.ASSISTANT]  # fmt: skip
    assert exchange.messages[0].parts == (Text("add"), Image("data:image/png;base64,AA"))
    assert exchange.messages[1].parts == (Reasoning("hm"), ToolCall("c1", "add", '{"a": 1}'))
    assert exchange.messages[2].parts == (ToolResult("c1", "add", "2"),)
    assert exchange.mode == "tools"


def test_a_line_of_messages_is_a_session(read, as_lines):
    plain = [{"role": "user", "content": "a"}, {"role": "assistant", "content": "b"}]
    got = read(as_lines({"messages": plain}, {"messages": plain}))
    assert got.texts == [["a", "b"], ["a", "b"]]
    assert len(set(got.ids)) == 2


def test_an_array_of_messages_is_read_too(read):
    got = read(json.dumps([HELLO, HI], indent=2))
    assert got.texts == [["hello", "hi"]]


def test_an_id_that_comes_twice_adds_nothing_and_new_words_are_kept(read, as_lines):
    got = read(as_lines({**HELLO, "id": "1"}, {**HELLO, "id": "1"}, {**HI, "id": "1"}))
    assert got.texts == [["hello", "hi"]]
    assert got.reasons == ["repeated message"]


def test_half_a_character_is_replaced_and_nul_is_kept(read):
    got = read(b'{"role": "user", "content": "a\\ud83d b\\u0000c"}\r\n')
    assert got.texts == [["a\ufffd b\0c"]]
    assert "U+FFFD" in got.reasons[0]


def test_a_mark_at_the_beginning_and_windows_line_ends_do_no_harm(read, as_lines):
    got = read(b"\xef\xbb\xbf" + as_lines(HELLO, HI).replace(b"\n", b"\r\n"))
    assert (got.texts, got.unread) == ([["hello", "hi"]], [])
