"""A key for one session: nothing of the user's other sessions reaches it, quoted or recalled."""

import json

import httpx2
import pytest
from tests.helpers.talker import talking

from unabridged.domain.permissions import Grant
from unabridged.domain.scope import Scope
from unabridged.home.api_keys import ApiKeys
from unabridged.testing.ollama_server import OllamaEntry, OllamaTestServer

MODEL = "llama3.2:latest"
SECRET = "the vault of the cheese project opens with Ulaanbaatar"
ASKED = "Remember: what opens the vault of the cheese project?"


@pytest.fixture
def upstream():
    with OllamaTestServer(models=[OllamaEntry(MODEL)]) as server:
        yield server


@pytest.mark.parametrize("kind", ["ollama", "quote"])
def test_a_key_for_one_session_recalls_from_no_other(serving, upstream, tmp_path, kind):
    home = tmp_path / "home"
    url = serving(home=home, upstream=kind, ollama_url=upstream.url)
    access, clock = ApiKeys(str(home)), url.service.clock
    wide = access.create(Grant("wide", user="ann"), clock.now())[1]
    narrow = access.create(Grant("narrow", user="ann", session="desk"), clock.now())[1]
    said = {"model": MODEL, "stream": False, "messages": [{"role": "user", "content": SECRET}]}
    asked = {"model": MODEL, "stream": False, "messages": [{"role": "user", "content": ASKED}]}
    with httpx2.Client(timeout=30) as client:

        def post(key, path, body):
            return client.post(url + path, json=body, headers={"Authorization": f"Bearer {key}"})

        assert post(wide, "/api/chat", said).status_code == 200
        with talking(url.service.pool, Scope(user="ann")) as memory:
            memory.space.pins.add(SECRET)
        told = [post(narrow, path, asked) for path in ("/api/chat", "/v1/chat/completions")]
        told.append(post(narrow, "/memory/prepare", {"message": ASKED}))
        assert [answer.status_code for answer in told] == [200] * len(told)
        seen = " ".join(answer.text for answer in told)
        if kind == "ollama":
            seen += json.dumps(upstream.sent("/api/chat")[1:])
        assert "Ulaanbaatar" not in seen
        again = post(wide, "/api/chat", asked)
        sent = upstream.sent("/api/chat")[-1:] if kind == "ollama" else again.text
        assert "Ulaanbaatar" in json.dumps(sent)


@pytest.mark.parametrize("path", ["import", "facts", "requirements"])
def test_what_a_key_may_not_begins_no_space(serving, tmp_path, path):
    home = tmp_path / "home"
    url = serving(home=home, upstream="quote")
    grant = Grant("narrow", user="ann", session="desk")
    key = ApiKeys(str(home)).create(grant, url.service.clock.now())[1]
    headers = {"Authorization": f"Bearer {key}", "Idempotency-Key": "k" * 300}
    with httpx2.Client(base_url=str(url), timeout=30) as client:
        answer = client.post(f"/memory/{path}", json={"text": "Rye."}, headers=headers)
        assert answer.json()["type"] == "urn:unabridged:permission-refused"
        spaces = client.get("/memory/spaces", headers=url.bearer).json()["items"]
    assert "ann" not in [space["user"] for space in spaces]
