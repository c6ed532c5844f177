import json
import stat
from pathlib import Path

import pytest

from unabridged.factory import file_transfer
from unabridged.space.log import SpaceLog
from unabridged.turn.conversation import Conversation


def told(run, *texts):
    for text in texts:
        assert run("ask", text).code == 0


def test_ask_answers_on_standard_output_and_tells_about_it_on_the_other(run):
    ran = run("ask", "My", "cat", "is", "called", "Ada.")
    assert (ran.code, ran.out.count("\n")) == (0, 1)
    ran = run("ask", "--json", "What is my cat called?")
    assert "Ada" in ran.data["text"]
    assert ran.data["state"] == "complete"
    assert ran.data["message"] == "What is my cat called?"
    assert ran.data["prompt_tokens"] > 0


def test_ask_reads_standard_input(run):
    ran = run("ask", "--json", "Review this:", "-", text="a = 1\nb = 2\n")
    assert ran.data["message"] == "Review this:\n\na = 1\nb = 2"


@pytest.mark.parametrize("text", ["", "  \n "])
def test_an_empty_message_is_an_input_error(run, text):
    ran = run("ask", text)
    assert ran.code == 2
    assert ran.err.startswith("error: ")
    assert run("stats", "--json").data["exchanges"] == 0


def test_ask_goes_on_with_the_newest_session_unless_told(run):
    told(run, "one", "two")
    assert len(run("sessions", "--json").data) == 1
    assert run("ask", "three", "--new").code == 0
    sessions = run("sessions", "--json").data
    assert [line["exchanges"] for line in sessions] == [1, 2]
    assert run("ask", "four", "--session", "2").code == 0
    by_title = {line["title"]: line for line in run("sessions", "--json").data}
    assert by_title["one"]["exchanges"] == 3
    assert run("ask", "x", "--session", "1", "--new").code == 2
    assert run("ask", "x", "--session", "nowhere").code == 3


def test_nothing_of_an_ephemeral_question_is_kept(run, tmp_path):
    assert run("ask", "--ephemeral", "secret").code == 0
    assert run("stats", "--json").data["exchanges"] == 0
    files = [path for path in (tmp_path / "home").rglob("*") if path.is_file()]
    assert not any(b"secret" in path.read_bytes() for path in files)


def test_why_says_which_words_of_the_message_brought_an_exchange_back(run):
    told(run, "My cat Ada caught a mouse.", "The boiler was mended by Mr Fox.")
    assert run("ask", "--new", "Remember the mouse that my cat caught?").code == 0
    data = run("why", "--json").data
    words = {tuple(found) for found in data["words"].values()}
    assert ("mouse", "cat", "caught") in words
    text = " ".join(run("why").out.split())
    assert "“My cat Ada caught a mouse.”: mentions “mouse”, “cat” and “caught”. " in text
    assert "(words: mouse, cat, caught)" in " ".join(run("why", "-v").out.split())


def test_why_adds_up_to_the_window(run):
    assert run("why").code == 3
    told(run, "My cat is called Ada.", "What is my cat called?")
    data = run("why", "--json").data
    assert sum(data["parts"].values()) == data["window"]
    assert data["intact"] is True
    assert data["rows"]
    assert {"count", "tokens"} == set(data["rest"])
    assert {"intent", "complexity", "usage", "hash", "id"} <= set(data)
    again = run("why", "--json", "--prompt", data["id"][:12]).data
    assert again["messages"][-1]["role"] == "user"
    text = run("why").out
    assert "My cat is called Ada." in text
    assert f"{data['window']:,}" in text
    assert max(map(len, text.splitlines())) <= 80
    assert "What is my cat called?" in run("why", "--prompt").out


def test_search_and_show(run):
    told(run, "The hotel in Lisbon was called Azul.", "Something else.")
    found = run("search", "--json", "lisbon", "hotel").data
    assert found[0]["exchange"]["messages"][0]["text"] == "The hotel in Lisbon was called Azul."
    wanted = found[0]["exchange"]["id"]
    assert "Azul" in run("search", "-", text="lisbon\n").out
    shown = run("show", wanted)
    assert "The hotel in Lisbon was called Azul." in shown.out
    assert run("show", wanted, "--json").data["id"] == wanted
    assert "Something else." in run("show").out
    assert run("show", "00000000").code == 3
    assert run("search", "zebra").out.startswith('Nothing matches "zebra".\n')
    assert run("search", "zebra", "--json").data == []


def test_stats_and_sessions(run):
    assert "no session" in run("sessions").out
    told(run, "one")
    assert run("stats", "--json").data["exchanges"] == 1
    assert "1 exchange in 1 session" in run("stats").out
    assert "one" in run("sessions").out


def test_a_sound_space_is_not_set_aside_by_a_slip(run, tmp_path):
    told(run, "one")
    refused = run("spaces", "set-aside", "default/default")
    assert refused.code == 2
    assert "--force" in refused.err
    assert run("stats", "--json").data["exchanges"] == 1
    assert run("spaces", "set-aside", "default/default", "--force").code == 0
    assert run("stats", "--json").data["exchanges"] == 0
    told(run, "two")
    (path,) = (tmp_path / "home" / "spaces").glob("*.db")
    path.write_bytes(b"not a database at all" * 100)
    assert run("stats").code == 5
    moved = run("spaces", "set-aside", "default/default", "--json")
    assert moved.code == 0
    assert moved.data["path"].endswith(".damaged-2")


def test_spaces_are_listed_renamed_and_merged(run):
    assert "no space" in run("spaces").out
    told(run, "mine")
    assert run("ask", "hers", "--user", "ann").code == 0
    names = {space["name"] for space in run("spaces", "list", "--json").data}
    assert names == {"default/default", "ann/default"}
    assert run("spaces", "rename", "ann/default", "eve/default").code == 0
    assert run("stats", "--user", "eve", "--json").data["exchanges"] == 1
    merged = run("spaces", "merge", "eve/default", "default/default", "--json")
    assert merged.data["added"] == 1
    assert run("stats", "--json").data["exchanges"] == 2
    assert run("spaces", "rename", "nobody/x", "y/z").code == 3
    assert run("spaces", "rename", "eve/default", "eve").code == 2


def test_one_user_never_sees_anothers_memory(run):
    told(run, "My PIN is 4711.")
    for words in (["search", "PIN"], ["show"], ["sessions"], ["ask", "What is my PIN?"]):
        ran = run(*words, "--user", "ann")
        assert "4711" not in ran.out + ran.err


def test_models_and_doctor(run):
    assert any(model["provider"] == "quote" for model in run("models", "--json").data)
    assert "quote" in run("models").out
    ran = run("doctor", "--json")
    assert ran.code == 0
    assert any(finding["ok"] for finding in ran.data)
    assert "SQLite" in run("doctor").out
    assert run("models", "get", "nonsense").code == 2


@pytest.mark.parametrize("is_installed", [True, False])
def test_models_get_names_the_missing_extra_before_the_download(
    run, monkeypatch, tmp_path, is_installed
):
    def fetch(folder, progress):
        progress("Fetching …")
        return folder / "model.gguf"

    monkeypatch.setattr("unabridged.factory.home.fetch_smollm2", fetch)
    monkeypatch.setattr("unabridged.models.gguf.installed", lambda: is_installed)
    ran = run("models", "get", "smollm2")
    assert ran.code == 0
    hint, _, _ = ran.err.partition("Fetching …")
    assert ("[gguf]'" in hint) is not is_installed


def said(text):
    """What was said: tending adds records of its own after an import."""
    return [line for line in text.splitlines() if line.startswith(('{"session"', '{"exchange"'))]


def test_export_and_import_give_the_same(run, tmp_path):
    told(run, "one", "two")
    path = tmp_path / "all.jsonl"
    assert run("export", "-o", str(path)).code == 0
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert run("export", "-o", str(path)).code == 2
    assert run("export", "-o", str(path), "--force").code == 0
    assert run("export").out == path.read_text(encoding="utf-8")
    dry = run("import", str(path), "--user", "ann", "--dry-run", "--json").data["files"][0]
    assert (dry["exchanges"], dry["added"]) == (2, 2)
    assert not run("stats", "--user", "ann", "--json").data["exchanges"]
    first = run("import", str(path), "--user", "ann", "--json").data["files"][0]
    second = run("import", str(path), "--user", "ann", "--json").data["files"][0]
    assert (first["added"], second["added"]) == (2, 0)
    here, there = run("export", "--user", "ann").out, path.read_text(encoding="utf-8")
    assert said(here) == said(there)


def test_export_for_people_and_of_one_session(run):
    told(run, "one")
    assert run("ask", "two", "--new").code == 0
    text = run("export", "--format", "markdown", "--session", "2").out
    assert "one" in text
    assert "two" not in text
    lines = run("export", "--format", "messages").out.splitlines()
    assert {json.loads(line)["role"] for line in lines} == {"user", "assistant"}


def test_import_reads_standard_input_and_tells_what_it_could_not_read(run):
    lines = [
        {"role": "user", "content": "My dog is called Bo.", "time": "2026-03-01T10:00:00Z"},
        {"role": "assistant", "content": "Noted.", "time": "2026-03-01T10:00:05Z"},
    ]
    text = "\n".join(map(json.dumps, lines)) + "\n{broken\n"
    ran = run("import", "-", text=text)
    assert ran.code == 7
    assert "Imported 1 conversation (1 exchange)." in ran.out
    assert "Could not read line 3" in ran.err
    assert "Bo" in run("ask", "What is my dog called?").out


def test_an_imported_session_is_not_gone_on_with_unless_named(run):
    run("import", "-", text='{"role": "user", "content": "Years ago."}\n')
    told(run, "A new message.", "Another.")
    lines = run("sessions", "--json").data
    assert sorted(line["exchanges"] for line in lines) == [1, 2]
    number = next(line["number"] for line in lines if line["title"] == "Years ago.")
    assert run("ask", "And now?", "--session", str(number)).code == 0
    assert [one["message"] for one in run("show", "--json").data] == ["Years ago.", "And now?"]


def test_an_import_that_is_interrupted_says_how_far_it_came(run, monkeypatch):
    admit, seen = SpaceLog.import_transcripts, []

    def admit_two(self, conversations):
        if seen:
            raise KeyboardInterrupt
        seen.append(conversations)
        return admit(self, conversations)

    monkeypatch.setattr(file_transfer, "EXCHANGES_AT_ONCE", 2)
    monkeypatch.setattr(SpaceLog, "import_transcripts", admit_two)
    lines = [{"role": "user", "content": str(n), "session": f"s{n}"} for n in range(5)]
    text = "".join(json.dumps(line) + "\n" for line in lines)
    ran = run("import", "-", text=text)
    assert ran.code == 130
    assert "Imported 2 conversations (2 exchanges)." in ran.out
    assert "run the same command again" in ran.err
    monkeypatch.setattr(SpaceLog, "import_transcripts", admit)
    again = " ".join(run("import", "-", text=text).out.split())
    assert "Imported 3 conversations (3 exchanges). 2 conversations are here already." in again


def test_import_of_what_cannot_be_read(run, tmp_path):
    good = tmp_path / "good.jsonl"
    good.write_text('{"role": "user", "content": "hello"}\n', encoding="utf-8")
    bad = tmp_path / "bad.bin"
    bad.write_bytes(b"\x00\x01\x02")
    ran = run("import", str(bad), str(tmp_path / "missing"), str(good))
    assert ran.code == 7
    assert "good.jsonl: Imported 1 conversation (1 exchange)." in ran.out
    assert "bad.bin" in ran.err
    assert run("stats", "--json").data["exchanges"] == 1


def test_an_unreachable_upstream_keeps_the_question(run, monkeypatch):
    monkeypatch.delenv("UNABRIDGED_UPSTREAM")
    ran = run("ask", "--ollama", "http://127.0.0.1:9", "--model", "x", "Are you there?")
    assert ran.code == 6
    assert ran.err.startswith("error: ")


def test_a_home_that_cannot_be_written_to(run, tmp_path):
    (tmp_path / "file").write_text("", encoding="utf-8")
    ran = run("ask", "hello", "--home", str(tmp_path / "file"))
    assert ran.code == 2
    assert "--home" in ran.err


def test_nothing_is_written_outside_the_home(run, tmp_path, monkeypatch):
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    monkeypatch.setenv("HOME", str(elsewhere))
    monkeypatch.chdir(elsewhere)
    told(run, "one")
    run("search", "one")
    run("doctor")
    run("models")
    run("export")
    assert not list(Path(elsewhere).rglob("*"))


def test_two_processes_on_one_session(run, tmp_path, monkeypatch):
    told(run, "one")
    chat = Conversation.chat
    other = []

    def chat_late(self, text, **options):
        turn = chat(self, text, **options)
        if not other:
            other.append(1)
            told(run, "meanwhile")
        return turn

    monkeypatch.setattr(Conversation, "chat", chat_late)
    ran = run("ask", "two")
    assert ran.code == 0
    assert "Another program wrote" in ran.err
    said = [exchange["message"] for exchange in run("show", "--json").data]
    assert said == ["one", "meanwhile", "two"]


LOOKING = [
    ["sessions"], ["stats"], ["search", "x"], ["topics"], ["export", "-o", "-"], ["expand"],
    ["receipts"], ["facts"], ["facts", "list"], ["facts", "export"], ["requirements"],
    ["requirements", "conflicts"], ["requirements", "export"], ["show"], ["why"],
]  # fmt: skip


@pytest.mark.parametrize("words", LOOKING, ids=" ".join)
@pytest.mark.parametrize("layout", ["none", "model"])
def test_who_only_looks_begins_no_space(run, words, layout):
    given = (*words, "--user", "nobody", "--set", f"json_files={layout}")
    assert run(*given).code in {0, 3}
    assert run("spaces", "--json", "--set", f"json_files={layout}").data == []


def test_small_talk_brings_nothing_back(run):
    run("ask", "I slept well: it was a good night in the hut.")
    assert "hut" in run("ask", "--new", "Where was the good night in the hut?").out
    assert run("ask", "--new", "Thank you, good night!").out == "Noted.\n"
