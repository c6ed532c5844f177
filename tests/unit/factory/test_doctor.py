from dataclasses import replace

from tests.helpers.talker import Talker

from unabridged.domain.settings import Settings
from unabridged.factory.home import available_models, diagnose
from unabridged.testing.ollama_server import OllamaEntry, OllamaTestServer


def settings(tmp_path, **more) -> Settings:
    # Port 9 (discard) answers nowhere.
    return replace(Settings(home=str(tmp_path), ollama_url="http://127.0.0.1:9"), **more)


def by_topic(tmp_path, **more):
    return {f.topic: f for f in diagnose(settings(tmp_path, **more))}


def test_everything_is_looked_at_and_nothing_is_changed(tmp_path):
    with Talker.open(tmp_path, upstream="quote", user="ann") as memory:
        memory.record(memory.prepare("hello"), "hi")
    before = {p: p.read_bytes() for p in (tmp_path / "spaces").iterdir()}
    found = by_topic(tmp_path)
    assert found["version"].ok
    assert "SQLite" in found["version"].text
    assert found["upstream ollama"].ok is None
    assert "ollama serve" in found["upstream ollama"].hint
    assert found["space ann/default"].ok
    assert "exchanges: 1" in found["space ann/default"].text
    assert {p: p.read_bytes() for p in before} == before


def test_the_window_that_a_server_really_has_is_said(tmp_path):
    entry = OllamaEntry("llama3.2:latest", loaded=4096)
    with OllamaTestServer(models=(entry,)) as server:
        found = by_topic(tmp_path, ollama_url=server.url)
        assert "4,096" in found["upstream ollama"].text
        lines = available_models(settings(tmp_path, ollama_url=server.url))
        assert ("ollama", "llama3.2:latest") in {(line.provider, line.model) for line in lines}


def test_a_damaged_space_is_found_and_the_sound_one_too(tmp_path):
    for user in ("ann", "bob"):
        with Talker.open(tmp_path, upstream="quote", user=user) as memory:
            memory.record(memory.prepare("hello"), "hi")
    (path,) = (tmp_path / "spaces").glob("ann*.db")
    path.write_bytes(b"gone" * 5000)
    spaces = [f for f in diagnose(settings(tmp_path)) if f.topic.startswith("space")]
    assert sorted(f.ok for f in spaces) == [False, True]
    assert all(f.hint for f in spaces if not f.ok)


def test_an_unwritable_home_is_a_finding(tmp_path):
    (tmp_path / "file").write_text("x")
    found = {f.topic: f for f in diagnose(Settings(home=str(tmp_path / "file" / "home")))}
    assert found["home"].ok is False
    assert found["home"].hint


def test_the_embedder_is_looked_at(tmp_path):
    assert by_topic(tmp_path)["embedder"].ok
    assert "words" in by_topic(tmp_path, embedder="none")["embedder"].text
    lacking = by_topic(tmp_path, embedder="onnx:intfloat/multilingual-e5-small")["embedder"]
    assert lacking.ok is False
    assert "models get intfloat/multilingual-e5-small" in lacking.hint
    away = by_topic(tmp_path, embedder="ollama:bge-m3")["embedder"]
    assert away.ok is False
    assert "ollama serve" in away.hint
    with OllamaTestServer(models=(OllamaEntry("bge-m3:latest"),)) as server:
        there = by_topic(tmp_path, embedder="ollama:bge-m3", ollama_url=server.url)["embedder"]
        assert there.text.startswith("ollama:bge-m3:latest@")
