from datetime import UTC, datetime

import pytest

from unabridged.domain.chat import ChatRequest, StreamChunk
from unabridged.domain.message import Message, Role, Text, ToolCall
from unabridged.errors import UpstreamBrokenError, UpstreamRefusedError
from unabridged.models.scripted import ScriptedModel

REQUEST = ChatRequest(
    (Message("1", Role.USER, (Text("hi you"),), datetime(2026, 1, 1, tzinfo=UTC)),)
)


def said(model):
    return "".join(chunk.text for chunk in model.chat(REQUEST))


def test_answers_come_in_order_and_the_last_one_stays():
    model = ScriptedModel(["one", "two  words"])
    assert [said(model), said(model), said(model)] == ["one", "two  words", "two  words"]
    assert model.requests == [REQUEST] * 3


def test_an_answer_may_call_break_off_or_be_computed():
    call = ToolCall("1", "f", "{}")
    broken = UpstreamBrokenError("gone")
    model = ScriptedModel([call, ("some words ", broken), lambda r: r.messages[-1].text])
    chunks = list(model.chat(REQUEST))
    assert chunks[0].calls == (call,)
    assert chunks[-1].finish == "tool_calls"
    got = []
    with pytest.raises(UpstreamBrokenError):
        got.extend(model.chat(REQUEST))
    assert "".join(chunk.text for chunk in got) == "some words "
    assert said(model) == "hi you"


def test_chunks_as_they_stand():
    chunks = (StreamChunk(reasoning="hm"), StreamChunk(text="x", done=True, finish="length"))
    assert tuple(ScriptedModel([chunks]).chat(REQUEST)) == chunks


def test_usage_is_counted_where_a_counter_is_given():
    model = ScriptedModel(["three words here"], count=lambda text: len(text.split()))
    usage = list(model.chat(REQUEST))[-1].usage
    assert (usage.prompt, usage.answer) == (2, 3)


def test_an_empty_script_refuses():
    with pytest.raises(UpstreamRefusedError):
        list(ScriptedModel([]).chat(REQUEST))
