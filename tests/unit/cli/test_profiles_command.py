"""``unabridged profiles``, ``personas``, and ``--profile`` and ``--set`` on every command."""

from pathlib import Path

import pytest

from unabridged import config
from unabridged.cli.other_profiles import elsewhere
from unabridged.cli.parse_space import parse_space
from unabridged.domain.scope import SpaceId
from unabridged.errors import InputError


def test_they_are_listed_and_the_chosen_one_is_marked(run):
    listed = run("profiles")
    assert all(name in listed.out for name in ("workspace", "companion", "agent", "story"))
    assert run("config", "set", "profile", "story").code == 0
    rows = run("profiles", "list", "--json").data
    assert [row["name"] for row in rows if row["chosen"]] == ["story"]


def test_show_says_what_each_setting_does_and_where_it_comes_from(run):
    shown = run("profiles", "show", "workspace")
    assert "store = sqlite  (the default)" in shown.out
    assert "memory/qwen2-5-7b.json" in shown.out
    assert "Which readable JSON files follow the store" in shown.out
    assert "WorkspaceAI" in shown.out
    told = run("profiles", "show", "workspace", "--json").data
    assert told["settings"]["isolation"]["value"] == ["user", "agent", "model"]
    assert told["settings"]["isolation"]["otherwise"] == ["user", "agent"]
    assert told["settings"]["isolation"]["from"] == "workspace"


def test_show_says_what_overrules_a_setting(run):
    told = run("profiles", "show", "companion", "--set", "window=4096")
    assert "overridden by argument: 4096" in " ".join(told.out.split())


def test_a_profile_of_ones_own_is_begun_changed_and_used(run, tmp_path):
    made = run("profiles", "new", "tutor", "--extends", "companion", "--json")
    assert made.code == 0
    with Path(made.data["path"]).open("a") as file:
        file.write("window = 8192\n")
    assert run("config", "get", "window", "--profile", "tutor").out.strip() == "8192"
    shown = run("profiles", "show", "tutor")
    assert "(from companion)" in shown.out
    assert str(made.data["path"]) in shown.out.replace("\n", "")
    assert run("profiles", "new", "tutor", "--extends", "companion").code == 2
    assert run("profiles", "new", "a/b", "--extends", "companion").code == 2
    assert run("profiles", "new", "x", "--extends", "companoin").code == 2
    left = sorted(path.name for path in (tmp_path / "home" / "config" / "profiles").iterdir())
    assert left == ["tutor.toml"]


def test_a_wrong_one_is_refused_with_the_nearest(run):
    for words in (("ask", "Hello", "--profile", "compnion"), ("profiles", "show", "compnion")):
        refused = run(*words)
        assert refused.code == 2
        assert "'companion'" in refused.err
    assert run("config", "set", "profile", "compnion").code == 2
    assert run("config", "get", "profile").out.strip() == ""


def test_set_holds_for_one_call_and_beats_the_profile(run):
    assert (
        run("config", "get", "window", "--profile", "story", "--set", "window=9000").out == "9000\n"
    )
    assert (
        run("config", "get", "window", "--profile", "story", "--set", "window=auto").out == "auto\n"
    )
    assert run("config", "get", "window").out == "auto\n"
    two = ("--set", "window=9000", "--set", "json_files=user")
    assert run("config", "get", "json_files", *two).out == "user\n"
    for wrong, said in (
        ("window", "no value"),
        ("windo=1", "'window'"),
        ("store=sqlit", "'sqlite'"),
    ):
        refused = run("stats", "--set", wrong)
        assert refused.code == 2
        assert said in refused.err


def test_the_profile_decides_where_things_lie(run, tmp_path):
    assert run("ask", "Hello there", "--profile", "requirements", "--user", "ann").code == 0
    home = tmp_path / "home"
    assert (home / "conversations" / "ann" / "sessions.json").is_file()
    assert run("sessions", "--user", "ann", "--json").data == []  # nothing in the usual place
    assert len(run("sessions", "--user", "ann", "--profile", "requirements", "--json").data) == 1


def test_it_stands_before_the_command_too(run):
    assert run("--profile", "story", "config", "get", "categories").out == "story\n"


def test_a_persona_is_listed_shown_and_used_by_its_name(run):
    assert "analyst" in run("personas").out
    text = run("personas", "show", "analyst").out
    assert text.startswith("You are a requirements analyst.")
    assert run("personas", "show", "anlyst").code == 2
    assert run("ask", "Hello", "--persona", "analyst").code == 0
    assert text.split(".")[0] in run("why", "--prompt").out


def test_an_agent_gets_a_setting_in_a_home_that_has_none(run):
    assert run("config", "set", "max_turns", "20", "--agent", "tutor").code == 0
    assert run("config", "get", "max_turns", "--agent", "tutor").out == "20\n"


def test_a_model_gets_a_setting_in_a_home_that_has_none(run):
    assert run("config", "set", "window", "8192", "--model", "qwen2.5:7b").code == 0
    assert run("config", "get", "window", "--model", "qwen2.5:7b").out == "8192\n"
    assert run("config", "get", "window").out == "auto\n"
    assert run("config", "set", "store", "memory", "--model", "qwen2.5:7b").code == 2
    assert run("config", "set", "max_turns", "20", "--model", "a", "--agent", "b").code == 2


def test_the_ledger_shows_a_models_own_window(run):
    assert run("config", "set", "window", "8192", "--model", "quote").code == 0
    assert run("ask", "Hello").code == 0
    assert run("why", "--json").data["window"] == 8192


def test_where_models_are_apart_the_one_that_answers_names_the_memory(run, tmp_path):
    assert run("ask", "My cat is called Ada.", "--profile", "workspace").code == 0
    assert (tmp_path / "home" / "memory" / "quote.json").is_file()
    assert len(run("sessions", "--profile", "workspace", "--json").data) == 1
    assert run("sessions", "--profile", "workspace", "--model", "other", "--json").data == []
    assert (
        len(run("search", "Ada", "--profile", "workspace", "--model", "quote", "--json").data) == 1
    )


def test_a_space_is_named_by_what_the_settings_make_one_of(run):
    assert run("ask", "My cat is called Ada.", "--user", "ann").code == 0
    under = ("--profile", "requirements")
    done = run("spaces", "copy", *under, "sqlite:ann/default", "sqlite:ann", "--json")
    assert done.data[0]["exchanges"] == 1
    [found] = run("search", "Ada", "--user", "ann", *under, "--json").data
    assert found
    refused = run("spaces", "copy", "sqlite:ann/default", "sqlite:ann")
    assert refused.code == 2
    assert "USER/AGENT" in refused.err


def test_parse_space():
    assert parse_space("a/b/c/d") == SpaceId("a", "b", "c/d")
    assert parse_space("a/b") == SpaceId("a", "b")
    assert parse_space("a", ("user",)) == SpaceId("a", "")
    assert parse_space("a/b", ("user",)) == SpaceId("a", "b")
    assert parse_space("a/m", ("user", "model")) == SpaceId("a", "", "m")
    assert parse_space("m", ("model",)) == SpaceId("", "", "m")
    for wrong in ("", "a", "a/", "/b", "a//c"):
        with pytest.raises(InputError):
            parse_space(wrong)


def test_whoever_begins_under_a_profile_is_told_what_lies_elsewhere(run, tmp_path):
    assert run("ask", "My cat is called Ada.").code == 0
    home = str(tmp_path / "home")
    settings = config.load(home=home, profile="requirements")
    assert "sqlite:default/default sqlite:default" in elsewhere(settings)
    assert "1 exchange" in elsewhere(settings)
    assert elsewhere(config.load(home=home, profile="companion")) == ""
    assert elsewhere(config.load(home=home)) == ""
    assert elsewhere(config.load(home=home, profile="requirements", user="bob")) == ""


def test_a_session_of_an_agent_begins_under_its_name_and_the_list_shows_it(run, tmp_path):
    agent = ("--profile", "agent", "--agent", "scout")
    assert run("ask", "The meeting point is the mill.", *agent, "--session", "007").code == 0
    assert run("ask", "It is at nine.", *agent, "--session", "007").code == 0
    assert (tmp_path / "home" / "chats" / "scout_007_conversation.json").is_file()
    listed = run("sessions", *agent).out
    assert "007" in listed
    assert "  2  " in listed
    assert run("show", *agent, "--session", "008").code == 3  # only who says something begins one
    ran = run("chat", *agent, text="/new\n")
    assert "Other sessions are not recalled" in ran.err
    assert run("ask", "Hello", "--session", "none").code == 3  # everywhere else it must be there


def test_whoever_forgot_the_profile_is_told_under_which_there_is_memory(run):
    assert "profile" not in run("spaces").out
    run("ask", "Hello", "--profile", "requirements")
    told = "Other profiles have memory here: 1 space: --profile requirements"
    assert told in " ".join(run("spaces").out.split())
    assert told in " ".join(run("sessions").out.split())
    run("ask", "Hello")
    assert told in " ".join(run("spaces").out.split())
    assert "Other profiles" not in run("sessions").out


def test_a_wrong_profile_hides_no_other_and_says_what_is_wrong(run, tmp_path):
    made = Path(run("profiles", "new", "tutor", "--extends", "story", "--json").data["path"])
    assert run("config", "set", "profile", "tutor").code == 0
    made.write_text('[settings]\nwindow = "wide"\n')
    rows = {row["name"]: row for row in run("profiles", "--json").data}
    assert "window cannot be 'wide'" in rows["tutor"]["error"]
    assert rows["story"]["error"] == ""
    told = run("profiles")
    assert told.code == 0
    assert "window cannot be 'wide'" in " ".join(told.out.split())
    assert run("config", "set", "profile", "story").code == 0
    assert run("config", "get", "profile").out.strip() == "story"
