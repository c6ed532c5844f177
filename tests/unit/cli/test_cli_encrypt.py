"""`unabridged key encrypt` and `key change`, as a person uses them, without an SQLite that encrypts."""

import pytest

from unabridged.stores.sqlite.connection import can_encrypt

SECRET = "Zanzibarholzwurm"


@pytest.fixture
def home(run, tmp_path):
    path = tmp_path / "my.key"
    assert run("key", "new", str(path)).code == 0
    assert run("config", "set", "key", f"file:{path}").code == 0
    assert run("ask", f"Remember the {SECRET}.").code == 0
    return tmp_path / "home"


def on_disk(home):
    return b"".join(p.read_bytes() for p in (home / "spaces").rglob("*") if p.is_file())


@pytest.mark.skipif(can_encrypt(), reason="this SQLite can encrypt")
def test_what_is_missing_is_said_and_nothing_changed(run, home):
    before = on_disk(home)
    ran = run("key", "encrypt")
    assert ran.code == 2
    assert "[encryption]'" in ran.err
    assert "encrypt" not in (home / "config" / "unabridged.toml").read_text()
    assert on_disk(home) == before
    assert run("key", "decrypt").code == 2


def test_an_export_is_sealed_and_opens_with_its_key_in_another_home(run, home, tmp_path):
    assert run("export", "--encrypt", "-o", str(tmp_path / "out.sealed")).code == 0
    data = (tmp_path / "out.sealed").read_bytes()
    assert SECRET.encode() not in data
    assert b"exchange" not in data
    other = ("--home", str(tmp_path / "other"))
    ran = run("import", str(tmp_path / "out.sealed"), *other)
    assert ran.code == 5
    assert "no key is set" in ran.err
    run("config", "set", "key", f"file:{tmp_path / 'my.key'}", *other)
    ran = run("import", str(tmp_path / "out.sealed"), *other)
    assert (ran.code, "(1 exchange)" in ran.out) == (0, True), ran.out + ran.err
    (tmp_path / "cut.sealed").write_bytes(data[:-40])
    assert run("import", str(tmp_path / "cut.sealed"), *other).code == 5
    run("key", "new", str(tmp_path / "wrong.key"))
    run("config", "set", "key", f"file:{tmp_path / 'wrong.key'}", "--home", str(tmp_path / "third"))
    ran = run("import", str(tmp_path / "out.sealed"), "--home", str(tmp_path / "third"))
    assert ran.code == 5
    assert "mark" in ran.err


@pytest.mark.parametrize("layout", ["model", "agent", "user"])
def test_an_encrypted_home_has_no_readable_files(run, tmp_path, monkeypatch, layout):
    home = tmp_path / "home"
    monkeypatch.setenv("UNABRIDGED_JSON_FILES", layout)
    run("key", "new", str(tmp_path / "my.key"))
    run("config", "set", "key", f"file:{tmp_path / 'my.key'}")
    assert run("ask", f"Remember the {SECRET}.").code == 0
    ran = run("key", "encrypt")
    assert ran.code == 2
    assert "writes readable files" in ran.err
    assert "layout to none" in ran.err
    run("config", "set", "encrypt", "true")
    before = {path: path.read_bytes() for path in home.rglob("[!.]*.json")}
    assert run("ask", "And the boat.").code == 2
    assert {path: path.read_bytes() for path in home.rglob("[!.]*.json")} == before
