"""Who has a file open keeps it, whatever else its process does with it."""

import subprocess
import sys

from unabridged.domain.scope import SpaceId
from unabridged.stores.sqlite import SqliteStore
from unabridged.stores.sqlite.connection import ConnectionOptions
from unabridged.stores.sqlite.open_file import create_file
from unabridged.testing.log_writer import LogWriter

TAKER = """
import pathlib, sys
from unabridged.errors import StoreBusyError
from unabridged.stores.sqlite.exclusive import alone
try:
    with alone(pathlib.Path(sys.argv[1]), 0.1):
        print("taken")
except StoreBusyError:
    print("busy")
"""


def taken(path):
    command = [sys.executable, "-c", TAKER, str(path)]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


def test_opening_a_file_once_more_does_not_let_go_of_it(tmp_path):
    path = tmp_path / "space.db"
    store = SqliteStore(path, SpaceId("ada", "locks"))
    store.totals()
    SqliteStore(path, create=False).close()
    assert taken(path) == "busy"
    store.close()
    assert taken(path) == "taken"


def test_a_file_that_another_began_meanwhile_is_not_called_damaged(tmp_path):
    path = tmp_path / "space.db"
    store = SqliteStore(path, SpaceId("ada", "locks"))
    said = LogWriter(store).say("hello", "there")
    assert path.with_name("space.db-wal").exists()
    create_file(path, ConnectionOptions(), [])  # who found it missing a moment ago
    assert store.scan() == [said]
    store.close()
    assert [entry.name for entry in tmp_path.iterdir()] == ["space.db"]
