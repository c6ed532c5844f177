"""A file of a home that was replaced while no program ran is noticed by the next one."""

import json
import os
import shutil

import pytest
from tests.helpers import program


class Home:
    def __init__(self, path):
        self.path = path
        self.environ = {
            **{name: value for name, value in os.environ.items() if "UNABRIDGED" not in name},
            "UNABRIDGED_HOME": str(path),
            "UNABRIDGED_UPSTREAM": "quote",
        }

    def run(self, *words):
        return program.run(*words, env=self.environ, text=True)

    def good(self, *words):
        ran = self.run(*words)
        assert ran.returncode == 0, ran.stderr
        return ran.stdout

    def say(self, text, *words):
        return self.good("ask", text, *words)

    @property
    def file(self):
        (path,) = (self.path / "spaces").glob("default_default_*.db")
        return path

    def has(self, word):
        return word in self.good("export", "--format", "messages", "-o", "-")

    def put(self, older):
        """Copy a file over that of the space, as a sync tool does."""
        for path in (self.path / "spaces").glob("default_default_*.db-*"):
            path.unlink()
        shutil.copyfile(older, self.file)


@pytest.fixture
def home(tmp_path):
    return Home(tmp_path / "home")


@pytest.fixture
def older(home, tmp_path):
    """Return a copy of the file as it was before the cat."""
    home.say("My dog is called Rex.")
    shutil.copyfile(home.file, tmp_path / "older.db")
    home.say("My cat is called Tom.")
    return tmp_path / "older.db"


def test_an_older_copy_is_refused_untouched_and_the_newer_one_continues(home, older, tmp_path):
    newer = shutil.copyfile(home.file, tmp_path / "newer.db")
    home.put(older)
    for words in (["ask", "Hello?"], ["sessions"], ["search", "dog"], ["export", "-o", "-"]):
        refused = home.run(*words)
        assert refused.returncode == 5, refused.stdout
        assert "is older than when this home last used it" in refused.stderr
        assert "it ends after 2 messages" in refused.stderr
        assert "it had 4 messages" in refused.stderr
        assert "unabridged backup list" in refused.stderr
        assert "unabridged verify --accept" in refused.stderr
    assert home.file.read_bytes() == older.read_bytes()
    verified = home.run("verify")
    assert verified.returncode == 1
    assert "older than when this home last used it" in verified.stdout
    home.put(newer)
    assert home.has("Tom")
    home.say("And a third one?")
    home.good("verify")


def test_an_older_copy_is_accepted_if_it_is_asked_for(home, older):
    home.put(older)
    home.good("verify", "--accept")
    assert home.has("Rex")
    assert not home.has("Tom")
    home.say("My bird is called Kim.")
    home.good("verify")


def test_a_backup_is_restored_over_what_is_newer_without_doubt(home):
    home.say("My dog is called Rex.")
    home.good("backup", "create")
    home.say("My cat is called Tom.")
    (backup,) = (home.path / "backups").glob("*.zip")
    home.good("backup", "restore", str(backup), "--replace")
    assert not home.has("Tom")
    home.say("My bird is called Kim.")
    home.good("verify")


def test_a_backup_is_restored_over_an_older_copy(home, older):
    home.good("backup", "create")
    home.put(older)
    (backup,) = (home.path / "backups").glob("*.zip")
    home.good("backup", "restore", str(backup), "--replace")
    assert home.has("Tom")


def test_a_file_of_the_same_name_from_another_home_is_refused(home, tmp_path):
    home.say("My dog is called Rex.")
    other = Home(tmp_path / "other")
    for text in ("One.", "Two.", "Three."):
        other.say(text)
    home.put(other.file)
    refused = home.run("ask", "Hello?")
    assert refused.returncode == 5
    assert "is not the file that this home last used" in refused.stderr


def test_a_file_that_is_gone_is_not_begun_again_unasked(home, older):
    for path in (home.path / "spaces").glob("default_default_*"):
        shutil.rmtree(path) if path.is_dir() else path.unlink()
    refused = home.run("ask", "Hello?")
    assert refused.returncode == 5
    assert "is missing; when this home last used it, it held 4 messages" in refused.stderr
    assert list((home.path / "spaces").glob("*.db")) == []
    assert home.run("verify").returncode == 1
    home.good("verify", "--accept")
    home.say("Hello?")


def test_a_copy_that_went_on_elsewhere_does_not_take_the_place(home, tmp_path):
    home.say("My dog is called Rex.")
    shutil.copytree(home.path, tmp_path / "laptop")
    laptop = Home(tmp_path / "laptop")
    for text in ("One.", "Two.", "Three."):
        laptop.say(text)
    home.say("My cat is called Tom.")
    home.put(laptop.file)
    refused = home.run("ask", "Hello?")
    assert refused.returncode == 5
    assert "is not the file that this home last used" in refused.stderr


def test_a_newer_copy_of_the_same_history_is_taken(home, tmp_path):
    home.say("My dog is called Rex.")
    shutil.copytree(home.path, tmp_path / "laptop")
    laptop = Home(tmp_path / "laptop")
    laptop.say("My cat is called Tom.")
    home.put(laptop.file)
    assert home.has("Tom")


def test_names_that_became_free_are_used_again(home):
    home.say("My dog is called Rex.")
    home.good("spaces", "rename", "default/default", "ann/default")
    home.say("My cat is called Tom.")
    assert not home.has("Rex")
    home.good("forget", "--space", "--yes")
    assert list((home.path / "config").rglob("default_default*")) == []
    home.say("Hello again.")
    home.good("verify")


def test_a_note_that_cannot_be_read_stops_nobody(home):
    home.say("My dog is called Rex.")
    (note,) = (home.path / "config" / "seen").iterdir()
    for content in (b"", b"{", b'{"generation": 1}', b"[" * 100_000):
        note.write_bytes(content)
        assert home.has("Rex")
        assert json.loads(note.read_bytes())["checkpoint"]["number"] == 2


def test_a_folder_of_backups_from_an_older_day_is_noticed(home, tmp_path):
    home.say("My dog is called Rex.")
    home.good("backup", "create")
    shutil.copytree(home.path / "backups", tmp_path / "backups")
    home.say("My cat is called Tom.")
    home.good("backup", "create", "--all")
    assert "without the one that was made last" not in home.good("doctor")
    (newest,) = (home.path / "backups").glob("home-*.zip")
    shutil.rmtree(home.path / "backups")
    shutil.copytree(tmp_path / "backups", home.path / "backups")
    said = home.good("doctor")
    assert "1, without the one that was made last" in said
    assert newest.name in said.replace("\n", "")
    home.good("backup", "create")
    assert "without the one that was made last" not in home.good("doctor")


KILLED = """
import os, signal, sys
from unabridged import Memory
memory = Memory.open(sys.argv[1], upstream="quote")
for number in range(40):
    memory.add([{"role": "user", "content": f"Number {number}."}, {"role": "assistant", "content": "Yes."}])
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_a_log_that_was_removed_after_a_kill_is_missed(home):
    with program.python(KILLED, home.path, env=home.environ) as process:
        process.wait(60)
    (log,) = (home.path / "spaces").glob("*.db-wal")
    log.unlink()
    refused = home.run("ask", "Hello?")
    assert refused.returncode == 5
    assert "is older than when this home last used it" in refused.stderr
