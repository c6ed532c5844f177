"""``backup restore --at``: a space as it was at a moment."""

import sqlite3
from contextlib import closing
from datetime import datetime
from pathlib import Path

import pytest

from unabridged import Memory
from unabridged.models.scripted import ScriptedModel
from unabridged.testing.clock import ManualClock

FIRST, SECOND, THIRD = "2026-03-01T10:00+00:00", "2026-03-02T10:00+00:00", "2026-03-03T10:00+00:00"
BETWEEN = "2026-03-02T18:00+00:00"
TEXTS = {
    FIRST: "My boat is called Kestrel.",
    SECOND: "The harbour closes at nine.",
    THIRD: "Porto was the best holiday.",
}
OLD = ("--user", "default", "--agent", "old")


class Days:
    """A home in which something is said on three days."""

    def __init__(self, home):
        self.home = home
        self.clock = ManualClock()
        self.ids = {}

    def open(self):
        return Memory.open(self.home, clock=self.clock, upstream=ScriptedModel(["Noted."]))

    def at(self, time):
        self.clock.time = datetime.fromisoformat(time)

    def say(self, time, session="talk"):
        self.at(time)
        with self.open() as memory:
            context = memory.prepare(TEXTS[time], session=session)
            self.ids[time] = memory.record(context, "Noted.").id


@pytest.fixture
def days(run, tmp_path):
    said = Days(tmp_path / "home")
    for time in TEXTS:
        said.say(time)
    return said


def texts_in(run, *where):
    found = run("export", "--format", "jsonl", "-o", "-", *where).out
    return {time for time, text in TEXTS.items() if text in found}


def test_a_space_is_restored_as_it_was_between(days, run):
    refused = run("backup", "restore", "--at", BETWEEN)
    assert refused.code == 7
    assert "--as USER/AGENT" in refused.err
    done = run("backup", "restore", "--at", BETWEEN, "--as", "default/old")
    assert done.code == 0, done.err
    assert "Restored default/old: 2 exchanges" in done.out
    assert "the space itself" in done.err
    assert texts_in(run, *OLD) == {FIRST, SECOND}
    assert "Nothing matches" in run("search", "Porto", *OLD).out
    assert "Kestrel" in run("search", "boat", *OLD).out
    (restored,) = (days.home / "spaces").glob("default_old_*.db")
    assert TEXTS[THIRD].encode() not in restored.read_bytes()
    assert TEXTS[SECOND].encode() in restored.read_bytes()
    assert texts_in(run) == set(TEXTS)
    assert run("verify").code == 0
    assert run("doctor").code == 0


def test_it_may_replace_the_space_and_continue_where_it_was(days, run):
    done = run("backup", "restore", "--at", BETWEEN, "--replace")
    assert "replaced-1" in done.out, done.err
    assert texts_in(run) == {FIRST, SECOND}
    with days.open() as memory:
        (line,) = memory.sessions()
        assert line.session.updated.isoformat().startswith("2026-03-02")
        assert [one.id for one in memory.space.log.history("talk")] == [
            days.ids[FIRST], days.ids[SECOND]
        ]  # fmt: skip
        following = memory.record(memory.prepare("And now?", session="talk"), "Yes.")
        assert following.parent == days.ids[SECOND]
        list(memory.maintain())
        assert memory.space.log.check() == []
    assert run("verify").code == 0


def test_readable_files_are_those_of_the_moment(days, run, monkeypatch):
    monkeypatch.setenv("UNABRIDGED_JSON_FILES", "model")
    assert run("backup", "restore", "--at", BETWEEN, "--replace").code == 0
    (text,) = [path.read_text("utf-8") for path in (days.home / "memory").glob("*.json")]
    assert [TEXTS[time] in text for time in TEXTS] == [True, True, False]


def test_a_checkpoint_file_follows(days, run, monkeypatch, tmp_path):
    monkeypatch.setenv("UNABRIDGED_CHECKPOINT_FILE", str(tmp_path / "checkpoint"))
    assert run("ask", "And the moon?").code == 0
    assert run("backup", "restore", "--at", BETWEEN, "--replace").code == 0
    assert texts_in(run) == {FIRST, SECOND}
    assert run("verify").code == 0


def test_a_head_goes_back_before_an_edit(run, tmp_path):
    days = Days(tmp_path / "home")
    days.say(FIRST)
    days.say(SECOND)
    days.at(THIRD)
    with days.open() as memory:
        talk = memory.conversation("talk")
        talk.undo()
        talk.record(talk.prepare(TEXTS[THIRD]), "Noted.")
    assert run("backup", "restore", "--at", BETWEEN, "--replace").code == 0
    with days.open() as memory:
        assert [one.id for one in memory.space.log.history("talk")] == list(days.ids.values())


def test_what_a_person_stated_later_is_left_out_and_what_was_learned_stays(run, tmp_path):
    days = Days(tmp_path / "home")
    days.say(FIRST)
    with days.open() as memory:
        early = memory.pin("Ann sails.").id
        list(memory.maintain())
        learned = {fact.text for fact in memory.facts.all() if fact.exchange}
        days.at(THIRD)
        memory.pin("Ann is allergic to nuts.")
        memory.requirements.add("The system shall float.")
        edited = memory.facts.edit(early, text="Ann sails in Porto.")
        assert edited.text == "Ann sails in Porto."
    assert run("backup", "restore", "--at", BETWEEN, "--replace").code == 0
    with days.open() as memory:
        kept = {fact.text for fact in memory.facts.all()}
        assert kept == learned | {"Ann sails."}
        assert memory.requirements.all() == []
    assert run("verify").code == 0


def test_what_was_forgotten_since_stays_forgotten(days, run):
    assert run("forget", days.ids[FIRST], "--yes").code == 0
    run("backup", "restore", "--at", BETWEEN, "--as", "default/old")
    assert texts_in(run, *OLD) == {SECOND}
    assert len(run("receipts", "--json", *OLD).data) == 1
    assert run("verify").code == 0


def back_up(run, home, stamp):
    """Create a backup as if it were made at a time."""
    made = Path(run("backup", "create", "--json").data["backup"]["path"])
    path = made.with_name(f"{made.name.rpartition('-')[0]}-{stamp}.zip")
    made.rename(path)
    return path


def destroy(path):
    path.write_bytes(b"gone" * 5000)


def change_words(path):
    with closing(sqlite3.connect(path)) as database, database:
        database.execute("UPDATE message SET parts = replace(parts, 'boat', 'ship')")


@pytest.mark.parametrize("damage", [destroy, change_words, Path.unlink])
def test_a_damaged_space_is_restored_from_the_next_backup_without_what_came_later(
    days, run, damage
):
    back_up(run, days.home, "20260304T120000Z")
    (path,) = (days.home / "spaces").glob("*.db")
    damage(path)
    done = run("backup", "restore", "--at", BETWEEN, "--as", "default/old")
    assert done.code == 0, done.err
    assert "20260304T120000Z" in done.err
    assert texts_in(run, *OLD) == {FIRST, SECOND}


def test_a_space_that_began_again_is_restored_from_an_earlier_backup(run, tmp_path):
    days = Days(tmp_path / "home")
    days.say(FIRST)
    back_up(run, days.home, "20260301T120000Z")
    for path in (days.home / "spaces").glob("*.db*"):
        path.rename(tmp_path / path.name)
    run("verify", "--accept")
    days.say(SECOND)
    done = run("backup", "restore", "--at", BETWEEN, "--as", "default/old")
    assert "20260301T120000Z" in done.err, done.err
    assert texts_in(run, *OLD) == {FIRST}


def test_with_what_was_forgotten_it_is_the_backup_of_then(days, run):
    back_up(run, days.home, "20260302T120000Z")
    run("forget", days.ids[FIRST], "--yes")
    run("backup", "restore", "--at", BETWEEN, "--as", "default/old", "--with-forgotten")
    assert FIRST in texts_in(run, *OLD)


def test_a_moment_before_everything_is_refused(days, run):
    said = run("backup", "restore", "--at", "2026-02-01", "--as", "default/old")
    assert said.code == 7
    assert "Nothing was said in default/default until 2026-02-01" in said.err
