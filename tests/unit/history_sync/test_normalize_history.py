"""The normal form of messages."""

import pytest
from tests.unit.history_sync.hand import call, result, said, user

from unabridged.domain.message import Reasoning, Role, Text, ToolCall, ToolResult
from unabridged.history_sync.import_new import behind, renamed
from unabridged.history_sync.normalize_history import (
    atoms,
    begins,
    digest_of,
    halves,
    parted,
    plain_words,
    without_reasoning,
)
from unabridged.wire.incoming_message import IncomingMessage


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("<think>a</think>b", "b"),
        ("<THINK>a</think>b", "b"),
        ("x<thinking>a</thinking>b<reasoning>c</reasoning>d", "xbd"),
        ("<think>a<think>b</think>c", "c"),
        ("<think>a <b>bold</b>", ""),
        ("  \n<think>never closed", ""),
        ("said <think>never closed", "said <think>never closed"),
        ("a</think>b", "b"),
        ("<think>a</think>b</think>c", "b</think>c"),
        ("a</details>b", "a</details>b"),
        ('<details type="reasoning" done="true" duration="3">\n> a\n</details>\nb', "\nb"),
        ('<details type="tool_calls" id="1">x</details>b', "b"),
        ("<details open>x</details>b", "<details open>x</details>b"),
        ("<think></think>", ""),
        ("a < b and <thinker>", "a < b and <thinker>"),
    ],
)
def test_reasoning_is_left_away(text, left):
    assert without_reasoning(text) == left


def test_a_hostile_answer_takes_no_long_time():
    for text in ("<think>" * 200_000, "</think>" * 200_000, "<details " * 200_000):
        assert len(without_reasoning(text)) <= len(text)


def test_only_an_assistant_reasons():
    assert plain_words("<think>a</think>b", Role.USER) == "<think>a</think>b"
    assert plain_words(" a\r\nb\rc ", Role.USER) == "a\nb\nc"


def test_the_ids_and_the_form_of_calls_are_of_no_account():
    one = list(atoms([call("f", '{"b": 1, "a": "\u00e9"}', "1"), result("x", "1")]))
    two = list(atoms([call("f", '{"a":"\\u00e9","b":1}', "2"), result("x ", "2", name="")]))
    assert one == two
    assert list(atoms([call("f", "")])) == list(atoms([call("f", "{}")]))
    assert list(atoms([call("f", "no json")])) != list(atoms([call("f", "{}")]))
    deep = "[" * 100_000
    assert list(atoms([call("f", deep)]))


def test_how_pieces_are_grouped_is_of_no_account():
    both = IncomingMessage(
        Role.ASSISTANT, (Reasoning("hm"), Text("Look."), ToolCall("1", "f", "{}"))
    )
    assert list(atoms([both])) == list(atoms([said("Look."), call("f")]))
    results = IncomingMessage(Role.TOOL, (ToolResult("1", "f", "x"), ToolResult("2", "f", "y")))
    assert list(atoms([results])) == list(atoms([result("x"), result("y")]))


def test_pieces_cannot_run_into_each_other():
    assert digest_of([("user", "ab"), ("user", "c")]) != digest_of([("user", "a"), ("user", "bc")])
    assert digest_of([("user", "a")]) != digest_of([("assistant", "a")])
    assert digest_of([("user", "a\x1fuser\x1e1")]) != digest_of([("user", "a"), ("user", "1")])
    assert digest_of([("user", "\ud800")]) != digest_of([("user", "?")])


def test_a_list_is_parted_at_user_messages():
    drafts = [
        IncomingMessage(Role.SYSTEM, (Text("s"),)),
        said("0"),
        user("1"),
        said("a"),
        said("b"),
        user("2"),
    ]
    parts = parted(drafts)
    assert [part.user and part.user.text for part in parts] == [None, "1", "2"]
    assert [len(part.rest) for part in parts] == [1, 2, 0]
    (cut,) = halves(parts[1])
    assert [len(half.rest) for half in cut] == [1, 1]
    assert list(halves(parts[2])) == list(halves(parts[0])) == []
    (loop,) = parted([user("1"), call("f"), result("x"), said("a"), said("b")])
    assert [len(one.rest) for one, _ in halves(loop)] == [3, 1, 2]


def test_what_broke_off_begins_what_is_whole():
    whole = list(atoms([said("one"), call("f"), said("two and three")]))
    assert begins([], whole)
    assert begins(whole[:2], whole)
    assert begins([*whole[:2], ("assistant", "two an")], whole)
    assert begins([("assistant", "on")], whole)
    assert not begins([("assistant", "on"), whole[1]], whole)
    assert not begins([*whole, ("assistant", "more")], whole)
    assert not begins([whole[0], ("call", "f")], whole)


def test_what_stands_behind_stored_pieces():
    rounds = [call("f", "{}", "1"), result("x", "1"), said("so")]
    assert behind(rounds, 0) == rounds
    assert behind(rounds, 2) == rounds[2:]
    both = IncomingMessage(Role.TOOL, (ToolResult("1", "f", "x"), ToolResult("2", "f", "y")))
    assert behind([both], 1) == [IncomingMessage(Role.TOOL, both.parts[1:])]
    (named,) = renamed([rounds[1]], rounds[0].calls, call("f", "{}", "up").calls)
    assert named.parts[0].call_id == "up"
