"""Memory's edits of a client's list: all else are the same objects, in the same order."""

import pytest
from hypothesis import given, strategies as st

from unabridged.domain.client_history import RequestEdits
from unabridged.domain.message import Image, Message, Reasoning, Role, Text, ToolResult
from unabridged.testing.clock import ManualClock
from unabridged.wire import ollama, openai
from unabridged.wire.edit_messages import edited_items, edited_messages, item_with

AT = ManualClock().now()
CONTENT = st.one_of(
    st.text(),
    st.none(),
    st.lists(st.fixed_dictionaries({"type": st.just("text"), "text": st.text()}), max_size=3),
)
ITEMS = st.lists(
    st.fixed_dictionaries(
        {"role": st.sampled_from(["system", "user", "assistant", "tool"]), "content": CONTENT},
        optional={
            "reasoning_content": st.text(),
            "name": st.text(),
            "cache_control": st.just({"type": "ephemeral"}),
        },
    ),
    min_size=1,
    max_size=8,
)


def all_text(item):
    content = item["content"]
    if isinstance(content, list):
        return "".join(part["text"] for part in content)
    return content or ""


@given(items=ITEMS, draw=st.data())
def test_nothing_changes_but_what_is_named(items, draw):
    places = st.sets(st.integers(0, len(items) - 1))
    after = {place: f"<after {place}>" for place in draw.draw(places)}
    before = {place: f"<before {place}>" for place in draw.draw(places)}
    gone = draw.draw(places)
    newest = draw.draw(st.integers(0, len(items) - 1))
    shown = (Message("1", Role.USER, (Text("shown before"),), AT),)
    inserted = draw.draw(st.sampled_from([(), shown]))
    edits = RequestEdits(after, before, frozenset(gone), inserted=inserted, newest=newest)
    asked = [dict(item) for item in items]
    made = edited_items(items, edits, openai.messages)
    assert items == asked, "the client's own list is not touched"
    places = [n for n in range(len(items)) if n not in gone]
    if inserted:
        at = sum(place < newest for place in places)
        assert made.pop(at) == {"role": "user", "content": "shown before"}
    for place, item in zip(places, made, strict=True):
        one = items[place]
        if place not in after and place not in before:
            assert item is one
            continue
        assert {**item, "content": None} == {**one, "content": None}
        assert list(item) == list(one)
        text, own = all_text(item), all_text(one)
        assert text.startswith(before.get(place, ""))
        assert text.endswith(after.get(place, ""))
        assert own in text


def test_a_block_is_the_last_part_and_takes_no_breakpoint():
    marked = {"type": "text", "text": "Hello", "cache_control": {"type": "ephemeral"}}
    item = {"role": "user", "content": [marked, {"type": "image_url", "image_url": {"url": "x"}}]}
    made = item_with(item, "before", "after")
    assert made["content"] == [
        {"type": "text", "text": "before"},
        *item["content"],
        {"type": "text", "text": "after"},
    ]
    assert made["content"][1] is marked
    assert item_with({"role": "user", "content": []}, "", "after", "input_text")["content"] == [
        {"type": "input_text", "text": "after"}
    ]


def test_words_are_parted_by_an_empty_line():
    assert item_with({"role": "user", "content": "Hello"}, "before", "after")["content"] == (
        "before\n\nHello\n\nafter"
    )
    assert item_with({"role": "user"}, "", "after") == {"role": "user", "content": "after"}


@pytest.mark.parametrize("dialect", [ollama, openai])
def test_typed_messages_are_edited_alike_and_lose_no_part(dialect):
    parts = (Text("see"), Image("data:image/png;base64,AAAA"))
    said = [
        Message("1", Role.USER, (Text("old"),), AT, tokens=3, tokenizer="t"),
        Message("2", Role.ASSISTANT, (Reasoning("hm"), Text("answer")), AT),
        Message("3", Role.TOOL, (ToolResult("c", "look", "blue"),), AT),
        Message("4", Role.USER, parts, AT),
    ]
    edits = RequestEdits({0: "A", 3: "B"}, {0: "C"}, frozenset({1}), newest=3)
    made = edited_messages(said, edits)
    assert [m.id for m in made] == ["1", "3", "4"]
    assert made[0].parts == (Text("C"), Text("old"), Text("A"))
    assert made[0].tokens is None, "its tokens are counted again"
    assert made[1] is said[2]
    assert made[2].parts == (*parts, Text("B"))
    assert [wire["role"] for wire in dialect.messages(made)] == ["user", "tool", "user"]
