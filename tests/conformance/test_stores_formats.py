"""Every format of a store that was ever written still opens and says the same."""

import importlib.util
import shutil
from pathlib import Path

import apsw
import pytest
from unabridged.stores.files.folder import FilesFolder
from unabridged.stores.files.names import FOLDERS as LAYOUTS
from unabridged.stores.files.sheet import FORMAT

from unabridged.domain.scope import Space
from unabridged.errors import StoreFormatError
from unabridged.stores.sqlite import SqliteStore
from unabridged.stores.sqlite.opening import FORMAT as NEWEST
from unabridged.testing.talk import Talk

FORMATS = Path(__file__).parents[1] / "fixtures" / "formats"
FOLDERS = sorted(FORMATS.glob("sqlite-*"))
FILES = sorted(FORMATS.glob("files-*"))


def described(store):
    spec = importlib.util.spec_from_file_location("make_formats", FORMATS / "make.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.described(store)


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_an_old_file_opens_and_says_the_same(folder, tmp_path):
    path = tmp_path / "space.db"
    shutil.copy(folder / "space.db", path)
    store = SqliteStore(path, create=False)
    assert described(store) == (folder / "space.json").read_text(encoding="utf-8")
    assert store.check() == []
    said = Talk(store, "new").say("and it can be", "written")
    assert store.recent("new", 1) == [said]
    store.close()


@pytest.mark.parametrize("layout", list(LAYOUTS))
@pytest.mark.parametrize("folder", FILES, ids=lambda folder: folder.name)
def test_old_readable_files_open_and_say_the_same(folder, layout, tmp_path):
    shutil.copytree(folder / LAYOUTS[layout], tmp_path / LAYOUTS[layout])
    spaces = FilesFolder(tmp_path / LAYOUTS[layout], layout=layout)
    store = spaces.open(Space("ada", "formats", "model:1"), create=False)
    assert described(store) == (folder / f"{layout}.json").read_text(encoding="utf-8")
    assert store.check() == []
    said = Talk(store, "new").say("and it can be", "written")
    assert store.recent("new", 1) == [said]
    store.close()


def test_every_format_of_readable_files_is_there():
    assert [folder.name for folder in FILES] == [f"files-{n}" for n in range(1, FORMAT + 1)]


def test_every_format_has_its_file():
    assert [folder.name for folder in FOLDERS] == [f"sqlite-{n}" for n in range(1, NEWEST + 1)]


def test_a_file_of_another_format_is_refused(tmp_path):
    path = tmp_path / "space.db"
    SqliteStore(path, Space("ada", "formats")).close()
    connection = apsw.Connection(str(path))
    connection.pragma("user_version", NEWEST + 1)
    connection.close()
    before = path.read_bytes()
    with pytest.raises(StoreFormatError, match=f"format {NEWEST + 1}"):
        SqliteStore(path, create=False)
    assert path.read_bytes() == before
