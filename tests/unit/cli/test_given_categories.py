"""Categories and importances that a file gave stand, whatever reads the messages later."""

import json
import shutil

import pytest

from unabridged.transfer.formats.emm import FORMAT

PLOT = "The Dark Lord has returned, and only the Sword of Dawn can defeat him."
HALL = "I walk down the hallway."
GIVEN = [
    (HALL, "story_critical", 0.93),
    (PLOT, "standard", 0.11),
    ("I open the door.", "character_focused", 0.82),
    ("The door is open.", "tavern_gossip", 0.66),
    ("…", "emotional_significance", 0.6),
    ("It is quiet.", "world_building", None),
]  # fmt: skip
"""Against what the words say: no reading comes to the same by chance."""
STORY = ("--profile", "story")
SMALL = ("--set", "condense_tokens=200", "--set", "condense_messages=5")
SCHEMES = ((), STORY, ("--profile", "companion"), ("--set", "categories=assistant"))


@pytest.fixture
def memory(tmp_path):
    messages = [
        {
            "id": f"e{n}", "content": text, "type": "assistant" if n % 2 else "user",
            "timestamp": f"2025-09-14T18:0{n}:00", "tokens": 9, "content_category": category,
            "condensed": False, **({} if weight is None else {"importance_score": weight}),
        }
        for n, (text, category, weight) in enumerate(GIVEN)
    ]  # fmt: skip
    path = tmp_path / "memory.json"
    about = {"saved_at": "2025-09-14T18:30:00", "condensations": 0}
    path.write_text(json.dumps({"metadata": about, "messages": messages}))
    return path


def held(run, *options, session="1"):
    pages = run("annotations", "list", "--session", session, "--json", *options).data
    found = [each for page in pages for each in page["messages"].values()]
    return [(each["category"], each["importance"], each["by"]) for each in found]


def stands(run, *options, importance=0.5, session="1"):
    """Compare with the file; ``importance`` is that of the message for which it gives none."""
    wanted = [(name, importance if w is None else w, "file") for _, name, w in GIVEN]
    got = held(run, *options, session=session)
    if importance is None:
        wanted, got = wanted[:-1], got[:-1]
    assert got == wanted
    return True


@pytest.mark.parametrize("imported", SCHEMES, ids=str)
def test_it_stands_under_every_scheme_however_often_messages_are_read(run, memory, imported):
    assert "3 records" in run("import", str(memory), *imported).out
    assert run("stats", "--json", *imported).data["readings"]["pending"] == 0
    for options in (*SCHEMES, imported):
        assert stands(run, *options, importance=0.5 if options == STORY else None)
        counts = run("annotations", "stats", "--json", *options).data
        assert counts["pending"] == 0
        assert counts["by"]["file"] == len(GIVEN)
        assert sum(each["messages"] for each in counts["categories"]) == len(GIVEN)
    assert "tavern gossip" in run("annotations", "list", "--session", "1").out
    assert "tavern gossip" in run("annotations", "stats").out
    assert run("import", str(memory), "--json").data["files"][0]["records_added"] == 0


def test_a_person_corrects_it_and_the_file_does_not_take_that_back(run, memory):
    run("import", str(memory), *STORY)
    wanted = run("search", "hallway", "--json").data[0]["exchange"]["id"]
    run("annotations", "set", wanted, "Standard", *STORY)
    run("import", str(memory), *STORY)
    assert held(run, *STORY)[0] == ("standard", 0.4, "user")
    assert held(run, *STORY)[1][2] == "file"


def test_it_goes_where_the_messages_go(run, memory, tmp_path):
    run("import", str(memory))
    out = tmp_path / "out.jsonl"
    run("export", "-o", str(out))
    run("import", str(out), "--user", "ann")
    assert stands(run, "--user", "ann", importance=None)
    assert run("share", "to", "eve/default", "--session", "1").code == 0
    assert stands(run, "--user", "eve", importance=None)
    made = run("backup", "create", "--json").data["backup"]
    assert run("backup", "restore", made["path"], "--as", "ivo/default").code == 0
    assert stands(run, "--user", "ivo", importance=None)
    assert run("archive", "--session", "1").code == 0
    assert stands(run, importance=None)


def test_it_is_forgotten_with_its_exchange(run, memory, tmp_path):
    run("import", str(memory))
    wanted = run("search", "hallway", "--json").data[0]["exchange"]["id"]
    run("forget", wanted, "--yes")
    out = tmp_path / "out.jsonl"
    run("export", "-o", str(out))
    assert f"file-{wanted}" not in out.read_text()
    assert len(held(run)) == len(GIVEN) - 2
    run("import", str(memory))
    assert len(held(run)) == len(GIVEN) - 2


def test_condensing_keeps_what_the_file_calls_critical(run, memory):
    data = json.loads(memory.read_text())
    filler = {**data["messages"][0], "type": "user", "importance_score": 0.4}
    data["messages"] = [
        {**filler, "id": f"x{n}", "content": f"{PLOT} So says elder number {n} of the old town.",
         "content_category": "story_critical" if n in (3, 7) else "standard"}
        for n in range(30)
    ]  # fmt: skip
    memory.write_text(json.dumps(data))
    run("import", str(memory), *STORY)
    test = ("condense", "--session", "1", "--test", "--json")
    (seen,) = run(*test, *STORY, *SMALL).data["sessions"]
    assert seen["keep"]["story_critical"] == 2
    assert set(seen["keep"]) == {"story_critical", "standard"}
    (seen,) = run(*test, *SMALL).data["sessions"]
    assert set(seen["keep"]) == {"information"}  # the fallback of a scheme without these


def test_a_folder_of_the_old_program_brings_it(run, memory, tmp_path):
    folder = tmp_path / "old"
    folder.mkdir()
    shutil.copy(memory, folder / "memory.json")
    assert run("migrate", str(folder)).code == 0
    assert stands(run, importance=None)


def test_what_is_no_importance_is_told_and_left_out(run, memory):
    data = json.loads(memory.read_text())
    for message, wrong in zip(data["messages"], (7, -1, True, "0.5", 1e300, []), strict=True):
        message["importance_score"] = wrong
    memory.write_text(json.dumps(data))
    assert "no number from 0 to 1, left out (6)" in " ".join(run("import", str(memory)).out.split())
    assert [each[0] for each in held(run)] == [name for _, name, _ in GIVEN]


def test_the_significance_of_whisperengine_stands(run, tmp_path):
    rows = [
        {"id": "a", "user_id": "u", "content": PLOT, "timestamp": "2025-10-02T10:00:00",
         "memory_type": "conversation", "role": "user", "overall_significance": 0.07},
        {"id": "b", "user_id": "u", "content": "Indeed.", "timestamp": "2025-10-02T10:00:09",
         "memory_type": "conversation", "role": "assistant", "overall_significance": 0.97},
    ]  # fmt: skip
    path = tmp_path / "memories.json"
    path.write_text(json.dumps(rows))
    run("import", str(path))
    for options in SCHEMES:
        assert [each[1:] for each in held(run, *options)] == [(0.07, "file"), (0.97, "file")]


def test_the_format_is_emms(run, memory):
    assert run("import", str(memory), "--json").data["files"][0]["format"] == FORMAT.name
