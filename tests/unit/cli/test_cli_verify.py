import shutil

import pytest
from tests.integrity.forge_sqlite import SqliteForger


@pytest.fixture
def home(tmp_path):
    return tmp_path / "home"


@pytest.fixture
def say(run):
    def call(text, *more):
        ran = run("ask", text, *more)
        assert ran.code == 0, ran.err

    return call


def file_of(home):
    (path,) = (home / "spaces").glob("default_default_*.db")
    return path


def session_of(run):
    return run("sessions", "--json").data[0]["id"]


def test_nothing_is_at_fault(run, say):
    assert run("verify").code == 0
    say("My dog is called Rex.")
    say("And my cat Tom.", "--user", "ann")
    ran = run("verify")
    assert ran.code == 0
    assert ran.out.count("✓") == 2
    assert "without a key" in ran.out
    (one,) = run("verify", "ann/default", "--json").data
    assert one["space"] == "ann/default"
    assert one["flaws"] == []
    assert one["sealed"]["links"] == 2
    assert run("verify", "bob/default").code == 3


def test_what_was_changed_is_said_with_its_place(run, say, home):
    say("My dog is called Rex.")
    say("My cat is called Tom.")
    session = session_of(run)
    SqliteForger(file_of(home)).say(3, "My cat is called Tim.")
    ran = run("verify")
    assert ran.code == 1
    assert session in ran.out
    assert "position 3" in ran.out
    (one,) = run("verify", "--json").data
    assert len(one["flaws"]) == 1
    assert run("verify", "--json").code == 1
    refused = run("ask", "Hello?")
    assert refused.code == 5
    assert "position 3" in refused.err
    assert "unabridged verify" in refused.err


def test_a_key_is_set_on_what_is_there(run, say, home, tmp_path):
    say("My dog is called Rex.")
    made = run("key", "new", str(tmp_path / "key"), "--json").data
    assert run("key", "seal").code == 2
    assert run("config", "set", "key", made["key"]).code == 0
    refused = run("ask", "Hello?")
    assert refused.code == 5
    assert "key seal" in refused.err
    assert run("verify").code == 1
    ran = run("key", "seal")
    assert ran.code == 0, ran.err
    assert "sealed on" in ran.out
    assert run("key", "seal", "--json").data[0]["sealed"]["found"] == 2
    say("And my cat Tom.")
    verified = run("verify")
    assert verified.code == 0
    assert "with the key" in verified.out
    forger = SqliteForger(file_of(home))
    forger.say(1, "My dog is called Max.")
    forger.unchain()
    assert run("verify").code == 1


def test_what_was_changed_is_not_sealed(run, say, home, tmp_path):
    say("My dog is called Rex.")
    SqliteForger(file_of(home)).say(1, "My dog is called Max.")
    made = run("key", "new", str(tmp_path / "key"), "--json").data
    run("config", "set", "key", made["key"])
    ran = run("key", "seal")
    assert ran.code == 1
    assert "position 1" in ran.out


def test_an_anchor_notices_an_older_home(run, say, home, tmp_path):
    (tmp_path / "elsewhere").mkdir()
    anchor = tmp_path / "elsewhere" / "anchor"
    assert run("config", "set", "checkpoint_file", str(home / "anchor")).code == 0
    inside = run("ask", "Hello?")
    assert inside.code == 2
    assert "inside the home" in inside.err
    assert run("config", "set", "checkpoint_file", str(anchor)).code == 0
    say("My dog is called Rex.")
    shutil.copytree(home, tmp_path / "older")
    say("My cat is called Tom.")
    assert "matches the anchor" in run("verify").out
    shutil.rmtree(home)
    shutil.copytree(tmp_path / "older", home)
    ran = run("verify")
    assert ran.code == 1
    assert "anchor" in ran.out
    assert run("ask", "Hello?").code == 5
    assert run("verify", "--accept").code == 0
    assert run("verify").code == 0
    say("Hello!")
    shutil.rmtree(home / "spaces")
    gone = run("verify")
    assert gone.code == 1
    assert "is missing" in gone.out


def test_readable_files_are_looked_at_and_not_touched(run, say, home, monkeypatch):
    monkeypatch.setenv("UNABRIDGED_JSON_FILES", "model")
    say("My dog is called Rex.")
    assert run("verify").code == 0
    (path,) = (home / "memory").glob("*.json")
    edited = path.read_bytes().replace(b"Rex", b"Max")
    for wrong, told in ((b"{", "damaged"), (edited, "edited")):
        path.write_bytes(wrong)
        ran = run("verify", "--json")
        assert told in ran.data[0]["flaws"][0]
        assert path.read_bytes() == wrong


def test_what_is_renamed_or_forgotten_is_not_missed(run, say, home, tmp_path):
    (tmp_path / "elsewhere").mkdir()
    run("config", "set", "checkpoint_file", str(tmp_path / "elsewhere" / "anchor"))
    say("My dog is called Rex.")
    say("And my cat Tom.", "--user", "ann")
    assert run("spaces", "rename", "default/default", "bob/default").code == 0
    say("Hello!", "--user", "bob")
    ran = run("verify")
    assert ran.code == 0, ran.out
    assert run("forget", "--all-of", "ann", "--yes").code == 0
    assert "ann" not in (tmp_path / "elsewhere" / "anchor").read_text("utf-8")
    assert run("verify").code == 0


def test_a_damaged_file_is_not_sealed_anew_under_a_key_unasked(run, say, home, tmp_path):
    made = run("key", "new", str(tmp_path / "key"), "--json").data
    run("config", "set", "key", made["key"])
    say("My dog is called Rex.")
    path = file_of(home)
    SqliteForger(path).say(1, "My dog is called Max.")
    content = bytearray(path.read_bytes())
    content[:16] = bytes(16)
    path.write_bytes(content)
    assert run("ask", "Hello?").code == 5
    assert path.read_bytes() == bytes(content)
    assert len(list(path.parent.glob("*.damaged*"))) == 0


def test_a_backup_that_is_restored_is_remembered_by_the_anchor(run, say, home, tmp_path):
    (tmp_path / "elsewhere").mkdir()
    run("config", "set", "checkpoint_file", str(tmp_path / "elsewhere" / "anchor"))
    say("My dog is called Rex.")
    made = tmp_path / "backup.zip"
    assert run("backup", "create", "-o", str(made)).code == 0
    say("My cat is called Tom.")
    ran = run("backup", "restore", str(made), "--replace")
    assert ran.code == 0, ran.err
    assert run("verify").code == 0
    say("Hello!")
    assert run("verify").code == 0
    assert run("backup", "restore", str(made), "--as", "eve/default").code == 0
    say("Hello!", "--user", "eve")
    assert run("verify").code == 0
