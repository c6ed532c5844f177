import csv
import io
import json

import pytest
from tests.helpers.talker import Talker


def added(run, *texts):
    for text in texts:
        assert run("facts", "add", text).code == 0


def test_what_was_said_is_learnt_listed_and_shown_with_its_words(run):
    assert run("facts").out.startswith("No facts yet")
    run("ask", "I live in Berlin and my dog is called Rex.")
    run("facts", "learn")
    facts = run("facts", "list", "--json").data
    (home,) = [f for f in facts if f["attribute"] == "lives in"]
    assert (home["value"], home["quote"], home["state"]) == (
        "Berlin",
        "I live in Berlin",
        "current",
    )
    assert run("show", home["exchange"], "--json").code == 0
    number = str([f["id"] for f in facts].index(home["id"]) + 1)
    shown = run("facts", "show", number).out
    assert "I live in Berlin" in shown
    assert "your words" in shown
    assert "I live in Berlin" in run("facts").out
    assert run("facts", "learn", "--json").data == {"exchanges": 0, "facts": 0}


def test_facts_are_added_pinned_and_carried_by_prompts(run):
    ran = run("facts", "add", "--pin", "Call", "me", "Ann.", "--json")
    assert (ran.data["text"], ran.data["pinned"], ran.data["by"]) == ("Call me Ann.", True, "user")
    assert "●" in run("facts").out
    assert run("facts", "unpin", "1", "--json").data["pinned"] is False
    assert run("facts", "pin", "1", "--json").data["pinned"] is True
    said = " ".join(run("facts", "unpin", "1").out.split())
    assert "It stays a fact" in said
    assert "unabridged facts forget" in said
    assert "Call me Ann." in run("facts").out
    assert run("facts", "pin", "1").out == "Pinned: Call me Ann.\n"
    assert run("facts", "add", "-", "--json", text="from a pipe\n").data["text"] == "from a pipe"


def test_an_edit_is_in_the_history_and_needs_words(run):
    assert (
        run("facts", "add", "I live in Rome.", "--attribute", "lives in", "--value", "Rome").code
        == 0
    )
    ran = run("facts", "edit", "1", "--value", "Bern")
    assert ran.out == "Corrected: “I live in Rome.” → “I live in Bern.”\n"
    assert [c["what"] for c in run("facts", "history", "1", "--json").data] == ["added", "edited"]
    history = run("facts", "history", "1").out
    assert "Rome" in history
    assert "Bern" in history
    assert run("facts", "edit", "1").code == 2
    assert run("facts", "edit", "9", "x").code == 3
    states = run("facts", "list", "--state", "all", "--json").data
    assert [f["state"] for f in states] == ["superseded", "current"]


def test_forgetting_takes_the_words_and_says_what_holds_again(run):
    run("ask", "I live in Berlin.")
    run("ask", "I live in Paris.")
    run("facts", "learn")
    assert [f["value"] for f in run("facts", "--json").data] == ["Paris"]
    ran = run("facts", "forget", "1")
    assert "Withdrawn: I live in Paris" in ran.out
    assert "Current again: I live in Berlin" in ran.out
    run("facts", "learn")
    assert [f["value"] for f in run("facts", "--json").data] == ["Berlin"]
    gone = run("facts", "list", "--state", "withdrawn", "--json").data
    assert [f["text"] for f in gone] == [""]
    assert "(withdrawn)" in run("facts", "list", "--state", "withdrawn").out
    assert [r["state"] for r in run("facts", "export").data] == ["current", "withdrawn"]


def test_contradictions_are_marked_and_said(run):
    run("facts", "add", "I live in Rome.", "--attribute", "lives in", "--value", "Rome")
    run("ask", "I live in Oslo.")
    run("facts", "learn")
    assert run("facts").out.count("≠") == 2
    ran = run("facts", "pin", "1")
    assert "Contradicted by: I live in Oslo" in ran.out


def test_a_model_is_asked_and_where_it_is_away_the_rules_draw_alone(run):
    run("ask", "I live in Berlin.")
    ran = run("facts", "learn", "--with-model", "--ollama", "http://127.0.0.1:9", "--model", "m")
    assert ran.code in (0, 6)
    ran = run("facts", "learn", "--with-model", "--json")
    assert ran.code == 0
    assert run("facts", "--json").data[0]["value"] == "Berlin"


def test_requirements_are_drawn_listed_changed_and_withdrawn(run):
    assert "No requirement yet. Add one" in run("requirements").out
    run("ask", "The system must answer within 2 seconds. The app should be blue.")
    run("requirements", "learn")
    assert run("requirements", "learn").out == "Found 0 requirements in 0 exchanges.\n"
    first, second = run("requirements", "--json").data
    assert (first["id"], first["type"], first["priority"]) == ("REQ-1", "non-functional", "must")
    assert first["fit_criterion"] == "within 2 seconds"
    assert second["id"] == "REQ-2"
    ran = run(
        "requirements", "edit", "REQ-2", "--priority", "could", "--satisfaction", "5", "--json"
    )
    assert (ran.data["priority"], ran.data["satisfaction"]) == ("could", 5)
    assert "REQ-2" in run("requirements", "show", "2").out
    assert run("requirements", "edit", "1", "--priority", "urgent").code == 2
    assert run("requirements", "pin", "1", "--json").data["pinned"] is True
    assert run("requirements", "unpin", "1", "--json").data["pinned"] is False
    steps = run("requirements", "history", "1", "--json").data
    assert [c["what"] for c in steps] == ["added", "pinned", "unpinned"]
    assert run("requirements", "forget", "2").out.startswith("Withdrawn: REQ-2 The app should")
    assert [r["id"] for r in run("requirements", "--json").data] == ["REQ-1"]
    assert "(withdrawn)" in run("requirements", "list", "--withdrawn").out
    assert run("requirements", "show", "REQ-2").code == 3


def test_requirements_that_conflict_are_shown(run):
    run("requirements", "add", "The system must answer within 2 seconds.")
    assert run("requirements", "conflicts").out == "No conflicts found.\n"
    run("requirements", "add", "The system must answer within 5 seconds.")
    (pair,) = run("requirements", "conflicts", "--json").data
    assert (pair["one"]["id"], pair["other"]["id"]) == ("REQ-1", "REQ-2")
    assert "REQ-2 The system must answer within 5 seconds." in run("requirements", "conflicts").out


@pytest.mark.parametrize("form", ["markdown", "csv", "json"])
def test_requirements_are_exported_whole(run, form):
    run("requirements", "add", "=1+1 must be 2, said Ann.", "--rationale", "because")
    out = run("requirements", "export", "--format", form).out
    if form == "csv":
        (row,) = csv.DictReader(io.StringIO(out))
        assert (row["text"], row["rationale"]) == ("'=1+1 must be 2, said Ann.", "because")
    elif form == "json":
        assert json.loads(out)["requirements"][0]["text"] == "=1+1 must be 2, said Ann."
    else:
        assert "## REQ-1" in out


def test_exported_requirements_are_taken_over_once(run, tmp_path):
    run("requirements", "add", "The system must start.")
    path = tmp_path / "r.json"
    path.write_text(run("requirements", "export", "--format", "json").out)
    assert run("requirements", "import", str(path), "--json").data == {"requirements": 0}
    ran = run("--user", "other", "requirements", "import", str(path), "--json")
    assert ran.data == {"requirements": 1}
    path.write_text("nothing")
    assert run("requirements", "import", str(path)).code == 7
    assert run("requirements", "import", str(tmp_path / "none")).code == 7


def test_another_users_facts_are_not_seen(run):
    added(run, "I like tea.")
    assert run("--user", "other", "facts", "--json").data == []


def test_the_list_says_when_not_everything_was_looked_at(run, tmp_path):
    with Talker.open(tmp_path / "home", upstream="quote") as memory:
        memory.record(memory.prepare("The portal must print invoices."), "Noted.")
    assert "No requirement yet: unabridged requirements learn" in run("requirements").out
    run("requirements", "learn")
    assert "requirements learn" not in run("requirements").out
    assert run("requirements", "--user", "nobody").out.startswith("No requirement yet. Add one")


def test_the_chat_lists_shows_and_corrects_what_was_required(run):
    lines = [
        "/requirements",
        "And pupils must be able to book a room.",
        "Pupils must not be able to book a room.",
        "I must say that's nice.",
        "/requirements",
        "/requirements show 1",
        "/requirements conflicts",
        "/requirements forget 2",
        "/requirements edit 1 Teachers must be able to book a room.",
        "/requirements add The list must be in German.",
        "/requirements show",
        "/requirements everything",
        "/requirements",
    ]
    ran = run("chat", "--profile", "requirements", text="\n".join(lines) + "\n")
    assert "No requirements yet" in ran.err
    assert "Required: REQ-1. /requirements lists them." in ran.err
    assert "Required: REQ-2 against REQ-1." in ran.err
    assert ran.err.count("Required:") == 2
    assert "Said as: “And pupils must be able to book a room.”" in ran.err
    assert "Withdrawn: REQ-2" in ran.err
    assert "does not take 'everything'" in ran.err
    texts = [
        each["text"] for each in run("requirements", "--profile", "requirements", "--json").data
    ]
    assert texts == ["Teachers must be able to book a room.", "The list must be in German."]
