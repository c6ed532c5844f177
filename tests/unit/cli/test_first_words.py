"""What a new user types first, and what they read then."""

import re
from pathlib import Path

import pytest
from click import unstyle
from tests.unit.cli.test_talk import Model

from unabridged.cli.commands import ask_command
from unabridged.cli.output import echo_error
from unabridged.domain.chat import Abilities
from unabridged.errors import MissingExtraError, NotFoundError, UnabridgedError
from unabridged.models.window import window
from unabridged.server.route_permissions import rule_for


def test_a_question_may_come_from_a_pipe(run):
    ran = run("ask", text="I live in Bern.\n")
    assert ran.code == 0
    assert run("show", "--json").data[0]["message"] == "I live in Bern."


def test_no_question_on_a_terminal_is_an_error_at_once(run, monkeypatch):
    monkeypatch.setattr(ask_command, "_is_typed", lambda: True)
    ran = run("ask")
    assert ran.code == 2
    assert "There is no question." in ran.err


def test_the_name_of_an_option_typed_as_a_command_names_the_option(run):
    ran = run("version")
    assert ran.code == 2
    assert "Did you mean `unabridged --version`?" in ran.err
    assert "Did you mean `unabridged --help`?" in run("help").err


def test_an_unknown_window_is_named_with_its_tokens_and_how_to_set_it():
    note = window(Abilities("new")).note
    assert re.search(r"using [\d,]+ tokens", note)
    assert "--set window=" in note


def test_a_wrong_option_is_named_as_it_was_typed(run):
    assert run("serve", "--listen", "foo").err.startswith("error: listen cannot be 'foo'.")


def test_a_missing_backup_does_not_ask_to_make_one(run):
    hint = run("backup", "restore", "memory.zip").err.partition("hint: ")[2]
    assert hint.startswith("Use another backup.")


def test_how_to_get_a_model_is_something_to_type(run, monkeypatch):
    monkeypatch.setenv("UNABRIDGED_UPSTREAM", "auto")
    monkeypatch.setenv("UNABRIDGED_OLLAMA_URL", "http://127.0.0.1:9")
    said = run("ask", "Hello").err + run("chat", text="hello\n").err
    assert "--openai URL" in said
    assert "openai_url" not in said


def test_why_of_an_unknown_prompt_says_where_ids_are(run):
    run("ask", "I live in Bern.")
    hint = run("why", "3").err.partition("hint: ")[2]
    assert "unabridged show" in hint
    assert "Send a message first" not in hint
    assert run("show", "--json").data[0]["id"][:10] in run("show").out


def test_the_line_under_an_answer_fits_and_has_nothing_for_caches(run):
    for _ in range(3):
        ran = run("chat", text="I live in Bern.\n")
    line = next(line for line in ran.err.splitlines() if "tokens" in line)
    assert "cache" not in line
    assert len(line) < 78
    assert "cache-reusable" in run("why", "-v").out


@pytest.mark.parametrize("words", [["--json"], []])
def test_ctrl_c_in_ask_says_what_is_kept(run, monkeypatch, words):
    stops = Model(["Half an ", KeyboardInterrupt()])
    monkeypatch.setattr("unabridged.turn.conversation.Conversation.model", stops, raising=False)
    monkeypatch.setattr("unabridged.space.space.Space.model", stops)
    ran = run("ask", "Hello", *words)
    assert ran.code == 130
    assert ("Stopped. What arrived is kept" in ran.err) is not bool(words)


def test_errors_are_broken_between_words_on_a_terminal(monkeypatch, capsys):
    monkeypatch.setenv("COLUMNS", "60")
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    error = MissingExtraError("mcp", "mcp")
    for before in ("", "It failed. "):
        echo_error(UnabridgedError(before + str(error), hint=error.hint), as_json=False)
        command = error.hint.partition(": ")[2]
        said = unstyle(capsys.readouterr().err).splitlines()
        assert any(command in line for line in said)
        assert all(len(line) <= max(60, len(command)) for line in said)
        assert " ".join(said) == f"error: {before}{error} hint: {error.hint}"


def test_an_unknown_route_names_one_that_is_there():
    with pytest.raises(NotFoundError) as caught:
        rule_for("GET", "/memory")
    (path,) = re.findall(r"/[\w/.]+\.json", caught.value.hint)
    assert rule_for("GET", path)
    page = (Path(__file__).parents[3] / "docs" / "start" / "operate.md").read_text("utf-8")
    for shown in re.findall(r"http://127\.0\.0\.1:11435(/memory[\w/.]*)", page):
        assert rule_for("GET", shown)


def test_the_pages_name_the_command_that_shows_the_folder(run, tmp_path):
    assert run("config", "get", "home").out.strip() == str(tmp_path / "home")
    page = (Path(__file__).parents[3] / "docs" / "start" / "chat.md").read_text("utf-8")
    assert "`unabridged config get home` shows it" in page
