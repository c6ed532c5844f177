import json

import pytest

from unabridged.factory import copy_stores
from unabridged.stores.in_memory import InMemoryStore


@pytest.fixture
def filled(run, tmp_path):
    lines = [
        {"role": "user", "content": "I live in Berlin.", "session": "one", "time": 1},
        {"role": "assistant", "content": "Noted.", "session": "one", "time": 2},
        {"role": "user", "content": "Name a boat", "session": "two", "time": 3},
        {"role": "assistant", "content": "Halcyon", "session": "two", "time": 4},
    ]
    path = tmp_path / "in.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    assert run("import", str(path), "--user", "ann").code == 0
    return tmp_path


def test_a_space_is_copied_and_compared(run, filled):
    ran = run("spaces", "copy", "ann/default", "ann/archive")
    assert ran.code == 0, ran.err
    assert "2 exchanges" in ran.out
    assert "Compared: equal; digest" in ran.out
    mine, theirs = (
        run("export", "--user", "ann", "--agent", a).out for a in ("default", "archive")
    )
    assert mine == theirs
    (again,) = run("spaces", "copy", "ann/default", "ann/archive", "--json").data
    assert (again["exchanges"], again["records"], again["equal"]) == (0, 0, True)


def test_every_space_goes_to_another_home(run, filled):
    run("ask", "Hello", "--user", "bob")
    other = filled / "other"
    done = run("spaces", "copy", "sqlite:", "sqlite:", "--to-home", str(other), "--json").data
    assert len(done) == 2
    assert all(one["equal"] for one in done)
    here, there = (run("spaces", "--json", "--home", str(h)).data for h in (filled / "home", other))
    assert [one["name"] for one in here] == [one["name"] for one in there]
    assert run("spaces", "merge", "ann/default", "bob/default", "--home", str(other)).code == 0


def test_a_single_file_goes_out_and_in(run, filled):
    path = filled / "ann.db"
    assert run("spaces", "copy", "ann/default", f"file:{path}").code == 0
    (back,) = run("spaces", "copy", f"file:{path}", "sqlite:eve/default", "--json").data
    assert (back["exchanges"], back["equal"]) == (2, True)
    assert run("export", "--user", "eve").out == run("export", "--user", "ann").out


@pytest.mark.parametrize(("words", "code", "said"), [
    (("ann/default", "ann/default"), 2, "same space"),
    (("sqlite:", "ann/default"), 2, "into one"),
    (("nobody/default", "ann/other"), 3, "no space"),
    (("file:nothing.db", "ann/other"), 3, "nothing.db"),
    (("file:", "ann/other"), 2, "has no path"),
    (("ann", "ann/other"), 2, "not the name of a space"),
])  # fmt: skip
def test_what_does_not_go_together_is_refused(run, filled, words, code, said):
    ran = run("spaces", "copy", *words)
    assert ran.code == code
    assert said in ran.err
    assert [one["name"] for one in run("spaces", "--json").data] == ["ann/default"]


@pytest.mark.parametrize("layout", ["model", "agent", "user"])
def test_readable_files_follow_a_copy(run, filled, layout, monkeypatch):
    monkeypatch.setenv("UNABRIDGED_JSON_FILES", layout)
    (there,) = run("spaces", "copy", "ann/default", "eve/other", "--json").data
    assert (there["exchanges"], there["equal"]) == (2, True)
    files = (filled / "home").rglob("[!.]*.json")
    assert any("Halcyon" in path.read_text("utf-8") for path in files)


def test_a_copy_that_is_not_equal_is_no_copy(run, filled, monkeypatch):
    class Deaf(InMemoryStore):
        def import_session(self, session, exchanges, originals=None):
            return 0

    monkeypatch.setattr(copy_stores, "_open_file", lambda end, other: Deaf(other))
    ran = run("spaces", "copy", "ann/default", "file:x")
    assert ran.code == 5
    assert "digest" in ran.err


def test_a_merge_brings_nothing_back_that_was_forgotten(run, filled):
    run("spaces", "copy", "ann/default", "ann/archive")
    (found,) = [
        e
        for e in map(json.loads, run("export", "--user", "ann").out.splitlines())
        if "exchange" in e and "Halcyon" in json.dumps(e)
    ]
    name = found["exchange"]["id"]
    ran = run("forget", name, "--user", "ann", "--agent", "archive", "--yes")
    assert ran.code == 0, ran.err
    assert run("spaces", "merge", "ann/default", "ann/archive", "--json").data["added"] == 0
    assert "Halcyon" not in run("export", "--user", "ann", "--agent", "archive").out
    (again,) = run("spaces", "copy", "ann/default", "ann/archive", "--json").data
    assert (again["exchanges"], again["passed_over"]) == (0, 1)
