import json
import random
import stat
import zipfile
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from importlib.metadata import version
from pathlib import Path

import numpy as np
import pytest

from unabridged.domain.record import RecordKind
from unabridged.domain.scope import SpaceId
from unabridged.errors import BackupError, StoreBusyError, StoreDamagedError
from unabridged.home import backup_archive
from unabridged.home.backups import BackupsFolder
from unabridged.home.restore_backup import restore
from unabridged.home.spaces import SpacesFolder
from unabridged.retrieval.passages import passages
from unabridged.stores.sqlite.connection import ConnectionOptions
from unabridged.testing.log_writer import LogWriter
from unabridged.testing.stores_lookup import looked_up
from unabridged.testing.stores_writes import make_record

SPACE = SpaceId("ada", "kept")
AT = datetime(2026, 3, 1, 9, 0, 1, tzinfo=UTC)


def silent(*_):
    pass


@pytest.fixture
def spaces(tmp_path):
    return SpacesFolder(tmp_path / "spaces", access=ConnectionOptions(0.2))


@pytest.fixture
def backups(tmp_path):
    return BackupsFolder(tmp_path / "backups")


def fill(spaces, space=SPACE, count=6):
    store = spaces.open(space)
    talk = LogWriter(store)
    said = [talk.say(f"question {n} about a bicycle", f"answer {n}") for n in range(count)]
    store.put([make_record("fact", said[0].id)])
    return store


def everything(store):
    return store.scan(), store.sessions(), [store.records(kind) for kind in RecordKind]


def test_what_is_restored_is_what_was_there_and_is_found(spaces, backups, tmp_path):
    store = fill(spaces)
    truth = everything(store)
    stages = set()
    made = backups.make(spaces, [SPACE], AT, lambda stage, done, of: stages.add(stage))
    LogWriter(store, "later").say("said afterwards", "yes")  # still open: a backup is made online
    store.close()
    assert stages == {"copy ada/kept", "pack", "unpack", "check"}
    assert (made.at, made.version, made.spaces[0].exchanges) == (AT, version("unabridged"), 6)
    path = Path(made.path)
    assert path.name.endswith("-20260301T090001Z.zip")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert zipfile.ZipFile(path).namelist()[0] == "manifest.json"
    other = SpacesFolder(tmp_path / "elsewhere")
    done = restore(backups.unpacked(path, silent, other.folder), other, silent)
    assert [(one.space, one.exchanges, one.quarantine) for one in done] == [(SPACE, 6, None)]
    store = other.open(SPACE, create=False)
    assert everything(store) == truth
    assert store.check() == []
    assert len(looked_up(store, "bicycl")) == 6
    store.close()


def test_nothing_is_restored_over_what_is_there(spaces, backups):
    fill(spaces).close()
    made = backups.make(spaces, [SPACE], AT, silent)
    store = spaces.open(SPACE)
    LogWriter(store, "later").say("said afterwards", "yes")
    store.close()
    before = spaces.path_of(SPACE).read_bytes()
    with pytest.raises(BackupError) as caught:
        restore(backups.unpacked(Path(made.path), silent, spaces.folder), spaces, silent)
    assert "--replace" in caught.value.hint
    assert spaces.path_of(SPACE).read_bytes() == before
    (done,) = restore(
        backups.unpacked(Path(made.path), silent, spaces.folder), spaces, silent, replace=True
    )
    assert Path(done.quarantine).read_bytes() == before
    store = spaces.open(SPACE, create=False)
    assert store.totals().exchanges == 6
    store.close()
    (again,) = restore(backups.unpacked(Path(made.path), silent, spaces.folder), spaces, silent)
    assert again.there


def test_what_others_have_open_is_not_replaced(spaces, backups):
    fill(spaces).close()
    made = backups.make(spaces, [SPACE], AT, silent)
    store = spaces.open(SPACE)
    LogWriter(store, "later").say("said afterwards", "yes")
    with pytest.raises(StoreBusyError):
        restore(
            backups.unpacked(Path(made.path), silent, spaces.folder), spaces, silent, replace=True
        )
    assert store.totals().exchanges == 7
    assert store.check() == []
    store.close()
    assert sorted(p.suffix for p in spaces.folder.iterdir() if p.is_file()) == ["", ".db"]


def test_another_name_beside_it(spaces, backups):
    fill(spaces).close()
    made = backups.make(spaces, [SPACE], AT, silent)
    other = SpaceId("ada", "yesterday")
    restore(backups.unpacked(Path(made.path), silent, spaces.folder), spaces, silent, renamed=other)
    assert [info.space for info in spaces.list()] == [SPACE, other]
    assert [info.exchanges for info in spaces.list()] == [6, 6]


def test_a_whole_home_and_its_settings(spaces, backups, tmp_path):
    names = [SpaceId("ada", "one"), SpaceId("bob", "two"), SpaceId("cid", "three")]
    for space in names:
        fill(spaces, space).close()
    spaces.path_of(names[1]).write_bytes(b"no database at all")
    toml = tmp_path / "unabridged.toml"
    toml.write_text('user = "ada"\n')
    made = backups.make(
        spaces,
        names,
        AT,
        silent,
        home=True,
        files=[("config/unabridged.toml", toml)],
        output=tmp_path / "all.zip",
    )
    assert [one.space for one in made.spaces] == [names[0], names[2]]
    assert [name for name, _ in made.left_out] == ["bob/two"]
    other = SpacesFolder(tmp_path / "new" / "spaces")
    settings = tmp_path / "new" / "config"
    restore(
        backups.unpacked(tmp_path / "all.zip", silent, other.folder),
        other,
        silent,
        settings=settings,
    )
    assert [info.exchanges for info in other.list()] == [6, 6]
    assert (settings / "unabridged.toml").read_text() == toml.read_text()
    with pytest.raises(BackupError, match="2 spaces"):
        restore(
            backups.unpacked(tmp_path / "all.zip", silent, other.folder),
            other,
            silent,
            renamed=SPACE,
        )


def test_a_damaged_space_is_not_backed_up(spaces, backups):
    fill(spaces).close()
    path = spaces.path_of(SPACE)
    data = bytearray(path.read_bytes())
    at = data.index(b"about a bicycle")
    data[at] ^= 1
    path.write_bytes(data)
    with pytest.raises((BackupError, StoreDamagedError)):
        backups.make(spaces, [SPACE], AT, silent)
    assert [p.name for p in backups.folder.iterdir()] == [".lock"]


def test_an_interrupted_backup_leaves_nothing(spaces, backups):
    fill(spaces).close()
    for stop in ("copy ada/kept", "pack", "unpack", "check"):

        def moved(stage, done, of, stop=stop):
            if stage == stop:
                raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            backups.make(spaces, [SPACE], AT, moved)
        assert [p.name for p in backups.folder.iterdir()] == [".lock"]


def test_every_flip_and_cut_of_a_backup_is_noticed(spaces, backups, tmp_path):
    fill(spaces, count=2).close()
    made = backups.make(spaces, [SPACE], AT, silent)
    data, rng = Path(made.path).read_bytes(), random.Random(3)
    path, silently = tmp_path / "flipped.zip", 0
    for turn in range(60):
        if turn % 3:
            harmed = bytearray(data)
            harmed[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
        else:
            harmed = data[: rng.randrange(len(data))]
        path.write_bytes(harmed)
        with suppress(BackupError):
            found = backups.verify(path, silent)
            silently += 1  # a time or right in the zip's own headers, which nobody reads
            assert found.spaces == made.spaces
    assert silently < 10


@pytest.mark.parametrize("name", ["../out.db", "/etc/x", "spaces/0/../../x", "a//b", ""])
def test_names_that_lead_elsewhere_are_refused(tmp_path, name):
    path = tmp_path / "evil.zip"
    said = {
        "format": 1, "at": AT.isoformat(), "version": "1", "home": False, "spaces": [],
        "members": {name: {"bytes": 1, "digest": ""}},
    }  # fmt: skip
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("manifest.json", json.dumps(said))
        archive.writestr(name or "x", "y")
    with pytest.raises(BackupError):
        backup_archive.unpack(path, tmp_path, silent)


def test_what_is_larger_than_it_says_is_refused_before_it_fills_the_disk(tmp_path):
    path, folder = tmp_path / "bomb.zip", tmp_path / "out"
    folder.mkdir()
    said = {
        "format": 1, "at": AT.isoformat(), "version": "1", "home": False, "spaces": [],
        "members": {"a.db": {"bytes": 10, "digest": ""}},
    }  # fmt: skip
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("manifest.json", json.dumps(said))
        archive.writestr("a.db", bytes(50_000_000))
    with pytest.raises(BackupError):
        backup_archive.unpack(path, folder, silent)
    assert not list(folder.iterdir())


@pytest.mark.parametrize("junk", [b"", b"PK", b"no zip", b"\x00" * 5000])
def test_what_is_no_backup_says_so(tmp_path, backups, junk):
    path = tmp_path / "x.zip"
    path.write_bytes(junk)
    with pytest.raises(BackupError):
        backups.verify(path, silent)
    with pytest.raises(BackupError):
        backups.find("nothing of that name")


@pytest.mark.parametrize("number", [99, 0, -1])
def test_another_format_is_refused(tmp_path, backups, number):
    path = tmp_path / "x.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("manifest.json", json.dumps({"format": number}))
    with pytest.raises(BackupError, match=f"has format {number};"):
        backups.verify(path, silent)


def test_older_ones_are_thinned_out_of_their_own_kind_only(spaces, backups):
    other = SpaceId("ada", "other")
    for space in (SPACE, other):
        fill(spaces, space, 1).close()
    made = []
    for number in range(4):
        at = AT + timedelta(days=number)
        made.append(backups.make(spaces, [SPACE], at, silent))
        backups.make(spaces, [other], at, silent)
    stranger = backups.folder / "mine.zip"
    stranger.write_bytes(b"x")
    gone = backups.thin(spaces.path_of(SPACE).stem, 2)
    assert [str(path) for path in gone] == [one.path for one in made[:2]]
    listed = backups.all()
    assert len(listed) == 7
    assert [one.trouble != "" for one in listed] == [False] * 6 + [True]
    assert stranger.exists()


def test_two_in_one_second_have_two_names(spaces, backups):
    fill(spaces, count=1).close()
    paths = {backups.make(spaces, [SPACE], AT, silent).path for _ in range(3)}
    assert len(paths) == 3
    with pytest.raises(BackupError, match="already"):
        backups.make(spaces, [SPACE], AT, silent, output=Path(next(iter(paths))))


def test_vectors_that_cost_something_stay(spaces, backups, tmp_path):
    store = fill(spaces)
    rng = np.random.default_rng(1)
    made = {
        x.id: [v / np.linalg.norm(v) for v in rng.random((len(passages(x)), 8))]
        for x in store.scan()
    }
    store.put_vectors("costly-1", made)
    assert store.missing_vectors("costly-1", 10) == []
    store.close()
    path = Path(backups.make(spaces, [SPACE], AT, silent).path)
    other = SpacesFolder(tmp_path / "other")
    restore(backups.unpacked(path, silent, other.folder), other, silent)
    store = other.open(SPACE, create=False)
    assert store.embedded_by() == "costly-1"
    assert store.missing_vectors("costly-1", 10) == []
    assert store.check() == []
    store.close()
