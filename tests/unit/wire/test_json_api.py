"""Our own JSON: the same values back, schemas that hold, errors that stay what they are."""

from datetime import UTC, datetime

import msgspec
import pytest

from unabridged.domain.exchange import Exchange, ExchangeState
from unabridged.domain.fact import Fact, Requirement
from unabridged.domain.forgetting import ForgetPlan
from unabridged.domain.message import (
    Image,
    Message,
    Reasoning,
    Role,
    Text,
    ToolCall,
    ToolResult,
)
from unabridged.domain.record import RecordKind
from unabridged.domain.results import ContextReport, SearchResult
from unabridged.errors import (
    HeadMovedError,
    NotFoundError,
    PromptTooLargeError,
    UnabridgedError,
    UpstreamRefusedError,
)
from unabridged.wire.json_api import Schemas, error_from, from_plain, problem_of, to_json, type_of

AT = datetime(2026, 5, 1, 12, 30, 1, 5, tzinfo=UTC)
PARTS = (
    Text("half \ud800 of a character"),
    Image("data:image/png;base64,AAAA"),
    ToolCall("1", "look", '{"a":1}'),
    ToolResult("1", "look", "seen", failed=True),
    ToolResult("1", "look", "seen"),
    Reasoning("hm"),
)
EXCHANGE = Exchange(
    id="e",
    session="s",
    parent=None,
    state=ExchangeState.OPEN,
    messages=(Message("m", Role.USER, PARTS, AT, tokens=3, tokenizer="t"),),
    at=AT,
)


@pytest.mark.parametrize(
    "value",
    [
        EXCHANGE,
        SearchResult(EXCHANGE, 0.5, "title"),
        Fact("f", "text", AT, pinned=True, disputed_by=("g",)),
        Requirement("REQ-1", "text", AT, satisfaction=3),
        ForgetPlan("p", AT, "exchanges", exchanges=(EXCHANGE,), condensed={"s": ("exchanges",)}),
    ],
    ids=lambda value: type(value).__name__,
)
def test_a_value_comes_back_as_it_was(value):
    import json

    assert from_plain(type(value), json.loads(to_json(value))) == value


def test_json_without_odd_characters_is_utf8():
    assert msgspec.json.decode(to_json({"a": "ä", "kind": RecordKind.FACT})) == {
        "a": "ä",
        "kind": "fact",
    }
    assert b"\\u00e4" not in to_json("ä")


@pytest.mark.parametrize(
    "data",
    [
        None,
        [],
        {},
        {"exchange": {}, "score": 1},
        {"exchange": None, "score": "x"},
        {"exchange": 3, "score": True},
    ],
)
def test_what_is_no_such_value_is_refused(data):
    with pytest.raises(ValueError, match=r"SearchResult|Exchange|content part"):
        from_plain(SearchResult, data)


def test_a_field_of_a_newer_version_is_passed_over():
    read = from_plain(Fact, {"id": "f", "text": "t", "since": AT.isoformat(), "newer": 1})
    assert read == Fact("f", "t", AT)


def test_schemas_name_every_field_with_its_description():
    schemas = Schemas()
    assert schemas.of(ContextReport) == {"$ref": "#/components/schemas/ContextReport"}
    ledger = schemas.named["Ledger"]
    assert ledger["properties"]["prefix_reuse"]["type"] == ["number", "null"]
    assert "add up" in ledger["properties"]["parts"]["description"]
    assert schemas.named["LedgerRow"]["properties"]["tier"]["anyOf"][1] == {"type": "null"}
    assert set(ledger["required"]) == set(ledger["properties"])
    undescribed = [
        f"{name}.{field}"
        for name, schema in schemas.named.items()
        for field, each in schema.get("properties", {}).items()
        if "description" not in each and name != "Usage"  # told in its own words
    ]
    assert undescribed == []


def _kinds(root):
    yield root
    for kind in root.__subclasses__():
        yield from _kinds(kind)


def test_every_error_has_a_type_of_its_own():
    types = [type_of(kind) for kind in _kinds(UnabridgedError)]
    assert len(set(types)) == len(types)
    assert type_of(NotFoundError) == "urn:unabridged:not-found"


@pytest.mark.parametrize(
    "error",
    [
        NotFoundError("nothing", hint="look"),
        PromptTooLargeError(20, 10, hint="less"),
        HeadMovedError("s", None, "m"),
        UpstreamRefusedError("no", status=418),
    ],
    ids=lambda error: type(error).__name__,
)
def test_an_error_comes_back_as_it_was(error):
    back = error_from(problem_of(error, 400))
    assert type(back) is type(error)
    assert (str(back), back.hint, vars(back)) == (str(error), error.hint, vars(error))


def test_a_problem_of_others_is_none_of_ours():
    assert error_from({"type": "about:blank", "title": "x"}) is None
