"""The index beside a file: several processes at once, kills at any step, full disks, removed files.

Segments are tiny here, so that sealing and merging happen all the time.
"""

import importlib.util
import os
import shutil
import signal
import subprocess
from pathlib import Path

import apsw
import msgspec
import pytest
from tests.helpers import program
from tests.helpers.spaces import merge
from tests.opened import snapshot_of

from unabridged.domain.scope import SpaceId
from unabridged.errors import StoreFullError
from unabridged.index import merge_policy
from unabridged.language.words import query_terms
from unabridged.projections.search_index import index_manifest, segment_files as segments
from unabridged.projections.search_index.flush import SegmentWriter
from unabridged.projections.search_index.index import BUILDING, SearchIndex
from unabridged.projections.search_index.storage import FolderStorage
from unabridged.retrieval.analyze import Analyzer
from unabridged.stores.sqlite.database import folder_of
from unabridged.testing.log_writer import LogWriter
from unabridged.testing.stores_lookup import index_of, looked_up

INDEXER = Path(__file__).with_name("indexer.py")
SPACE = SpaceId("ada", "index")
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
        monkeypatch.setattr(merge_policy, name, getattr(merge_policy, name))
    indexer.small_segments()


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "space.db"
    indexer.opened(path, SPACE).close()
    return path


def run(path, work, name, count, *step):
    pipe = subprocess.PIPE
    code = "from tests.faults.indexer import main; main()"
    return program.python(code, path, work, name, count, *step, stdout=pipe, stderr=pipe, text=True)


def fill(path, count, name="s1", space=None):
    store = indexer.opened(path, space)
    talk = LogWriter(store, name)
    said = []
    for n in range(count):
        said.append(talk.say(f"word{name}n{n} of marble", f"So word{name}n{n}"))
        index_of(store).follow()
    store.close()
    return said


def listed(path):
    """The segments that the manifest lists."""
    found = index_manifest.read(folder_of(path), None)
    return {one.name for one in found.segments} if found else set()


def orphans(path):
    """Segments that no manifest lists."""
    return {part.name for part in folder_of(path).glob("*.segment*")} - listed(path)


def proven(path, said, gone=()):
    """Look for every word after whatever happened; then write, and nothing stray is left."""
    store = indexer.opened(path)
    for ident, word in said.items():
        assert list(looked_up(store, word)) == [ident], (ident, word)
    for word in gone:
        assert looked_up(store, word) == {}, word
    assert store.check() == []
    talk = LogWriter(store, f"after{os.urandom(4).hex()}")
    for _ in range(indexer.SEALED):
        talk.say("something more", "yes")
    index_of(store).follow()
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


def test_files_that_another_process_is_making_again_are_not_damage(path):
    fill(path, 12)
    store = indexer.opened(path)
    looked_up(store, "marble")
    storage = FolderStorage(folder_of(path), None)
    held = index_manifest.read(folder_of(path), None)
    assert held.segments
    storage.write_manifest(
        msgspec.structs.replace(held, serial="another", revision=BUILDING, segments=())
    )
    storage.keep_only(())
    assert store.check() == []
    store.close()


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


class StoppedError(Exception):
    """Ends a flush in its middle, as a kill would."""


STOPS = {
    "a file is written": (SegmentWriter, "merge"),
    "the manifest is due": (index_manifest, "write"),
    "old files are removed": (segments, "remove"),
}


@pytest.mark.parametrize("step", STOPS)
def test_a_flush_that_stops_anywhere_leaves_no_half_state(path, monkeypatch, step):
    said = fill(path, 4)
    store = indexer.opened(path)
    talk = LogWriter(store, "s2")

    def stop(*_args):
        raise StoppedError

    with monkeypatch.context() as patch:
        patch.setattr(*STOPS[step], stop)
        with pytest.raises(StoppedError):  # noqa: PT012 - which of them stops is not known
            for number in range(24):
                talk.say(f"wordmore{number} of marble", "Yes")
                index_of(store).follow()
    assert len(looked_up(store, *query_terms("marble"))) == store.totals().exchanges
    assert store.check() == []
    store.close()
    proven(path, {x.id: f"words1n{n}" for n, x in enumerate(said)})


def test_no_room_for_a_segment_is_no_failure(path, monkeypatch):
    shutil.rmtree(folder_of(path), ignore_errors=True)

    def full(folder, _segment, _cipher):
        raise StoreFullError(f"There is no room in {folder}.", hint="Make room.")

    store = indexer.opened(path)
    talk = LogWriter(store, "s2")
    with monkeypatch.context() as patch:
        patch.setattr(segments, "write", full)
        said = [talk.say(f"wordfull{n} of marble", "Yes") for n in range(12)]
        index_of(store).follow()
        assert [list(looked_up(store, f"wordfull{n}")) for n in range(12)] == [[x.id] for x in said]
        assert not list(folder_of(path).glob("*.segment"))
    more = talk.say("there is room again", "Yes")
    assert list(looked_up(store, "room")) == [more.id]
    assert list(folder_of(path).glob("*.segment"))
    store.close()
    proven(path, {x.id: f"wordfull{n}" for n, x in enumerate(said)} | {more.id: "room"})


@pytest.fixture
def small_index(path, mounted):
    return mounted(folder_of(path), "96k")


def test_a_really_full_disk_for_segments_is_no_failure(path, small_index):
    store = indexer.opened(path)
    talk = LogWriter(store, "s1")
    said = {}
    for number in range(120):
        said[talk.say(f"wordsmall{number} of marble {os.urandom(40).hex()}", "Yes").id] = number
        index_of(store).follow()
    # Not everything fits: some of it stays in the buffer.
    assert len(snapshot_of(store).buffer) > indexer.SEALED
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
    assert looked_up(other, "words1n3")
    assert other.check() == []
    assert looked_up(mapped, "words1n3")
    mapped_talk = LogWriter(mapped, "s2")
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
    talk = LogWriter(store, "s2")
    for number in range(12):
        said[talk.say(f"wordlater{number} of marble", "Yes").id] = f"wordlater{number}"
    store.close()
    proven(path, said)


DAMAGES = {
    "no manifest": lambda folder: (folder / index_manifest.NAME).unlink(),
    "another byte": lambda folder: _flip(folder / index_manifest.NAME),
    "an older manifest": lambda folder: _rewrite(folder, revision=1),
    "a newer manifest": lambda folder: _rewrite(folder, revision=10_000),
    "another generation": lambda folder: _rewrite(folder, generation="another"),
    "another embedder": lambda folder: _rewrite(folder, embedder="another", dimension=3),
    "no segments": lambda folder: [part.unlink() for part in folder.glob("*.segment")],
    "a stray segment": lambda folder: (folder / "x.segment").write_bytes(b"left"),
}


def _flip(path):
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)


def _rewrite(folder, **changes):
    index_manifest.write(
        folder, msgspec.structs.replace(index_manifest.read(folder, None), **changes), None
    )


@pytest.mark.parametrize("what", DAMAGES)
def test_whatever_happens_to_the_files_everything_is_found(path, what):
    said = fill(path, 13)
    store = indexer.opened(path)
    LogWriter(store, "s2").begin("wordlast of marble")
    before = looked_up(store, *query_terms("marble"))
    store.close()
    DAMAGES[what](folder_of(path))
    store = indexer.opened(path)
    assert looked_up(store, *query_terms("marble")) == before
    store.rebuild()
    assert store.check() == []
    assert looked_up(store, *query_terms("marble")) == before
    store.close()
    proven(path, {x.id: f"words1n{n}" for n, x in enumerate(said)})


def test_a_space_keeps_its_index_when_it_is_renamed_and_merged(tmp_path):
    from unabridged.home.spaces import SpacesFolder

    def ready(store):
        reader = Analyzer(indexer.StaticEmbedder(), indexer.StaticLexicon())
        store.attach(SearchIndex(store, reader, FolderStorage(store.index_folder, None)))

    folder = SpacesFolder(tmp_path, ready=ready)
    old, new, third = (SpaceId("ada", name) for name in ("old", "new", "third"))
    said = fill(folder.path_of(old), 13, space=old)
    stale = folder_of(folder.path_of(new))
    stale.mkdir()
    (stale / "left.segment").write_bytes(b"words of a space that is gone")
    names = listed(folder.path_of(old)) | {index_manifest.NAME, ".lock"}
    folder.rename(old, new)
    assert not folder_of(folder.path_of(old)).exists()
    assert {part.name for part in stale.iterdir()} - {"left.segment"} == names
    assert merge(folder, new, third) == 13
    for space in (new, third):
        store = folder.open(space, create=False)
        assert store.check() == []
        assert store.embedded_by()
        store.close()
        proven(folder.path_of(space), {x.id: f"words1n{n}" for n, x in enumerate(said)})
    aside = folder.quarantine(new)
    assert not folder_of(folder.path_of(new)).exists()
    proven(aside, {x.id: f"words1n{n}" for n, x in enumerate(said)})


@pytest.mark.parametrize("state", ["sound", "vanished", "not followed", "awaited"])
def test_what_cannot_be_written_is_searched_whole(path, monkeypatch, state):
    said = fill(path, 17)
    store = indexer.opened(path)
    if state == "not followed":
        LogWriter(store, "s2").say("another thing", "Yes")
    if state == "awaited":
        LogWriter(store, "s2").begin("another thing")
    wanted = list(looked_up(store, *query_terms("marble")))
    store.close()
    if state == "vanished":
        shutil.rmtree(folder_of(path))
    before = {part: part.read_bytes() for part in path.parent.rglob("*") if part.is_file()}

    def connect(path, _access, *, encrypted):
        return apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)

    monkeypatch.setattr("unabridged.stores.sqlite.open_file.connect", connect)
    store = indexer.opened(path)
    assert store.read_only
    assert list(looked_up(store, *query_terms("marble"))) == wanted
    assert list(looked_up(store, "words1n3")) == [said[3].id]
    store.close()
    assert {part: part.read_bytes() for part in before} == before
