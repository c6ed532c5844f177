"""Every format of a store that was ever written still opens and says the same."""

import importlib.util
import shutil
from pathlib import Path

import apsw
import pytest

from unabridged.domain.scope import SpaceId
from unabridged.errors import StoreFormatError
from unabridged.projections.json_files import file_bytes, json_document
from unabridged.projections.json_files.file_paths import FOLDERS as LAYOUTS
from unabridged.projections.json_files.json_document import FORMAT
from unabridged.projections.json_files.layouts import KNOWN
from unabridged.stores.sqlite import SqliteStore
from unabridged.stores.sqlite.open_file import FORMAT as NEWEST
from unabridged.testing.log_writer import LogWriter

FORMATS = Path(__file__).parents[1] / "fixtures" / "formats"
FOLDERS = sorted(FORMATS.glob("sqlite-*"))
FILES = sorted(FORMATS.glob("files-*"))


def described(store):
    spec = importlib.util.spec_from_file_location("make_formats", FORMATS / "make.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.described(store)


def said(document, layout):
    """Give what the sessions of a file say."""
    spec = importlib.util.spec_from_file_location("make_formats", FORMATS / "make.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.said(document, layout)


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_an_old_file_opens_and_says_the_same(folder, tmp_path):
    path = tmp_path / "space.db"
    shutil.copy(folder / "space.db", path)
    store = SqliteStore(path, create=False)
    assert described(store) == (folder / "space.json").read_text(encoding="utf-8")
    assert store.check() == []
    said = LogWriter(store, "new").say("and it can be", "written")
    assert store.recent("new", 1) == [said]
    store.close()


@pytest.mark.parametrize("layout", list(LAYOUTS))
@pytest.mark.parametrize("folder", FILES, ids=lambda folder: folder.name)
def test_old_readable_files_are_read_and_followed(folder, layout, tmp_path):
    """Files of a format are ours: another version replaces them, and adopts what it lacks."""
    shutil.copytree(folder / LAYOUTS[layout], tmp_path / "json")
    path = next(p for p in (tmp_path / "json").rglob("[!.]*.json*") if p.is_file())
    document = json_document.read(KNOWN[layout], file_bytes.read(path))
    assert document.faults == []
    assert (folder / f"{layout}.txt").read_text(encoding="utf-8") == said(document, layout)


def test_every_format_of_readable_files_is_there():
    assert [folder.name for folder in FILES] == [f"files-{n}" for n in range(1, FORMAT + 1)]


def test_every_format_has_its_file():
    assert [folder.name for folder in FOLDERS] == [f"sqlite-{n}" for n in range(1, NEWEST + 1)]


def test_a_file_of_another_format_is_refused(tmp_path):
    path = tmp_path / "space.db"
    SqliteStore(path, SpaceId("ada", "formats")).close()
    connection = apsw.Connection(str(path))
    connection.pragma("user_version", NEWEST + 1)
    connection.close()
    before = path.read_bytes()
    with pytest.raises(StoreFormatError, match=f"format {NEWEST + 1}"):
        SqliteStore(path, create=False)
    assert path.read_bytes() == before
