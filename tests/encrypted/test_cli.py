"""`unabridged key encrypt` and `key change`, as a person uses them."""

from tests.unit.cli.test_cli_encrypt import SECRET, on_disk


def test_a_home_is_encrypted_and_made_readable_again(run, home):
    assert SECRET.encode() in on_disk(home)
    ran = run("key", "encrypt")
    assert ran.code == 0, ran.err
    assert ": encrypted" in ran.out
    assert SECRET.encode() not in on_disk(home)
    assert "already encrypted" in run("key", "encrypt").out
    assert SECRET in run("search", SECRET).out
    assert run("ask", f"And the {SECRET} again.").code == 0
    assert SECRET.encode() not in on_disk(home)
    again = run("key", "decrypt", "--json")
    assert [each["changed"] for each in again.data["files"]] == [True]
    assert SECRET.encode() in on_disk(home)
    assert SECRET in run("search", SECRET).out


def test_a_new_space_of_an_encrypted_home_is_encrypted(run, home):
    assert run("key", "encrypt").code == 0
    assert run("ask", f"A second {SECRET}.", "--user", "ann").code == 0
    assert SECRET.encode() not in on_disk(home)
    assert {info["sessions"] for info in run("spaces", "--json").data} == {1}


def test_the_key_is_changed_and_the_old_one_opens_nothing(run, home, tmp_path, monkeypatch):
    assert run("key", "encrypt").code == 0
    before = on_disk(home)
    assert run("key", "new", str(tmp_path / "new.key")).code == 0
    ran = run("key", "change", f"file:{tmp_path / 'new.key'}")
    assert ran.code == 0, ran.err
    assert SECRET in run("search", SECRET).out
    db = list((home / "spaces").glob("*.db"))
    assert all(p.read_bytes() in before for p in db), "what is encrypted stays as it is"
    monkeypatch.setenv("UNABRIDGED_KEY", f"file:{tmp_path / 'my.key'}")
    ran = run("search", SECRET)
    assert ran.code == 5
    assert "another" in ran.err or "mark" in ran.err


def test_a_key_that_comes_from_a_variable_is_changed_in_two_steps(run, home, tmp_path, monkeypatch):
    run("key", "new", str(tmp_path / "new.key"))
    monkeypatch.setenv("UNABRIDGED_KEY", f"file:{tmp_path / 'my.key'}")
    assert "key retire" in run("key", "change", f"file:{tmp_path / 'new.key'}").out
    assert run("stats").code == 0
    monkeypatch.setenv("UNABRIDGED_KEY", f"file:{tmp_path / 'new.key'}")
    assert run("stats").code == 0
    assert run("key", "retire").code == 0
    monkeypatch.setenv("UNABRIDGED_KEY", f"file:{tmp_path / 'my.key'}")
    assert run("stats").code == 5


def test_without_its_key_an_encrypted_home_says_so(run, home):
    assert run("key", "encrypt").code == 0
    assert run("config", "unset", "key").code == 0
    ran = run("search", SECRET)
    assert ran.code == 2
    assert "no key is set" in ran.err
    assert run("config", "unset", "encrypt").code == 0
    ran = run("search", SECRET)
    assert ran.code == 5
    assert "encrypted" in ran.err
