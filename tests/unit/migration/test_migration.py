"""Migration and going back; among them the seed's own tests, in this project's terms."""

import errno
import json
import zipfile
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

import pytest
from tests.faults.layers import Layer
from tests.faults.migrating import FIXTURES, changed_folder, old_folder, pictured
from tests.helpers.talker import Talker

from unabridged.domain.scope import SpaceId
from unabridged.domain.settings import Settings
from unabridged.errors import MigrationError, UnabridgedError
from unabridged.factory.home import Home
from unabridged.factory.migration import Migrations
from unabridged.home.migration_journal import MigrationJournal
from unabridged.home.open_spaces import spaces_of
from unabridged.home.verify import verify
from unabridged.stores.sqlite import SqliteStore
from unabridged.testing.clock import ManualClock
from unabridged.testing.log_writer import LogWriter

NOW = datetime(2026, 3, 1, 9, tzinfo=UTC)


class Place:
    """A home and an old folder beside it."""

    def __init__(self, root, **changes):
        self.root, self.old, self.home = root, root / "old", root / "home"
        self.old.mkdir()
        self.settings = Settings(home=str(self.home), **changes)

    @property
    def migrations(self):
        return Migrations(self.settings, ManualClock(NOW))

    def write(self, name, data):
        path = self.old / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(data))
        return path

    def spaces(self):
        return {info.space.name: info.exchanges for info in Home(self.settings).spaces()}

    def said(self, space):
        with Talker(Home(self.settings).open(space)) as memory:
            return sorted(e.user.text for c in memory.space.log.transcripts() for e in c.exchanges)

    def space(self, name):
        return next(i.space for i in Home(self.settings).spaces() if i.space.name == name)


@pytest.fixture
def place(tmp_path):
    return Place(tmp_path)


@pytest.fixture(params=["sqlite", "files"])
def full(request, tmp_path):
    place = Place(tmp_path, json_files="agent" if request.param == "files" else "none")
    old_folder(place.old)
    return place


def exchange(user, model=None, **more):
    about = {
        "timestamp": "2025-09-04T10:00:00Z",
        "mode": "chat",
        **({"model": model} if model else {}),
    }
    said = {"user": {"content": user, "tokens": 1}, "assistant": {"content": "Yes.", "tokens": 1}}
    return {**said, "metadata": about, **more}


# --- forward -----------------------------------------------------------------------------------


def test_four_programs_are_taken_over_with_their_names(full):
    before = pictured(full.old)
    outlook = full.migrations.migrate(full.old)
    assert full.spaces() == {"bob/default": 2, "default/alpha": 3, "default/default": 7}
    assert outlook.state.phase == "done"
    assert (outlook.state.exchanges, outlook.state.requirements) == (12, 1)
    assert outlook.found.others == ()
    assert any("summary" in missed.reason for missed in outlook.taken.missed)
    assert pictured(full.old) == before
    assert not (full.home / "backups/migrations" / outlook.state.id / "staging").exists()


def test_every_byte_is_kept_first_and_proved(full):
    state = full.migrations.migrate(full.old).state
    with zipfile.ZipFile(full.migrations.archive(state.id)) as packed:
        manifest = json.loads(packed.read("manifest.json"))
        held = {
            e["name"]: packed.read(e["held"]) for e in manifest["entries"] if e["kind"] == "file"
        }
    assert held == {
        n: said[1] for n, said in pictured(full.old).items() if isinstance(said[1], bytes)
    }
    assert manifest["spaces"] == ["bob/default", "default/alpha", "default/default"]
    kinds = {entry["name"]: entry["kind"] for entry in manifest["entries"]}
    assert (kinds["link"], kinds["empty"]) == ("link", "folder")


def test_a_dry_run_writes_nothing(full):
    outlook = full.migrations.plan(full.old)
    assert outlook.state is None
    assert outlook.taken.exchanges == 12
    assert not full.home.exists()


def test_a_single_memory_becomes_a_space_for_each_model(tmp_path):
    place = Place(tmp_path, isolation=("user", "agent", "model"))
    turns = [
        exchange("one", "qwen2.5:7b"),
        exchange("two", "llama3"),
        exchange("three", "qwen2.5:7b"),
    ]
    place.write("memory.json", {"metadata": {"version": "2.0"}, "current_conversation": turns})
    place.migrations.migrate(place.old)
    assert place.spaces() == {"default/default/llama3": 1, "default/default/qwen2.5:7b": 2}
    assert place.said(place.space("default/default/qwen2.5:7b")) == ["one", "three"]


@pytest.mark.parametrize(("model", "space"), [(None, "unknown"), ("llama3", "llama3")])
def test_a_model_that_nobody_names_is_unknown_or_given_and_never_guessed(tmp_path, model, space):
    place = Place(tmp_path, isolation=("user", "agent", "model"))
    place.write("memory.json", {"current_conversation": [{"user": "hi", "assistant": "ho"}]})
    place.migrations.migrate(place.old, model=model)
    assert place.spaces() == {f"default/default/{space}": 1}


@pytest.mark.parametrize(("given", "model"), [
    (None, "qwen2-5-7b"), ("llama3", "qwen2-5-7b"), ("qwen2.5:7b", "qwen2.5:7b"),
])  # fmt: skip
def test_a_file_of_a_model_has_its_name(tmp_path, given, model):
    place = Place(tmp_path, isolation=("user", "agent", "model"))
    turns = [exchange("one"), exchange("two", "mistral")]
    place.write("memory/qwen2-5-7b.json", {"metadata": {}, "current_conversation": turns})
    place.write("memory/memory.json", {"current_conversation": [exchange("three")]})
    place.migrations.migrate(place.old, model=given)
    wanted = {model: 1, "mistral": 1}
    wanted[given or "unknown"] = wanted.get(given or "unknown", 0) + 1
    assert place.spaces() == {f"default/default/{name}": n for name, n in wanted.items()}


def test_where_spaces_hold_every_model_it_may_stay_unknown(place):
    place.write("memory.json", {"current_conversation": [{"user": "hi", "assistant": "ho"}]})
    assert place.migrations.plan(place.old).taken.nameless == 1
    place.migrations.migrate(place.old)
    with Talker(Home(place.settings).open(place.space("default/default"))) as memory:
        assert [e.model for c in memory.space.log.transcripts() for e in c.exchanges] == [None]


def test_files_that_lie_scattered_are_taken_and_nothing_around_them_is_kept(place):
    data = json.loads((FIXTURES / "dana-memory.json").read_text())
    place.write("project/conversation_memory.json", data)
    (place.old / "project" / "huge.bin").write_bytes(b"x" * 10_000)
    state = place.migrations.migrate(place.old).state
    with zipfile.ZipFile(place.migrations.archive(state.id)) as packed:
        names = [entry["name"] for entry in json.loads(packed.read("manifest.json"))["entries"]]
    assert names == ["project/conversation_memory.json"]
    (place.old / "project" / "other.txt").write_text("mine")
    (place.old / "project" / "conversation_memory.json").write_text("{}")
    place.migrations.roll_back()
    assert json.loads((place.old / "project" / "conversation_memory.json").read_text()) == data
    assert (place.old / "project" / "other.txt").read_text() == "mine"


def test_a_damaged_record_is_told_and_the_rest_taken(place):
    place.write("memory.json", {"current_conversation": [exchange("good"), {"user": 7}]})
    outlook = place.migrations.migrate(place.old)
    assert outlook.taken.exchanges == 1
    assert outlook.state.missed == len(outlook.taken.missed) == 1


@pytest.mark.parametrize("make", [
    lambda old: None,
    lambda old: (old / "memory.json").write_text("{]"),
    lambda old: (old / "x.json").write_text('{"mapping": {}}'),
    lambda old: (old / "memory.json").write_text('{"current_conversation": []}'),
])  # fmt: skip
def test_a_folder_that_holds_no_memory_is_refused(place, make):
    make(place.old)
    with pytest.raises(MigrationError):
        place.migrations.migrate(place.old)
    assert place.spaces() == {}


def test_what_does_not_go_is_refused_before_anything_is_done(full):
    for folder in (full.home, full.root, full.home / "spaces", full.root / "nowhere"):
        with pytest.raises(MigrationError):
            full.migrations.migrate(folder)
    full.migrations.migrate(full.old)
    with pytest.raises(MigrationError, match="migrated before"):
        full.migrations.migrate(full.old)


def test_a_space_of_that_name_is_not_touched(full):
    store = spaces_of(full.settings).open(SpaceId("default", "default"))
    LogWriter(store).say("mine", "yes")
    store.close()
    with pytest.raises(MigrationError, match="already") as told:
        full.migrations.migrate(full.old)
    assert "--user" in told.value.hint
    assert full.spaces()["default/default"] == 1
    assert len(full.spaces()) == 1


def test_what_was_not_stored_is_found_out(full, monkeypatch):
    real = SqliteStore.import_session

    def forgetful(self, session, exchanges):
        return real(self, session, exchanges) if len(exchanges) < 2 else 0

    monkeypatch.setattr(SqliteStore, "import_session", forgetful)
    with pytest.raises(MigrationError, match="differs from the files"):
        full.migrations.migrate(full.old)
    assert full.spaces() == {}


@pytest.mark.parametrize("after", [0, 1, 2, 3, 5, 8, 13])
def test_a_file_that_cannot_be_read_stops_it(full, after):
    before, left = pictured(full.old), after

    def fail(kind, name):
        nonlocal left
        left -= name == "old/memory.json"
        return errno.EACCES if left < 0 and name == "old/memory.json" else 0

    with Layer(full.root, fail):
        if after < 3:
            with pytest.raises(UnabridgedError):
                full.migrations.migrate(full.old)
        else:
            with suppress(UnabridgedError):
                full.migrations.migrate(full.old)
    assert pictured(full.old) == before
    assert len(full.spaces()) in {0, 3}


@pytest.mark.long
@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EIO])
def test_a_failing_disk_leaves_the_old_one_working_and_nothing_new(tmp_path, number):
    counting = Place(_made(tmp_path / "count"))
    old_folder(counting.old)
    total = 0

    def count(kind, name):
        nonlocal total
        total += name.startswith("home")
        return 0

    with Layer(counting.root, count):
        counting.migrations.migrate(counting.old)
    for step in range(0, total, max(1, total // 25)):
        place = Place(_made(tmp_path / f"{step}"))
        old_folder(place.old)
        before, left = pictured(place.old), step

        def fail(kind, name):
            nonlocal left
            left -= name.startswith("home")
            writes = kind not in {"read", "open", "delete", "unlink"}
            return number if left < 0 and writes and name.startswith("home") else 0

        with Layer(place.root, fail), suppress(UnabridgedError):
            place.migrations.migrate(place.old)
        assert pictured(place.old) == before
        spaces = place.spaces()
        assert spaces in ({}, counting.spaces())
        if not spaces:
            place.migrations.migrate(place.old)
            assert place.spaces() == counting.spaces()


def _made(path):
    path.mkdir()
    return path


# --- the switch --------------------------------------------------------------------------------


def test_an_interrupted_switch_is_finished_by_whoever_opens_the_home(full, monkeypatch):
    def killed(shelf):
        if shelf.moves.exists():
            raise KeyboardInterrupt

    monkeypatch.setattr(MigrationJournal, "finish", killed)
    with pytest.raises(KeyboardInterrupt):
        full.migrations.migrate(full.old)
    monkeypatch.undo()
    assert MigrationJournal(full.home).moves.exists()
    assert full.spaces() == {"bob/default": 2, "default/alpha": 3, "default/default": 7}
    assert not MigrationJournal(full.home).moves.exists()
    assert [state.phase for state in full.migrations.list()] == ["done"]


def test_a_place_that_was_taken_meanwhile_undoes_the_switch(full, monkeypatch):
    real = MigrationJournal.decide

    def slower(shelf, moves):
        real(shelf, moves)
        taken = shelf.home / moves.pairs[-1][1]
        taken.parent.mkdir(parents=True, exist_ok=True)
        taken.write_text("mine")

    monkeypatch.setattr(MigrationJournal, "decide", slower)
    with pytest.raises(MigrationError, match="already"):
        full.migrations.migrate(full.old)
    monkeypatch.undo()
    assert not MigrationJournal(full.home).moves.exists()
    left = [p for p in (full.home / "spaces").iterdir() if not p.name.endswith(".lock")]
    assert [path.read_text() for path in left] == ["mine"]


# --- back --------------------------------------------------------------------------------------


def test_going_back_restores_the_folder_and_exports_what_was_said_since(full):
    before = pictured(full.old)
    full.migrations.migrate(full.old)
    space = full.space("default/alpha")
    with Talker(Home(full.settings).open(space)) as memory:
        memory.space.pins.add("Call me Ada.")
    store = spaces_of(full.settings).open(space)
    LogWriter(store, "later").say("I moved to Rome.", "Nice.")
    store.close()
    changed_folder(full.old)
    changed = pictured(full.old)
    state = full.migrations.roll_back()
    assert pictured(full.old) == before
    assert full.spaces() == {}
    (path,) = state.since
    other = Place(_made(full.root / "other"))
    lines = [json.loads(line) for line in Path(path).read_text().splitlines()]
    assert [line["session"]["id"] for line in lines if "session" in line] == ["later"]
    assert "Call me Ada." in Path(path).read_text()
    assert other.spaces() == {}
    with zipfile.ZipFile(state.changed) as packed:
        held = [packed.read(name) for name in packed.namelist()]
    assert all(said[1] in held for said in changed.values() if isinstance(said[1], bytes))
    aside = full.migrations.aside(state.id)
    assert len([p for p in aside.rglob("*") if p.is_file()]) >= 3


def test_what_was_only_told_is_exported_too(full):
    full.migrations.migrate(full.old)
    with Talker(Home(full.settings).open(full.space("bob/default"))) as memory:
        memory.space.pins.add("Call me Bob.")
    (path,) = full.migrations.roll_back().since
    lines = [json.loads(line) for line in Path(path).read_text().splitlines()]
    assert [line["record"]["body"]["text"] for line in lines if "record" in line] == [
        "Call me Bob."
    ]


def test_an_untouched_folder_is_not_written_to(full):
    full.migrations.migrate(full.old)
    times = {path: path.lstat().st_mtime_ns for path in full.old.rglob("*")}
    state = full.migrations.roll_back()
    assert {path: path.lstat().st_mtime_ns for path in full.old.rglob("*")} == times
    assert (state.since, state.changed) == ((), "")


def test_a_folder_that_is_gone_is_put_back(full):
    before = pictured(full.old)
    full.migrations.migrate(full.old)
    full.old.rename(full.root / "elsewhere")
    full.migrations.roll_back()
    assert pictured(full.old) == before


def test_one_can_go_forward_again_and_back_twice_changes_nothing(full):
    first = full.migrations.migrate(full.old).state
    full.migrations.roll_back(first.id)
    assert full.migrations.roll_back(first.id).phase == "gone back"
    with pytest.raises(MigrationError, match="no migration to roll back"):
        full.migrations.roll_back()
    second = full.migrations.migrate(full.old).state
    assert second.id != first.id
    assert len(full.spaces()) == 3
    assert [state.phase for state in full.migrations.list()] == ["gone back", "done"]


def test_a_damaged_archive_is_told_before_anything_is_touched(full):
    state = full.migrations.migrate(full.old).state
    path = full.migrations.archive(state.id)
    data = bytearray(path.read_bytes())
    data[len(data) // 3] ^= 1
    path.write_bytes(data)
    changed_folder(full.old)
    before = pictured(full.old)
    with pytest.raises(UnabridgedError):
        full.migrations.roll_back()
    assert pictured(full.old) == before
    assert len(full.spaces()) == 3


@pytest.mark.parametrize("wanted", ["../x", "20260301-090000", ""])
def test_an_unknown_migration_is_refused(place, wanted):
    with pytest.raises(MigrationError, match="no migration"):
        place.migrations.roll_back(wanted)


def test_a_store_that_keeps_nothing_is_refused(tmp_path):
    with pytest.raises(UnabridgedError, match="keeps nothing"):
        Migrations(Settings(home=str(tmp_path), store="memory"))


@pytest.mark.parametrize("store", ["sqlite", "files"])
@pytest.mark.slow
def test_an_anchor_takes_neither_for_tampering(tmp_path, store):
    place = Place(tmp_path, store=store, checkpoint_file=str(tmp_path / "anchor"))
    old_folder(place.old)
    for _ in range(2):
        place.migrations.migrate(place.old)
        for name in ("bob/default", "default/alpha", "default/default"):
            with Talker(Home(place.settings).open(place.space(name))) as memory:
                memory.space.pins.add("Call me Ada.")
                assert memory.space.log.check() == []
        assert not [flaw for proof in verify(place.settings) for flaw in proof.flaws]
        place.migrations.roll_back()
        assert not [flaw for proof in verify(place.settings) for flaw in proof.flaws]
