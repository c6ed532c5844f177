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
    ran = run("migrate", str(old), "--no-model")
    assert ran.code == 0, ran.err
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


def test_it_asks_for_the_model_or_says_how_to_name_it(run, old):
    ran = run("migrate", str(old))
    assert ran.code == 2
    assert "--model NAME" in ran.err
    assert run("spaces", "--json").data == []
    done = run("migrate", str(old), "--model", "qwen2.5:7b", "--json").data
    assert done["without_model"] == 0
    assert done["spaces"] == {"bob/default": 2, "default/alpha": 3, "default/default": 7}
    assert done["missed"]


def test_readable_files_follow_it(run, old, tmp_path, monkeypatch):
    monkeypatch.setenv("UNABRIDGED_JSON_FILES", "model")
    assert run("migrate", str(old), "--no-model").code == 0
    assert len(list((tmp_path / "home" / "memory").glob("*.json"))) == 3
    assert run("migrate", "--rollback").code == 0
    assert not list((tmp_path / "home" / "memory").glob("*.json"))


@pytest.mark.parametrize("words", [
    (), ("--list", "--rollback"), ("folder", "--rollback=x"), ("folder", "--list"),
    ("folder", "--model", "a", "--no-model"),
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
