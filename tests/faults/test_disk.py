"""A full disk, a file or folder that cannot be written, a file that others keep locked."""

import os
import subprocess
import sys
import threading
import traceback
import warnings
from dataclasses import replace

import apsw
import pytest
from tests.opened import count_from

from unabridged.domain.record import RecordKind
from unabridged.domain.scope import SpaceId
from unabridged.errors import (
    StoreBusyError,
    StoreFullError,
    StoreReadOnlyError,
)
from unabridged.stores.sqlite import SqliteStore
from unabridged.stores.sqlite.connection import ConnectionOptions
from unabridged.stores.sqlite.open_file import has_wal_reset_fault
from unabridged.testing.log_writer import LogWriter
from unabridged.testing.stores_lookup import looked_up
from unabridged.testing.stores_writes import make_record

SPACE = SpaceId("ada", "disk")
NOBODY = 65534


def writes(store, said):
    """Every way of writing."""
    talk = LogWriter(store)
    talk.header, talk.parent = store.session("s1"), said.id
    count_from(talk, 500)
    return (
        lambda: talk.begin("more"),
        lambda: store.import_session(
            talk.header, [replace(said, id="other", messages=said.messages[:1])]
        ),
        lambda: store.set_session(replace(talk.header, title="x"), talk.header.head),
        lambda: store.put([make_record("f")]),
        lambda: store.delete(RecordKind.FACT, ["f"]),
        lambda: store.erase([said.id]),
        store.rebuild,
    )


@pytest.fixture
def small_disk(tmp_path, mounted):
    return mounted(tmp_path / "small", "1m")


def talk_on(talk, said):
    """Talk until something stops it; note what was acknowledged."""
    while len(said) < 10_000:
        said.append(talk.say("many words " * 300, "as many " * 300))


def test_a_full_disk_keeps_what_was_acknowledged(small_disk):
    store = SqliteStore(small_disk / "space.db", SPACE)
    talk = LogWriter(store)
    first = talk.say("the first", "of all")
    said = [first]
    with pytest.raises(StoreFullError) as caught:
        talk_on(talk, said)
    assert caught.value.hint
    found = store.scan(limit=10_000)
    assert [x.id for x in found[: len(said)]] == [x.id for x in said]
    assert len(found) <= len(said) + 1  # the last one may have been begun
    store.close()
    store = SqliteStore(small_disk / "space.db", SPACE)
    assert store.scan(limit=10_000) == found
    assert store.check() == []
    store.close()


def test_a_full_disk_cannot_begin_a_store(small_disk):
    (small_disk / "ballast").write_bytes(bytes(1_000_000))
    with pytest.raises(StoreFullError):
        SqliteStore(small_disk / "space.db", SPACE)
    assert [path.name for path in small_disk.iterdir()] == ["ballast"]


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX limits")
def test_a_file_that_may_not_grow_is_full(tmp_path):
    code = """
import pathlib, resource, signal, sys
from unabridged.errors import StoreFullError
from unabridged.domain.scope import SpaceId
from unabridged.stores.sqlite import SqliteStore
from unabridged.testing.log_writer import LogWriter
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
store = SqliteStore(pathlib.Path(sys.argv[1]), SpaceId("ada", "disk"))
resource.setrlimit(resource.RLIMIT_FSIZE, (400_000, 400_000))
talk, count = LogWriter(store), 0
try:
    while count < 1000:
        talk.say("many words " * 300, "as many " * 300)
        count += 1
except StoreFullError:
    print(count, len(store.scan(limit=10_000)))
"""
    path = tmp_path / "space.db"
    done = subprocess.run(
        [sys.executable, "-c", code, str(path)], capture_output=True, text=True, check=False
    )
    assert done.stderr == ""
    acknowledged, readable = map(int, done.stdout.split())
    assert 0 < acknowledged <= readable
    store = SqliteStore(path)
    assert len(store.scan(limit=10_000)) == readable
    assert store.check() == []
    store.close()


HOLDER = """
import pathlib, sys
from unabridged.stores.sqlite import SqliteStore
store = SqliteStore(pathlib.Path(sys.argv[1]))
store.totals()
print("open", flush=True)
sys.stdin.readline()
store.close()
"""


def as_nobody(work):
    """Run a function in a forked child, as a user without rights where we are root."""
    source, sink = os.pipe()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # forking beside threads of xdist
        child = os.fork()
    if child == 0:
        try:
            if os.getuid() == 0:
                os.setgroups([])
                os.setgid(NOBODY)
                os.setuid(NOBODY)
            said = work()
        except BaseException:  # noqa: BLE001 (told to the parent)
            said = traceback.format_exc()
        os.write(sink, said.encode())
        os._exit(0)
    os.close(sink)
    with os.fdopen(source) as pipe:
        said = pipe.read()
    os.waitpid(child, 0)
    return said


def read_and_try_to_write(path):
    store = SqliteStore(path)
    said = store.recent("s1", 5)
    found = [len(said), store.read_only, len(looked_up(store, "hello")), store.check()]
    for write in writes(store, said[-1]):
        try:
            write()
        except StoreReadOnlyError as error:
            found.append(bool(error.hint))
    store.close()
    return repr(found)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="POSIX users and modes")
@pytest.mark.parametrize("what", ["file", "folder", "both"])
@pytest.mark.parametrize("open_elsewhere", [False, True])
def test_what_cannot_be_written_can_be_read(tmp_path_factory, what, open_elsewhere):
    folder = tmp_path_factory.mktemp("readonly")
    path = folder / "space.db"
    store = SqliteStore(path, SPACE)
    LogWriter(store).say("hello there", "hi")
    store.close()
    holder = None
    if open_elsewhere:
        command = [sys.executable, "-c", HOLDER, str(path)]
        holder = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        assert holder.stdout.readline() == b"open\n"
    for part in folder.iterdir():
        part.chmod(0o666 if what == "folder" else 0o444)
    folder.chmod(0o777 if what == "file" else 0o555)
    shut = [parent for parent in folder.parents if not parent.stat().st_mode & 0o001]
    parents = {parent: parent.stat().st_mode for parent in shut}
    for parent, mode in parents.items():
        parent.chmod(mode | 0o111)
    try:
        found = as_nobody(lambda: read_and_try_to_write(path))
    finally:
        folder.chmod(0o755)
        for parent, mode in parents.items():
            parent.chmod(mode)
        if holder is not None:
            holder.communicate(b"\n")
    if what == "folder" and open_elsewhere:  # all files that writing needs are there
        assert found == repr([1, False, 1, []])
    else:
        assert found == repr([1, True, 1, [], *[True] * 7])


def test_a_locked_store_is_busy_then_not(tmp_path):
    store = SqliteStore(tmp_path / "space.db", SPACE, access=ConnectionOptions(0.1))
    said = LogWriter(store).say("hello", "hi")
    other = apsw.Connection(str(tmp_path / "space.db"))
    other.execute("BEGIN IMMEDIATE")
    for write in writes(store, said)[:-2]:
        with pytest.raises(StoreBusyError):
            write()
    assert store.scan() == [said]
    other.execute("ROLLBACK")
    other.close()
    for write in writes(store, said):
        write()
    store.close()


def test_threads_share_one_store(tmp_path):
    store = SqliteStore(tmp_path / "space.db", SPACE)
    failed = []

    def talk(name):
        try:
            mine = LogWriter(store, name)
            said = [mine.say(f"{name} {i}", "ok") for i in range(20)]
            assert store.recent(name, 50) == said
        except BaseException as error:  # noqa: BLE001 (told to the test below)
            failed.append(error)

    threads = [threading.Thread(target=talk, args=(f"s{n}",)) for n in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failed == []
    assert store.totals().exchanges == 120
    store.close()


def test_a_folder_that_cannot_be_made_is_said(tmp_path):
    (tmp_path / "file").write_text("x")
    with pytest.raises(Exception, match="cannot be used") as caught:
        SqliteStore(tmp_path / "file" / "space.db", SPACE)
    assert caught.value.hint


@pytest.mark.parametrize(
    ("version", "faulty"),
    [
        ("3.40.1", True), ("3.44.5", True), ("3.44.6", False), ("3.45.0", True), ("3.50.6", True),
        ("3.50.7", False), ("3.51.0", True), ("3.51.2", True), ("3.51.3", False),
        ("3.54.1", False), ("4.0.0", False), ("3.6.23", False),
    ],
)  # fmt: skip
def test_faulty_versions_of_sqlite_are_known(version, faulty):
    assert has_wal_reset_fault(version) is faulty


def test_a_faulty_version_of_sqlite_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr("apsw.sqlite_lib_version", lambda: "3.51.2")
    with pytest.raises(Exception, match="can corrupt") as caught:
        SqliteStore(tmp_path / "space.db", SPACE)
    assert "upgrade" in caught.value.hint
    assert list(tmp_path.iterdir()) == []
