"""The list of models is asked for once in a while, and used stale while nobody answers."""

import json
from dataclasses import replace
from datetime import timedelta

import pytest

from unabridged.domain.settings import Settings
from unabridged.errors import UpstreamError
from unabridged.models import choose_model
from unabridged.models.model_list_cache import FILE_NAME, ModelListCache
from unabridged.testing.clock import ManualClock
from unabridged.testing.ollama_server import OllamaEntry, OllamaTestServer

HOUR = 3600.0


def lists(server) -> int:
    return sum(one.path == "/api/tags" for one in server.requests)


def row(settings, clock, folder, **given):
    return choose_model.available(settings, clock, folder, **given)[0]


def test_a_list_is_asked_for_once_an_hour(tmp_path):
    clock = ManualClock()
    with OllamaTestServer(models=[OllamaEntry("m:1b")]) as server:
        settings = Settings(ollama_url=server.url)
        first = row(settings, clock, tmp_path)
        again = [row(settings, clock, tmp_path) for _ in range(5)]
        assert (first.models, first.note) == (("m:1b",), "")
        assert {one.models for one in again} == {("m:1b",)}
        assert "--refresh" in again[0].note
        assert lists(server) == 1
        clock.time += timedelta(seconds=HOUR)
        row(settings, clock, tmp_path)
        assert lists(server) == 2


def test_it_can_be_asked_for_now(tmp_path):
    with OllamaTestServer(models=[OllamaEntry("m:1b")]) as server:
        settings, clock = Settings(ollama_url=server.url), ManualClock()
        row(settings, clock, tmp_path)
        server.models.append(OllamaEntry("new:1b", day=2))
        assert row(settings, clock, tmp_path).models == ("m:1b",)
        assert row(settings, clock, tmp_path, fresh=True).models == ("new:1b", "m:1b")
        assert row(settings, clock, tmp_path).models == ("new:1b", "m:1b")


def test_it_is_used_stale_while_the_server_is_away(tmp_path):
    clock = ManualClock()
    with OllamaTestServer(models=[OllamaEntry("m:1b")]) as server:
        settings = Settings(ollama_url=server.url)
        row(settings, clock, tmp_path)
    clock.time += timedelta(seconds=2 * HOUR)
    stale = row(settings, clock, tmp_path)
    assert stale.models == ("m:1b",)
    assert "does not answer" in stale.note
    elsewhere = row(replace(settings, ollama_url="http://127.0.0.1:9"), clock, tmp_path)
    assert elsewhere.models == ()


def test_a_server_without_models_is_believed(tmp_path):
    clock = ManualClock()
    with OllamaTestServer(models=[OllamaEntry("m:1b")]) as server:
        settings = Settings(ollama_url=server.url)
        row(settings, clock, tmp_path)
        server.models.clear()
        emptied = row(settings, clock, tmp_path, fresh=True)
        assert emptied.models == ()
        assert "ollama pull" in emptied.note
        assert row(settings, clock, tmp_path).models == ()


@pytest.mark.parametrize(
    "content",
    [
        b"{",
        b"[]",
        b'{"format": 1, "servers": {"s": {"at": "yesterday", "models": ["m"]}}}',
        b'{"format": 1, "servers": {"s": {"at": "2026-01-01T00:00:00", "models": ["m"]}}}',
        b'{"format": 1, "servers": {"s": {"at": "2026-01-01T00:00:00+00:00", "models": [1]}}}',
        b'{"format": 99, "servers": {}}',
    ],
)
def test_what_cannot_be_read_is_asked_anew(tmp_path, content):
    (tmp_path / FILE_NAME).write_bytes(content)
    book = ModelListCache(ManualClock(), tmp_path, HOUR)
    assert book.get("s", lambda: ["m"]).names == ("m",)
    assert json.loads((tmp_path / FILE_NAME).read_text())["servers"]["s"]["models"] == ["m"]


def test_without_a_list_a_server_that_is_away_is_an_error(tmp_path):
    def away():
        raise UpstreamError("away", hint="start it")

    with pytest.raises(UpstreamError):
        ModelListCache(ManualClock(), tmp_path, HOUR).get("s", away)


def test_a_folder_that_cannot_be_written_costs_a_question_only(tmp_path):
    (tmp_path / "file").write_text("")
    book = ModelListCache(ManualClock(), tmp_path / "file" / "cache", HOUR)
    assert book.get("s", lambda: ["m"]).names == ("m",)


def test_a_recent_list_is_not_asked_for_again_and_a_stale_one_is(tmp_path):
    clock, asked = ManualClock(), []

    def ask():
        asked.append(1)
        return ["llama3"]

    cache = ModelListCache(clock, tmp_path, 3600.0)
    for _ in range(2):
        assert cache.recent("http://here", ask, 300.0) == ("llama3",)
    assert len(asked) == 1
    clock.time += timedelta(seconds=301)
    cache.recent("http://here", ask, 300.0)
    assert len(asked) == 2
