"""Encryption together with what was built apart from it: each of these was a fault once."""

import pytest
from tests.faults.test_interplay import SECRET, on_disk


@pytest.fixture
def key(run_at, tmp_path, monkeypatch):
    path = tmp_path / "my.key"
    run_at("key", "new", path)
    monkeypatch.setenv("UNABRIDGED_KEY", f"file:{path}")
    return path


@pytest.mark.parametrize("whole", [(), ("--all",)])
def test_a_backup_of_an_encrypted_home_opens_in_another_home_by_the_key_alone(
    run_at, key, tmp_path, whole
):
    run_at("key", "encrypt")
    run_at("ask", f"Remember the {SECRET} in the cupboard.")
    run_at("backup", "create", *whole, "-o", tmp_path / "b.zip")
    assert "Verified" in run_at("backup", "verify", tmp_path / "b.zip", home="new")
    run_at("backup", "restore", tmp_path / "b.zip", home="new")
    assert SECRET in run_at("search", SECRET, home="new")
    assert "default/default" in run_at("verify", home="new")
    run_at("ask", "And another thing.", home="new")


def test_a_backup_never_takes_the_secrets_of_a_home_that_holds_something(run_at, key, tmp_path):
    run_at("key", "encrypt")
    run_at("ask", f"Remember the {SECRET} in the cupboard.")
    run_at("backup", "create", "-o", tmp_path / "b.zip")
    run_at("key", "encrypt", home="new")
    run_at("ask", "Something else was said here.", "--user", "ann", home="new")
    said = run_at("backup", "restore", tmp_path / "b.zip", home="new", code=7)
    assert "empty home" in said
    assert "Something else" in run_at("search", "something", "--user", "ann", home="new")
    run_at("backup", "restore", tmp_path / "b.zip", home="third")
    run_at("spaces", "copy", "sqlite:", "sqlite:", "--from-home", tmp_path / "third", home="new")
    assert SECRET in run_at("search", SECRET, home="new")


def test_a_backup_from_before_a_change_of_key_opens_in_its_home_and_names_its_key_elsewhere(
    run_at, key, tmp_path, monkeypatch
):
    run_at("key", "encrypt")
    run_at("ask", f"Remember the {SECRET} in the cupboard.")
    run_at("backup", "create", "-o", tmp_path / "b.zip")
    run_at("key", "new", tmp_path / "new.key")
    run_at("key", "change", f"file:{tmp_path / 'new.key'}")
    monkeypatch.setenv("UNABRIDGED_KEY", f"file:{tmp_path / 'new.key'}")
    run_at("key", "retire")
    run_at("backup", "restore", tmp_path / "b.zip", "--as", "ann/old")
    assert SECRET in run_at("search", SECRET, "--user", "ann", "--agent", "old")
    assert "with the mark" in run_at("backup", "restore", tmp_path / "b.zip", home="new", code=5)
    monkeypatch.setenv("UNABRIDGED_KEY", f"file:{key}")
    run_at("backup", "restore", tmp_path / "b.zip", home="new")


def test_a_readable_backup_is_encrypted_as_it_comes_into_an_encrypted_home(run_at, key, tmp_path):
    run_at("ask", f"Remember the {SECRET} in the cupboard.")
    run_at("backup", "create", "-o", tmp_path / "b.zip")
    run_at("key", "encrypt")
    run_at("backup", "restore", tmp_path / "b.zip", "--as", "ann/old")
    assert on_disk(tmp_path / "home", SECRET) == []
    assert SECRET in run_at("search", SECRET, "--user", "ann", "--agent", "old")


def test_an_encrypted_space_is_restored_as_it_was_and_stays_encrypted(run_at, key, tmp_path):
    run_at("ask", f"Remember the {SECRET} in the cupboard.")
    run_at("key", "encrypt")
    run_at("backup", "restore", "--at", "2100-01-01", "--as", "ann/old")
    assert on_disk(tmp_path / "home", SECRET) == []
    assert SECRET in run_at("search", SECRET, "--user", "ann", "--agent", "old")
    run_at("verify")


def test_what_stays_readable_is_said(run_at, key, tmp_path, monkeypatch):
    run_at("ask", f"Remember the {SECRET} in the cupboard.")
    run_at("backup", "create", "-o", tmp_path / "b.zip")
    run_at("ask", f"More of the {SECRET} in the cupboard.")
    run_at("backup", "restore", tmp_path / "b.zip", "--replace")
    (tmp_path / "bad.jsonl").write_text(
        f'{{"role":"user","content":"{SECRET}"}}\n{{"role": {SECRET} broken\n'
    )
    run_at("import", tmp_path / "bad.jsonl", code=7)
    run_at("ask", f"And of the {SECRET} in the kitchen.", "--set", "json_files=model")
    said = run_at("key", "encrypt")
    readable = on_disk(tmp_path / "home", SECRET)
    assert len(readable) == 3, readable
    assert all(path in said for path in readable), said
