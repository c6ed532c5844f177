import shutil
import subprocess
import sys
from dataclasses import replace

import pytest
from tests.integrity.forge_sqlite import SqliteForger

from unabridged.domain.encryption_key import EncryptionKey
from unabridged.domain.hash_chain import MacKey
from unabridged.domain.scope import SpaceId
from unabridged.errors import StoreError, StoreKeyError, StoreTamperedError
from unabridged.home.spaces import SpacesFolder
from unabridged.stores.checkpoint_file import CheckpointFile
from unabridged.stores.integrity_policy import IntegrityPolicy
from unabridged.stores.sqlite import SqliteStore
from unabridged.stores.sqlite.connection import ConnectionOptions
from unabridged.testing.log_writer import LogWriter

SPACE = SpaceId("ada", "tests")
KEY = EncryptionKey(bytes(range(32)))
KEYED = MacKey(KEY.for_("chain"), KEY.mark)


@pytest.fixture(params=[MacKey(), KEYED], ids=["keyless", "keyed"])
def access(request, tmp_path):
    return ConnectionOptions(
        guard=IntegrityPolicy(request.param, CheckpointFile(tmp_path / "anchor", request.param))
    )


def opened(tmp_path, access):
    (tmp_path / "home").mkdir(exist_ok=True)
    return SqliteStore(tmp_path / "home" / "space.db", SPACE, access=access)


def say(tmp_path, access, *sessions):
    store = opened(tmp_path, access)
    for session in sessions:
        LogWriter(store, session).say("hello", "hi")
    store.close()


def test_a_file_put_back_is_noticed(tmp_path, access):
    say(tmp_path, access, "s1")
    shutil.copytree(tmp_path / "home", tmp_path / "older")
    say(tmp_path, access, "s2")
    say(tmp_path, access)
    shutil.rmtree(tmp_path / "home")
    shutil.copytree(tmp_path / "older", tmp_path / "home")
    with pytest.raises(StoreTamperedError, match="anchor") as caught:
        opened(tmp_path, access)
    anchored = access.guard.anchor.recall(next(iter(access.guard.anchor.all())))
    assert anchored.root in str(caught.value)
    assert f"write {anchored.writes}" in str(caught.value)
    store = SqliteStore(tmp_path / "home" / "space.db", access=access.for_copies())
    assert len(store.scan()) == 1, "a copy can be looked at"
    store.close()


@pytest.mark.parametrize("change", ["forget", "title"])
def test_a_file_put_back_is_noticed_where_no_message_came(tmp_path, access, change):
    say(tmp_path, access, "s1", "s2")
    shutil.copytree(tmp_path / "home", tmp_path / "older")
    store = opened(tmp_path, access)
    if change == "forget":
        store.erase([store.scan()[0].id])
    else:
        header = store.session("s1")
        store.set_session(replace(header, title="new"), header.head)
    store.close()
    shutil.rmtree(tmp_path / "home")
    shutil.copytree(tmp_path / "older", tmp_path / "home")
    with pytest.raises(StoreTamperedError):
        opened(tmp_path, access)


def test_a_whole_file_made_anew_is_noticed(tmp_path, access):
    """Whoever computes everything anew, which needs no key where none is set."""
    say(tmp_path, access, "s1", "s2")
    forger = SqliteForger(tmp_path / "home" / "space.db")
    forger.say(3, "something else")
    forger.unchain()
    with pytest.raises(StoreTamperedError):
        opened(tmp_path, access)


def test_what_a_crash_left_unanchored_is_no_tampering(tmp_path, access):
    say(tmp_path, access, "s1")
    before = (tmp_path / "anchor").read_bytes()
    say(tmp_path, access, "s2")
    (tmp_path / "anchor").write_bytes(before)
    say(tmp_path, access, "s3")
    (line,) = access.guard.anchor.all().values()
    assert line.number == 6


def test_another_history_of_the_same_length_is_noticed(tmp_path, access):
    say(tmp_path, access, "s1")
    shutil.copytree(tmp_path / "home", tmp_path / "older")
    say(tmp_path, access, "s2")
    shutil.rmtree(tmp_path / "home")
    shutil.copytree(tmp_path / "older", tmp_path / "home")
    unanchored = replace(access, guard=replace(access.guard, anchor=None))
    say(tmp_path, unanchored, "s2", "s3", "s4")
    with pytest.raises(StoreTamperedError):
        opened(tmp_path, access)


def test_a_backup_put_back_by_right_is_taken_up(tmp_path, access):
    say(tmp_path, access, "s1")
    shutil.copytree(tmp_path / "home", tmp_path / "older")
    say(tmp_path, access, "s2")
    shutil.rmtree(tmp_path / "home")
    shutil.copytree(tmp_path / "older", tmp_path / "home")
    store = SqliteStore(tmp_path / "home" / "space.db", access=access.for_copies())
    store.close()
    SqliteStore.moor_at(tmp_path / "home" / "space.db", access)
    say(tmp_path, access, "s5")


def test_an_anchor_that_was_changed_is_refused(tmp_path):
    access = ConnectionOptions(
        guard=IntegrityPolicy(KEYED, CheckpointFile(tmp_path / "anchor", KEYED))
    )
    say(tmp_path, access, "s1")
    path = tmp_path / "anchor"
    text = path.read_text("utf-8")
    for changed in (
        text.replace('"number":2', '"number":1'),
        "no json",
        "[]",
        "{}",
        '{"format":1}',
    ):
        assert changed != text
        path.write_text(changed, "utf-8")
        with pytest.raises(StoreTamperedError, match="anchor") as caught:
            opened(tmp_path, access)
        assert caught.value.hint


def test_an_older_file_is_sealed_under_a_key_and_stays_anchored(tmp_path):
    plain = ConnectionOptions(
        guard=IntegrityPolicy(MacKey(), CheckpointFile(tmp_path / "anchor", MacKey()))
    )
    say(tmp_path, plain, "s1", "s2")
    store = opened(tmp_path, plain)
    store.erase([store.scan()[0].id])
    store.close()
    keyed = ConnectionOptions(
        guard=IntegrityPolicy(KEYED, CheckpointFile(tmp_path / "anchor", KEYED), adopts=True)
    )
    before = (tmp_path / "anchor").read_bytes()
    store = opened(tmp_path, keyed)
    assert store.check() == []
    store.close()
    strict = replace(keyed, guard=replace(keyed.guard, adopts=False))
    say(tmp_path, strict, "s3")
    (tmp_path / "anchor").write_bytes(before)  # as a crash between sealing and anchoring leaves it
    store = opened(tmp_path, strict)
    assert store.check() == []
    assert [x.session for x in store.scan()] == ["s2", "s3"]
    store.close()
    (line,) = keyed.guard.anchor.all().values()
    assert line.mark == KEY.mark


WRITER = """
import sys
from pathlib import Path
from unabridged.domain.hash_chain import MacKey
from unabridged.domain.encryption_key import EncryptionKey
from unabridged.stores.checkpoint_file import CheckpointFile
from unabridged.stores.integrity_policy import IntegrityPolicy
from unabridged.stores.sqlite import SqliteStore
from unabridged.stores.sqlite.connection import ConnectionOptions
from unabridged.testing.log_writer import LogWriter

key = EncryptionKey(bytes(range(32)))
mac_key = MacKey(key.for_("chain"), key.mark)
folder = Path(sys.argv[1])
access = ConnectionOptions(guard=IntegrityPolicy(mac_key, CheckpointFile(folder / "anchor", mac_key)))
store = SqliteStore(folder / "home" / "space.db", create=False, access=access)
talk = LogWriter(store, sys.argv[2])
for n in range(8):
    talk.say(f"{sys.argv[2]} {n}", "yes")
store.close()
"""


def test_several_processes_share_an_anchor(tmp_path):
    opened(
        tmp_path,
        ConnectionOptions(guard=IntegrityPolicy(KEYED, CheckpointFile(tmp_path / "anchor", KEYED))),
    ).close()
    words = [sys.executable, "-c", WRITER, str(tmp_path)]
    workers = [subprocess.Popen([*words, f"s{n}"]) for n in range(3)]
    assert [worker.wait() for worker in workers] == [0, 0, 0]
    access = ConnectionOptions(
        guard=IntegrityPolicy(KEYED, CheckpointFile(tmp_path / "anchor", KEYED))
    )
    store = opened(tmp_path, access)
    assert store.check() == []
    assert store.totals().messages == 48
    store.close()
    (line,) = access.guard.anchor.all().values()
    assert line.number == 48


def test_the_file_of_another_space_is_noticed(tmp_path):
    folder = SpacesFolder(
        tmp_path / "spaces", access=ConnectionOptions(guard=IntegrityPolicy(KEYED))
    )
    ann, bob = SpaceId("ann", "tests"), SpaceId("bob", "tests")
    for space in (ann, bob):
        store = folder.open(space)
        LogWriter(store).say(f"I am {space.user}", "hi")
        store.close()
    folder.path_of(bob).write_bytes(folder.path_of(ann).read_bytes())
    SqliteForger(folder.path_of(bob)).claim({"user": "bob", "agent": "tests", "model": ""})
    with pytest.raises(StoreTamperedError, match="another space"):
        folder.open(bob)
    folder.rename(ann, SpaceId("eve", "tests"))
    store = folder.open(SpaceId("eve", "tests"), create=False)
    assert store.check() == []
    store.close()
    keyless = SpacesFolder(tmp_path / "spaces")
    with pytest.raises(StoreKeyError):
        keyless.rename(SpaceId("eve", "tests"), ann)
    store = folder.open(SpaceId("eve", "tests"), create=False)
    assert store.check() == []
    store.close()


def test_an_anchor_that_cannot_be_written_is_said_before_anything_is_stored(tmp_path):
    access = ConnectionOptions(
        guard=IntegrityPolicy(KEYED, CheckpointFile(tmp_path / "away" / "anchor", KEYED))
    )
    with pytest.raises(StoreError, match="anchor"):
        opened(tmp_path, access)
    (tmp_path / "away").mkdir()
    store = opened(tmp_path, access)
    (tmp_path / "away").rename(tmp_path / "gone")
    with pytest.raises(StoreError, match="anchor") as caught:
        LogWriter(store, "s1").begin("hello")
    assert "is stored" in caught.value.hint
    assert len(store.scan()) == 1
    store.close()
    (tmp_path / "gone").rename(tmp_path / "away")
    say(tmp_path, access, "s2")
    (line,) = access.guard.anchor.all().values()
    assert line.number == 3
