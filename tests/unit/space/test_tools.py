from dataclasses import dataclass
from enum import Enum
from typing import Literal

import pytest

from unabridged.domain.message import ToolCall
from unabridged.errors import ToolError
from unabridged.space.tools import call_tool, tool_from


class Unit(Enum):
    C = "celsius"
    F = "fahrenheit"


@dataclass
class Place:
    city: str
    country: str = "DE"


def weather(place: Place, unit: Unit = Unit.C, days: int | None = None) -> dict:
    """Give the weather."""
    return {"city": place.city, "unit": unit.value, "days": days}


def shout(text: str, times: Literal[1, 2] = 1) -> str:
    return text.upper() * times


def test_hints_become_a_schema():
    spec = tool_from(shout).spec
    assert spec.name == "shout"
    assert spec.parameters["type"] == "object"
    assert spec.parameters["required"] == ["text"]
    assert spec.parameters["properties"]["text"] == {"type": "string"}
    assert spec.parameters["properties"]["times"]["enum"] == [1, 2]


def test_a_call_is_checked_and_run():
    tool = tool_from(weather)
    call = ToolCall("1", "weather", '{"place": {"city": "Bonn"}, "unit": "fahrenheit"}')
    result = call_tool([tool], call)
    assert result.text == '{"city":"Bonn","unit":"fahrenheit","days":null}'
    assert not result.failed


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (ToolCall("1", "shout", '{"text": 3}'), "do not fit"),
        (ToolCall("1", "shout", '{"text": "a", "volume": 11}'), "do not fit"),
        (ToolCall("1", "shout", "{not json"), "do not fit"),
        (ToolCall("1", "whisper", "{}"), "no tool"),
    ],
)
def test_a_wrong_call_becomes_a_result_that_says_so(call, said):
    result = call_tool([tool_from(shout)], call)
    assert result.failed
    assert said in result.text


def test_a_tool_that_fails_is_a_result_too():
    def broken() -> str:
        raise RuntimeError("no luck")

    result = call_tool([tool_from(broken)], ToolCall("1", "broken", "{}"))
    assert result.failed
    assert result.text == "RuntimeError: no luck"


def test_functions_that_cannot_be_tools_are_refused():
    def untyped(value):
        return value

    def starred(*values: int) -> int:
        return sum(values)

    for function in (untyped, starred, lambda: 1):
        with pytest.raises(ToolError) as error:
            tool_from(function)
        assert error.value.hint
