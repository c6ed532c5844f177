"""What each part of a message costs, token by token, and what is counted once."""

import json
from collections import Counter as Multiset
from datetime import UTC, datetime
from types import MappingProxyType

import pytest

from unabridged.budget.calibration import IMAGE, TEMPLATE, Calibration
from unabridged.budget.count import Counter, tool_text
from unabridged.domain.chat import ToolSpec
from unabridged.domain.message import (
    Foreign,
    Image,
    Message,
    Reasoning,
    Role,
    Text,
    ToolCall,
    ToolResult,
)  # fmt: skip

AT = datetime(2026, 1, 1, tzinfo=UTC)
IMAGE_COST, CALL_COST = 1_105, 12


class Letters:
    """A tokenizer that takes a token for each character, and notes what it is asked."""

    identity, exact = "letters", False

    def __init__(self):
        self.asked = []

    def count(self, text):
        self.asked.append(text)
        return len(text)

    def by_script(self, text):
        return dict(Multiset("digits" if c.isdigit() else "latin" for c in text))


def message(*parts, **fields):
    return Message("m", Role.USER, parts, AT, **fields)


CALL, RESULT = ToolCall("1", "now", '{"a": 1}'), ToolResult("1", "now", "noon")
FILE, NOTE = Foreign("file", "f" * 16_385), Foreign("file", "f" * 16_384)
COSTS = [
    (Text("abc"), 3),
    (Text(""), 0),
    (CALL, len('now {"a": 1}') + CALL_COST),
    (RESULT, len("now noon") + CALL_COST),
    (Image("data:image/png;base64,AAAA"), IMAGE_COST),
    (Reasoning("hm hm"), 0),
    (FILE, IMAGE_COST),
    (NOTE, 16_384),
]


@pytest.mark.parametrize(("part", "cost"), COSTS)
def test_a_part_costs_its_words_and_what_is_around_them(part, cost):
    counter = Counter(Letters())
    assert counter.parts(message(part)) == cost
    assert counter.plain(message(part, tokens=7, tokenizer="letters")) == cost
    assert counter.message(message(part)) == cost + 5
    assert counter.sent(message(part)) == cost + 5 + (5 if isinstance(part, Reasoning) else 0)
    assert counter.message(message(part, Text("ab"))) == cost + 2 + 5
    assert counter.opening() == 3
    assert counter.text("") == 0


def test_an_empty_text_is_not_counted():
    letters = Letters()
    assert Counter(letters).plain(message(Text(""))) == 0
    assert Counter(letters).text("") == 0
    assert letters.asked == []


def test_counts_by_class_are_those_of_the_parts_with_reasoning():
    counter = Counter(Letters())
    tool = ToolSpec("now", "", {})
    both = [message(Text("ab1"), Reasoning("hm"), RESULT), message(Image("x"), FILE)]
    letters, digits = len("abhmnow noon"), 1
    assert counter.by_script(both) == {
        TEMPLATE: 3 + 2 * 5 + CALL_COST, IMAGE: 2 * IMAGE_COST, "latin": letters, "digits": digits,
    }  # fmt: skip
    with_tool = counter.by_script(both, [tool])
    assert with_tool[TEMPLATE] == 3 + 2 * 5 + 2 * CALL_COST
    assert with_tool["latin"] == letters + len(tool_text(tool))
    assert all(type(found) in (int, float) for found in with_tool.values())
    assert counter.by_script([]) == {TEMPLATE: 3}
    assert type(counter.by_script([])[TEMPLATE]) is float
    assert counter.tool(tool) == len(tool_text(tool)) + CALL_COST


def test_learned_ratios_are_for_words_images_and_template():
    ratios = {"latin": 1.25, TEMPLATE: 1.3, IMAGE: 0.5, "digits": 0.1}
    learned = Calibration(
        "letters", ratios=ratios, reports=1, covariance={"digits": {"digits": 0.0}}
    )
    counter = Counter(Letters(), learned)
    assert counter.text("abcd") == 5
    assert counter.text("1") == 1, "no text costs nothing"
    assert counter.message(message(Image("x"))) == 553 + 7
    assert counter.opening() == 4
    assert counter.parts(message(Text("abcd"), tokens=4, tokenizer="letters")) == 5


def test_a_message_is_counted_once_and_others_apart():
    letters = Letters()
    counter = Counter(letters)
    for _ in range(2):
        assert counter.parts(message(Text("ab"))) == 2
    assert letters.asked == ["ab"]
    alike = [
        (Text("ab"), Text("")), (Text("a"), Text("b")), (Text("ab"),), (Foreign("x", "ab"), Text("c")),
        (ToolCall("1", "a", "b"),), (Text("a b"),), (Image("x"),), (Text("\ud800"),), (Text("\udc00"),),
        (Text("a"), Text("0 1 b")), (Text("a template 0 1 b"),),
    ]  # fmt: skip
    fresh = [Counter(Letters()).parts(message(*parts)) for parts in alike]
    assert [counter.parts(message(*parts)) for parts in alike] == fresh


def test_no_more_counts_are_held_than_8192():
    letters = Letters()
    counter = Counter(letters)
    for number in range(8_192):
        counter.parts(message(Text(str(number))))
    letters.asked.clear()
    counter.parts(message(Text("0")))
    assert letters.asked == []
    counter.parts(message(Text("one more")))
    counter.parts(message(Text("0")))
    assert letters.asked == ["one more", "0"]


def test_a_tool_is_counted_as_the_json_of_its_definition():
    parameters = MappingProxyType({"type": "object", "properties": MappingProxyType({"a": 1})})
    function = {"name": "now", "description": "The time.", "parameters": json.loads(
        '{"type": "object", "properties": {"a": 1}}'
    )}  # fmt: skip
    spec = ToolSpec("now", "The time.", parameters)
    assert tool_text(spec) == json.dumps({"type": "function", "function": function})
    given = ToolSpec("x", "", {}, MappingProxyType({"type": "web", "more": MappingProxyType({})}))
    assert tool_text(given) == '{"type": "web", "more": {}}'
