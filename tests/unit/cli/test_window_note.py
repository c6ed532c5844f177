"""A window beyond what the model was trained for is sent as it was set, and said."""

import pytest

from unabridged.testing.ollama_server import OllamaEntry, OllamaTestServer

SAID = "the model was trained for 4,096 tokens only"


@pytest.fixture
def upstream(monkeypatch):
    with OllamaTestServer(models=[OllamaEntry("small:latest", trained=4096)]) as server:
        monkeypatch.setenv("UNABRIDGED_UPSTREAM", "ollama")
        monkeypatch.setenv("UNABRIDGED_OLLAMA_URL", server.url)
        yield server


def test_ask_chat_and_why_say_that_the_window_is_beyond_the_models_length(run, upstream):
    asked = run("ask", "Hello", "--window", "8192")
    assert asked.err.count(SAID) == 1
    assert upstream.sent("/api/chat")[-1]["options"]["num_ctx"] == 8192
    assert SAID in run("why").out
    assert run("why", "--json").data["notes"] == [SAID]
    told = run("ask", "Hello", "--window", "8192", "--json").data["notes"]
    assert told == [f"Note: {SAID}."]
    chatted = run("chat", "--window", "8192", text="Hello\nHow are you?\n/quit\n")
    assert (chatted.out + chatted.err).count(SAID) == 1


def test_nothing_is_said_of_a_window_that_fits_nor_where_no_model_is_asked(run, upstream):
    assert SAID not in run("ask", "Hello", "--window", "4096").err
    quoted = run("ask", "Hello", "--window", "30000", "--upstream", "quote")
    assert "trained" not in quoted.err + run("why").out
