from datetime import UTC, datetime

from unabridged.domain.message import Role, Text
from unabridged.transfer.build_conversation import (
    ImportOrigin,
    RawMessage,
    build_transcript,
    in_order,
)
from unabridged.transfer.ids import derived_id

AT = datetime(2025, 1, 1, tzinfo=UTC)


def loose(key, parent=None):
    role = Role.USER if key.startswith("u") else Role.ASSISTANT
    return RawMessage(key, role, (Text(key),), parent, AT)


def woven(*messages, current=None):
    conversation = build_transcript(
        ImportOrigin("test", "c", current=current), messages
    ).conversation
    head = [e for e in conversation.exchanges if e.messages[-1].id == conversation.session.head]
    by_text = {e.text.replace("\n", " "): e for e in conversation.exchanges}
    return by_text, head[0].text.replace("\n", " ")


def test_a_question_in_the_middle_of_an_answer_hangs_on_what_was_said_till_then():
    exchanges, _ = woven(loose("u1"), loose("a1", "u1"), loose("a2", "a1"), loose("u2", "a1"))
    assert set(exchanges) == {"u1 a1", "u1 a1 a2", "u2"}
    assert exchanges["u2"].parent == exchanges["u1 a1"].id
    assert exchanges["u2"].user.parent == exchanges["u1 a1"].messages[-1].id


def test_the_head_lies_on_the_path_that_was_shown_last():
    tree = (loose("u1"), loose("a1", "u1"), loose("a2", "a1"), loose("b1", "u1"), loose("b2", "b1"))
    assert woven(*tree, current="a2")[1] == "u1 a1 a2"
    assert woven(*tree, current="a1")[1] == "u1 a1 a2"
    assert woven(*tree, current="b1")[1] == "u1 b1 b2"
    assert woven(*tree)[1] == "u1 b1 b2"


def test_where_one_seed_ends_and_the_next_begins_counts():
    assert derived_id(AT, "ab", "c") != derived_id(AT, "a", "bc")


def test_parents_come_first_and_circles_are_counted():
    assert in_order({"c": "b", "b": "a", "a": None}) == (["a", "b", "c"], 0)
    order, circles = in_order({"a": "b", "b": "a", "x": "x", "r": "missing"})
    assert (sorted(order), circles) == (["a", "b", "r", "x"], 2)
