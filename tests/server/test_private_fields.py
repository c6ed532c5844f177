"""Fields that only a program and its own provider know, in front of servers that refuse them."""

import httpx2
import pytest

from unabridged.testing.ollama_server import OllamaEntry, OllamaTestServer
from unabridged.testing.openai_server import OpenAIEntry, OpenAITestServer
from unabridged.wire.upstream_errors import unknown_field

MODEL = "test-model"
SAID = [{"role": "user", "content": "Hello."}]


@pytest.fixture
def front(serving):
    opened = []

    def start(*refuses):
        upstream = OpenAITestServer(models=[OpenAIEntry(MODEL)], window=32_768, refuses=refuses)
        opened.append(upstream)
        return upstream, serving(upstream="openai", openai_url=upstream.base_url)

    yield start
    for one in opened:
        one.close()


def post(url, path, **body):
    with httpx2.Client(timeout=30) as client:
        return client.post(url + path, json={"model": MODEL, **body})


def fields(upstream, name):
    return [name in body for body in upstream.sent("/v1/chat/completions")]


@pytest.mark.parametrize("stream", [False, True])
def test_private_fields_of_codex_stay_here_where_it_is_translated(front, stream):
    upstream, url = front("client_metadata")
    private = {"client_metadata": {"x-codex-installation-id": "1"}, "prompt_cache_key": "p"}
    answer = post(url, "/v1/responses", input="Hello.", stream=stream, **private)
    assert answer.status_code == 200
    assert fields(upstream, "client_metadata") == [False]
    assert fields(upstream, "prompt_cache_key") == [True]


def test_they_stay_here_before_an_ollama_too(serving):
    with OllamaTestServer(models=[OllamaEntry(f"{MODEL}:latest")]) as upstream:
        url = serving(upstream="ollama", ollama_url=upstream.url)
        answer = post(url, "/v1/responses", input="Hello.", client_metadata={"a": "b"})
        assert answer.status_code == 200
        assert "client_metadata" not in str(upstream.sent("/api/chat")[-1])


@pytest.mark.parametrize("way", [{}, {"x-unabridged": "off"}])
def test_a_field_that_is_refused_as_unknown_is_left_out_from_then_on(front, way):
    upstream, url = front("vl_high_resolution_images", "prompt_cache_key")
    body = {"model": MODEL, "messages": SAID, "vl_high_resolution_images": True, "seed": 4}
    with httpx2.Client(timeout=30) as client:
        for _ in range(2):
            sent = {**body, "prompt_cache_key": "p"}
            answer = client.post(f"{url}/v1/chat/completions", json=sent, headers=way)
            assert answer.status_code == 200, answer.text
    assert fields(upstream, "vl_high_resolution_images") == [True, False, False, False]
    assert fields(upstream, "prompt_cache_key") == [True, True, False, False]
    assert fields(upstream, "seed") == [True] * 4


def test_a_field_that_one_model_of_an_upstream_refused_is_left_out_for_all(serving):
    models = [OpenAIEntry(MODEL), OpenAIEntry("second-model")]
    with OpenAITestServer(models=models, window=32_768, refuses=["prompt_cache_key"]) as upstream:
        url = serving(upstream="openai", openai_url=upstream.base_url)
        for model in (MODEL, "second-model", MODEL):
            answer = post(
                url, "/v1/chat/completions", model=model, messages=SAID, prompt_cache_key="p"
            )
            assert answer.status_code == 200, answer.text
        assert fields(upstream, "prompt_cache_key") == [True, False, False, False]


@pytest.mark.parametrize("field", ["tools", "response_format", "temperature", "reasoning_effort"])
def test_a_field_that_says_what_is_wanted_is_never_left_out(front, field):
    upstream, url = front(field)
    tool = {"type": "function", "function": {"name": "look", "parameters": {"type": "object"}}}
    values = {
        "tools": [tool],
        "response_format": {"type": "json_object"},
        "temperature": 0.5,
        "reasoning_effort": "low",
    }
    answer = post(url, "/v1/chat/completions", messages=SAID, **{field: values[field]})
    assert answer.status_code == 400
    assert field in answer.json()["error"]["message"]
    assert fields(upstream, field) == [True]


@pytest.mark.parametrize(
    ("text", "field"),
    [
        ("Unknown parameter: 'client_metadata'.", "client_metadata"),
        ("Unrecognized request argument supplied: client_metadata", "client_metadata"),
        ("Unsupported parameter: 'store' is not supported with this model.", "store"),
        ("Unsupported param: foo", "foo"),
        ("property 'client_metadata' is unsupported", "client_metadata"),
        ('Unknown name "client_metadata": Cannot find field.', "client_metadata"),
        ("client_metadata: Extra inputs are not permitted", "client_metadata"),
        ("[{'type': 'extra_forbidden', 'loc': ['body', 'foo'], 'msg': 'Extra inputs…'}]", "foo"),
        ('json: unknown field "truncate"', "truncate"),
        ("Unknown parameter: 'messages[0].reasoning_content'.", ""),
        ("Unknown parameter: 'input.phase'.", ""),
        ("The model does not know what a parameter is.", ""),
        ("This model's maximum context length is 10 tokens.", ""),
    ],
)
def test_the_field_is_read_from_the_words_of_servers(text, field):
    assert unknown_field(text) == field
