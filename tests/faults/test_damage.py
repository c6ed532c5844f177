"""Damage is reported, never served as truth and never written over."""

import random
import shutil
from dataclasses import replace

import apsw
import pytest
from tests.helpers.indexed import open_indexed

from unabridged.domain.record import RecordKind
from unabridged.domain.scope import SpaceId
from unabridged.errors import NotFoundError, StoreDamagedError, StoreError, StoreFormatError
from unabridged.index import merge_policy
from unabridged.stores.sqlite import SqliteStore
from unabridged.stores.sqlite.database import folder_of
from unabridged.testing.log_writer import LogWriter
from unabridged.testing.stores_lookup import index_of, looked_up
from unabridged.testing.stores_writes import make_record

SPACE = SpaceId("ada", "damage")
SEARCHES = (["bicycl"], ["question"], ["answer", "7"])


@pytest.fixture(scope="module")
def sound(tmp_path_factory):
    path = tmp_path_factory.mktemp("sound") / "space.db"
    store = SqliteStore(path, SPACE)
    for name in ("s1", "s2", "s3"):
        talk = LogWriter(store, name)
        said = [
            talk.say(f"question {i} about a bicycle " * (1 + i % 9), f"answer {i} " * (1 + i % 7))
            for i in range(25)
        ]
        talk.regenerate(said[-1], "another answer")
        store.put(make_record(f"{name}-{i}", said[i].id) for i in range(20))
    store.close()
    return path


def contents(path):
    """Everything that a store says, by question."""
    store = SqliteStore(path, SPACE, create=False)
    try:
        ids = [f"s1-x{n:05}" for n in range(1, 60)]
        yield "sessions", store.sessions()
        yield "scan", store.scan()
        yield "counts", store.counts()
        yield "pages", [x for after in ("", "s2", "s3") for x in store.scan(after, 7)]
        yield "get", store.get(ids)
        for name in ("s1", "s2", "s3"):
            yield f"recent {name}", store.recent(name, 99)
            yield f"session {name}", store.session(name)
        yield "records", store.records(RecordKind.FACT)
        yield "totals", replace(store.totals(), bytes=0)
    finally:
        store.close()


def answers(path):
    """Every answer, or the error that came instead; a question that fails hides no other."""
    found = {}
    try:
        found.update(contents(path))
    except (StoreError, NotFoundError) as error:
        found["error"] = type(error) if error.hint else "no hint"
    return found


@pytest.mark.slow
def test_a_flipped_bit_gives_the_truth_or_an_error(sound, tmp_path):
    truth = answers(sound)
    assert "error" not in truth
    data = sound.read_bytes()
    rng = random.Random(11)
    path, errors = tmp_path / "flipped.db", 0
    for _ in range(300):
        place, bit = rng.randrange(len(data)), 1 << rng.randrange(8)
        flipped = bytearray(data)
        flipped[place] ^= bit
        path.write_bytes(flipped)
        found = answers(path)
        failed = found.pop("error", None)
        assert failed is None or issubclass(failed, StoreError), failed
        errors += failed is not None
        wrong = [question for question in found if found[question] != truth[question]]
        assert wrong == [], f"bit {bit} of byte {place} was served as truth"
        for leftover in tmp_path.glob("flipped.db-*"):
            leftover.unlink()
    assert errors > 50


@pytest.mark.parametrize("share", [0.0, 0.001, 0.1, 0.5, 0.9, 0.999])
def test_a_truncated_file_is_damage(sound, tmp_path, share):
    path = tmp_path / "short.db"
    data = sound.read_bytes()
    path.write_bytes(data[: int(len(data) * share)])
    kept = path.read_bytes()
    found = answers(path)
    if "error" not in found:  # only unused bytes were cut off
        assert share > 0.99
        assert found == answers(sound)
    else:
        assert issubclass(found["error"], StoreDamagedError)
    assert path.read_bytes() == kept


@pytest.mark.parametrize("junk", [b"{}", b"\0" * 8192, b"SQLite format 3\0" + b"\xff" * 9000])
def test_what_is_no_database_is_left_alone(tmp_path, junk):
    path = tmp_path / "space.db"
    path.write_bytes(junk)
    with pytest.raises(StoreError) as caught:
        SqliteStore(path, SPACE)
    assert isinstance(caught.value, StoreDamagedError | StoreFormatError)
    assert path.read_bytes() == junk


def test_a_log_without_its_store_is_not_taken_for_nothing(sound, tmp_path):
    path = tmp_path / "space.db"
    path.with_name("space.db-wal").write_bytes(b"what was said")
    with pytest.raises(StoreDamagedError):
        SqliteStore(path, SPACE)
    assert not path.exists()


def test_a_newer_format_is_refused_and_left_alone(sound, tmp_path):
    path = tmp_path / "space.db"
    shutil.copy(sound, path)
    db = apsw.Connection(str(path))
    db.pragma("user_version", 99)
    db.close()
    before = path.read_bytes()
    with pytest.raises(StoreFormatError, match="99"):
        SqliteStore(path, SPACE)
    assert path.read_bytes() == before


def test_another_programs_database_is_refused_and_left_alone(tmp_path):
    path = tmp_path / "space.db"
    db = apsw.Connection(str(path))
    db.execute("CREATE TABLE theirs (x)")
    db.close()
    before = path.read_bytes()
    with pytest.raises(StoreFormatError):
        SqliteStore(path, SPACE)
    assert path.read_bytes() == before


CHANGES = {
    "message": "UPDATE message SET parts = replace(parts, 'bicycle', 'tricycle') WHERE seq = 5",
    "exchange": "UPDATE exchange SET state = 'open' WHERE id = 's1-x00003'",
    "session": "UPDATE session SET head = NULL WHERE id = 's2'",
    "record": "UPDATE record SET body = '{}' WHERE id = 's1-3'",
    "counters": "UPDATE tally SET body = replace(body, '3', '4')",
    "a lost message": "DELETE FROM message WHERE seq = 6",
    "a lost exchange": "DELETE FROM exchange WHERE id = 's1-x00003'",
    "a lost session": "DELETE FROM session WHERE id = 's2'",
    "a lost record": "DELETE FROM record WHERE id = 's1-3'",
    "a number": "DELETE FROM numbered WHERE number = 2",
    "the lineage": "DELETE FROM record_exchange",
}


INDICES = {"a number", "the lineage"}


@pytest.mark.parametrize("change", CHANGES)
def test_a_change_behind_our_back_is_found(sound, tmp_path, change):
    path = tmp_path / "space.db"
    shutil.copy(sound, path)
    db = apsw.Connection(str(path))
    db.execute(CHANGES[change])
    assert db.changes() > 0
    db.close()
    store = SqliteStore(path, SPACE)
    assert store.check() != []
    store.close()
    if change not in INDICES:
        assert issubclass(answers(path)["error"], StoreDamagedError)


@pytest.mark.parametrize("change", sorted(INDICES))
def test_indices_are_made_anew(sound, tmp_path, change):
    path = tmp_path / "space.db"
    shutil.copy(sound, path)
    before = SqliteStore(path, SPACE)
    found = [looked_up(before, *terms) for terms in SEARCHES]
    totals = before.totals()
    before.close()
    db = apsw.Connection(str(path))
    db.execute(CHANGES[change])
    db.close()
    store = SqliteStore(path, SPACE)
    assert store.check() != []
    store.rebuild()
    assert store.check() == []
    assert [looked_up(store, *terms) for terms in SEARCHES] == found
    assert store.totals().tokens == totals.tokens
    store.close()


@pytest.fixture
def small_segments(monkeypatch):
    """Seal after every fourth exchange, so that a small space has segments."""
    monkeypatch.setattr(merge_policy, "SEALED_EXCHANGES", 4)


@pytest.mark.parametrize("harm", ["gone", "cut", "flipped", "folder"])
def test_a_harmed_segment_is_made_anew(tmp_path, small_segments, harm):
    path = tmp_path / "space.db"
    store = open_indexed(path, SPACE)
    talk = LogWriter(store)
    said = []
    for number in range(30):
        said.append(talk.say(f"question {number} about a bicycle", "an answer"))
        index_of(store).follow()
    store.close()
    folder = folder_of(path)
    files = sorted(folder.glob("*.segment"))
    assert len(files) > 1
    if harm == "gone":
        files[0].unlink()
    elif harm == "cut":
        with files[0].open("r+b") as file:
            file.truncate(files[0].stat().st_size // 2)
    elif harm == "flipped":
        data = bytearray(files[0].read_bytes())
        data[len(data) // 2] ^= 0xFF
        files[0].write_bytes(data)
    else:
        shutil.rmtree(folder)
    store = open_indexed(path, SPACE)
    assert (store.check() != []) is (harm != "folder")  # nobody can tell that there was one
    if harm != "flipped":  # a digest of every array is only compared when somebody checks
        assert looked_up(store, "bicycl") == {x.id: 1 for x in said}
    store.rebuild()
    assert store.check() == []
    assert looked_up(store, "bicycl") == {x.id: 1 for x in said}
    store.close()


def test_files_that_nobody_lists_are_swept(tmp_path, small_segments):
    path = tmp_path / "space.db"
    store = open_indexed(path, SPACE)
    talk = LogWriter(store)
    for number in range(5):
        talk.say(f"question {number}", "an answer")
        index_of(store).follow()
    store.close()
    left_over = folder_of(path) / "left-over.seg"
    left_over.write_bytes(b"a crash left this")
    store = open_indexed(path, SPACE)
    talk = LogWriter(store, "other")
    for number in range(5):
        talk.say(f"one more {number}", "answer")
    index_of(store).follow()
    assert not left_over.exists()
    store.close()
