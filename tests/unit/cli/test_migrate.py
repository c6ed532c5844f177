import json
import shutil

import pytest
from tests.faults.migrating import FIXTURES, old_folder


@pytest.fixture
def old(tmp_path):
    folder = tmp_path / "old"
    folder.mkdir()
    old_folder(folder)
    return folder


def test_there_and_back(run, old):
    dry = run("migrate", str(old), "--dry-run")
    assert "12 exchanges in 7 conversations; 1 requirement" in dry.out
    assert "Nothing was written (--dry-run)." in dry.out
    ran = run("migrate", str(old))
    assert ran.code == dry.code == 7, ran.err  # the folder has records of which nothing is left
    assert "  failed: " in ran.err
    assert "Imported and compared" in ran.out
    assert "note: " in ran.err
    assert len(run("spaces", "--json").data) == 3
    (listed,) = run("migrate", "--list", "--json").data
    assert (listed["phase"], listed["exchanges"]) == ("done", 12)
    assert listed["id"] in run("migrate", "--list").out
    run("ask", "I moved to Rome.")
    back = run("migrate", "--rollback", listed["id"])
    assert back.code == 0, back.err
    assert "said-since-default_default.jsonl" in back.out
    assert run("spaces", "--json").data == []


def test_a_model_that_nothing_names_is_not_asked_for_and_can_be_given(run, old):
    ran = run("migrate", str(old), "--dry-run")
    assert "it stays unknown. To name it: --model NAME" in ran.out
    assert run("spaces", "--json").data == []
    done = run("migrate", str(old), "--model", "qwen2.5:7b", "--json").data
    assert done["without_model"] == 0
    assert done["spaces"] == {"bob/default": 2, "default/alpha": 3, "default/default": 7}
    assert done["missed"]


def test_readable_files_follow_it(run, old, tmp_path, monkeypatch):
    monkeypatch.setenv("UNABRIDGED_JSON_FILES", "model")
    assert "Imported and compared" in run("migrate", str(old)).out
    assert len(list((tmp_path / "home" / "memory").glob("*.json"))) == 3
    assert run("migrate", "--rollback").code == 0
    assert not list((tmp_path / "home" / "memory").glob("*.json"))


@pytest.mark.parametrize("words", [
    (), ("--list", "--rollback"), ("folder", "--rollback=x"), ("folder", "--list"),
])  # fmt: skip
def test_one_thing_at_a_time(run, words):
    assert run("migrate", *words).code == 2


def test_a_folder_of_another_program_is_refused(run, tmp_path):
    folder = tmp_path / "other"
    folder.mkdir()
    shutil.copyfile(FIXTURES / "chatgpt-conversations.json", folder / "conversations.json")
    ran = run("migrate", str(folder))
    assert ran.code == 7
    assert "unabridged import" in ran.err
    assert run("migrate", "--list").out.strip() == "Nothing was migrated."


@pytest.fixture
def dana(tmp_path):
    """A folder of Dana with nothing wrong in it."""
    folder = tmp_path / "dana"
    (folder / "chats").mkdir(parents=True)
    turns = [{"user_input": "My boat is Ada.", "agent_response": "Noted."}]
    path = folder / "chats" / "default_001_conversation.json"
    path.write_text(json.dumps({"conversation_id": "a", "history": turns}), "utf-8")
    return folder


def broken_off(old):
    path = old / "chats" / "beta_007_conversation.json"
    turns = [{"user_input": f"Entry {n}", "agent_response": "Noted."} for n in range(3)]
    path.write_text(json.dumps({"conversation_id": "c", "history": turns})[:-20], "utf-8")


def emptied(old):
    path = old / "chats" / "default_001_conversation.json"
    path.write_text(json.dumps({"conversation_id": "a", "history": []}), "utf-8")


@pytest.mark.parametrize(("prepare", "code"), [
    (lambda run, old: None, 0),
    (lambda run, old: broken_off(old), 7),
    (lambda run, old: shutil.rmtree(old), 7),
    (lambda run, old: emptied(old), 7),
    (lambda run, old: run("migrate", str(old)), 7),
    (lambda run, old: run("facts", "add", "I live in Graz."), 7),
])  # fmt: skip
def test_a_dry_run_ends_like_the_real_run(run, dana, prepare, code):
    prepare(run, dana)
    dry, real = run("migrate", str(dana), "--dry-run"), run("migrate", str(dana))
    assert (dry.code, real.code) == (code, code), real.err
    assert [line for line in dry.err.splitlines() if "error" in line] == [
        line for line in real.err.splitlines() if "error" in line
    ]


def test_a_file_that_breaks_off_gives_its_whole_exchanges_and_says_so(run, dana):
    broken_off(dana)
    ran = run("migrate", str(dana))
    assert "failed: chats/beta_007_conversation.json, line 1: the file breaks off here" in ran.err
    found = run("search", "--agent", "beta", "--json", "entry").data
    assert sorted(each["exchange"]["message"] for each in found) == ["Entry 0", "Entry 1"]
