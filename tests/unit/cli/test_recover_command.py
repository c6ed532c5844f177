import shutil

from tests.faults.damage import damage_index


def file_of(tmp_path, user="default"):
    (path,) = (tmp_path / "home" / "spaces").glob(f"{user}*.db")
    return path


def test_a_damaged_space_is_salvaged_by_name(run, tmp_path):
    run("ask", "my cat is called Ada")
    assert "No damage found" in run("recover", "default/default").out
    assert run("recover", "default/default", "--json").data["sound"]
    damage_index(file_of(tmp_path))
    said = run("recover", "default/default")
    assert said.code == 0
    assert "1 whole exchange" in said.out
    assert ".damaged-1" in said.out
    assert "Ada" in run("search", "cat").out
    assert run("recover", "nobody/here").code == 3
    assert run("recover", "default/default", "--into", "a/b").code == 2


def test_a_file_is_looked_at_and_then_written_into_a_space(run, tmp_path):
    run("ask", "my cat is called Ada")
    path = tmp_path / "stray.db"
    shutil.copy(file_of(tmp_path), path)
    damage_index(path)
    before = path.read_bytes()
    said = run("recover", str(path))
    assert "Nothing was written" in said.out
    assert (
        run("recover", str(path), "--into", "ann/pets", "--json").data["recovery"]["exchanges"] == 1
    )
    assert "Ada" in run("search", "cat", "--user", "ann", "--agent", "pets").out
    assert path.read_bytes() == before


def test_what_is_missing_is_said_by_session_and_time(run, tmp_path):
    run("ask", "my cat is called Ada")
    run("ask", "my dog is called Bob")
    path = file_of(tmp_path)
    data = bytearray(path.read_bytes())
    at = data.index(b'"my dog is')
    data[at + 5] ^= 1
    path.write_bytes(data)
    said = run("recover", "default/default").out
    assert "Damaged or lost: 1 exchange" in said
    assert "the user's message" in said
    assert "my cat" in said  # the session's title
    assert "Bob" not in run("show", "--json", "1").out


def test_who_writes_goes_on_and_says_so(run, tmp_path):
    run("ask", "my cat is called Ada")
    damage_index(file_of(tmp_path))
    assert run("search", "cat").code == 5
    assert "unabridged recover" in run("stats").err
    said = run("ask", "what is my cat called?")
    assert said.code == 0
    assert "was damaged" in said.err
    assert "Ada" in said.out
    assert run("ask", "and my dog?").err == ""


def test_a_readable_file_is_written_again_and_gives_back_what_the_database_lost(
    run, tmp_path, monkeypatch
):
    monkeypatch.setenv("UNABRIDGED_JSON_FILES", "model")
    run("ask", "my cat is called Ada")
    (path,) = (tmp_path / "home" / "memory").glob("*.json")
    whole = path.read_bytes()
    path.write_bytes(whole[:100])
    ran = run("search", "cat")
    assert "Ada" in ran.out
    assert "set aside as default.json.damaged-1" in ran.err
    assert path.read_bytes() == whole
    for file in (tmp_path / "home" / "spaces").iterdir():
        file.unlink()
    assert run("ask", "hello").code == 5
    assert run("verify", "--accept").code == 0
    ran = run("ask", "hello")
    assert "1 exchange that memory lacks" in ran.err
    assert run("adopt", str(path), "--yes").code == 0
    assert "Ada" in run("search", "cat").out
