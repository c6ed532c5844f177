"""What a running server says of itself: alive, ready, counted, logged."""

import httpx2
import pytest
from prometheus_client.parser import text_string_to_metric_families
from starlette.responses import PlainTextResponse
from starlette.routing import Route
from tests.helpers.waiting import until

from unabridged.server import health
from unabridged.testing.ollama_server import OllamaEntry, OllamaTestServer

MODEL = "llama3.2:latest"
SECRET = "my pin is 4711"


@pytest.fixture
def http():
    with httpx2.Client(timeout=30) as client:
        yield client


def chat(http, url, text=SECRET, **more):
    body = {"model": MODEL, "messages": [{"role": "user", "content": text}], **more}
    return http.post(
        f"{url}/api/chat", json=body, headers={**url.bearer, "x-unabridged-user": "zoe"}
    )


def samples(http, url):
    answer = http.get(f"{url}/metrics", headers=url.bearer)
    assert answer.status_code == 200
    assert answer.headers["content-type"].startswith("text/plain; version=")
    families = text_string_to_metric_families(answer.text)
    return {(s.name, *sorted(s.labels.items())): s.value for f in families for s in f.samples}


def test_health_is_for_everybody_and_metrics_for_who_may_read(serving, http):
    url = serving(upstream="quote")
    assert http.get(f"{url}/healthz").json() == {"status": "ok"}
    ready = http.get(f"{url}/readyz")
    assert ready.json() == {
        "status": "ok",
        "checks": {"home": "ok", "upstream": "ok"},
        "reason": "",
        "warnings": {},
    }
    assert http.get(f"{url}/metrics").status_code == 401


def test_it_is_not_ready_while_the_upstream_is_away_and_is_when_it_came(serving, http, monkeypatch):
    monkeypatch.setattr(health, "FRESH", health.timedelta())
    with OllamaTestServer(models=[OllamaEntry(MODEL)]) as upstream:
        address = upstream.url
    url = serving(upstream="ollama", ollama_url=address)
    away = http.get(f"{url}/readyz")
    assert away.status_code == 503
    assert away.json()["checks"]["home"] == "ok"
    assert "upstream" in away.json()["reason"]
    assert http.get(f"{url}/healthz").status_code == 200


def test_a_full_disk_is_said_without_names(serving, http, monkeypatch):
    def full(*_):
        raise OSError(28, "No space left on device")

    url = serving(upstream="quote")
    monkeypatch.setattr(health, "write_new", full)
    answer = http.get(f"{url}/readyz")
    assert answer.status_code == 503
    assert "No space left" in answer.json()["reason"]
    assert url.settings.home not in answer.text


def test_whoever_asks_often_does_not_keep_the_disk_busy(serving, http, monkeypatch):
    looked = []
    monkeypatch.setattr(health, "_home", lambda _: looked.append(1) or "")
    url = serving(upstream="quote")
    for _ in range(5):
        assert http.get(f"{url}/readyz").status_code == 200
    assert len(looked) == 1


def test_metrics_count_what_was_done(serving, http):
    with OllamaTestServer(models=[OllamaEntry(MODEL)]) as upstream:
        url = serving(upstream="ollama", ollama_url=upstream.url)
        assert chat(http, url, stream=True).status_code == 200
        assert chat(http, url, "What is my pin?", stream=False).status_code == 200
        http.get(f"{url}/{SECRET}/zoe")

        def counted(name, **labels):
            return samples(http, url).get((name, *sorted(labels.items())), 0)

        route = {"method": "POST", "route": "/api/chat", "status": "200"}
        until(lambda: counted("unabridged_request_seconds_count", **route) == 2)
        for stage in ("sync", "prepare", "begin", "first_chunk", "whole", "record"):
            assert counted("unabridged_stage_seconds_count", stage=stage) == 2
        assert counted("unabridged_upstream_tokens_total", kind="prompt") > 0
        assert counted("unabridged_context_tokens_total", part="message") > 0
        assert counted("unabridged_recalled_items_count") == 2
        assert counted("unabridged_streams_open") == 0
        assert counted("unabridged_spaces_open") == 1
        gone = {"method": "GET", "route": "other", "status": "404"}
        until(lambda: counted("unabridged_request_seconds_count", **gone) == 1)
        until(lambda: counted("unabridged_background_slices_total", outcome="done") > 0)
        assert counted("unabridged_background_slices_total", outcome="failed") == 0
        text = http.get(f"{url}/metrics", headers=url.bearer).text
    assert "4711" not in text
    assert "zoe" not in text


def test_a_stream_is_counted_while_it_is_open(serving, http):
    from unabridged.testing.replies import ScriptedReply

    slow = ScriptedReply("one two three four five", pause=0.05)
    with OllamaTestServer(script=slow, models=[OllamaEntry(MODEL)]) as upstream:
        url = serving(upstream="ollama", ollama_url=upstream.url)
        body = {"model": MODEL, "messages": [{"role": "user", "content": "Count."}]}
        with httpx2.stream("POST", f"{url}/api/chat", json=body, timeout=30) as answer:
            lines = answer.iter_lines()
            next(lines)
            assert samples(http, url)[("unabridged_streams_open",)] == 1
            list(lines)
        until(lambda: samples(http, url)[("unabridged_streams_open",)] == 0)


def test_an_error_of_the_program_says_its_kind_and_place_in_the_log_only(serving, http, capfd):
    async def broken(request):
        raise RuntimeError(SECRET)

    async def breaks_off(scope, receive, send):
        await PlainTextResponse("x" * 10)(scope, receive, send)
        raise RuntimeError(SECRET)

    url = serving(
        upstream="quote", more=[Route("/api/broken", broken), Route("/api/off", breaks_off)]
    )
    answer = http.get(f"{url}/api/broken?{SECRET}")
    assert answer.status_code == 500
    assert SECRET not in answer.text
    http.get(f"{url}/api/off")
    until(lambda: url.service.watch.open == 0)
    err = capfd.readouterr().err
    assert "error=RuntimeError doing=/api/broken" in err
    assert "test_health.py" in err
    assert "4711" not in err
    assert "Traceback" not in err


def test_the_log_tells_what_was_asked_and_by_whom_and_never_what(serving, http, capfd):
    url = serving(upstream="quote")
    said = chat(http, url, stream=False)
    http.get(f"{url}/memory/stats", headers=url.bearer)
    http.get(f"{url}/api/tags?{SECRET}", headers={"x-secret": SECRET})
    http.get(f"{url}/healthz")
    until(lambda: url.service.watch.open == 0)
    lines = capfd.readouterr().err.splitlines()
    (first,) = [line for line in lines if "route=/api/chat" in line]
    assert "status=200" in first
    assert "key=token" in first
    assert any("route=/api/tags" in line and "key=loopback" in line for line in lines)
    assert f"context={said.headers['x-unabridged-context']}" in first
    assert any("route=/memory/stats" in line and "key=token" in line for line in lines)
    assert not any("4711" in line or "healthz" in line or "zoe" in line for line in lines)
