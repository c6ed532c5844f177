"""Secrets planted in more than 50 flows: none in logs, metrics, spans of errors, or others' answers."""

import json
import logging
import re
from contextlib import contextmanager

import httpx2
import pytest
from tests.server.conftest import bearer
from tests.server.test_guard import House

from unabridged.clock import SystemClock
from unabridged.domain.message import ToolCall
from unabridged.domain.permissions import Grant, Right
from unabridged.home.api_keys import ApiKeys
from unabridged.testing.ollama_server import OllamaEntry, OllamaTestServer
from unabridged.testing.openai_server import OpenAIEntry, OpenAITestServer
from unabridged.testing.replies import ScriptedReply

pytestmark = pytest.mark.slow

UPSTREAM_KEY = "sk-upstreamkey0123456789abcdef"
MODEL = "llama3.2:latest"
PASSWORD = "hiddenpassword77"
"""Of the upstream's address; the secret of an Ollama, which is sent no key."""
REPLIES = {
    "whole": lambda word, _: ScriptedReply(f"Yes, {word}."),
    "refuses": lambda word, _: ScriptedReply(status=500, error=f"{word} went wrong"),
    "quotes the key": lambda word, secret: ScriptedReply(
        status=401, error=f"Incorrect key {secret}: {word}"
    ),
    "fails inside": lambda word, secret: ScriptedReply(
        f"{word} and more words", error=f"{word} {secret}"
    ),
    "breaks": lambda word, _: ScriptedReply(f"{word} one two three", breaks=True, after=2),
    "calls": lambda word, _: ScriptedReply(
        calls=(ToolCall("c1", "look", json.dumps({"of": word})),)
    ),
    "thinks": lambda word, _: ScriptedReply(f"{word}.", reasoning=f"{word} it is"),
    "busy": lambda word, _: ScriptedReply(status=429, error=f"{word}: too many"),
}
PATHS = {
    "/api/chat": lambda text, stream: {"messages": [{"role": "user", "content": text}]},
    "/v1/chat/completions": lambda text, stream: {"messages": [{"role": "user", "content": text}]},
    "/v1/responses": lambda text, stream: {"input": text},
    "/api/generate": lambda text, stream: {"prompt": text},
}


class Flows:
    """What was sent, and the secrets in it."""

    def __init__(self):
        self.secrets, self.keys, self.answers, self.count = set(), set(), [], 0

    def word(self, what):
        """A secret word that stands nowhere else."""
        self.count += 1
        word = f"zx{what}{self.count:03d}q"
        self.secrets.add(word)
        return word

    def send(self, client, method, url, **more):
        """One flow; what is told of in the answer's place is kept to look at."""
        try:
            answer = client.request(method, url, **more)
        except (httpx2.RemoteProtocolError, httpx2.ReadError):
            return None  # it broke off, as its upstream did
        self.answers.append((method, url, answer.status_code, f"{answer.headers}{answer.text}"))
        return answer


def talk(flows, client, url, upstream, headers, *, streams=(True, False)):
    """Every reply of the upstream, in every dialect, streamed and whole."""
    user = flows.word("user")
    secret = PASSWORD if isinstance(upstream, OllamaTestServer) else UPSTREAM_KEY
    for path, body in PATHS.items():
        for reply in REPLIES.values():
            for stream in streams:
                upstream.script = type(upstream.script)(reply(flows.word("answer"), secret))
                text = f"My secret is {flows.word('said')}."
                sent = {
                    **headers,
                    "x-unabridged-user": user,
                    "x-unabridged-session": flows.word("session"),
                    "cookie": f"session={flows.word('cookie')}",
                    "x-secret": flows.word("header"),
                    "user-agent": f"probe/{flows.word('agent')}",
                }
                made = {"model": MODEL, "stream": stream, **body(text, stream)}
                query = {"q": flows.word("query")}
                flows.send(client, "POST", url + path, json=made, headers=sent, params=query)


def misuse(flows, client, url, headers):
    """Requests that fail, each with a secret in it."""
    for path in ("/api/chat", "/v1/chat/completions", "/memory/search", "/memory/prepare"):
        for body in (
            '{"model": "' + flows.word("cut"),
            json.dumps({"model": 7, "messages": flows.word("type")}),
            json.dumps({flows.word("field"): flows.word("value")}),
            json.dumps({"model": flows.word("model"), "messages": [{"role": flows.word("role")}]}),
            json.dumps([[flows.word("deep")]]).replace("[[", "[" * 100).replace("]]", "]" * 100),
        ):
            sent = {**headers, "content-type": "application/json"}
            flows.send(client, "POST", url + path, content=body, headers=sent)
    for path in ("nowhere", "memory/sessions", "memory/exchanges", "memory/contexts", "v1/models"):
        flows.send(client, "GET", f"{url}/{path}/{flows.word('path')}", headers=headers)
    for name in ("authorization", "x-api-key"):
        wrong = f"unb_0123456789_{flows.word('wrong')}"
        value = f"Bearer {wrong}" if name == "authorization" else wrong
        flows.send(client, "GET", f"{url}/memory/stats", headers={name: value})
    for name in ("host", "origin", "x-unabridged-user"):
        value = f"http://{flows.word('site')}.example" if name == "origin" else flows.word("name")
        more = "\u00ff" if name == "x-unabridged-user" else ""
        sent = {**headers, name: (value + more).encode("latin-1")}
        flows.send(client, "GET", f"{url}/memory/stats", headers=sent)


def find(text, words):
    return sorted(word for word in words if word in text)


@contextmanager
def upstream_of(kind):
    made = (
        OllamaTestServer(models=[OllamaEntry(MODEL)])
        if kind == "ollama"
        else OpenAITestServer(models=[OpenAIEntry(MODEL)], window=32_768)
    )
    with made as server:
        yield server


@pytest.mark.parametrize("kind", ["ollama", "openai"])
def test_no_secret_is_in_logs_metrics_or_anybodys_answer(serving, tmp_path, capfd, caplog, kind):
    caplog.set_level(logging.WARNING)  # what `serve` lets through
    flows = Flows()
    with upstream_of(kind) as upstream:
        where = {
            "ollama_url": upstream.url.replace("//", f"//me:{PASSWORD}@"),
            "openai_url": f"{upstream.url}/v1",
        }
        url = serving(upstream=kind, openai_key=UPSTREAM_KEY, **where)
        access = ApiKeys(url.settings.home)
        token = access.token()
        with httpx2.Client(timeout=30) as client:
            talk(flows, client, url, upstream, {})
            misuse(flows, client, url, bearer(token))
            clock = SystemClock()
            grant = Grant("known", rights=frozenset(Right))
            _, key = access.create(grant, clock.now())
            _, revoked = access.create(Grant("gone"), clock.now())
            access.revoke("gone", clock.now())
            talk(flows, client, url, upstream, bearer(key), streams=[True])
            misuse(flows, client, url, bearer(key))
            for secret in (revoked, key + "x", key[:-1]):
                flows.send(client, "POST", f"{url}/api/chat", json={}, headers=bearer(secret))
            metrics = client.get(f"{url}/metrics", headers=bearer(key)).text
    logged = "".join(capfd.readouterr()) + caplog.text
    keys = {token, key, revoked, key[:-1], UPSTREAM_KEY, PASSWORD}
    assert find(logged, flows.secrets | keys) == []
    assert find(metrics, flows.secrets | keys) == []
    for method, path, status, text in flows.answers:
        assert find(text, keys) == [], (method, path, status)
    assert len(flows.answers) > 100
    for received in upstream.requests:
        told = f"{received.headers} {received.query}"
        assert find(told, {token, key, revoked}) == []
        shown = received.headers.get("authorization", "")
        assert shown in ({"", f"Bearer {UPSTREAM_KEY}"} if kind == "openai" else {"", BASIC})
        assert not re.search(r"zx(cookie|header|user|session)\d", told)
    assert any(
        received.path.endswith("chat") or "completions" in received.path
        for received in upstream.requests
    )


BASIC = "Basic bWU6aGlkZGVucGFzc3dvcmQ3Nw=="
"""What the address's own name and password come to."""


def test_what_goes_wrong_inside_is_not_quoted(serving, capfd, monkeypatch):
    flows = Flows()
    url = serving(upstream="quote")
    word = flows.word("inside")

    def breaks(*_, **__):
        raise RuntimeError(f"could not keep {word!r}")

    monkeypatch.setattr(url.service.pool, "use", breaks)
    with httpx2.Client(timeout=30) as client:
        for path, body in PATHS.items():
            made = {"model": "quote", "stream": False, **body(f"Say {word}.", False)}
            flows.send(client, "POST", url + path, json=made)
        for path in ("stats", "sessions", "facts", "export"):
            flows.send(client, "GET", f"{url}/memory/{path}", headers=url.bearer)
        metrics = client.get(f"{url}/metrics", headers=url.bearer).text
    assert {status for _, _, status, _ in flows.answers} <= {500, 503}
    logged = "".join(capfd.readouterr())
    assert "RuntimeError" in logged
    for text in (logged, metrics, *(text for *_, text in flows.answers)):
        assert find(text, {word}) == []


def test_no_key_is_in_any_error_that_is_raised(tmp_path):
    house = House(tmp_path / "home")
    key = house.key("one", rights=frozenset({Right.CHAT}))
    token = house.access.token()
    for method, path, headers in [
        ("GET", "/memory/stats", bearer(key)),
        ("GET", "/memory/stats", bearer(key + "x")),
        ("GET", "/memory/stats", bearer(token + "x")),
        ("GET", f"/{key}", bearer(key)),
        ("GET", "/api/tags", [("authorization", f"Bearer {key}"), ("authorization", token)]),
        ("GET", "/api/tags", {"authorization": f"Basic {key}"}),
    ]:
        answer = house.ask(method, path, headers)
        assert answer.status in (400, 401, 403, 404)
        if key not in path:
            assert find(answer.everything, {key, token}) == []
