"""Changing from one embedder to another through the command line, with a server that embeds."""

import json
import os
import signal
import subprocess
import sys
import threading
from datetime import UTC, datetime

import pytest
from click.testing import CliRunner
from tests.helpers.talker import Talker

from unabridged.cli.main import cli
from unabridged.domain.budget import Mode
from unabridged.errors import StoreError
from unabridged.testing.http_server import Answered
from unabridged.testing.ollama_server import OllamaEntry, OllamaTestServer

pytest.importorskip("httpx2", reason="the extra http is not installed")

MODEL = "embedder-for-tests"
NAME = f"ollama:{MODEL}"
PROGRAM = [sys.executable, "-c", "from unabridged.cli.main import main; main()"]


class Server(OllamaTestServer):
    """Embeds, counts the texts that it saw, and can be stuck or away."""

    def __init__(self, **more):
        self.texts = []
        self.free = 1_000_000
        self.stuck, self.gate = threading.Event(), threading.Event()
        self.away = False
        self.width = None
        super().__init__(models=(OllamaEntry(f"{MODEL}:latest"),), **more)

    def answer(self, received):
        answered = super().answer(received)
        if self.away:
            return Answered({"error": "loading model"}, 503)
        if received.path == "/api/embed":
            self.texts += received.body["input"]
            if len(self.texts) > self.free:
                self.stuck.set()
                self.gate.wait(30)
            if self.width:
                vectors = [row[: self.width] for row in answered.body["embeddings"]]
                return Answered({**answered.body, "embeddings": vectors})
        return answered


@pytest.fixture
def server():
    with Server() as server:
        yield server


@pytest.fixture
def home(tmp_path, monkeypatch, server):
    monkeypatch.setenv("UNABRIDGED_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("UNABRIDGED_UPSTREAM", "quote")
    monkeypatch.setenv("UNABRIDGED_OLLAMA_URL", server.url)
    monkeypatch.setenv("COLUMNS", "200")
    return tmp_path / "home"


def run(*words, text=None, code=0):
    result = CliRunner().invoke(cli, list(words), input=text)
    assert result.exit_code == code, result.output + result.stderr
    return result


def conversation(tmp_path, count, name="talk"):
    """A file to import."""
    lines = []
    for number in range(count):
        at = datetime(2026, 5, 1, 8, number // 60, number % 60, tzinfo=UTC).isoformat()
        lines += [
            {"role": "user", "content": f"Tell me of island {name}{number}", "time": at},
            {"role": "assistant", "content": f"It lies by {name}{number} rocks", "time": at},
        ]
    path = tmp_path / f"{name}.jsonl"
    path.write_text("\n".join(json.dumps(line) for line in lines), encoding="utf-8")
    return str(path)


def vectors_of(home):
    findings = json.loads(CliRunner().invoke(cli, ["doctor", "--json"]).stdout)
    (space,) = [f for f in findings if f["topic"].startswith("space")]
    assert space["ok"], space
    return space["text"].split("vectors: ")[1]


def found(*words):
    ran = run("search", "--json", *words)
    return [one["exchange"]["messages"][0]["text"] for one in json.loads(ran.stdout)]


def test_over_to_a_server_and_back(home, server, tmp_path):
    run("import", conversation(tmp_path, 40))
    assert server.texts == []
    assert vectors_of(home).startswith("static")
    before = found("island", "talk7")
    assert before[0] == "Tell me of island talk7"
    ran = run("models", "reembed", "--embedder", NAME)
    assert "Embedded 40 exchanges" in ran.stdout
    embedded = len(server.texts)
    assert embedded >= 40
    assert vectors_of(home).startswith(f"{NAME}:latest@")
    assert found("island", "talk7")[0] == before[0]
    assert server.texts[embedded:] == ["island talk7"]  # the question only
    ran = run("models", "reembed", "--embedder", NAME, "--json")
    assert json.loads(ran.stdout)["embedded"] == 0
    run("models", "reembed", "--embedder", "static")
    assert vectors_of(home).startswith("static")
    assert found("island", "talk7") == before
    assert len(server.texts) == embedded + 1


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX signals")
def test_what_is_interrupted_goes_on_where_it_stopped(home, server, tmp_path):
    run("import", conversation(tmp_path, 150))
    run("search", "island")
    old = vectors_of(home)
    server.free = 64  # the third page is never answered
    process = subprocess.Popen(
        [*PROGRAM, "models", "reembed", "--embedder", NAME],
        env=dict(os.environ),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert server.stuck.wait(60)
    # While it runs, searches use the old vectors: the server is asked nothing.
    seen = [text for text in server.texts if text == "island talk7"]
    assert found("island", "talk7")[0] == "Tell me of island talk7"
    assert [text for text in server.texts if text == "island talk7"] == seen
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=30)
    assert process.returncode == 130, err
    assert "Traceback" not in err
    assert vectors_of(home) == old
    server.gate.set()
    first = len(server.texts)
    run("models", "reembed", "--embedder", NAME)
    again = len(server.texts) - first
    texts = [text for text in server.texts if "rocks" in text]
    assert len(set(texts)) == 150
    # What was under way when it was interrupted is done again, and nothing else.
    assert len(texts) == 150 + 32
    assert again == 150 - 64
    assert vectors_of(home).startswith(NAME)


def test_what_is_said_is_embedded_after_the_answer(home, server, monkeypatch):
    monkeypatch.setenv("UNABRIDGED_EMBEDDER", NAME)
    run("ask", "Where is the lighthouse of Alexandria?")
    assert vectors_of(home).startswith(NAME)
    run("chat", "--plain", text="The second wonder is a garden.\nAnd the third a statue.\n")
    with Talker.open(home, upstream="quote", embedder=NAME) as memory:
        assert list(memory.space.maintenance.embed()) == []


def test_what_is_imported_is_embedded(home, server, tmp_path, monkeypatch):
    monkeypatch.setenv("UNABRIDGED_EMBEDDER", NAME)
    ran = run("import", conversation(tmp_path, 50))
    assert "(50 exchanges)" in ran.stdout
    with Talker.open(home, upstream="quote", embedder=NAME) as memory:
        assert list(memory.space.maintenance.embed()) == []
    count = len(server.texts)
    run("import", conversation(tmp_path, 50))
    assert len(server.texts) == count


@pytest.mark.parametrize("when", ["at first", "later"])
def test_a_server_that_is_away_loses_nothing(home, server, tmp_path, monkeypatch, when):
    monkeypatch.setenv("UNABRIDGED_EMBEDDER", NAME)
    if when == "later":
        run("ask", "A first question of volcanoes")
    server.away = True
    ran = run("import", conversation(tmp_path, 5))
    assert "(5 exchanges)" in ran.stdout
    assert "found by their words" in ran.stderr
    ran = run("ask", "What of island talk3?")
    assert "found by their words" in ran.stderr
    ran = run("chat", "--plain", text="Tell of island talk4\nand of talk2\n")
    assert ran.stderr.count("found by their words") == 1
    ran = run("search", "--json", "island", "talk3")
    assert "Tell me of island talk3" in ran.stdout
    assert ("words only" in ran.stderr) is (when == "later")
    server.away = False
    with Talker.open(home, upstream="quote", embedder=NAME) as memory:
        *_, last = memory.space.maintenance.embed()
        assert last.done == 8
        assert list(memory.space.maintenance.embed()) == []
    assert vectors_of(home).startswith(NAME)


def test_a_model_that_was_replaced_is_told(home, server, tmp_path, monkeypatch):
    run("import", conversation(tmp_path, 40))
    run("models", "reembed", "--embedder", NAME)
    server.width = 32
    ran = run("search", "--json", "island", "talk3")
    assert json.loads(ran.stdout)[0]["exchange"]["messages"][0]["text"] == "Tell me of island talk3"
    ran = run("ask", "What of island talk3?")
    assert "numbers here" in ran.stderr
    with Talker.open(home, upstream="quote") as memory:
        memory.record(memory.prepare("more of islands", mode=Mode.CHAT), "indeed")
        with pytest.raises(StoreError, match="numbers") as caught:
            list(memory.space.maintenance.embed())
        assert caught.value.hint


def test_an_unkept_conversation_needs_no_server(server):
    server.away = True
    with Talker.open(
        ephemeral=True, upstream="quote", embedder=NAME, ollama_url=server.url
    ) as memory:
        memory.record(memory.prepare("I live in Casablanca"), "A fine town")
        assert list(memory.space.maintenance.embed()) == []
        assert memory.space.search("Casablanca")
        assert "words only" in memory.space.search_note
        server.away = False
        assert memory.space.search("Casablanca")
        assert memory.space.search_note == ""
        assert any("fine town" in text for text in server.texts)
