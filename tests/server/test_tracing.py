"""Spans of a running server: what they tell, and what they never do."""

import httpx2
import pytest
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from tests.helpers.waiting import until

from unabridged.server.trace_spans import Tracing
from unabridged.testing.ollama_server import OllamaEntry, OllamaTestServer

MODEL = "llama3.2:latest"
SECRET = "my pin is 4711"


@pytest.fixture
def spans():
    return InMemorySpanExporter()


@pytest.fixture
def traced(serving, spans):
    def start(**settings):
        provider = TracerProvider()
        provider.add_span_processor(SimpleSpanProcessor(spans))
        return serving(tracing=Tracing(provider), **settings)

    return start


def every(spans, name, count=1):
    """The spans of a name; a request's ends a moment after its client has the answer."""

    def found():
        return [span for span in spans.get_finished_spans() if span.name == name]

    until(lambda: len(found()) >= count)
    assert len(found()) == count
    return found()


def named(spans, name):
    return every(spans, name)[0]


def talk(url, **more):
    body = {
        "model": MODEL,
        "stream": False,
        "messages": [{"role": "user", "content": SECRET}],
        **more,
    }
    headers = {**url.bearer, "x-unabridged-user": "zoe-4711"}
    with httpx2.Client(timeout=30) as client:
        return client.post(f"{url}/api/chat", json=body, headers=headers)


def test_a_chat_is_one_trace_of_request_stages_and_model(traced, spans):
    with OllamaTestServer(models=[OllamaEntry(MODEL)]) as upstream:
        url = traced(upstream="ollama", ollama_url=upstream.url)
        assert talk(url, stream=True).status_code == 200
    request, model = named(spans, "POST /api/chat"), named(spans, f"chat {MODEL}")
    assert request.kind.name == "SERVER"
    assert request.attributes["http.route"] == "/api/chat"
    assert request.attributes["http.response.status_code"] == 200
    assert model.kind.name == "CLIENT"
    told = dict(model.attributes)
    assert told["gen_ai.operation.name"] == "chat"
    assert told["gen_ai.provider.name"] == "ollama"
    assert told["gen_ai.request.model"] == MODEL
    assert told["gen_ai.usage.input_tokens"] > 0
    assert told["gen_ai.usage.output_tokens"] > 0
    assert told["gen_ai.response.finish_reasons"] == ("stop",)
    assert told["server.address"] == "127.0.0.1"
    for name in ("sync", "prepare", "begin", "record"):
        stage = named(spans, name)
        assert stage.parent.span_id == request.context.span_id
    assert {span.context.trace_id for span in spans.get_finished_spans()} == {
        request.context.trace_id
    }


def test_nothing_that_was_said_is_in_any_span(traced, spans):
    with OllamaTestServer(models=[OllamaEntry(MODEL)]) as upstream:
        url = traced(upstream="ollama", ollama_url=upstream.url)
        talk(url)
        talk(url, model="no-such-model")
        with httpx2.Client() as client:
            client.get(f"{url}/{SECRET}?{SECRET}", headers={"authorization": SECRET})
    assert named(spans, "GET other")
    told = " ".join(span.to_json() for span in spans.get_finished_spans())
    assert "4711" not in told
    assert "zoe" not in told


def test_a_callers_trace_goes_on_here(traced, spans):
    url = traced(upstream="quote")
    parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
    with httpx2.Client() as client:
        client.get(f"{url}/api/version", headers={"traceparent": parent})
        client.get(f"{url}/api/version", headers={"traceparent": "rubbish"})
        client.get(f"{url}/healthz")
    first, second = every(spans, "GET /api/version", 2)
    assert f"{first.context.trace_id:032x}" == "0af7651916cd43dd8448eb211c80319c"
    assert f"{first.parent.span_id:016x}" == "b7ad6b7169203331"
    assert second.parent is None


def test_a_failure_is_told_by_its_kind(traced, spans):
    with OllamaTestServer(models=[OllamaEntry(MODEL)]) as upstream:
        url = traced(upstream="ollama", ollama_url=upstream.url)
        talk(url, model="no-such-model")
    asked = named(spans, "chat no-such-model:latest")
    assert asked.status.status_code.name == "ERROR"
    assert asked.attributes["error.type"] == "UpstreamRefusedError"
    assert asked.status.description is None
    assert all(not span.events for span in spans.get_finished_spans())


def test_an_upstream_that_went_away_makes_the_request_an_error(traced, spans):
    with OllamaTestServer(models=[OllamaEntry(MODEL)]) as upstream:
        url = traced(upstream="ollama", ollama_url=upstream.url)
        talk(url)
    assert talk(url).status_code == 502
    request = every(spans, "POST /api/chat", 2)[-1]
    assert request.attributes["error.type"] == "502"
