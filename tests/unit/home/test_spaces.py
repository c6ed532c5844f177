import os
import stat

import pytest
from tests.helpers.spaces import merge
from tests.opened import count_from

from unabridged.domain.record import RecordKind
from unabridged.domain.scope import SpaceId
from unabridged.errors import NameRefusedError, NotFoundError, StoreBusyError, StoreDamagedError
from unabridged.home.spaces import SpacesFolder
from unabridged.stores.sqlite import SqliteStore
from unabridged.stores.sqlite.connection import ConnectionOptions
from unabridged.testing.log_writer import LogWriter
from unabridged.testing.stores_writes import make_record

ADA, BOB = SpaceId("ada", "helper"), SpaceId("bob", "helper")
ODD = [
    "a:b", "a.b", "a/b", "a-b", "a b", "A:B", "../x", "..", ".", "x", "/etc/passwd", "~", "con",
    "ä", "a\u0308", "日本語", "x" * 200, "x" * 199 + "y", "C:\\x", "a_b", "'; DROP TABLE message; --",
]  # fmt: skip


@pytest.fixture
def folder(tmp_path):
    return SpacesFolder(tmp_path / "spaces", access=ConnectionOptions(0.2))


def filled(folder, space, *texts, session="s1"):
    store = folder.open(space)
    talk = LogWriter(store, session)
    said = [talk.say(text, "ok") for text in texts]
    store.close()
    return said


def test_no_two_names_share_a_file_and_none_escapes(folder):
    spaces = [SpaceId(a, b, c) for a in ODD for b in [*ODD, "default"] for c in ("", "x", "a:b")]
    spaces += [
        SpaceId("a", "b_c"),
        SpaceId("a_b", "c"),
        SpaceId("a", "b", "c"),
        SpaceId("a", "", "b"),
    ]
    paths = {str(folder.path_of(space)).casefold() for space in spaces}
    assert len(paths) == len(set(spaces))
    assert all(
        folder.path_of(space).resolve().parent == folder.folder.resolve() for space in spaces
    )
    assert all(len(folder.path_of(space).name) < 120 for space in spaces)


def test_plain_names_stay_readable(folder):
    assert folder.path_of(SpaceId("ada", "helper")).name.startswith("ada_helper_")


@pytest.mark.parametrize("name", ODD)
def test_odd_names_hold_their_own_memory(folder, name):
    said = filled(folder, SpaceId(name, "agent"), f"I am {name}")
    other = folder.open(SpaceId(name + "2" if len(name) < 200 else "other", "agent"))
    assert other.scan() == []
    other.close()
    store = folder.open(SpaceId(name, "agent"), create=False)
    assert store.scan() == said
    store.close()


@pytest.mark.skipif(os.name == "nt", reason="POSIX modes")
def test_only_the_owner_can_read(folder):
    mask = os.umask(0)
    try:
        store = folder.open(ADA)
        LogWriter(store).say("a", "b")
        modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in folder.folder.iterdir()}
        store.close()
    finally:
        os.umask(mask)
    assert set(modes.values()) == {0o600}
    assert len(modes) == 3
    assert stat.S_IMODE(folder.folder.stat().st_mode) == 0o700


def test_nothing_is_made_unless_asked(folder):
    with pytest.raises(NotFoundError):
        folder.open(ADA, create=False)
    assert folder.list() == []
    assert not folder.folder.exists()


def test_list_shows_damage_and_hides_no_other(folder):
    filled(folder, ADA, "one", "two")
    filled(folder, BOB, "one")
    folder.path_of(BOB).write_bytes(b"not a database at all" * 100)
    ada, bob = folder.list()
    assert (ada.space, ada.sessions, ada.exchanges, ada.damaged) == (ADA, 1, 2, "")
    assert ada.bytes > 0
    assert bob.space is None
    assert "bob" in bob.damaged


def test_a_damaged_space_is_left_and_set_aside(folder):
    filled(folder, ADA, "one")
    filled(folder, BOB, "one")
    path = folder.path_of(BOB)
    path.write_bytes(b"damaged" * 1000)
    for _ in range(2):
        with pytest.raises(StoreDamagedError) as caught:
            folder.open(BOB)
        assert str(path) in str(caught.value)
        assert "not changed" in caught.value.hint
    assert path.read_bytes() == b"damaged" * 1000
    aside = folder.quarantine(BOB)
    assert aside.name == path.name + ".damaged-1"
    assert aside.read_bytes() == b"damaged" * 1000
    assert len(filled(folder, BOB, "anew")) == 1
    assert folder.quarantine(BOB).name.endswith(".damaged-2")
    assert [info.space for info in folder.list()] == [ADA]
    with pytest.raises(NotFoundError):
        folder.quarantine(BOB)


def test_rename_moves_everything(folder):
    said = filled(folder, ADA, "one", "two")
    folder.rename(ADA, BOB)
    assert [info.space for info in folder.list()] == [BOB]
    store = folder.open(BOB, create=False)
    assert store.scan() == said
    assert store.check() == []
    store.close()
    with pytest.raises(NotFoundError):
        folder.rename(ADA, BOB)


def test_rename_refuses_a_taken_name_and_an_open_space(folder):
    filled(folder, ADA, "one")
    filled(folder, BOB, "one")
    with pytest.raises(NameRefusedError):
        folder.rename(ADA, BOB)
    store = folder.open(ADA)
    store.scan()
    with pytest.raises(StoreBusyError):
        folder.rename(ADA, SpaceId("eve", "helper"))
    store.close()
    assert {info.space for info in folder.list()} == {ADA, BOB}
    assert not list(folder.folder.glob("*.renaming"))


@pytest.mark.parametrize("step", ["exclusive", "link", "samefile", "sync_folder"])
def test_a_crash_in_a_rename_leaves_it_whole(folder, monkeypatch, step):
    said = filled(folder, ADA, "one", "two")

    def crash(*_args, **_kwargs):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        if step == "link":
            patch.setattr("os.link", crash)
        elif step == "samefile":
            patch.setattr("pathlib.Path.samefile", crash)
        else:
            patch.setattr(f"unabridged.home.spaces.{step}", crash)
        with pytest.raises(KeyboardInterrupt):
            folder.rename(ADA, BOB)
    assert [info.space for info in folder.list()] == [BOB]
    store = folder.open(BOB, create=False)
    assert store.scan() == said
    store.close()
    assert [path.name for path in folder.folder.iterdir()] == [folder.path_of(BOB).name]


def test_merge_copies_what_is_missing_once(folder):
    said = filled(folder, ADA, "one", "two")
    filled(folder, BOB, "three", session="s2")
    store = folder.open(ADA)
    talk = LogWriter(store)
    talk.header = store.session("s1")
    talk.parent = said[-1].id
    count_from(talk, 50)
    branch = talk.edit(said[1], "other", "branch")
    twin = talk.regenerate(branch, "again")
    store.put([make_record("f", twin.id), make_record("c", kind=RecordKind.CALIBRATION)])
    store.close()
    assert merge(folder, ADA, BOB) == 4
    assert merge(folder, ADA, BOB) == 0
    store, source = folder.open(BOB), folder.open(ADA)
    assert {found.id for found in store.scan()} > {found.id for found in source.scan()}
    assert store.recent("s1", 9) == source.recent("s1", 9)
    assert store.session("s1") == source.session("s1")
    assert store.records(RecordKind.FACT) == source.records(RecordKind.FACT)
    assert store.check() == []
    store.close()
    source.close()
    with pytest.raises(NotFoundError):
        merge(folder, SpaceId("nobody", "x"), BOB)


def test_a_file_of_another_space_is_refused(folder, tmp_path):
    filled(folder, ADA, "one")
    folder.path_of(ADA).rename(folder.path_of(BOB))
    with pytest.raises(Exception, match="holds the space"):
        folder.open(BOB)
    found = SqliteStore(folder.path_of(BOB))
    assert found.space == ADA
    found.close()
