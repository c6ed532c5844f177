"""The window of an Ollama model grows for a request that needs more, and for nothing else."""

import httpx2
import pytest

from unabridged.testing.ollama_server import OllamaEntry, OllamaTestServer
from unabridged.testing.replies import Scripted, ScriptedReply

TALK = [
    {"role": "user", "content": "The plan is this: " + "one two three four five six " * 900},
    {"role": "assistant", "content": "Noted."},
]
LONG = [*TALK, *TALK, *TALK, {"role": "user", "content": "And now?"}]
"""About 16,200 words."""
SHORT = [{"role": "user", "content": "Hello there."}]


@pytest.fixture
def ollama(serving):
    """Give a function that starts our server before an Ollama whose model is as it is told."""
    opened = []

    def start(entry, **settings):
        server = OllamaTestServer("Yes.", models=[entry])
        opened.append(server)
        return serving(upstream="ollama", ollama_url=server.url, **settings), server

    yield start
    for server in opened:
        server.close()


def ask(served, messages, **more):
    body = {"model": "llama3.2", "messages": messages, "stream": False, **more}
    return httpx2.post(f"{served}/api/chat", json=body, timeout=60)


def windows(server):
    return [body["options"]["num_ctx"] for body in server.sent("/api/chat")]


def test_it_doubles_to_what_a_request_needs_says_so_once_and_stays(ollama):
    served, server = ollama(OllamaEntry())
    assert ask(served, SHORT).status_code == 200
    grown = ask(served, LONG)
    assert grown.status_code == 200
    assert "32,768" in grown.headers["x-unabridged-warning"]
    assert [m["content"] for m in server.sent("/api/chat")[-1]["messages"]] == [
        m["content"] for m in LONG
    ]
    after = ask(served, SHORT)
    assert "x-unabridged-warning" not in after.headers
    assert windows(server) == [16_384, 32_768, 32_768]


def test_a_clients_own_window_wins(ollama):
    served, server = ollama(OllamaEntry())
    refused = ask(served, LONG, tools=[], options={"num_ctx": 8_192})
    assert refused.headers["x-unabridged-left-out"].startswith("messages=")
    assert windows(server) == [8_192]


@pytest.mark.parametrize("settings", [{"window": 16_384}, {"window_max": 16_384}])
def test_it_stays_below_what_a_person_sets(ollama, settings):
    served, server = ollama(OllamaEntry(), fit="refuse", **settings)
    refused = ask(served, LONG)
    assert refused.status_code == 400
    assert server.sent("/api/chat") == []


def test_it_stays_below_what_the_model_was_trained_for(ollama):
    served, server = ollama(OllamaEntry(trained=16_384), fit="refuse")
    assert ask(served, LONG).status_code == 400
    assert server.sent("/api/chat") == []


def test_it_does_not_grow_once_the_model_spills_out_of_the_gpu(ollama):
    served, _ = ollama(OllamaEntry(loaded=16_384, gpu=8_192), fit="refuse")
    assert ask(served, LONG).status_code == 400


def test_a_window_that_cannot_be_loaded_goes_back_and_is_remembered(ollama):
    served, server = ollama(OllamaEntry(memory=16_384))
    condensed = ask(served, LONG)
    assert condensed.status_code == 200
    assert "messages=" in condensed.headers["x-unabridged-left-out"]
    assert ask(served, LONG).status_code == 200
    assert windows(server) == [32_768, 16_384, 16_384]


def test_it_grows_again_where_the_longer_window_keeps_more_for_the_answer(ollama):
    served, server = ollama(OllamaEntry(loaded=1_024), fit="refuse")
    assert ask(served, [{"role": "user", "content": "one " * 1_760}]).status_code == 200
    assert windows(server) == [4_096]


def test_a_grown_window_that_fails_within_an_answer_goes_back_too(ollama):
    served, server = ollama(OllamaEntry(), fit="refuse")
    server.script = Scripted([ScriptedReply("No.", error="CUDA error: out of memory"), "Yes."])
    body = {"model": "llama3.2", "messages": LONG}
    broken = httpx2.post(f"{served}/api/chat", json=body, timeout=60)
    assert "out of memory" in broken.text
    assert ask(served, SHORT).status_code == 200
    assert windows(server) == [32_768, 16_384]
