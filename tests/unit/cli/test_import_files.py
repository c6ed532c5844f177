import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from threading import Thread

import pytest

from unabridged.cli.import_find import picked
from unabridged.errors import InputError

KILLED = """
import os, signal
from unabridged.stores.sqlite import write_rows
from unabridged.cli.main import main
real, calls = write_rows._import_session, []

def killed(db, given, *rest):
    result = real(db, given, *rest)
    calls.append(given.session.id)
    if len(calls) == 150:
        os.kill(os.getpid(), signal.SIGKILL)
    return result

write_rows._import_session = killed
main()
"""
"""Imports, and is killed when the 150th conversation is written but not yet stored."""

FIXTURES = Path(__file__).parents[2] / "fixtures" / "imports"


@pytest.fixture
def scattered(tmp_path):
    folder = tmp_path / "disk"
    for name, place in (
        ("codex.jsonl", "a"),
        ("claude-code.jsonl", "b/c"),
        ("llm-logs.db.xz", "."),
    ):
        (folder / place).mkdir(parents=True, exist_ok=True)
        (folder / place / name).write_bytes((FIXTURES / name).read_bytes())
    (folder / "package.json").write_text('{"name": "x", "version": "1"}')
    return folder


def test_what_is_found_is_listed_and_nothing_is_taken_over_unasked(run, scattered, tmp_path):
    ran = run("import", "--find", str(scattered))
    assert ran.code == 0
    listed = [line.split()[1] for line in ran.out.splitlines() if line[:4].strip().isdigit()]
    assert [path.rsplit("/", 1)[1] for path in listed] == [
        "llm-logs.db.xz", "codex.jsonl", "claude-code.jsonl"]  # fmt: skip
    words = " ".join(ran.out.split())
    assert "codex, 1 conversation, 3 exchanges, 2026-02-01 to 2026-02-01" in words
    assert "not imported yet" in ran.out
    assert "--pick" in ran.err
    assert run("sessions", "--json").data == []


def test_a_dry_run_makes_no_home(run, scattered, tmp_path):
    assert "not imported yet" in run("import", "--find", str(scattered), "--dry-run").out
    assert not (tmp_path / "home").exists()


def test_files_are_picked_by_number_and_known_afterwards(run, scattered):
    ran = run("import", "--find", str(scattered), "--pick", "2-3")
    assert "codex.jsonl: Imported 1 conversation (3 exchanges)." in ran.out
    assert "llm-logs.db.xz: " not in ran.out
    files = run("import", "--find", str(scattered), "--json").data["files"]
    assert [(each["held"], each["exchanges"]) for each in files] == [(0, 10), (3, 3), (4, 4)]
    again = run("import", "--find", str(scattered), "--all", "--json").data["files"]
    assert [each["added"] for each in again] == [10, 0, 0]


@pytest.mark.parametrize(
    "words", [[], ["--all", "x.json"], ["--find", ".", "x.json"], ["--pick", "1", "x.json"]]
)
def test_what_contradicts_itself_is_refused(run, words):
    ran = run("import", *words)
    assert ran.code == 2
    assert "hint" in ran.err


def test_numbers_of_the_list():
    assert picked("3,1-2 2", 5) == [1, 2, 3]
    assert (picked("all", 2), picked("none", 2), picked(" ", 2)) == ([1, 2], [], [])
    for wrong in ("0", "6", "3-1", "x", "1-", "-1"):
        with pytest.raises(InputError):
            picked(wrong, 5)


def test_what_could_not_be_read_is_kept_aside_and_said(run, tmp_path):
    path = tmp_path / "x.jsonl"
    path.write_text(
        '{"role": "user", "content": "hello"}\n{broken\n{"role": "ghost", "content": "boo"}\n'
    )
    ran = run("import", str(path), "--json").data["files"][0]
    assert (ran["added"], ran["failed_count"], len(ran["failed"]), ran["complete"]) == (
        1,
        2,
        2,
        False,
    )
    kept = [json.loads(line) for line in Path(ran["kept_aside"]).read_text().splitlines()]
    assert kept[0]["raw"].startswith("{broken")
    assert json.loads(kept[1]["raw"]) == {"role": "ghost", "content": "boo"}
    told = " ".join(run("import", str(path)).err.split())
    assert "Unreadable records are kept in" in told
    assert len(list((tmp_path / "home" / "imports").iterdir())) == 1


def test_a_dry_run_keeps_nothing_aside(run, tmp_path):
    path = tmp_path / "x.jsonl"
    path.write_text('{"role": "user", "content": "hello"}\n{broken\n')
    assert run("import", str(path), "--dry-run").code == 7
    assert not (tmp_path / "home" / "imports").exists()


@pytest.mark.slow
def test_an_import_that_is_killed_goes_on_and_holds_whole_conversations_only(run, tmp_path):
    own = tmp_path / "own.jsonl"
    sizes = {f"s{number}": number % 7 + 1 for number in range(300)}
    lines = [
        {"messages": [
            {"role": role, "content": f"{name} {turn} {role}", "time": 1_700_000_000 + turn}
            for turn in range(sizes[name]) for role in ("user", "assistant")
        ], "id": name}
        for name in sizes
    ]  # fmt: skip
    own.write_text("".join(json.dumps(line) + "\n" for line in lines))
    home = str(tmp_path / "home")
    command = [sys.executable, "-c", KILLED, "import", str(own), "--home", home]
    assert subprocess.run(command, capture_output=True, check=False).returncode == -signal.SIGKILL
    stored = run("sessions", "--limit", "400", "--json").data
    for each in stored:
        name = each["foreign_id"]
        assert each["exchanges"] == sizes[name]
    ran = run("import", str(own), "--json").data["files"][0]
    assert 0 < len(stored) < 150
    assert ran["exchanges"] == sum(sizes.values())
    assert ran["added"] == ran["exchanges"] - sum(each["exchanges"] for each in stored)
    assert run("import", str(own), "--json").data["files"][0]["added"] == 0


def agent(*names):
    return "".join(
        json.dumps({
            "type": "user" if number % 2 == 0 else "assistant", "uuid": f"u{number}", "sessionId": "s",
            "parentUuid": f"u{number - 1}" if number else None, "timestamp": f"2026-01-01T00:00:{number:02}Z",
            "message": {"role": "user", "content": f"word {number}"},
        }) + "\n"
        for number in names
    )  # fmt: skip


def test_a_file_that_holds_the_end_of_a_session_only_adds_to_it(run, tmp_path):
    whole, end = tmp_path / "whole.jsonl", tmp_path / "end.jsonl"
    whole.write_text(agent(*range(6)))
    end.write_text(agent(*range(2, 10)))
    assert run("import", str(whole), "--json").data["files"][0]["added"] == 3
    assert run("import", str(end), "--json").data["files"][0]["added"] == 2
    sessions = run("sessions", "--json").data
    assert [each["exchanges"] for each in sessions] == [5]


def said(session, *names):
    lines = [
        {
            "role": "user" if number % 2 == 0 else "assistant",
            "content": f"word {name}",
            "time": 1_700_000_000 + ord(name),
            "session": session,
            "id": name,
        }
        for number, name in enumerate(names)
    ]
    return "".join(json.dumps(line) + "\n" for line in lines)


def test_a_conversation_that_contradicts_one_here_is_told_and_kept_and_the_others_go_on(
    run, tmp_path
):
    first, second = tmp_path / "a.jsonl", tmp_path / "b.jsonl"
    first.write_text(said("s", "c", "d"))
    second.write_text(said("s", "a", "b", "c", "x") + said("t", "e", "f"))
    assert run("import", str(first), "--json").data["files"][0]["added"] == 1
    report = run("import", str(second), "--json").data["files"][0]
    assert report["added"] == 1
    assert [each["where"] for each in report["failed"]] == ["conversation s"]
    assert "stored already" in report["failed"][0]["reason"]
    (kept,) = map(json.loads, Path(report["kept_aside"]).read_text().splitlines())
    again = tmp_path / "again.jsonl"
    again.write_text(kept["raw"])
    assert run("import", str(again), "--user", "ann", "--json").data["files"][0]["added"] == 2


def export_of(count):
    """A ChatGPT export: each conversation begins with a hidden, empty system message."""

    def node(key, parent, role, text, **metadata):
        message = {
            "author": {"role": role},
            "content": {"content_type": "text", "parts": [text]},
            "metadata": metadata,
        }
        return {"id": key, "parent": parent, "children": [], "message": message}

    return [
        {"conversation_id": f"c{number}", "title": f"Talk {number}", "create_time": 1.7e9 + number, "current_node": "a",
         "mapping": {"root": {"id": "root", "parent": None, "children": [], "message": None},
                     "s": node("s", "root", "system", "", is_visually_hidden_from_conversation=True),
                     "u": node("u", "s", "user", f"Question {number}"), "a": node("a", "u", "assistant", f"Answer {number}")}}
        for number in range(count)
    ]  # fmt: skip


def words(text):
    return " ".join(text.split())


def test_a_normal_export_is_a_success_and_a_second_import_nothing_new(run, tmp_path):
    path = tmp_path / "conversations.json"
    path.write_text(json.dumps(export_of(3)))
    dry = run("import", str(path), "--dry-run")
    assert (
        words(dry.out)
        == "Would import 3 conversations (3 exchanges). Skipped 3 hidden system messages."
    )
    first = run("import", str(path))
    assert first.code == 0
    assert first.err == ""
    said = words(first.out)
    assert said.startswith(
        "Imported 3 conversations (3 exchanges). Skipped 3 hidden system messages."
    )
    assert "Imported and searchable now." in said
    again = run("import", str(path))
    assert (again.code, words(again.out)) == (0, "Nothing new: 3 conversations are here already.")
    path.write_text(json.dumps(export_of(4)))
    assert "Imported 1 conversation (1 exchange). 3 conversations are here already." in words(
        run("import", str(path)).out
    )
    data = run("import", str(path), "--json").data["files"][0]
    assert (data["complete"], data["skipped"]) == (True, {"hidden system message": 4})


def test_a_file_that_breaks_off_fails_first_and_imports_what_is_whole(run, tmp_path):
    path = tmp_path / "conversations.json"
    whole = json.dumps(export_of(3))
    path.write_text(whole[: whole.rindex("Question 2")])
    ran = run("import", str(path))
    assert ran.code == 7
    assert "error: " in ran.err.splitlines()[0]
    assert "breaks off" in words(ran.err)
    assert "(item 3)" in words(ran.err)
    assert "import it: what is here already is skipped" in words(ran.err)
    assert "Imported 2 conversations (2 exchanges)." in words(ran.out)
    data = run("import", str(path), "--json")
    assert (data.code, data.data["files"][0]["failed_count"]) == (7, 1)
    path.write_text(whole)
    whole_now = run("import", str(path))
    assert whole_now.code == 0
    assert "Imported 1 conversation (1 exchange). 2 conversations are here already." in words(
        whole_now.out
    )


PROGRAM = """import json

rows = []
for number in range(16):
    rows.append({"role": "user", "content": f"What is {number}?", "timestamp": number})
    rows.append({"mapping": {"a": {"message": {"content": "x"}}}, "title": "t"})
json.dump(rows, open("out.json", "w"))
"""


def test_a_file_that_is_no_export_is_refused_in_one_sentence_and_not_kept(run, tmp_path):
    path = tmp_path / "mkexp.py"
    path.write_text(PROGRAM)
    ran = run("import", str(path))
    assert ran.code == 7
    assert "has no known format" in " ".join(ran.err.split())
    assert "unabridged import --help" in " ".join(ran.err.split())
    assert "Could not read" not in ran.err
    assert list((tmp_path / "home").glob("imports/*")) == []


def test_lines_of_messages_are_known_though_the_first_is_damaged(run, tmp_path):
    path = tmp_path / "x.jsonl"
    path.write_text('broken\n{"role": "user", "content": "hello"}\n')
    assert run("import", str(path), "--json").data["files"][0]["added"] == 1


def test_a_folder_is_refused_with_the_command_that_looks_into_it(run, tmp_path):
    ran = run("import", str(tmp_path))
    said = " ".join(ran.err.split())
    assert ran.code == 7
    assert "is a folder" in said
    assert f"unabridged import --find {tmp_path}" in ran.err.replace("\n", "").replace("  ", "")


def test_steps_that_are_not_shown_are_not_counted(run, tmp_path):
    path = tmp_path / "x.jsonl"
    path.write_text('{"role": "user", "content": "hello"}\n')
    out = run("import", str(path)).out
    assert "searchable now." in out
    assert "step" not in out


def test_tests_and_hidden_folders_of_a_checkout_are_not_looked_into(run, scattered):
    (scattered / ".git").mkdir()
    for place in ("tests/data", ".hidden", "b/tests", ".claude"):
        (scattered / place).mkdir(parents=True)
        (scattered / place / "x.jsonl").write_bytes((FIXTURES / "codex.jsonl").read_bytes())
    files = run("import", "--find", str(scattered), "--json").data["files"]
    listed = {path for each in files for path in [each["path"], *each["copies"]]}
    places = {path.rpartition("/")[0] for path in listed if path.endswith("/x.jsonl")}
    assert places == {str(scattered / "b/tests"), str(scattered / ".claude")}
    files = run("import", "--find", str(scattered / "tests"), "--json").data["files"]
    assert len(files) == 1


def test_a_pipe_that_nobody_writes_yet_is_waited_for_and_that_is_said(run, tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    line = json.dumps({"role": "user", "content": "My boat is called Ada."}) + "\n"
    writer = Thread(target=lambda: pipe.write_text(line * 2, "utf-8"))
    writer.start()
    ran = run("import", str(pipe))
    writer.join()
    assert "Waiting for data from" in ran.err
    assert "Imported 1 conversation" in ran.out
