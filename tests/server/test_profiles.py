"""Keys with a profile: what a server was started with holds for everybody else."""

import json

import httpx2
import pytest

from unabridged.client import RemoteMemory
from unabridged.domain.permissions import Grant
from unabridged.home.api_keys import ApiKeys
from unabridged.testing.ollama_server import OllamaEntry, OllamaTestServer

SMALL, LARGE = "qwen2.5:3b", "qwen2.5:7b"
SECRET = "The vault of the cheese project opens with Ulaanbaatar."


@pytest.fixture
def upstream():
    with OllamaTestServer(models=[OllamaEntry(SMALL), OllamaEntry(LARGE)]) as server:
        yield server


def said(client, url, key, text, model):
    body = {"model": model, "stream": False, "messages": [{"role": "user", "content": text}]}
    answer = client.post(f"{url}/api/chat", json=body, headers={"Authorization": f"Bearer {key}"})
    assert answer.status_code == 200, answer.text


def test_each_key_is_served_under_its_own_profile(serving, upstream, tmp_path):
    url = serving(upstream="ollama", ollama_url=upstream.url)
    home = tmp_path / "home"
    access, clock = ApiKeys(home), url.service.clock
    apart = access.create(Grant("lab", user="ann", profile="workspace"), clock.now())[1]
    plain = access.create(Grant("desk", user="ann"), clock.now())[1]
    ours = access.create(Grant("desk2", user="ann", profile="requirements"), clock.now())[1]
    with httpx2.Client(timeout=30) as client:
        said(client, url, apart, SECRET, LARGE)
        said(client, url, apart, "Remember: what opens the vault of the cheese project?", SMALL)
        assert "Ulaanbaatar" not in json.dumps(upstream.sent("/api/chat")[-1])
        said(client, url, apart, "Remember: what opens the vault of the cheese project?", LARGE)
        assert "Ulaanbaatar" in json.dumps(upstream.sent("/api/chat")[-1])
        said(client, url, plain, "The system must print invoices within 2 seconds.", LARGE)
        said(client, url, ours, "The system must export invoices as PDF.", LARGE)
        sent = upstream.sent("/api/chat")[-1]["messages"]
        assert sent == [{"role": "user", "content": "The system must export invoices as PDF."}]
    with RemoteMemory(str(url), key=ours) as memory:
        list(memory.maintain())
        learned = str(memory.requirements.all())
    assert "export invoices as PDF" in learned
    files = {path.name for path in (home / "memory").glob("[!.]*.json")}
    assert any(name.startswith("qwen2-5-7b") for name in files)
    assert any(name.startswith("qwen2-5-3b") for name in files)
    assert (home / "conversations" / "ann" / "sessions.json").is_file()
    assert list((home / "spaces").glob("ann*.db"))


def test_memory_over_http_names_the_model_where_models_are_apart(serving, upstream):
    url = serving(upstream="ollama", ollama_url=upstream.url, profile="workspace")
    token = ApiKeys(url.settings.home).token()
    with RemoteMemory(str(url), key=token, model=LARGE) as large:
        large.record(large.prepare(SECRET), "Noted.")
        assert large.search("Ulaanbaatar")
    with RemoteMemory(str(url), key=token, model=SMALL) as small:
        assert not small.search("Ulaanbaatar")
    headers = {"Authorization": f"Bearer {token}"}
    unnamed = httpx2.get(f"{url}/memory/stats", headers=headers)
    assert unnamed.status_code == 400
    assert "X-Unabridged-Model" in unnamed.text


def test_a_key_whose_profile_is_gone_is_told_so(serving, upstream, tmp_path):
    url = serving(upstream="ollama", ollama_url=upstream.url)
    access = ApiKeys(tmp_path / "home")
    key = access.create(Grant("old", profile="gone"), url.service.clock.now())[1]
    body = {"model": SMALL, "messages": [{"role": "user", "content": "Hello"}]}
    answer = httpx2.post(f"{url}/api/chat", json=body, headers={"Authorization": f"Bearer {key}"})
    assert answer.status_code in {400, 500}
    assert "no profile 'gone'" in answer.text
    assert not upstream.sent("/api/chat")


def test_who_only_looks_begins_no_space(serving, upstream, tmp_path):
    url = serving(upstream="ollama", ollama_url=upstream.url)
    token = ApiKeys(url.settings.home).token()
    headers = {"Authorization": f"Bearer {token}", "X-Unabridged-User": "nobody"}
    with httpx2.Client(base_url=str(url), headers=headers) as http:
        for path in ("sessions", "stats", "facts", "pins", "requirements"):
            assert http.get(f"/memory/{path}").status_code == 200
        assert list((tmp_path / "home").glob("spaces/*.db")) == []
        assert url.service.pool.open_spaces() == []
        assert http.post("/memory/pins", json={"text": "Call me Ann."}).status_code == 201
        assert http.get("/memory/pins").json()["items"]
    assert len(list((tmp_path / "home").glob("spaces/*.db"))) == 1
