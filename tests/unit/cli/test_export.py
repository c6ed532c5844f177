import json
import os
import stat

import pytest


@pytest.fixture
def filled(run, tmp_path):
    lines = [
        {"role": "user", "content": "I live in Berlin.", "session": "one", "title": "Home", "time": 1},
        {"role": "assistant", "content": "Noted.", "session": "one", "model": "qwen2.5:7b", "time": 2},
        {"role": "user", "content": "Name a boat", "session": "two", "title": "Boats", "time": 3},
        {"role": "assistant", "content": "Halcyon", "session": "two", "model": "llama3", "time": 4},
    ]  # fmt: skip
    path = tmp_path / "in.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    assert run("import", str(path), "--user", "ann").code == 0
    assert run("import", str(path), "--user", "bob").code == 0
    return tmp_path


def written(ran):
    assert ran.code == 0, ran.err
    return ran.data["files"]


def test_what_goes_out_comes_back_with_facts_and_readings(run, filled):
    out = filled / "all.jsonl"
    assert run("export", "--user", "ann", "-o", str(out)).code == 0
    assert stat.S_IMODE(out.stat().st_mode) == 0o600 or os.name == "nt"
    first = run("import", str(out), "--user", "eve", "--json").data["files"][0]
    assert first["records"] == first["records_added"] > 0
    again = filled / "again.jsonl"
    assert run("export", "--user", "eve", "-o", str(again)).code == 0
    mine, theirs = (path.read_bytes().splitlines() for path in (out, again))
    assert mine == theirs
    assert any(b'"kind":"fact"' in line for line in mine)
    second = run("import", str(out), "--user", "eve", "--json").data["files"][0]
    assert (second["added"], second["records_added"]) == (0, 0)


def test_contexts_go_along_where_they_are_asked_for(run, filled):
    assert run("ask", "Hello?", "--user", "ann").code == 0
    plain, more = (
        run("export", "--user", "ann"),
        run("export", "--user", "ann", "--with", "contexts"),
    )
    assert '"kind":"context"' not in plain.out
    assert '"kind":"context"' in more.out


def test_one_session_goes_out_with_its_own_records(run, filled):
    lines = run("export", "--user", "ann", "--session", "Home").out.splitlines()
    kinds = [next(iter(json.loads(line))) for line in lines]
    assert kinds.count("session") == kinds.count("exchange") == 1
    assert "record" in kinds
    assert "Halcyon" not in "".join(lines)


def test_a_folder_gets_a_page_a_session_and_an_index(run, filled):
    files = written(
        run("export", "--user", "ann", "--format", "html", "-o", f"{filled}/p/", "--json")
    )
    names = sorted(path.rsplit("/", 1)[-1] for path in files)
    assert names == ["1970-01-01_boats.html", "1970-01-01_home.html", "index.html"]
    index = (filled / "p" / "index.html").read_text()
    assert 'href="1970-01-01_home.html"' in index


def test_format_3_is_a_file_a_model(run, filled):
    ran = run("export", "--user", "ann", "--format", "v3", "-o", str(filled / "v3.json"))
    assert ran.code == 2
    assert "llama3, qwen2.5:7b" in ran.err
    assert not (filled / "v3.json").exists()
    files = written(
        run("export", "--user", "ann", "--format", "v3", "-o", f"{filled}/v3/", "--json")
    )
    assert sorted(path.rsplit("/", 1)[-1] for path in files) == ["llama3.json", "qwen2-5-7b.json"]
    data = json.loads((filled / "v3" / "qwen2-5-7b.json").read_text())
    assert data["metadata"]["model"] == "qwen2.5:7b"


def test_all_is_a_file_a_space(run, filled):
    files = written(run("export", "--all", "-o", str(filled / "all"), "--json"))
    assert sorted(path.rsplit("/", 1)[-1] for path in files) == [
        "ann_default.jsonl",
        "bob_default.jsonl",
    ]
    header = json.loads((filled / "all" / "ann_default.jsonl").read_text().splitlines()[0])
    assert header["space"]["user"] == "ann"
    again = run("export", "--all", "-o", str(filled / "all"))
    assert again.code == 2
    assert "--force" in again.err
    assert run("export", "--all", "-o", str(filled / "all"), "--force").code == 0


def test_a_damaged_space_hides_no_other(run, filled):
    (broken,) = (filled / "home" / "spaces").glob("bob*.db")
    broken.write_bytes(b"SQLite format 3\0" + b"x" * 4096)
    ran = run("export", "--all", "-o", str(filled / "all"))
    assert ran.code == 7
    assert broken.name in ran.err
    assert [path.name for path in (filled / "all").iterdir()] == ["ann_default.jsonl"]


@pytest.mark.parametrize("words", [("--all",), ("--all", "-o", "x", "--session", "1")])
def test_all_needs_a_folder(run, filled, words):
    ran = run("export", *words)
    assert ran.code == 2
    assert "-o FOLDER" in ran.err


def test_a_file_that_is_there_stays(run, filled):
    there = filled / "there.html"
    there.write_text("mine")
    assert run("export", "--user", "ann", "--format", "html", "-o", str(there)).code == 2
    assert there.read_text() == "mine"
    assert run("export", "-o", str(filled / "no" / "where.jsonl")).code == 7


def test_the_words_of_format_3_come_back(run, filled):
    assert run("export", "--user", "ann", "--format", "v3", "-o", f"{filled}/v3/").code == 0
    files = [str(path) for path in sorted((filled / "v3").iterdir())]
    assert run("import", *files, "--user", "eve").code == 0
    for words in ("I live in Berlin.", "Noted.", "Name a boat", "Halcyon", "qwen2.5:7b", "llama3"):
        assert words in run("export", "--user", "eve").out


def test_what_was_forgotten_stays_forgotten_where_it_goes(run, filled):
    lines = [json.loads(line) for line in run("export", "--user", "ann").out.splitlines()]
    name = next(e["exchange"]["id"] for e in lines if "Halcyon" in str(e.get("exchange")))
    assert run("forget", name, "--user", "ann", "--yes").code == 0
    out = filled / "less.jsonl"
    assert run("export", "--user", "ann", "-o", str(out)).code == 0
    kinds = [
        json.loads(line).get("record", {}).get("kind") for line in out.read_text().splitlines()
    ]
    assert {"tombstone", "receipt"} <= set(kinds)
    first = run("import", str(out), "--user", "eve", "--json").data["files"][0]
    assert first["records"] == first["records_added"]
    assert run("import", str(filled / "in.jsonl"), "--user", "eve").code == 0
    assert "Halcyon" not in run("export", "--user", "eve").out


def branched(run, tmp_path):
    """Import a conversation of which one answer was made twice."""

    def node(key, parent, role, text):
        message = {
            "author": {"role": role},
            "create_time": 1.7e9,
            "content": {"content_type": "text", "parts": [text]},
        }
        return {"id": key, "parent": parent, "children": [], "message": message}

    nodes = [
        node("u", None, "user", "Name a knot"),
        node("a", "u", "assistant", "A clove hitch"),
        node("b", "u", "assistant", "A bowline"),
    ]
    talk = {
        "conversation_id": "c",
        "title": "Über Knoten: 結び目",
        "create_time": 1.7e9,
        "current_node": "b",
    }
    path = tmp_path / "branched.json"
    path.write_text(json.dumps([{**talk, "mapping": {each["id"]: each for each in nodes}}]))
    assert run("import", str(path)).code == 0


def test_markdown_in_a_folder_is_a_file_a_conversation_with_a_readable_name(run, filled):
    folder = filled / "notes"
    files = written(
        run("export", "--user", "ann", "--format", "markdown", "-o", f"{folder}/", "--json")
    )
    assert sorted(path.name for path in folder.iterdir()) == [
        "1970-01-01_boats.md",
        "1970-01-01_home.md",
    ]
    assert sorted(files) == sorted(str(path) for path in folder.iterdir())
    assert "Halcyon" in (folder / "1970-01-01_boats.md").read_text()
    again = run("export", "--user", "ann", "--format", "markdown", "-o", str(folder))
    assert again.code == 2
    assert "exists already" in again.err
    assert (
        run("export", "--user", "ann", "--format", "markdown", "-o", str(folder), "--force").code
        == 0
    )


def test_a_title_in_any_script_names_its_file(run, tmp_path):
    branched(run, tmp_path)
    assert run("export", "--format", "markdown", "-o", f"{tmp_path}/out/").code == 0
    assert [path.name for path in (tmp_path / "out").iterdir()] == [
        "2023-11-14_über-knoten-結び目.md"
    ]


def test_one_file_is_no_folder(run, filled):
    path = filled / "all.md"
    assert run("export", "--user", "ann", "--format", "markdown", "-o", str(path)).code == 0
    text = path.read_text()
    assert "Halcyon" in text
    assert "I live in Berlin." in text
    ran = run("export", "--user", "ann", "-o", f"{filled}/")
    assert ran.code == 2
    assert "conversations.jsonl" in ran.err


def test_what_is_on_other_branches_is_counted_and_can_be_included(run, tmp_path):
    branched(run, tmp_path)
    report = run("export", "--format", "markdown", "-o", str(tmp_path / "a.md"), "--json").data
    assert (report["exchanges"], report["left_out"]) == (1, 1)
    assert "clove" not in (tmp_path / "a.md").read_text()
    for name in ("markdown", "messages"):
        path = tmp_path / name
        report = run("export", "--format", name, "--branches", "-o", str(path), "--json").data
        assert (report["exchanges"], report["left_out"]) == (2, 0)
        assert "clove" in path.read_text()
        assert "bowline" in path.read_text()
    assert run("export", "--branches").code == 2


def test_markdown_is_also_called_by_its_ending_and_dates_have_no_zero(run, tmp_path):
    path = tmp_path / "x.jsonl"
    path.write_text('{"role": "user", "content": "hello", "timestamp": "2025-11-01T09:00:00Z"}\n')
    run("import", str(path))
    shown = run("export", "--format", "md").out
    assert "*1 November 2025, 1 exchange*" in shown
    assert shown == run("export", "--format", "markdown").out
    assert "1 November 2025" in run("export", "--format", "html").out
    assert "01 November" not in run("export", "--format", "html").out
    refused = run("export", "--format", "mdx")
    assert refused.code == 2
    assert "markdown" in refused.err
