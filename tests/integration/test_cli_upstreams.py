"""The command line against servers that speak the real protocols over HTTP."""

import json

import pytest
from click.testing import CliRunner

from unabridged.cli.main import cli
from unabridged.domain.message import ToolCall
from unabridged.testing.ollama_server import OllamaEntry, OllamaTestServer
from unabridged.testing.openai_server import OpenAITestServer
from unabridged.testing.replies import ScriptedReply


@pytest.fixture
def run(tmp_path, monkeypatch):
    monkeypatch.setenv("UNABRIDGED_HOME", str(tmp_path / "home"))
    for name in ("OLLAMA_HOST", "OPENAI_API_KEY", "UNABRIDGED_UPSTREAM"):
        monkeypatch.delenv(name, raising=False)

    def call(*words, text=None):
        return CliRunner().invoke(cli, list(words), input=text)

    return call


def test_an_answer_streams_from_ollama_and_its_usage_is_shown(run):
    with OllamaTestServer("It was called **Azul**.") as server:
        ran = run("ask", "--json", "--ollama", server.url, "What was it called?")
        assert ran.exit_code == 0, ran.stderr
        data = json.loads(ran.stdout)
        (sent,) = server.sent("/api/chat")
    assert data["text"] == "It was called **Azul**."
    assert data["usage"]["prompt"] > 0
    assert sent["truncate"] is False
    assert sent["options"]["num_ctx"] == data["window"]


def test_ollama_host_alone_is_enough(run, monkeypatch):
    with OllamaTestServer("Yes.") as server:
        monkeypatch.setenv("OLLAMA_HOST", server.url.removeprefix("http://"))
        ran = run("ask", "Are you there?")
    assert (ran.exit_code, ran.stdout) == (0, "Yes.\n")


def test_a_conversation_goes_on_over_a_change_of_server_mode_and_model(run):
    entries = (OllamaEntry("a:latest"), OllamaEntry("b:latest"))
    with OllamaTestServer("Noted.", models=entries) as server:
        lines = "My cat is called Ada.\n/model b:latest\nt: And my dog Bo.\n"
        ran = run("chat", "--ollama", server.url, "--model", "a:latest", text=lines)
        assert ran.exit_code == 0, ran.stderr
        first, second = server.sent("/api/chat")
    assert (first["model"], second["model"]) == ("a:latest", "b:latest")
    assert "tools" not in first
    assert {tool["function"]["name"] for tool in second["tools"]} >= {"current_time"}
    with OpenAITestServer("Ada and Bo.") as server:
        ran = run("ask", "--openai", server.base_url, "What are they called?")
        assert ran.stdout == "Ada and Bo.\n"
        (sent,) = server.sent("/v1/chat/completions")
    said = json.dumps(sent["messages"])
    assert "My cat is called Ada." in said
    assert "And my dog Bo." in said


def test_tools_are_called_and_stored_with_the_exchange(run, tmp_path):
    path = tmp_path / "mine.py"
    path.write_text(
        'def weather(city: str) -> str:\n    """The weather."""\n    return f"rain in {city}"\n',
        encoding="utf-8",
    )
    call = ToolCall("c1", "weather", '{"city": "Lisbon"}')
    script = [ScriptedReply(calls=(call,)), ScriptedReply(text="It rains.")]
    with OllamaTestServer(script) as server:
        words = ["--ollama", server.url, "--mode", "tools", "--tools", str(path)]
        ran = run("ask", "--json", *words, "How is the weather?")
    assert ran.exit_code == 0, ran.stderr
    data = json.loads(ran.stdout)
    assert data["text"] == "It rains."
    assert [one["role"] for one in data["messages"]] == ["user", "assistant", "tool", "assistant"]
    assert "rain in Lisbon" in run("show").stdout


def test_an_answer_that_breaks_off_is_kept_and_told(run):
    with OllamaTestServer(
        ScriptedReply(text="It was called Azul", error="out of memory", after=4)
    ) as server:
        ran = run("ask", "--ollama", server.url, "What was it called?")
    assert ran.exit_code == 6
    assert ran.stdout.startswith("It was called")
    assert "error: " in ran.stderr
    (kept,) = json.loads(run("show", "--json").stdout)
    assert kept["state"] == "incomplete"
    assert kept["text"].startswith("It was called")


def test_a_server_without_a_model_says_how_to_get_one(run):
    with OllamaTestServer(models=()) as server:
        ran = run("ask", "--ollama", server.url, "Are you there?")
    assert ran.exit_code == 6
    assert "ollama pull" in ran.stderr


def test_a_model_that_is_not_there(run):
    with OllamaTestServer() as server:
        ran = run("ask", "--ollama", server.url, "--model", "nonsense", "Are you there?")
    assert ran.exit_code == 6
    assert "nonsense" in ran.stderr


def test_models_and_doctor_see_the_server(run):
    entries = (OllamaEntry("a:latest", day=1), OllamaEntry("b:latest", day=2))
    with OllamaTestServer(models=entries) as server:
        models = json.loads(run("models", "--json", "--ollama", server.url).stdout)
        found = run("doctor", "--ollama", server.url)
    names = {line["model"] for line in models if line["provider"] == "ollama"}
    assert names == {"a:latest", "b:latest"}
    assert found.exit_code == 0, found.stdout
    assert server.url in found.stdout


def test_the_number_of_a_model_names_it(run):
    entries = (OllamaEntry("a:latest", day=1), OllamaEntry("b:latest", day=2))
    with OllamaTestServer("Yes.", models=entries) as server:
        ran = run("chat", "--ollama", server.url, text="/model\n/model 2\nhello\n/model c\n")
        (sent,) = server.sent("/api/chat")
    listed = [line.split() for line in ran.stdout.splitlines()]
    second = next(line for line in listed if line[:1] == ["2"])
    assert sent["model"] in second
    assert ran.exit_code == 3
