"""``recall = session`` behind the server: clients of one agent, at the same time, in both dialects."""

import json
from concurrent.futures import ThreadPoolExecutor

import httpx2
import pytest
from tests.helpers.talker import talking

from unabridged.domain.scope import Scope
from unabridged.testing.ollama_server import OllamaEntry, OllamaTestServer

MODEL = "llama3.2:latest"
NAMES = ("Ottilie", "Rosalind", "Benedikt", "Cornelius", "Wilhelmina")
PATHS = {"ollama": "/api/chat", "openai": "/v1/chat/completions"}


@pytest.fixture
def upstream():
    with OllamaTestServer(models=[OllamaEntry(MODEL)]) as server:
        yield server


def post(url, dialect, text, session=None):
    body = {"model": MODEL, "stream": False, "messages": [{"role": "user", "content": text}]}
    headers = {"X-Unabridged-Session": session} if session else {}
    with httpx2.Client(timeout=30) as client:
        answer = client.post(url + PATHS[dialect], json=body, headers=headers)
    assert answer.status_code == 200, answer.text
    return answer


def talk(url, name):
    """A client with a session of its own, in both dialects by turns."""
    post(url, "ollama", f"My sister is called {name}. ({name})", f"at-{name}")
    post(url, "openai", f"Her boat is painted in {name}-blue. ({name})", f"at-{name}")
    post(url, "ollama", f"Remember what my sister is called? ({name})", f"at-{name}")
    post(url, "openai", f"Like last time: what is my sister called? ({name})", f"at-{name}")


def test_five_clients_at_once_recall_from_their_own_session_only(serving, upstream):
    url = serving(upstream="ollama", ollama_url=upstream.url, recall_scope="session")
    with ThreadPoolExecutor(5) as pool:
        list(pool.map(lambda name: talk(url, name), NAMES))
    with talking(url.service.pool, Scope()) as memory:
        memory.space.pins.add("The harbour is in Visby.")
    for dialect in PATHS:  # sessions without a name begin with nothing but the pins
        post(url, dialect, f"Remember what my sister is called? (new, {dialect})")
    sent = [json.dumps(body["messages"]) for body in upstream.sent("/api/chat")]
    assert len(sent) == 4 * len(NAMES) + len(PATHS)
    for text in sent:
        told = [name for name in NAMES if name in text]
        assert len(told) == (0 if "(new" in text else 1)
    assert all("Visby" in text for text in sent if "(new" in text)
    with talking(url.service.pool, Scope()) as memory:  # a person's search finds everything
        hits = memory.space.search("what is my sister called?", 50)
        assert {f"at-{name}" for name in NAMES} <= {hit.exchange.session for hit in hits}


@pytest.mark.parametrize("dialect", PATHS)
def test_quoted_is_the_session_that_is_answered(serving, dialect):
    url = serving(upstream="quote", recall_scope="session")
    for name in NAMES[:2]:
        post(url, dialect, f"My sister is called {name}.", f"at-{name}")
    for name, other in (NAMES[:2], NAMES[1::-1]):
        told = post(url, dialect, "What is my sister called?", f"at-{name}").text
        assert name in told
        assert other not in told
    fresh = post(url, dialect, "What is my sister called, please?", "at-new").text
    assert not [name for name in NAMES if name in fresh]


def test_a_server_writes_at_once_since_nobody_is_there_to_save(serving, tmp_path):
    url = serving(upstream="quote", json_files="model", auto_save=False)
    post(url, "ollama", "My sister is called Ottilie.", "at-desk")
    (path,) = (tmp_path / "home" / "memory").glob("*.json")
    assert "Ottilie" in path.read_text("utf-8")
