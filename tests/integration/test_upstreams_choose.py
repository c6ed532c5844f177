"""Which model answers, with real servers that are there, away, empty or wrong."""

import socket
import sys
from datetime import UTC, datetime

import pytest

from unabridged import errors
from unabridged.domain.settings import Settings
from unabridged.models import choose_model, gguf, smollm2
from unabridged.testing.anthropic_server import AnthropicTestServer
from unabridged.testing.ollama_server import OllamaEntry, OllamaTestServer
from unabridged.testing.openai_server import OpenAIEntry, OpenAITestServer

NOBODY = "http://127.0.0.1:9"


class Clock:
    def now(self):
        return datetime(2026, 11, 21, tzinfo=UTC)

    def new_id(self):
        return "0" * 26


@pytest.fixture
def chosen(tmp_path):
    opened = []

    def pick(**settings):
        settings.setdefault("ollama_url", NOBODY)
        found = choose_model.choose(Settings(**settings), Clock(), tmp_path)
        opened.append(found.model)
        return found

    yield pick
    for model in opened:
        model.close()


@pytest.fixture
def fetched(tmp_path, monkeypatch):
    path = smollm2.location(tmp_path)
    path.parent.mkdir(parents=True)
    path.write_bytes(b"GGUF\x03\0\0\0" + b"\0" * 16)
    monkeypatch.setattr(smollm2, "SIZE", path.stat().st_size)
    return path


def test_anthropics_server_answers_where_it_is_named(chosen, tmp_path):
    with AnthropicTestServer(models=["claude-b", "claude-a"]) as server:
        for more in ({}, {"upstream": "anthropic"}):
            found = chosen(anthropic_url=server.url, **more)
            assert (found.model.provider, found.model.model) == ("anthropic", "claude-b")
        settings = Settings(anthropic_url=f"{server.url}/v1", ollama_url=NOBODY)
        (row, *_) = choose_model.available(settings, Clock(), tmp_path)
        assert (row.provider, row.models) == ("anthropic", ("claude-b", "claude-a"))
        (told, *_) = choose_model.diagnose(settings, Clock(), tmp_path)
        assert (told.provider, told.answers, told.window) == ("anthropic", True, 200_000)


def test_a_model_whose_server_wants_the_clients_key_has_the_window_of_all(chosen):
    with AnthropicTestServer(models=["claude-b"], key="theirs", window=500_000) as server:
        found = chosen(anthropic_url=server.url, model="claude-b")
        assert found.model.abilities().loaded_window == 200_000
        server.key = ""
        found = chosen(anthropic_url=server.url, model="claude-b", model_cache_ttl=0)
        assert found.model.abilities().loaded_window == 500_000


def test_a_server_that_wants_the_clients_keys_is_ready(chosen):
    with AnthropicTestServer(key="theirs") as server:
        assert "their own key" in chosen(anthropic_url=server.url).note
        with pytest.raises(errors.UpstreamRefusedError):
            chosen(anthropic_url=server.url, anthropic_key="wrong")


def test_a_configured_server_goes_first(chosen):
    with (
        OpenAITestServer(models=[OpenAIEntry("a"), OpenAIEntry("b")]) as server,
        OllamaTestServer() as other,
    ):
        found = chosen(openai_url=server.base_url, ollama_url=other.url)
        assert (found.model.provider, found.model.model) == ("openai", "a")
        assert server.url in found.note
        assert other.requests == []


def test_then_ollama_with_its_most_recent_model(chosen):
    entries = [OllamaEntry("old:1b", day=1), OllamaEntry("new:latest", day=5)]
    with OllamaTestServer(models=entries) as server:
        found = chosen(ollama_url=server.url)
        assert (found.model.provider, found.model.model) == ("ollama", "new:latest")
        assert "new" in found.note
        assert chosen(ollama_url=server.url, model="old:1b").model.model == "old:1b"


def test_ollama_without_a_model_says_what_to_pull_and_goes_on(chosen):
    with OllamaTestServer(models=[]) as server:
        found = chosen(ollama_url=server.url)
        assert found.model.provider == "quote"
        assert "ollama pull" in found.note
        with pytest.raises(errors.NoModelError) as caught:
            chosen(ollama_url=server.url, upstream="ollama")
        assert "ollama pull" in caught.value.hint


def test_then_a_fetched_model_if_it_can_be_run(chosen, fetched, monkeypatch):
    monkeypatch.setattr(gguf, "installed", lambda: True)
    found = chosen()
    assert found.model.provider == "gguf"
    assert "Ollama" in found.note
    monkeypatch.setattr(gguf, "installed", lambda: False)
    without = chosen()
    assert without.model.provider == "quote"
    assert "[gguf]'" in without.note


def test_with_nothing_there_it_quotes_and_says_how_to_do_better(chosen):
    found = chosen()
    assert found.model.provider == "quote"
    for way in ("ollama pull", "--openai URL", "unabridged models get smollm2"):
        assert way in found.note


def test_a_named_upstream_does_not_fall_through(chosen):
    with pytest.raises(errors.UpstreamAwayError):
        chosen(upstream="ollama")
    with pytest.raises(errors.UpstreamAwayError):
        chosen(upstream="openai", openai_url=f"{NOBODY}/v1")
    with pytest.raises(errors.UpstreamAwayError):
        chosen(openai_url=f"{NOBODY}/v1")
    with pytest.raises(errors.SettingError, match="address"):
        chosen(upstream="openai")
    with pytest.raises(errors.SettingError, match="no GGUF"):
        chosen(upstream="gguf")
    with pytest.raises(errors.SettingError, match="no file"):
        chosen(gguf="/nothing/here.gguf")
    with pytest.raises(errors.SettingError, match="gemini") as caught:
        chosen(upstream="gemini")
    assert "quote" in caught.value.hint
    assert chosen(upstream="quote").model.provider == "quote"


def test_a_named_model_needs_no_question_to_the_server(chosen):
    found = chosen(upstream="openai", openai_url=f"{NOBODY}/v1", model="gpt-4o")
    able = found.model.abilities()
    assert (able.source, able.trained_window, able.max_output) == ("table", 128_000, 16_384)


def test_an_openai_server_without_models(chosen):
    with OpenAITestServer(models=[]) as server, pytest.raises(errors.NoModelError):
        chosen(upstream="openai", openai_url=server.base_url)


def test_abilities_are_cached_on_disk_and_never_the_key(chosen, tmp_path):
    with OpenAITestServer(key="sesame-key") as server, OpenAITestServer() as other:
        chosen(openai_url=server.base_url, openai_key="sesame-key").model.abilities()
        url = other.base_url.replace("http://", "http://me:hunter2@")
        chosen(openai_url=url).model.abilities()
        content = (tmp_path / "abilities.json").read_text()
        assert content.count("test-model") >= 2
        assert "sesame" not in content
        assert "hunter2" not in content


def test_a_refusal_for_length_makes_the_window_be_asked_anew(chosen, tmp_path):
    from unabridged.testing.models import asking

    with OllamaTestServer() as server:
        model = chosen(ollama_url=server.url).model
        assert model.abilities().source == "server"
        assert model.abilities().source == "cache"
        with pytest.raises(errors.ContextRefusedError):
            list(model.chat(asking("word " * 2000)))
        assert model.abilities().source == "server"


def test_what_is_available_and_why_not():
    with OllamaTestServer(models=[OllamaEntry("m:1b")]) as server:
        settings = Settings(ollama_url=server.url, openai_url=f"{NOBODY}/v1")
        rows = {row.provider: row for row in choose_model.available(settings, Clock(), None)}
    assert list(rows) == ["openai", "ollama", "gguf", "quote"]
    assert rows["ollama"].models == ("m:1b",)
    assert "does not answer" in rows["openai"].note
    assert "models get smollm2" in rows["gguf"].note


def test_the_diagnosis_tells_the_real_window():
    entry = OllamaEntry("m:1b", loaded=2048)
    with OllamaTestServer(models=[entry]) as ollama, OpenAITestServer(window=512) as openai:
        settings = Settings(ollama_url=ollama.url, openai_url=openai.base_url)
        rows = {row.provider: row for row in choose_model.diagnose(settings, Clock(), None)}
    one = rows["ollama"]
    assert (one.answers, one.version, one.model) == (True, "0.33.0", "m:1b")
    assert (one.window, one.origin) == (2048, "loaded")
    assert (rows["openai"].window, rows["openai"].origin) == (4096, "default")
    assert "window" in rows["openai"].note
    assert rows["gguf"].answers is False
    assert rows["quote"].answers


def test_the_diagnosis_of_what_is_away_or_empty():
    with OllamaTestServer(models=[]) as server:
        row = choose_model.diagnose(Settings(ollama_url=server.url), Clock(), None)[0]
        assert (row.answers, row.models) == (False, ())
        assert "ollama pull" in row.note
    away = choose_model.diagnose(Settings(ollama_url=NOBODY), Clock(), None)[0]
    assert away.answers is False
    assert "ollama serve" in away.note


def test_a_bare_install_quotes_and_says_what_to_install(chosen, monkeypatch):
    monkeypatch.setitem(sys.modules, "httpx2", None)
    with socket.create_server(("127.0.0.1", 0)) as there:  # something listens where Ollama would
        found = chosen(ollama_url=f"http://127.0.0.1:{there.getsockname()[1]}")
    assert found.model.provider == "quote"
    assert "[http]'" in found.note
    with pytest.raises(errors.MissingExtraError, match="httpx2"):
        chosen(upstream="ollama")
    rows = choose_model.diagnose(Settings(ollama_url=NOBODY), Clock(), None)
    assert "[http]'" in rows[0].note
    assert "[http]'" in choose_model.available(Settings(), Clock(), None)[0].note
