"""Whatever the keys are: what the upstream says arrives, and what is said is stored, byte for byte."""

import json

import httpx2
import pytest
from hypothesis import HealthCheck, given, settings, strategies as st
from tests.server.test_chat import held

from unabridged.testing.openai_server import OpenAIEntry, OpenAITestServer
from unabridged.testing.replies import ScriptedReply

MODEL = "test-model"
KEYS = (
    "a",
    "the",
    "lm-studio",
    "password",
    "not-needed",
    '"},{"delta',
    '{"content":',
    '","content":"',
    "assistant",
    "unabridged",
)
"""Keys that are also words of texts, or pieces of the protocol."""


@pytest.fixture
def front(serving):
    with OpenAITestServer(models=[OpenAIEntry(MODEL)], window=32_768) as upstream:

        def start(key):
            where = upstream.base_url.replace("//", f"//me:{'words' + 'apart'}@")
            url = serving(upstream="openai", openai_url=where, openai_key=key)
            return upstream, url

        yield start


def texts(key):
    word = st.sampled_from([key, key * 2, "wordsapart", "Use ", " for it.", '"', "\n"])
    return st.lists(word | st.text(max_size=9), min_size=1, max_size=9).map(
        lambda words: f"x{''.join(words)}x".encode("utf-8", "replace").decode()
    )


@pytest.mark.parametrize("key", KEYS)
def test_what_the_upstream_sends_arrives_and_is_stored_byte_for_byte(front, key):
    upstream, url = front(key)
    with httpx2.Client(timeout=30) as client:

        @settings(max_examples=12, deadline=None, suppress_health_check=list(HealthCheck))
        @given(texts(key), texts(key), st.booleans(), st.booleans())
        def passes(said, answered, stream, remembers):
            upstream.script = type(upstream.script)(ScriptedReply(answered))
            body = {
                "model": MODEL,
                "stream": stream,
                "messages": [{"role": "user", "content": said}],
            }
            if stream:
                body["stream_options"] = {"include_usage": True}
            way = {} if remembers else {"x-unabridged": "off"}
            came = client.post(f"{url}/v1/chat/completions", json=body, headers=way)
            path = f"{upstream.base_url}/chat/completions"
            direct = client.post(path, json=upstream.requests[-1].body)
            assert came.content == direct.content
            assert said in upstream.requests[-2].body["messages"][-1]["content"]
            if remembers:
                kept = next(e for e in held(url) if e.user.text == said)
                assert answered in [e.answer.text for e in held(url) if e.user.text == said]
                exported = client.get(f"{url}/memory/export", headers=url.bearer).text
                assert json.dumps(kept.user.text, ensure_ascii=False) in exported

        passes()


@pytest.mark.parametrize("stream", [True, False])
@pytest.mark.parametrize(
    ("key", "quoted"),
    [("lm-studio", "*********"), ("sk-1234567890", "*************"), ("ollama", "ollama")],
)
def test_an_error_that_quotes_the_key_is_masked(front, key, quoted, stream):
    upstream, url = front(key)
    word = f"Incorrect key {key} or wordsapart."
    shown = f"Incorrect key {quoted} or **********."
    ask = {"model": MODEL, "stream": stream, "messages": [{"role": "user", "content": "Hello"}]}
    with httpx2.Client(timeout=30) as client:
        for reply in (ScriptedReply(status=401, error=word), ScriptedReply("Yes. No.", error=word)):
            upstream.script = type(upstream.script)(reply)
            for way in ({}, {"x-unabridged": "off"}):
                told = client.post(f"{url}/v1/chat/completions", json=ask, headers=way).text
                assert shown in told
                assert "wordsapart" not in told
        upstream.script = type(upstream.script)(ScriptedReply(status=400, error=word))
        body = {"model": MODEL, "prompt": "Once"}
        passed = client.post(f"{url}/v1/completions", json=body)
        assert shown in passed.json()["error"]["message"]


def test_an_error_of_other_words_is_passed_on_byte_for_byte(front):
    upstream, url = front('error":"')
    said = 'No: {"error":"x"} is  invalid.'
    upstream.script = type(upstream.script)(ScriptedReply(status=400, error=said))
    ask = {"model": MODEL, "messages": [{"role": "user", "content": "Hello"}]}
    with httpx2.Client(timeout=30) as client:
        came = client.post(f"{url}/v1/chat/completions", json=ask, headers={"x-unabridged": "off"})
    assert came.json()["error"]["message"] == 'No: {"********x"} is  invalid.'
