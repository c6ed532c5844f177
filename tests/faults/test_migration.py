"""A file of the first format is brought up to date, found whole, by one process or several."""

import subprocess
import sys

import apsw
import pytest

from unabridged.domain.lookup import Probe
from unabridged.domain.scope import Space
from unabridged.embeddings.lexicon import StaticLexicon
from unabridged.embeddings.static import StaticEmbedder
from unabridged.errors import StoreReadOnlyError
from unabridged.retrieval.entries import Reader
from unabridged.retrieval.fallback import FallbackIndex
from unabridged.stores.sqlite import SqliteStore
from unabridged.stores.sqlite.opening import APPLICATION_ID, migrate
from unabridged.stores.sqlite.statements import migrations
from unabridged.testing.stores_lookup import looked_up
from unabridged.testing.talk import Talk

SPACE = Space("ada", "migration")
COUNT = 300


@pytest.fixture(scope="module")
def first_format(tmp_path_factory):
    """The bytes of a file of format 1."""
    folder = tmp_path_factory.mktemp("formats")
    store = SqliteStore(folder / "new.db", SPACE)
    talks = [Talk(store, f"s{number}") for number in range(3)]
    for number in range(COUNT):
        talks[number % 3].say(f"wordold{number} of mine", f"So wordold{number} it is")
    store.close()
    old = apsw.Connection(str(folder / "old.db"))
    old.pragma("application_id", APPLICATION_ID)
    migrate(old, migrations()[:1])
    old.execute("ATTACH ? AS new", (str(folder / "new.db"),))
    there = {row[0] for row in old.execute("SELECT name FROM new.sqlite_schema")}
    held = "SELECT name FROM main.sqlite_schema WHERE type = 'table'"
    for (table,) in old.execute(held).fetchall():
        if table in there and not table.startswith("sqlite_"):
            old.execute(f"INSERT INTO main.{table} SELECT * FROM new.{table}")
    old.execute("DETACH new")
    old.pragma("journal_mode", "wal")
    old.close()
    return (folder / "old.db").read_bytes()


@pytest.fixture
def path(tmp_path, first_format):
    path = tmp_path / "space.db"
    path.write_bytes(first_format)
    return path


def opened(path):
    return SqliteStore(path, embedder=StaticEmbedder(), lexicon=StaticLexicon())


def test_everything_is_found_after_the_first_search(path):
    connection = apsw.Connection(str(path))
    assert connection.pragma("user_version") == 1
    connection.close()
    store = opened(path)
    said = store.scan(limit=COUNT)
    assert len(said) == COUNT
    for number in (0, 77, COUNT - 1):
        assert len(looked_up(store, f"wordold{number}")) == 1
    assert store.check() == []
    assert store.embedded_by() == StaticEmbedder().identity
    rows = store.lookup(_wide())
    assert len(rows.places) == COUNT
    assert (rows.user_nearness != 0).all()
    other = FallbackIndex(store, Reader(StaticEmbedder(), StaticLexicon()))
    assert len(other.lookup(_wide()).places) == COUNT
    store.close()


def _wide():
    return Probe(("old",), StaticEmbedder().embed_query("wordold of mine"), limit=COUNT)


def test_writing_comes_before_searching(path):
    store = opened(path)
    Talk(store, "new").say("wordnew of mine", "Yes")
    assert len(looked_up(store, "wordnew")) == 1
    assert len(looked_up(store, "wordold5")) == 1
    assert store.forget([next(iter(looked_up(store, "wordold5")))]) == 1
    assert looked_up(store, "wordold5") == {}
    assert store.check() == []
    store.close()


def test_forgetting_comes_before_searching(path):
    store = opened(path)
    gone = store.scan(limit=10)[4]
    word = gone.messages[0].text.split()[0]
    assert store.forget([gone.id]) == 1
    assert looked_up(store, word) == {}
    assert len(looked_up(store, "wordold5")) == (word != "wordold5")
    assert store.check() == []
    assert store.totals().exchanges == COUNT - 1
    store.close()


def test_several_migrate_at_once(path):
    code = """
import pathlib, sys
from unabridged.embeddings.lexicon import StaticLexicon
from unabridged.embeddings.static import StaticEmbedder
from unabridged.stores.sqlite import SqliteStore
from unabridged.testing.stores_lookup import looked_up
StaticEmbedder().embed_query("loaded")
print("ready", flush=True)
sys.stdin.readline()
store = SqliteStore(pathlib.Path(sys.argv[1]), embedder=StaticEmbedder(), lexicon=StaticLexicon())
print(len(looked_up(store, "wordold7")), len(looked_up(store, "wordold299")), store.check())
store.close()
"""
    command = [sys.executable, "-c", code, str(path)]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    running = [subprocess.Popen(command, text=True, **pipes) for _ in range(3)]
    for process in running:
        assert process.stdout.readline() == "ready\n"
    for process in running:
        process.stdin.write("\n")
        process.stdin.flush()
    outs = [process.communicate(timeout=60) for process in running]
    assert outs == [("1 1 []\n", "")] * 3


def test_what_cannot_be_written_says_what_to_do(path, monkeypatch):
    before = path.read_bytes()

    def connect(path, _access, *, encrypted):
        return apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)

    monkeypatch.setattr("unabridged.stores.sqlite.opening.connect", connect)
    with pytest.raises(StoreReadOnlyError) as caught:
        opened(path)
    assert caught.value.hint
    assert path.read_bytes() == before
