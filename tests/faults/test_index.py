"""The index beside a file: several processes at once, kills at any step, full disks, removed files.

Segments are tiny here, so that sealing and merging happen all the time.
"""

import importlib.util
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import apsw
import pytest
from tests.opened import (
    begin_rebuild,
    connection_of,
    database_of,
    index_of,
    refresh_view,
    seal,
    sealer_of,
)

from unabridged.domain.scope import Space
from unabridged.errors import StoreError, StoreFullError
from unabridged.index import upkeep
from unabridged.language.words import query_terms
from unabridged.stores import segments
from unabridged.stores.sqlite import SqliteStore, tally
from unabridged.stores.sqlite.view import folder_of
from unabridged.testing.stores_lookup import looked_up
from unabridged.testing.talk import Talk

INDEXER = Path(__file__).with_name("indexer.py")
SPACE = Space("ada", "index")
ALL = 10_000


def _load():
    spec = importlib.util.spec_from_file_location("indexer", INDEXER)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


indexer = _load()


@pytest.fixture(autouse=True)
def _small_segments(monkeypatch):
    for name in ("SEALED_EXCHANGES", "SEALED_PASSAGES", "FANOUT", "LARGEST"):
        monkeypatch.setattr(upkeep, name, getattr(upkeep, name))
    indexer.small_segments()


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "space.db"
    indexer.opened(path, SPACE).close()
    return path


def run(path, work, name, count, *step):
    command = [sys.executable, str(INDEXER), str(path), work, str(name), str(count), *step]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def fill(path, count, name="s1", space=None):
    store = indexer.opened(path, space)
    talk = Talk(store, name)
    said = [talk.say(f"word{name}n{n} of marble", f"So word{name}n{n}") for n in range(count)]
    store.close()
    return said


def orphans(path):
    """Files of the index that no row lists."""
    store = SqliteStore(path)
    listed = {name for _, name, *_ in database_of(store).rows("segments")}
    store.close()
    folder = folder_of(path)
    return {part.name for part in folder.iterdir()} - listed if folder.exists() else set()


def proven(path, said, gone=()):
    """Look for every word after whatever happened; then write, and nothing stray is left."""
    store = indexer.opened(path)
    for ident, word in said.items():
        assert list(looked_up(store, word)) == [ident], (ident, word)
    for word in gone:
        assert looked_up(store, word) == {}, word
    assert store.check() == []
    Talk(store, f"after{os.urandom(4).hex()}").begin("something more")
    store.close()
    assert orphans(path) == set()


def heard(out):
    """What a writer acknowledged; a last line that was cut short was acknowledged to nobody."""
    said, gone, begun = {}, [], set()
    for line in out.split("\n")[:-1]:
        verb, ident, word = line.split(" ")
        if verb == "said":
            said[ident] = word
        elif verb == "forgetting":
            begun.add(ident)
        else:
            said.pop(ident)
            begun.discard(ident)
            gone.append(word)
    # Whether one is gone whose forgetting was under way nobody was told.
    return {i: w for i, w in said.items() if i not in begun}, gone


def test_two_writers_and_a_reader_at_once(path, tmp_path):
    flag = tmp_path / "ended"
    reader = run(path, "search", flag, 3)
    writers = [run(path, "write", f"w{number}", 30) for number in range(2)]
    outs = [writer.communicate(timeout=100) for writer in writers]
    flag.touch()
    out, err = reader.communicate(timeout=100)
    assert [error for _, error in outs if error] == []
    assert err == ""
    assert [line for line in out.splitlines() if not line.startswith("rounds")] == []
    said, gone = heard("".join(text for text, _ in outs))
    assert len(said) == 60 - 8
    assert len(gone) == 8
    proven(path, said, gone)


@pytest.mark.slow
@pytest.mark.parametrize("work", ["rebuild", "switch"])
def test_a_writer_and_a_reader_while_the_index_is_made_anew(path, tmp_path, work):
    flag = tmp_path / "ended"
    reader = run(path, "search", flag, 3)
    other = run(path, work, "other", 6)
    writer = run(path, "write", "w", 40)
    said, gone = heard(_done(writer))
    assert len(_done(other).splitlines()) == 6
    flag.touch()
    assert [line for line in _done(reader).splitlines() if not line.startswith("rounds")] == []
    assert len(said) == 40 - 5
    proven(path, said, gone)


def _done(process):
    out, err = process.communicate(timeout=100)
    assert err == ""
    return out


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="POSIX signals")
@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_a_kill_of_a_writer_at_any_step_loses_nothing(path, seed):
    said, gone = {}, []
    for turn in range(5):
        step = 150 + (seed * 5 + turn) * 397
        process = run(path, "write", f"k{seed}t{turn}", 100, str(step))
        out, err = process.communicate(timeout=60)
        assert process.returncode == -signal.SIGKILL, err
        more, less = heard(out)
        said |= more
        gone += less
        proven(path, said, gone)


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="POSIX signals")
@pytest.mark.parametrize("work", ["rebuild", "switch"])
@pytest.mark.long
def test_a_kill_while_the_index_is_made_anew_loses_nothing(path, work):
    said = {x.id: f"words1n{n}" for n, x in enumerate(fill(path, 23))}
    for step in (1, 9, 40, 90, 150, 260, 420, 600, 900):
        process = run(path, work, "other", 1000, str(step))
        _, err = process.communicate(timeout=60)
        assert process.returncode == -signal.SIGKILL, err
        proven(path, said)


def test_a_file_written_before_a_crash_is_swept_by_the_next_write(path, monkeypatch):
    said = fill(path, 4)
    store = indexer.opened(path)

    def crash(*_args):
        raise KeyboardInterrupt

    talk = Talk(store, "s2")
    with monkeypatch.context() as patch:
        patch.setattr(type(sealer_of(store)), "tidy", crash)
        patch.setattr(
            type(sealer_of(store)), "undo", lambda _: None
        )  # a dead process undoes nothing
        with pytest.raises(KeyboardInterrupt):
            talk.say("wordlast of marble", "Yes")
    assert len(orphans(path)) == 1
    # Nothing of what was rolled back is seen by this process, nor by another one.
    assert store.check() == []
    assert len(looked_up(store, *query_terms("marble"))) == 5
    store.close()
    proven(path, {x.id: f"words1n{n}" for n, x in enumerate(said)})


class StoppedError(Exception):
    """Stops a transaction in its middle."""


def fail(store, what, ids):
    """Run a transaction that fails after its block, or when it is committed."""
    index = index_of(store)
    connection, sealer = connection_of(store), sealer_of(store)
    if what == "commit":
        connection.set_commit_hook(lambda: True)
    try:
        with index.writing():
            index.enter(ids[:2])
            if what in ("seal", "commit"):
                sealer.seal()
                sealer.tidy(None)
            if what == "leave":
                index.leave(ids[2:])
            if what == "anew":
                begin_rebuild(store)
            refresh_view(store)
            if what != "commit":
                raise StoppedError
    finally:
        connection.set_commit_hook(None)


@pytest.mark.parametrize("what", ["enter", "leave", "commit", "seal", "anew"])
def test_a_transaction_that_fails_leaves_no_half_state(path, what):
    said = fill(path, 12)
    store = indexer.opened(path)
    before = looked_up(store, *query_terms("marble"))
    talk = Talk(store, "s2")
    begun = talk.begin("wordbegun of marble")
    seal(store)
    with pytest.raises((StoppedError, StoreError)):
        fail(store, what, [begun.id, *(x.id for x in said[:3])])
    assert looked_up(store, *query_terms("marble")) == before | {begun.id: 1.0}
    assert store.check() == []
    talk.answer(begun, "wordanswer of marble")
    assert list(looked_up(store, "wordanswer")) == [begun.id]
    store.close()
    proven(path, {x.id: f"words1n{n}" for n, x in enumerate(said)})


def test_no_room_for_a_segment_is_no_failure(path, monkeypatch):
    fill(path, 3)

    def full(folder, _segment, _cipher):
        raise StoreFullError(f"There is no room in {folder}.", hint="Make room.")

    store = indexer.opened(path)
    talk = Talk(store, "s2")
    with monkeypatch.context() as patch:
        patch.setattr(segments, "write", full)
        said = [talk.say(f"wordfull{n} of marble", "Yes") for n in range(12)]
        assert [list(looked_up(store, f"wordfull{n}")) for n in range(12)] == [[x.id] for x in said]
        assert not folder_of(path).exists()
    more = talk.say("there is room again", "Yes")
    assert list(folder_of(path).iterdir())
    store.close()
    proven(path, {x.id: f"wordfull{n}" for n, x in enumerate(said)} | {more.id: "room"})


@pytest.fixture
def small_index(path, mounted):
    return mounted(folder_of(path), "96k")


def test_a_really_full_disk_for_segments_is_no_failure(path, small_index):
    store = indexer.opened(path)
    talk = Talk(store, "s1")
    said = {}
    for number in range(120):
        said[talk.say(f"wordsmall{number} of marble {os.urandom(40).hex()}", "Yes").id] = number
    # Not everything fits: some of it is pending.
    assert database_of(store).one("all pending") is not None
    assert len(list(small_index.iterdir())) == len(database_of(store).rows("segments"))
    for ident, number in said.items():
        assert list(looked_up(store, f"wordsmall{number}")) == [ident]
    assert store.check() == []
    store.close()


def test_an_index_that_vanishes_is_made_anew(path):
    said = {x.id: f"words1n{n}" for n, x in enumerate(fill(path, 17))}
    mapped = indexer.opened(path)
    assert looked_up(mapped, "words1n3")
    shutil.rmtree(folder_of(path))
    other = indexer.opened(path)
    assert other.check() != []
    assert looked_up(other, "words1n3")
    assert other.check() == []
    assert looked_up(mapped, "words1n3")
    mapped_talk = Talk(mapped, "s2")
    for number in range(12):
        exchange = mapped_talk.say(f"wordlater{number} of marble", "Yes")
        said[exchange.id] = f"wordlater{number}"
        assert list(looked_up(other, f"wordlater{number}")) == [exchange.id]
    mapped.close()
    other.close()
    proven(path, said)


def test_an_index_that_vanishes_under_a_writer_is_made_anew(path):
    said = {x.id: f"words1n{n}" for n, x in enumerate(fill(path, 17))}
    store = indexer.opened(path)
    assert looked_up(store, "words1n3")
    shutil.rmtree(folder_of(path))
    talk = Talk(store, "s2")
    for number in range(12):
        said[talk.say(f"wordlater{number} of marble", "Yes").id] = f"wordlater{number}"
    store.close()
    proven(path, said)


DAMAGES = {
    "pending": "UPDATE pending SET words = zeroblob(20)",
    "entry": "UPDATE entry SET position = position + 1 WHERE place = 3",
    "segment": "UPDATE segment SET name = name || 'x'",
    "mask": "INSERT INTO mask SELECT number, 7 FROM segment",
    "no mask": "DELETE FROM mask",
    "no entry": "DELETE FROM entry WHERE place = 2",
    "no pending": "DELETE FROM pending",
    "no segment": "DELETE FROM segment",
    "stray pending": "UPDATE pending SET place = place + 1000",
}


@pytest.mark.parametrize("what", DAMAGES)
def test_damaged_rows_of_the_index_are_noticed_and_mended(path, what):
    said = fill(path, 13)
    store = indexer.opened(path)
    talk = Talk(store, "s2")
    # One that is sealed is said again, so that it is masked where it was.
    with index_of(store).writing():
        index_of(store).enter([said[0].id, said[1].id])
    talk.begin("wordlast of marble")
    before = looked_up(store, *query_terms("marble"))
    connection_of(store).execute(DAMAGES[what])
    store.close()
    store = indexer.opened(path)
    assert store.check() != []
    store.rebuild()
    assert store.check() == []
    assert looked_up(store, *query_terms("marble")) == before
    store.close()
    proven(path, {x.id: f"words1n{n}" for n, x in enumerate(said)})


@pytest.mark.parametrize("what", DAMAGES)
def test_a_lookup_mends_what_it_stumbles_over(path, what):
    said = fill(path, 13)
    store = indexer.opened(path)
    with index_of(store).writing():
        index_of(store).enter([said[0].id, said[1].id])
    connection_of(store).execute(DAMAGES[what])
    store.close()
    store = indexer.opened(path)
    store.at(range(20))  # an entry that is damaged gets another place
    for number, exchange in enumerate(said):
        assert list(looked_up(store, f"words1n{number}")) == [exchange.id]
    store.close()


def test_a_space_keeps_its_index_when_it_is_renamed_and_merged(tmp_path):
    from unabridged.stores.spaces import SpacesFolder

    def ready(store):
        embedder = indexer.StaticEmbedder()
        store.read_with(embedder, indexer.StaticLexicon())

    folder = SpacesFolder(tmp_path, ready=ready)
    old, new, third = (Space("ada", name) for name in ("old", "new", "third"))
    said = fill(folder.path_of(old), 13, space=old)
    stale = folder_of(folder.path_of(new))
    stale.mkdir()
    (stale / "left.segment").write_bytes(b"words of a space that is gone")
    names = {part.name for part in folder_of(folder.path_of(old)).iterdir()}
    folder.rename(old, new)
    assert not folder_of(folder.path_of(old)).exists()
    assert {part.name for part in stale.iterdir()} - {"left.segment"} == names
    assert folder.merge(new, third) == 13
    for space in (new, third):
        store = folder.open(space, create=False)
        assert store.check() == []
        assert store.embedded_by()
        store.close()
        proven(folder.path_of(space), {x.id: f"words1n{n}" for n, x in enumerate(said)})
    aside = folder.set_aside(new)
    assert not folder_of(folder.path_of(new)).exists()
    proven(aside, {x.id: f"words1n{n}" for n, x in enumerate(said)})


@pytest.mark.parametrize("state", ["sound", "vanished", "pending", "awaited", "not entered"])
def test_what_cannot_be_written_is_searched_whole(path, monkeypatch, state):
    said = fill(path, 17)
    store = indexer.opened(path)
    wanted = list(looked_up(store, *query_terms("marble")))
    if state == "not entered":
        for table in ("entry", "pending", "segment", "mask"):
            connection_of(store).execute(f"DELETE FROM {table}")
        count = tally.load(database_of(store))
        count.entries = count.pending = count.pending_passages = 0
        count.epoch += 1
        tally.save(database_of(store), count)
    if state == "pending":
        Talk(store, "s2").say("another thing", "Yes")
    if state == "awaited":
        Talk(store, "s2").begin("another thing")
    store.close()
    if state == "vanished":
        shutil.rmtree(folder_of(path))
    before = {part: part.read_bytes() for part in path.parent.rglob("*") if part.is_file()}

    def connect(path, _access, *, encrypted):
        return apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)

    monkeypatch.setattr("unabridged.stores.sqlite.opening.connect", connect)
    store = indexer.opened(path)
    assert store.read_only
    assert list(looked_up(store, *query_terms("marble"))) == wanted
    assert list(looked_up(store, "words1n3")) == [said[3].id]
    assert ("_beside" in store.__dict__) is (state in ("vanished", "awaited", "not entered"))
    store.close()
    assert {part: part.read_bytes() for part in before} == before
