"""A memory for each model at the command line: which one is meant, and what switching does."""

import pytest

from unabridged.testing.ollama_server import OllamaEntry, OllamaTestServer

SMALL, LARGE = "qwen2.5:3b", "qwen2.5:7b"


def said(body):
    """What reached a model, so that a test can see it in the answer."""
    return " | ".join(m["content"] for m in body["messages"] if m["role"] == "user")


@pytest.fixture
def apart(run, monkeypatch):
    """Runs commands by the profile `workspace`, before a server with two models."""
    entries = (OllamaEntry(LARGE, day=3), OllamaEntry(SMALL, day=2), OllamaEntry("llama3:latest"))
    with OllamaTestServer(said, models=entries) as server:
        monkeypatch.setenv("UNABRIDGED_PROFILE", "workspace")
        monkeypatch.setenv("UNABRIDGED_UPSTREAM", "ollama")
        monkeypatch.setenv("UNABRIDGED_OLLAMA_URL", server.url)
        yield run


def talk(run, *lines, words=()):
    ran = run("chat", *words, text="\n".join(lines) + "\n")
    assert ran.code == 0, ran.err
    return ran


@pytest.mark.parametrize(
    "words",
    [
        ("sessions",),
        ("stats",),
        ("search", "dog"),
        ("why",),
        ("show",),
        ("facts",),
        ("export",),
        ("backup", "create"),
        ("forget", "--space", "--yes"),
        ("forget", "--search", "dog", "--yes"),
    ],
)
def test_a_command_that_names_no_model_says_which_there_are(apart, words):
    talk(apart, "My dog is called Waldi.", words=("--model", LARGE))
    if words[0] not in {"backup", "forget"}:  # the only one there is
        assert apart(*words).code == 0
    talk(apart, "My dog is called Waldi.", words=("--model", SMALL))
    ran = apart(*words)
    assert ran.code == 2
    assert f"--model: {SMALL}, {LARGE}" in ran.err
    assert len(apart("spaces", "--json").data) == 2
    if words[0] not in {"backup", "forget"}:
        assert apart(*words, "--model", LARGE).code == 0


def test_a_command_that_names_a_model_sees_its_memory_only(apart):
    talk(apart, "My dog is called Waldi.", words=("--model", LARGE))
    talk(apart, "My cat is called Ada.", words=("--model", SMALL))
    assert "Waldi" in apart("search", "called", "--model", LARGE).out
    assert "Ada" not in apart("search", "called", "--model", LARGE).out
    assert apart("forget", "--space", "--yes", "--model", SMALL).code == 0
    assert [row["name"] for row in apart("spaces", "--json").data] == [f"default/default/{LARGE}"]
    assert apart("backup", "create", "--model", LARGE).code == 0


def test_who_talks_without_a_name_gets_the_memory_of_the_model_that_answers(apart):
    talk(apart, "My dog is called Waldi.")
    assert "Waldi" in apart("ask", "And how is my dog called?").out
    assert [row["name"] for row in apart("spaces", "--json").data] == [f"default/default/{LARGE}"]


def test_quoting_answers_from_the_memory_of_the_model_that_is_named(apart, monkeypatch):
    talk(apart, "My dog is called Waldi.")
    monkeypatch.setenv("UNABRIDGED_UPSTREAM", "quote")
    assert "Waldi" in apart("ask", "How is my dog called?", "--model", LARGE).out


def test_the_tag_that_ollama_adds_makes_no_other_memory(apart):
    talk(apart, "My dog is called Waldi.", words=("--model", "llama3"))
    assert "Waldi" in talk(apart, "And?", words=("--model", "llama3:latest")).out
    assert [row["name"] for row in apart("spaces", "--json").data] == ["default/default/llama3"]


def test_another_model_in_the_chat_has_its_own_memory(apart):
    ran = talk(
        apart,
        "My dog is called Waldi.",
        "/model",
        f"/model {SMALL}",
        "My cat is called Ada.",
        "/model quote",
        f"/model {LARGE}",
        "And my pets?",
    )
    answers = ran.out.splitlines()
    assert "My cat is called Ada." in answers
    assert answers[-1] == "My dog is called Waldi. | And my pets?"
    assert "changes the model; each has its own memory" in ran.err
    assert f"{SMALL} (ollama) answers from now on; with its own memory." in ran.err
    assert "Your next message starts a new session." in ran.err
    assert "quote answers from now on; the memory stays the same." in ran.err.replace(
        " (quote)", ""
    )
    assert "Continuing “My dog is called Waldi.”" in ran.err
    for model, words in ((SMALL, ["Ada"]), (LARGE, ["Waldi", "pets"])):
        out = apart("show", "--model", model).out
        assert [word for word in ("Waldi", "Ada", "pets") if word in out] == words


def test_a_memory_that_forgets_at_the_end_is_kept_until_then(apart):
    lines = ("My dog is called Waldi.", f"/model {SMALL}", "Hm.", f"/model {LARGE}", "And?")
    ran = talk(apart, *lines, words=("--ephemeral",))
    assert ran.out.splitlines()[-1] == "My dog is called Waldi. | And?"
    assert apart("spaces", "--json").data == []


def test_without_models_apart_the_memory_stays(apart):
    ran = talk(
        apart,
        "My dog is called Waldi.",
        f"/model {SMALL}",
        "And?",
        words=("--set", "isolation=user,agent"),
    )
    assert ran.out.splitlines()[-1] == "My dog is called Waldi. | And?"
    assert "the memory stays" in ran.err


def test_the_check_up_tells_memories_apart(apart):
    for model in (SMALL, LARGE):
        talk(apart, "My dog is called Waldi.", words=("--model", model))
    out = apart("doctor").out
    assert f"space default/default/{SMALL}" in out
    assert f"space default/default/{LARGE}" in out


def test_half_a_name_says_which_model_may_be_meant(apart):
    ran = apart("chat", "--model", LARGE, text="/model 3b\n")
    assert ran.code == 3
    assert f"Did you mean '{SMALL}'?" in ran.err


def test_a_space_that_is_named_with_ollamas_tag_is_the_one_that_is_opened(apart):
    talk(apart, "My dog is called Waldi.", words=("--model", LARGE))
    assert apart("share", "hand-off", "--model", LARGE, "default/default/llama3:latest").code == 0
    assert "Waldi" in apart("show", "--model", "llama3").out


def test_the_models_are_listed_under_a_profile_too(apart):
    assert LARGE in apart("models", "--profile", "workspace").out


def test_an_import_is_not_guessed_into_a_models_memory(apart, tmp_path):
    talk(apart, "My dog is called Waldi.", words=("--model", LARGE))
    path = tmp_path / "said.jsonl"
    path.write_text('{"role": "user", "content": "My cat is called Ada."}\n')
    ran = apart("import", str(path))
    assert ran.code == 2
    assert "--model" in ran.err
    assert "unabridged migrate" in ran.err
    assert apart("import", str(path), "--model", SMALL).code == 0
    assert "Ada" in apart("show", "--model", SMALL).out
    assert "Ada" not in apart("show", "--model", LARGE).out


def test_a_damaged_file_of_one_model_is_told_with_all_that_is_known_of_it(apart, tmp_path):
    for model in (SMALL, LARGE):
        talk(apart, "My dog is called Waldi.", words=("--model", model))
    path = tmp_path / "home" / "memory" / "qwen2-5-7b.json"
    path.write_text("invalid json content {")
    told = apart("doctor")
    assert told.code == 1
    said = " ".join(told.out.split())
    assert f"space default/default/{SMALL} sound" in said
    assert "is damaged: line 1, column 1" in said
    assert "unabridged doctor --repair" in said
    assert path.read_text() == "invalid json content {"
    assert "set aside" in " ".join(apart("doctor", "--repair").out.split())
    assert "Waldi" in path.read_text()


def test_save_saves_what_was_said_to_every_model(apart):
    lines = ("My dog is called Waldi.", f"/model {SMALL}", "My cat is called Ada.", "/save")
    ran = talk(apart, *lines, words=("--model", LARGE, "--set", "auto_save=no"))
    assert "Not saved" not in ran.err
    assert "Waldi" in apart("show", "--model", LARGE).out
    assert "Ada" in apart("show", "--model", SMALL).out


def test_what_is_not_saved_of_any_model_is_said(apart):
    lines = ("My dog is called Waldi.", f"/model {SMALL}", "My cat is called Ada.")
    ran = talk(apart, *lines, words=("--model", LARGE, "--set", "auto_save=no"))
    assert ran.err.count("Not saved because auto_save is off") == 2
