import json

import pytest
from hypothesis import given, settings, strategies as st

from unabridged.domain.chat import StreamChunk, Usage
from unabridged.domain.message import Image, Role, Text
from unabridged.errors import InputError, UpstreamBrokenError, UpstreamRefusedError
from unabridged.wire import text_completion as wire
from unabridged.wire.incoming_message import IncomingMessage

names = st.from_regex(r"[0-9A-Z]{26}(_[1-9])?", fullmatch=True)
words = st.text(st.characters(exclude_categories=("Cs",)), max_size=12)
chunks = st.builds(
    StreamChunk,
    text=words,
    done=st.booleans(),
    finish=st.just(""),
)


@settings(deadline=None)
@given(names)
def test_a_context_names_an_answer_by_numbers(name):
    context = json.loads(json.dumps(wire.context_of(name)))
    assert all(isinstance(each, int) for each in context)
    assert wire.name_in(context) == name


@pytest.mark.parametrize("empty", [None, [], ()])
def test_no_context_names_nothing(empty):
    assert wire.name_in(empty) is None


numbers = st.lists(st.one_of(st.integers(), st.booleans(), st.text(max_size=2)), min_size=1)


@settings(deadline=None)
@given(
    st.one_of(numbers, st.text(min_size=1), st.dictionaries(st.text(), st.integers(), min_size=1))
)
@pytest.mark.slow
def test_any_other_context_is_refused(context):
    with pytest.raises(InputError, match="another server"):
        wire.name_in(context)
    with pytest.raises(InputError):
        wire.name_in([*wire.context_of("x"), 256])


def test_generate_is_a_conversation_only_where_it_says_something():
    assert wire.is_conversation({"prompt": "Hi", "raw": False, "suffix": "", "width": 0})
    for body in ({}, {"prompt": ""}, {"prompt": "x", "raw": True}, {"prompt": "x", "steps": 2}):
        assert not wire.is_conversation(body)


def test_generate_becomes_messages():
    body = {"prompt": "Look.", "system": "Be kind.", "images": ["iVBORw0KGgo="]}
    assert wire.generate_drafts(body) == (
        IncomingMessage(Role.SYSTEM, (Text("Be kind."),)),
        IncomingMessage(Role.USER, (Text("Look."), Image("data:image/png;base64,iVBORw0KGgo="))),
    )
    for wrong in ({"prompt": 5}, {"prompt": "x", "system": 5}, {"prompt": "x", "images": [5]}):
        with pytest.raises(InputError):
            wire.generate_drafts(wrong)


@settings(deadline=None)
@given(words, st.booleans(), st.sampled_from(["stop", "length"]))
def test_a_line_is_read_as_it_was_written(said, done, finish):
    chunk = StreamChunk(said, "", (), done, finish if done else "", Usage(3, 2) if done else None)
    line = json.loads(json.dumps(wire.generation(chunk, model="m", created="t")))
    assert "message" not in line
    assert wire.generated(line) == chunk


@settings(deadline=None)
@given(words, st.sampled_from(["stop", "length"]))
def test_an_event_is_read_as_it_was_written(said, finish):
    chunk = StreamChunk(said, done=True, finish=finish, usage=Usage(3, 2))
    event = wire.completion(chunk, answer="a", created=1, model="m", usage=chunk.usage)
    assert wire.completed(json.loads(json.dumps(event))) == chunk


def test_what_is_no_answer_is_a_typed_error():
    with pytest.raises(UpstreamRefusedError):
        wire.generated({"error": "no"})
    with pytest.raises(UpstreamBrokenError):
        wire.generated({"done": True})
    with pytest.raises(UpstreamRefusedError):
        wire.completed({"error": {"message": "no"}})
    with pytest.raises(UpstreamBrokenError):
        wire.completed({"object": "x"})
    assert wire.completed({"choices": [], "usage": {}}) is None


def test_requests_go_over_into_the_other_dialect():
    asked = {"model": "m", "prompt": ["x"], "stop": "#", "max_tokens": 4, "stream": True, "seed": 1}
    assert wire.generate_body(asked) == {
        "model": "m",
        "prompt": "x",
        "stream": True,
        "options": {"stop": ["#"], "seed": 1, "num_predict": 4},
        "truncate": False,
        "shift": False,
    }
    for wrong in ({"prompt": ["a", "b"]}, {"prompt": [1, 2]}, {"prompt": "x", "best_of": 2}):
        with pytest.raises(InputError):
            wire.generate_body(wrong)
    with pytest.raises(InputError, match="echo"):
        wire.generate_body({"prompt": "x", "echo": True})
    back = wire.completions_body({"model": "m", "prompt": "x", "options": {"num_predict": 4}})
    assert back == {"model": "m", "prompt": "x", "max_tokens": 4, "stream": True}
