def test_a_key_is_made_and_its_mark_shown(run, tmp_path, monkeypatch):
    ran = run("key", "show-mark")
    assert ran.code == 2
    assert "key new" in ran.err
    path = tmp_path / "key"
    made = run("key", "new", str(path), "--json").data
    assert made["key"] == f"file:{path}"
    secret = path.read_text("ascii").strip()
    assert run("config", "set", "key", made["key"]).code == 0
    shown = run("key", "show-mark")
    assert shown.out.strip() == made["mark"]
    assert secret not in shown.out
    assert run("key", "show-mark", "--json").data == made
    assert run("key", "new", str(path)).code == 2
    assert path.read_text("ascii").strip() == secret
    said = run("key", "new", str(tmp_path / "second")).out
    assert f"config set key file:{tmp_path / 'second'}" in said
