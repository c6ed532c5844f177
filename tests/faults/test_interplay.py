"""What people built apart, used together: each of these was a fault once."""

import json
import zipfile

import pytest
from click.testing import CliRunner

from unabridged.cli.main import cli

SECRET = "Zanzibarholzwurm"


@pytest.fixture
def run(tmp_path, monkeypatch):
    """Runs a command line in a home of that name."""
    monkeypatch.setenv("UNABRIDGED_UPSTREAM", "quote")
    monkeypatch.setenv("COLUMNS", "120")
    monkeypatch.delenv("OLLAMA_HOST", raising=False)

    def call(*words, home="home", code=0):
        monkeypatch.setenv("UNABRIDGED_HOME", str(tmp_path / home))
        done = CliRunner().invoke(cli, [str(word) for word in words])
        assert done.exit_code == code, done.output
        return done.output

    return call


@pytest.mark.parametrize("where", [("--replace",), ("--as", "ann/old")])
def test_an_older_backup_never_brings_back_what_was_forgotten_unless_asked(run, tmp_path, where):
    run("ask", f"Remember the {SECRET} in the cupboard.")
    run("ask", "I like tea in the morning.")
    run("backup", "create", "-o", tmp_path / "b.zip")
    run("forget", "--search", SECRET, "--yes")
    said = run("backup", "restore", tmp_path / "b.zip", *where)
    assert "forgotten since" in said
    place = ("--user", "ann", "--agent", "old") if where[0] == "--as" else ()
    assert "Nothing matches" in run("search", SECRET, *place)
    assert "tea" in run("search", "tea", *place)
    assert "search" in run("receipts", *place)
    again = ("--as", "ann/older") if place else ("--replace",)
    run("backup", "restore", tmp_path / "b.zip", *again, "--with-forgotten")
    place = ("--user", "ann", "--agent", "older") if place else ()
    assert SECRET in run("search", SECRET, *place)


def test_a_space_that_was_forgotten_whole_comes_back_only_when_that_is_said(run, tmp_path):
    run("ask", f"Remember the {SECRET} in the cupboard.")
    run("backup", "create", "--all", "-o", tmp_path / "b.zip")
    run("forget", "--space", "--yes")
    assert "The whole space" in run("backup", "restore", tmp_path / "b.zip", code=7)
    run("backup", "restore", tmp_path / "b.zip", "--with-forgotten")
    assert SECRET in run("search", SECRET)
    run("backup", "create", "--all", "-o", tmp_path / "c.zip")
    run("backup", "restore", tmp_path / "c.zip")


def test_what_was_lifted_comes_back(run, tmp_path):
    run("ask", f"Remember the {SECRET} in the cupboard.")
    run("backup", "create", "-o", tmp_path / "b.zip")
    run("forget", "--search", SECRET, "--yes")
    run("forget", "--lift", json.loads(run("receipts", "--json"))[0]["id"])
    run("backup", "restore", tmp_path / "b.zip", "--replace")
    assert SECRET in run("search", SECRET)


def test_a_space_with_the_same_words_and_other_facts_is_not_called_the_same(run, tmp_path):
    run("ask", "I live in Berlin since last year.")
    run("backup", "create", "-o", tmp_path / "b.zip")
    before = run("facts", "--json")
    run("facts", "pin", "1")
    assert run("facts", "--json") != before
    assert "Restored" in run("backup", "restore", tmp_path / "b.zip", "--replace")
    assert run("facts", "--json") == before
    assert "Unchanged" in run("backup", "restore", tmp_path / "b.zip", "--replace")


def test_files_of_another_layout_go_when_the_space_is_forgotten(run, tmp_path):
    run("ask", f"Remember the {SECRET} in the cupboard.", "--set", "json_files=model")
    assert SECRET in (tmp_path / "home" / "memory" / "default.json").read_text("utf-8")
    assert "memory/" in run("forget", "--space", "--dry-run", "--json")
    run("forget", "--space", "--yes")
    assert on_disk(tmp_path / "home", SECRET) == []


def test_doctor_says_to_seal_what_was_stored_before_the_key(run, tmp_path, monkeypatch):
    run("ask", f"Remember the {SECRET} in the cupboard.")
    run("key", "new", tmp_path / "my.key")
    monkeypatch.setenv("UNABRIDGED_KEY", f"file:{tmp_path / 'my.key'}")
    assert "unabridged key seal" in run("doctor", code=1)
    run("key", "seal")
    run("doctor")


def on_disk(home, text):
    files = [path for path in home.rglob("*") if path.is_file()]
    return [str(path) for path in files if text.encode() in path.read_bytes()]


def test_a_backup_that_lacks_a_damaged_space_removes_no_older_one(run, tmp_path):
    run("ask", f"Remember the {SECRET} in the cupboard.")
    run("ask", "And the cat.", "--user", "ann")
    run("backup", "create", "--all", "--keep", "1")
    (path,) = (tmp_path / "home" / "spaces").glob("ann*.db")
    path.write_bytes(b"gone" * 5000)
    assert "Left out: ann" in run("backup", "create", "--all", "--keep", "1", code=1)
    assert len(list((tmp_path / "home" / "backups").glob("*.zip"))) == 2


@pytest.mark.parametrize(
    "change",
    [
        lambda said: said["spaces"][0].update(folder="elsewhere"),
        lambda said: said["members"].clear(),
        lambda said: said["spaces"].append(dict(said["spaces"][0])),
        lambda said: said.update(at="0001-01-01T00:00:00+14:00"),
    ],
)
def test_a_backup_whose_description_lies_leaves_nothing(run, tmp_path, change):
    run("ask", f"Remember the {SECRET} in the cupboard.")
    run("backup", "create", "-o", tmp_path / "b.zip")
    with (
        zipfile.ZipFile(tmp_path / "b.zip") as old,
        zipfile.ZipFile(tmp_path / "c.zip", "w") as new,
    ):
        for name in old.namelist():
            data = old.read(name)
            if name == "manifest.json":
                said = json.loads(data)
                change(said)
                data = json.dumps(said).encode()
            new.writestr(name, data)
    assert "cannot be read" in run("backup", "restore", tmp_path / "c.zip", home="new", code=7)
    assert "cannot be read" in run("backup", "verify", tmp_path / "c.zip", home="new", code=7)
    assert on_disk(tmp_path / "new", SECRET) == []
