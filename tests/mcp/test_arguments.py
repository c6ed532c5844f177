"""Arguments that clients get wrong: each is refused with the parameter, the fault and a hint."""

import pytest
from tests.mcp.http import Running
from tests.mcp.talking import called, refused

WRONG = [
    ("search", {}, "missing required field `query`"),
    ("search", {"query": None}, "query: Expected `str`, got `null`"),
    ("search", {"query": " "}, "query: It must not be empty"),
    ("search", {"query": 12}, "query: Expected `str`, got `int`"),
    ("search", {"query": ["a"]}, "query: Expected `str`, got `array`"),
    ("search", {"query": "a", "limit": 1001}, "limit: Expected `int` <= 1000"),
    ("search", {"query": "a", "limit": "many"}, "limit: Expected `int`, got `str`"),
    ("search", {"query": "a", "limit": 1.5}, "limit: Expected `int`, got `float`"),
    ("search", {"query": "a", "colour": "red"}, "unknown field `colour`. `search` takes `query`"),
    ("search", {"query": "a", "since": "yesterday"}, "since: Expected `str` matching regex"),
    ("search", {"query": "a", "since": "2026-02-31"}, "'2026-02-31' is not a date or time"),
    ("search", {"query": "a", "session": "nowhere"}, "There is no session 'nowhere'"),
    ("search", {"query": "a", "exact": "perhaps"}, "exact: Expected `bool`, got `str`"),
    ("recent", {"session": "nowhere"}, "There is no session 'nowhere'"),
    ("sessions", {"cursor": "nowhere"}, "not a cursor of this list"),
    ("expand", {"condensation": "nowhere"}, "nowhere"),
    ("prepare", {"message": ""}, "message"),
    ("prepare", {"message": "a", "begin": True}, "unknown field `begin`"),
    ("record", {"user": "a"}, "missing required field `assistant`"),
    ("record", {"user": "a", "assistant": "b", "session": "nowhere"}, "There is no session"),
    ("record", {"user": "a", "assistant": "b", "title": "t" * 1001}, "title: Expected `str` of"),
    ("list_facts", {"state": "any"}, "state: Invalid enum value 'any'"),
    ("correct_fact", {}, "missing required field `action`"),
    ("correct_fact", {"action": "sing"}, "action: Invalid enum value 'sing'"),
    ("correct_fact", {"action": "add"}, "`add` needs `text`"),
    ("correct_fact", {"action": "add", "text": " ", "fact": None}, "`add` needs `text`"),
    ("correct_fact", {"action": "add", "text": "a", "fact": "b"}, "`add` does not take `fact`"),
    ("correct_fact", {"action": "correct", "fact": "b"}, "`correct` needs `text` or `value`"),
    ("correct_fact", {"action": "pin"}, "`pin` needs `fact`"),
    ("correct_fact", {"action": "pin", "fact": "nowhere"}, "nowhere"),
    ("forget", {}, "Nothing to forget was named"),
    ("forget", {"exchanges": ["nowhere"]}, "nowhere"),
    ("forget", {"exchanges": "nowhere"}, "exchanges: Expected `array`, got `str`"),
    ("forget", {"exchanges": [[]]}, "exchanges[0]: Expected `str`, got `array`"),
    ("forget", {"session": "nowhere"}, "There is no session 'nowhere'"),
    ("forget", {"search": "a", "everything": True}, "unknown field `everything`"),
    ("receipts", {"limit": 0}, "limit: Expected `int` >= 1"),
    ("receipts", {"limit": "[" * 100_000}, "limit: Expected `int`, got `str`"),
]


@pytest.mark.parametrize("mode", ["legacy", "auto"])
def test_what_is_wrong_is_named_over_http(home, mode):
    async def talk(client):
        said = [await refused(client, tool, **given) for tool, given, _ in WRONG]
        assert not (await called(client, "sessions"))["sessions"]
        return said

    with Running(home) as server:
        said = server.talk(talk, mode=mode)
    for (tool, given, expected), text in zip(WRONG, said, strict=True):
        assert expected in text, (tool, given, text)


def test_what_is_wrong_is_named_over_standard_input(stdio):
    async def talk(client):
        return [await refused(client, tool, **given) for tool, given, _ in WRONG]

    for (tool, given, expected), text in zip(WRONG, stdio(talk), strict=True):
        assert expected in text, (tool, given, text)
    assert "Traceback" not in stdio.log.read_text("utf-8")


def test_values_as_json_text_and_blank_ones_are_understood(home):
    async def talk(client):
        kept = await called(
            client, "record", user="The boat is red.", assistant=None, session="", title=None
        )
        assert kept["new_session"]
        found = await called(client, "search", query="boat", limit="1", exact="true", since=None)
        assert [one["state"] for one in found["exchanges"]] == ["unanswered"]
        named = await called(client, "recent", session="The boat is red.", limit="null")
        assert [one["id"] for one in named["exchanges"]] == [kept["exchange"]]
        planned = await called(client, "forget", exchanges=f'["{kept["exchange"]}"]')
        assert planned["exchanges"] == [kept["exchange"]]
        (topic,) = (await called(client, "topics"))["topics"]
        assert topic["exchanges"] == 1
        assert (await called(client, "receipts"))["items"] == []

    with Running(home) as server:
        server.talk(talk)
