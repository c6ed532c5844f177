from pathlib import Path


def test_backup_and_restore_of_a_space(run, tmp_path):
    assert run("backup", "create").code == 3
    run("ask", "my cat is called Ada")
    made = run("backup", "create", "--json").data
    assert made["removed"] == []
    assert made["backup"]["spaces"][0]["exchanges"] == 1
    name = Path(made["backup"]["path"]).name
    assert name in run("backup", "list", "--json").out
    assert "default/default" in run("backup", "list").out
    assert "Verified: default/default: 1 exchange" in run("backup", "verify", name).out
    run("ask", "my dog is called Bob")
    refused = run("backup", "restore", name)
    assert refused.code == 7
    assert "--replace" in refused.err
    assert "Restored ann/pets: 1 exchange" in run("backup", "restore", name, "--as", "ann/pets").out
    assert "Ada" in run("search", "cat", "--user", "ann", "--agent", "pets").out
    done = run("backup", "restore", name, "--replace")
    assert "is now in" in done.out
    assert "Bob" not in run("search", "dog").out
    assert "Unchanged" in run("backup", "restore", name).out
    assert run("doctor").code == 0


def test_a_whole_home_goes_into_an_empty_one(run, tmp_path, monkeypatch):
    run("ask", "my cat is called Ada")
    run("ask", "my dog is called Bob", "--user", "ann")
    run("config", "set", "verbosity", "concise")
    path = tmp_path / "all.zip"
    said = run("backup", "create", "--all", "-o", str(path))
    assert said.code == 0, said.err
    assert "2 spaces: 2 exchanges" in said.out
    assert run("backup", "create", "--all", "-o", str(path)).code == 7
    monkeypatch.setenv("UNABRIDGED_HOME", str(tmp_path / "new"))
    assert "Restored ann/default: 1 exchange" in run("backup", "restore", str(path)).out
    assert "Bob" in run("search", "dog", "--user", "ann").out
    assert "concise" in run("config", "get", "verbosity").out


def test_what_is_damaged_is_left_out_and_said(run, tmp_path):
    run("ask", "my cat is called Ada")
    run("ask", "my dog is called Bob", "--user", "ann")
    (path,) = (tmp_path / "home" / "spaces").glob("ann*.db")
    path.write_bytes(b"gone" * 5000)
    made = run("backup", "create", "--all")
    assert made.code == 1
    assert path.name in made.err
    assert "1 space: 1 exchange" in made.out


def test_only_so_many_are_kept(run):
    run("ask", "my cat is called Ada")
    for _ in range(3):
        kept = run("backup", "create", "--keep", "2")
    assert "Removed" in kept.out
    assert len(run("backup", "list", "--json").data) == 2
    assert run("backup", "create", "--keep", "2", "-o", "x.zip").code == 2


def test_readable_files_follow_what_is_given_back(run, tmp_path, monkeypatch):
    monkeypatch.setenv("UNABRIDGED_JSON_FILES", "model")
    run("ask", "my cat is called Ada")
    name = Path(run("backup", "create", "--json").data["backup"]["path"]).name
    assert "Unchanged" in run("backup", "restore", name).out
    run("ask", "my dog is called Bob")
    assert run("backup", "restore", name).code == 7
    done = run("backup", "restore", name, "--replace")
    assert "replaced-1" in done.out, done.err
    assert "Bob" not in run("search", "dog").out
    assert "Ada" in run("search", "cat").out
    text = (tmp_path / "home" / "memory" / "default.json").read_text("utf-8")
    assert ("Ada" in text, "Bob" in text) == (True, False)
    assert run("backup", "restore", name, "--as", "ann/pets").code == 0
    assert "Ada" in run("search", "cat", "--user", "ann", "--agent", "pets").out
    made = run("backup", "create", "--all", "-o", str(tmp_path / "all.zip"))
    assert "2 spaces: 2 exchanges" in made.out, made.err
    assert run("doctor").code == 0
    monkeypatch.setenv("UNABRIDGED_HOME", str(tmp_path / "other"))
    monkeypatch.setenv("UNABRIDGED_JSON_FILES", "none")
    assert "Restored ann/pets" in run("backup", "restore", str(tmp_path / "all.zip")).out
    assert "Ada" in run("search", "cat", "--user", "ann", "--agent", "pets").out
    assert "static" in run("doctor").out
    monkeypatch.setenv("UNABRIDGED_HOME", str(tmp_path / "third"))
    monkeypatch.setenv("UNABRIDGED_JSON_FILES", "model")
    assert run("backup", "restore", str(tmp_path / "all.zip")).code == 0
    assert "Ada" in run("search", "cat").out


def backed_up(run, home, *days, everything=False):
    """Back up once, then stand in for backups of other days under their names."""
    what = ("--all",) if everything else ()
    made = Path(run("backup", "create", *what, "--json").data["backup"]["path"])
    kept = made.read_bytes()
    stem = made.name.rpartition("-")[0]
    made.unlink()
    for day in days:
        (home / "backups" / f"{stem}-202603{day}T120000Z.zip").write_bytes(kept)
    return stem


def names_in(home):
    return sorted(path.name[-20:-14] for path in (home / "backups").glob("*.zip"))


def test_old_backups_are_pruned_and_the_newest_stays(run, tmp_path):
    home = tmp_path / "home"
    run("ask", "my cat is called Ada")
    backed_up(run, home, "01", "02", "03", "04")
    assert "Nothing to remove" in run("backup", "prune").out
    shown = run("backup", "prune", "--keep", "2", "--dry-run")
    assert "Would remove 2 backups" in shown.out
    refused = run("backup", "prune", "--keep", "2")
    assert refused.code == 2
    assert refused.err == "error: Not a terminal, cannot ask for confirmation.\nhint: Add --yes.\n"
    assert len(names_in(home)) == 4
    done = run("backup", "prune", "--keep", "2", "--yes", "--json").data
    assert [Path(path).name[-12:-5] for path in done["removed"]] == ["T120000", "T120000"]
    assert names_in(home) == ["202603", "202603"]
    assert "Nothing to remove" in run("backup", "prune", "--keep", "2", "--yes").out
    assert "Removed 1 backup" in run("backup", "prune", "--older-than", "1d", "--yes").out
    assert len(names_in(home)) == 1
    assert run("backup", "prune", "--older-than", "soon").code == 2


def test_only_backups_beyond_n_that_are_older_go(run, tmp_path):
    run("ask", "my cat is called Ada")
    backed_up(run, tmp_path / "home", "01", "02", "03", "04")
    both = ("--keep", "2", "--older-than", "2026-03-02", "--yes", "--json")
    assert len(run("backup", "prune", *both).data["removed"]) == 1


def test_the_newest_backup_of_a_home_not_after_a_time_is_restored(run, tmp_path):
    run("ask", "my cat is called Ada")
    stem = backed_up(run, tmp_path / "home", "01", "05", everything=True)
    assert "the whole home from 2026-02-28" in restore_home_at(run, "2026-02-28").err
    for time, day in (("2026-03-01", "01"), ("2026-03-04T18:00", "01"), ("2026-03-05", "05")):
        done = restore_home_at(run, time)
        assert done.code == 0, done.err
        assert f"{stem}-202603{day}" in done.err
    assert run("backup", "restore", "--at", "whenever").code == 2
    assert run("backup", "restore").code == 2
    assert run("backup", "restore", "--all", "x.zip").code == 2


def restore_home_at(run, time):
    return run("backup", "restore", "--all", "--at", time)
