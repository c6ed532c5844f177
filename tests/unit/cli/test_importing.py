import json
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from unabridged.cli.finding import picked
from unabridged.errors import InputError

KILLED = """
import os, signal
from unabridged.stores.sqlite import writing
from unabridged.cli.main import main
admit, calls = writing.admit, []

def killed(db, session, exchanges):
    result = admit(db, session, exchanges)
    calls.append(session.id)
    if len(calls) == 50:
        os.kill(os.getpid(), signal.SIGKILL)
    return result

writing.admit = killed
main()
"""
"""Imports, and is killed when the fiftieth conversation is written but not yet stored."""

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
    assert [line.split()[1].rsplit("/", 1)[1] for line in ran.out.splitlines()[::2]] == [
        "llm-logs.db.xz", "codex.jsonl", "claude-code.jsonl"]  # fmt: skip
    assert "codex, 1 conversation, 3 exchanges, 2026-02-01 to 2026-02-01" in ran.out
    assert "not imported yet" in ran.out
    assert "--pick" in ran.err
    assert run("sessions", "--json").data == []


def test_a_dry_run_makes_no_home(run, scattered, tmp_path):
    assert "not imported yet" in run("import", "--find", str(scattered), "--dry-run").out
    assert not (tmp_path / "home").exists()


def test_files_are_picked_by_number_and_known_afterwards(run, scattered):
    ran = run("import", "--find", str(scattered), "--pick", "2-3")
    assert "codex.jsonl: 3 exchanges in 1 conversation (codex), 3 added" in ran.out
    assert "(llm)" not in ran.out
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
    assert (ran["added"], ran["unread_count"], len(ran["unread"])) == (1, 2, 2)
    kept = [json.loads(line) for line in Path(ran["kept_aside"]).read_text().splitlines()]
    assert kept[0]["raw"].startswith("{broken")
    assert json.loads(kept[1]["raw"]) == {"role": "ghost", "content": "boo"}
    told = " ".join(run("import", str(path)).err.split())
    assert "What could not be read is kept in" in told
    assert len(list((tmp_path / "home" / "imports").iterdir())) == 1


def test_a_dry_run_keeps_nothing_aside(run, tmp_path):
    path = tmp_path / "x.jsonl"
    path.write_text('{"role": "user", "content": "hello"}\n{broken\n')
    assert run("import", str(path), "--dry-run").code == 0
    assert not (tmp_path / "home" / "imports").exists()


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
        name = each["session"]["foreign_id"]
        assert each["exchanges"] == sizes[name]
    ran = run("import", str(own), "--json").data["files"][0]
    assert len(stored) == 49
    assert ran["exchanges"] == sum(sizes.values())
    assert ran["added"] == ran["exchanges"] - sum(each["exchanges"] for each in stored)
    assert run("import", str(own), "--json").data["files"][0]["added"] == 0
