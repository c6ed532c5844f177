"""The settings of the seeds as a person meets them: what each says it does, it does."""

import gzip
import json

import pytest

NAMES = ("Ottilie", "Rosalind", "Benedikt", "Cornelius", "Wilhelmina")
LAYOUTS = ["none", "model"]


@pytest.fixture
def home(tmp_path):
    return tmp_path / "home"


def files(home):
    found = home.rglob("*")
    return {str(p.relative_to(home)) for p in found if p.is_file() and not p.name.startswith(".")}


def readable(home):
    return {name for name in files(home) if "json" in name}


@pytest.mark.slow
@pytest.mark.parametrize("layout", LAYOUTS)
def test_five_sessions_of_an_agent_stay_apart_and_a_search_finds_them_all(run, monkeypatch, layout):
    monkeypatch.setenv("UNABRIDGED_JSON_FILES", layout)
    monkeypatch.setenv("UNABRIDGED_RECALL_SCOPE", "session")
    ids = {}
    for name in NAMES:
        said = run("ask", "--json", "--new", f"My sister is called {name}.").data
        ids[name] = said["session"]
    assert len(set(ids.values())) == len(NAMES)
    for name, session in ids.items():
        told = run("ask", "--session", session, "What is my sister called?")
        assert told.code == 0
        assert [other for other in NAMES if other in told.out] == [name]
        prompt = run("why", "--prompt").out
        assert [other for other in NAMES if other in prompt] == [name]
    fresh = run("ask", "--new", "What is my sister called, please?")
    assert not [name for name in NAMES if name in fresh.out]
    found = run("search", "my sister is called", "--json").out
    assert all(name in found for name in NAMES)
    chatted = run("chat", "--new", text="What is my sister called?\n/search sister called\n/quit\n")
    answer, _, searched = chatted.out.partition("I have nothing about that in memory.")
    assert not answer.strip()
    assert [name for name in NAMES if name in searched]


@pytest.mark.parametrize("layout", LAYOUTS)
def test_max_turns_bounds_what_is_shown_and_nothing_is_lost(run, monkeypatch, layout):
    monkeypatch.setenv("UNABRIDGED_JSON_FILES", layout)
    monkeypatch.setenv("UNABRIDGED_MAX_TURNS", "4")
    for n in range(9):
        run("ask", f"Good morning number {n}")
    rows = run("why", "--json").data["rows"]
    shown = [r for r in rows if r["kind"] == "exchange" and r["tier"] in {"immediate", "recent"}]
    assert 1 <= len(shown) <= 4
    assert run("stats", "--json").data["exchanges"] == 9


@pytest.mark.slow
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("limit", ["MAX_SESSIONS", "MAX_BYTES"])
def test_limits_archive_the_oldest_and_search_finds_them(run, monkeypatch, layout, limit):
    monkeypatch.setenv("UNABRIDGED_JSON_FILES", layout)
    monkeypatch.setenv(f"UNABRIDGED_{limit}", {"MAX_SESSIONS": "2", "MAX_BYTES": "400"}[limit])
    for name in NAMES:
        run("ask", "--new", f"The harbour of {name} lies in the north of the island.")
    lines = run("sessions", "--json").data
    active = lines["sessions"] if isinstance(lines, dict) else lines
    assert len(active) < len(NAMES)
    assert run("stats", "--json").data["exchanges"] == len(NAMES)
    assert NAMES[0] in run("search", f"harbour of {NAMES[0]}").out


@pytest.mark.parametrize(
    ("layout", "main"),
    [
        ("model", "memory/tutor.json"),
        ("agent", "chats/tutor_{}_conversation.json"),
        ("user", "conversations/ann/sessions.json"),
    ],
)
@pytest.mark.parametrize("packed", [False, True])
def test_each_layout_writes_where_it_says_and_packs_what_is_read(
    *, run, monkeypatch, home, layout, main, packed
):
    for name, value in (("JSON_FILES", layout), ("JSON_COMPRESSION", str(packed))):
        monkeypatch.setenv(f"UNABRIDGED_{name}", value)
    whose = ("--user", "ann", "--agent", "tutor")
    session = run("ask", "--json", "My sister is called Ottilie.", *whose).data["session"]
    end = ".gz" if packed else ""
    held = main.format(session)
    assert f"{held}{end}" in files(home)
    data = (home / f"{held}{end}").read_bytes()
    assert "Ottilie" in json.dumps(json.loads(gzip.decompress(data) if packed else data))
    assert "Ottilie" in run("ask", "What is my sister called?", *whose).out
    monkeypatch.setenv("UNABRIDGED_JSON_COMPRESSION", str(not packed))
    assert "Ottilie" in run("ask", "And what is my sister called now?", *whose).out


def test_custom_filepath_puts_the_readable_file_elsewhere_and_none_under_the_home(
    run, monkeypatch, tmp_path, home
):
    path = tmp_path / "elsewhere" / "mine.json"
    monkeypatch.setenv("UNABRIDGED_JSON_PATH", str(path))
    refused = run("ask", "My sister is called Ottilie.")
    assert refused.code != 0
    assert "names a readable file" in refused.err
    monkeypatch.setenv("UNABRIDGED_JSON_FILES", "model")
    run("ask", "My sister is called Ottilie.")
    assert "Ottilie" in path.read_text("utf-8")
    assert not [name for name in files(home) if "json" in name]
    assert "Ottilie" in run("ask", "What is my sister called?").out


def test_what_is_held_back_is_said_and_saved_by_save_only(run, monkeypatch, home):
    monkeypatch.setenv("UNABRIDGED_JSON_FILES", "model")
    monkeypatch.setenv("UNABRIDGED_AUTO_SAVE", "no")
    left = run("chat", text="My sister is called Ottilie.\n/quit\n")
    assert "Not saved" in left.out + left.err
    assert readable(home) == set()
    run("chat", text="My sister is called Ottilie.\n/save\nMy brother is called Ben.\n/quit\n")
    assert "Ottilie" in (home / "memory" / "default.json").read_text("utf-8")
    found = run("search", "what are they called?", "--json").out
    assert "Ottilie" in found
    assert "Ben" not in found


def test_a_chat_in_which_nothing_is_said_leaves_no_memory(run, monkeypatch, home):
    monkeypatch.setenv("UNABRIDGED_JSON_FILES", "agent")
    run("chat", "--new", text="/quit\n")
    run("sessions")
    assert readable(home) == set()
