"""What is forgotten goes out of the backups of the home, too."""

import json
import zipfile

import pytest
from click.testing import CliRunner

from unabridged.cli.main import cli
from unabridged.home.backups import OLD

SECRET = "Xylophonia"


@pytest.fixture
def run(tmp_path, monkeypatch):
    monkeypatch.setenv("UNABRIDGED_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("UNABRIDGED_UPSTREAM", "quote")

    def call(*words, code=0):
        done = CliRunner().invoke(cli, [str(word) for word in words])
        assert done.exit_code == code, done.output
        return done.output

    return call


@pytest.fixture
def kept(run, tmp_path):
    """A home with three backups, of which two hold the secret."""
    backups = tmp_path / "home" / "backups"
    run("ask", "I like tea in the morning.")
    run("backup", "create")
    run("ask", f"My cousin {SECRET} lives behind the old brewery.")
    run("facts", "add", f"{SECRET} eats no gluten at all.")
    run("backup", "create")
    run("backup", "create", "--all")
    return backups


def holding(folder):
    """The archives with a member that holds the secret, and other files that do."""
    found = []
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            data = path.read_bytes()
            if zipfile.is_zipfile(path):
                with zipfile.ZipFile(path) as archive:
                    data = b"".join(archive.read(name) for name in archive.namelist())
            if SECRET.encode() in data or SECRET.lower().encode() in data:
                found.append(path.name)
    return found


def test_it_goes_at_once(run, kept):
    assert len(holding(kept)) == 2
    said = run("forget", "--search", SECRET, "--yes", "--in-backups")
    assert "Took 1 exchange out of" in said
    assert "Backups that may still hold it" not in said.partition("Forgotten:")[2]
    assert holding(kept) == []
    for path in kept.glob("*.zip"):
        assert "Verified" in run("backup", "verify", path)
    (receipt,) = json.loads(run("receipts", "--json"))
    assert (receipt["genuine"], receipt["outside"]["backups"]) == (True, [])
    newest = max(path for path in kept.glob("*.zip") if not path.name.startswith("home"))
    run("backup", "restore", newest, "--as", "ann/old")
    assert "tea" in run("search", "tea", "--user", "ann", "--agent", "old")


def test_it_goes_later(run, kept):
    run("forget", "--search", SECRET, "--yes")
    assert len(holding(kept)) == 2
    before = {path: path.stat().st_mtime_ns for path in kept.glob("*.zip")}
    assert "Would take 1 exchange" in run("backup", "prune", "--dry-run")
    assert len(holding(kept)) == 2
    done = json.loads(run("backup", "prune", "--json"))
    assert [one["exchanges"] for one in done["rewritten"]] == [1, 1]
    assert holding(kept) == []
    same = [path for path, at in before.items() if path.stat().st_mtime_ns == at]
    assert len(same) == 1
    assert "no backup holds" in run("backup", "prune")


def test_a_whole_space_goes_out_of_them(run, kept):
    said = run("forget", "--space", "--yes", "--in-backups")
    assert said.count("it is removed") == 3
    assert list(kept.glob("*.zip")) == []


def test_a_kill_between_the_old_and_the_new_file_leaves_one(run, kept):
    (path, *_) = sorted(kept.glob("home*.zip"))
    data = path.read_bytes()
    old = path.with_name(f".{path.name}{OLD}")
    path.rename(old)
    run("backup", "verify", min(kept.glob("default*.zip")))
    assert path.read_bytes() == data
    old.write_bytes(data)
    run("backup", "verify", path)
    assert not old.exists()


def test_what_cannot_be_read_is_said_and_the_rest_is_rewritten(run, kept):
    (kept / "notes.zip").write_text("mine")
    said = run("forget", "--search", SECRET, "--yes", "--in-backups", code=1)
    assert "notes.zip" in said
    assert "may still hold it" in said
    assert holding(kept) == []
    assert (kept / "notes.zip").read_text() == "mine"


PROFILES = ("workspace", "companion", "agent", "requirements", "story", "coding")


def test_every_space_of_a_user_goes_under_every_profile_and_layout(run, tmp_path):
    home = tmp_path / "home"
    layouts = ("none", "model", "agent", "user")
    for number, profile in enumerate(PROFILES):
        under = ("--profile", profile, "--model", "m", "--set", f"json_files={layouts[number % 4]}")
        run("ask", *under, f"My cousin {SECRET} lives behind the old brewery.")
    run("ask", "--user", "bob", "I like tea in the morning.")
    assert len(holding(home)) > len(PROFILES) / 2
    run("forget", "--all-of", "default", "--yes")
    assert holding(home) == []
    assert "tea" in run("search", "tea", "--user", "bob")


def test_forgetting_reaches_the_files_of_a_layout_that_was_used_before(run, tmp_path):
    home = tmp_path / "home"
    for layout in ("model", "user", "agent", "none"):
        run("ask", "--set", f"json_files={layout}", f"{SECRET} again, in {layout}.")
    assert len(holding(home)) >= 4
    said = run("forget", "--search", SECRET, "--yes")
    assert "Other files that may still hold it" not in said
    assert holding(home) == []


def test_a_copied_file_is_said_to_be_one_and_named_when_its_space_goes(run, tmp_path):
    spaces = tmp_path / "home" / "spaces"
    run("ask", f"My cousin {SECRET} lives behind the old brewery.")
    (own,) = spaces.glob("*.db")
    own.with_name("ann_default_0123456789abcdef.db").write_bytes(own.read_bytes())
    listed = " ".join(run("spaces", "list").split())
    assert "is the file of the space 'default/default', copied or renamed" in listed
    plan = run("forget", "--all-of", "default", "--dry-run")
    assert "ann_default_0123456789abcdef.db" in plan
