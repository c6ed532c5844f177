"""A crash at every single operation on the disk, with what was not yet synced kept, lost or torn.

The idea is that of SQLite's own crash tests: a layer below the database counts every write, sync,
truncation and deletion, and dies at the nth; then each write since its file's last sync is kept,
undone, or undone in some of its sectors. The store is opened again with the real layer.
"""

import random
from contextlib import suppress
from pathlib import Path

import apsw
import pytest

from unabridged.domain.exchange import ExchangeState
from unabridged.domain.scope import Space
from unabridged.errors import StoreError
from unabridged.stores.sqlite import SqliteStore, database
from unabridged.testing.talk import Talk

SPACE = Space("ada", "crash")
SECTOR = 512


class Disk:
    """What the layer remembers: operations so far, and writes that are not synced, by file."""

    def __init__(self, crash_at, seed):
        self.crash_at, self.rng = crash_at, random.Random(seed)
        self.operations, self.dead = 0, False
        self.unsynced = {}

    def tick(self):
        if not self.dead:
            self.operations += 1
            self.dead = self.operations == self.crash_at
        if self.dead:
            raise apsw.IOError

    def lose_unsynced(self):
        for name, written in self.unsynced.items():
            if not Path(name).exists():
                continue
            with Path(name).open("r+b") as file:
                for offset, old, length in reversed(written):
                    fate = self.rng.random()
                    for sector in range(0, length, SECTOR):
                        if fate > 0.7 or (fate > 0.4 and self.rng.random() < 0.5):
                            file.seek(offset + sector)
                            size = min(SECTOR, length - sector)
                            file.write(old[sector : sector + size].ljust(size, b"\0"))


class File(apsw.VFSFile):
    def __init__(self, name, flags, disk):
        self.disk = disk
        self.name = name.filename() if isinstance(name, apsw.URIFilename) else name
        super().__init__("", name, flags)

    def xWrite(self, data, offset):  # noqa: N802 (apsw's name)
        self.disk.tick()
        old = b""
        with suppress(apsw.Error):
            old = super().xRead(len(data), offset)
        if self.name:  # not a temporary file
            self.disk.unsynced.setdefault(self.name, []).append((offset, old, len(data)))
        super().xWrite(data, offset)

    def xSync(self, flags):  # noqa: N802
        self.disk.tick()
        super().xSync(flags)
        self.disk.unsynced.pop(self.name, None)

    def xTruncate(self, size):  # noqa: N802
        self.disk.tick()
        super().xTruncate(size)


class Layer(apsw.VFS):
    def __init__(self, disk):
        self.disk = disk
        super().__init__("crashing", "")

    def xOpen(self, name, flags):  # noqa: N802
        return File(name, flags, self.disk)

    def xDelete(self, name, sync):  # noqa: N802
        self.disk.tick()
        super().xDelete(name, sync)


def crashing_connection(path, busy_timeout):
    connection = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READWRITE, vfs="crashing")
    # A layer in Python has no shared memory, which WAL needs unless one connection holds the file.
    connection.pragma("locking_mode", "exclusive")
    connection.pragma("wal_autocheckpoint", 12)
    database._prepare(connection, busy_timeout)
    return connection


def work(path, said):
    """Talk, edit, put, forget: note each operation before (tried) and after (acknowledged)."""
    store = SqliteStore(path, SPACE)
    try:
        talk = Talk(store)
        for number in range(4):
            said["tried"] = number * 2 + 1
            opened = talk.begin(f"question {number} " * 60)
            said["acknowledged"] = said["tried"]
            said["tried"] = number * 2 + 2
            talk.answer(opened, f"answer {number} " * 80)
            said["acknowledged"] = said["tried"]
        said["forgetting"] = store.recent("s1", 9)[2].id
        store.forget([said["forgetting"]])
        said["forgotten"] = said["forgetting"]
        store.rebuild()
    finally:
        with suppress(apsw.Error, StoreError):
            store.close()


def run(path, disk, monkeypatch):
    said = {"tried": 0, "acknowledged": 0}
    with monkeypatch.context() as patch:
        patch.setattr(database, "_connect", crashing_connection)
        patch.setattr(database.Database, "_wipe_gaps", lambda _: True)  # another layer, same locks
        layer = Layer(disk)
        try:
            work(path, said)
        except (StoreError, apsw.Error):
            assert disk.dead
        finally:
            layer.unregister()
    return said


def judge(path, said):
    """After the crash everything acknowledged is there, and nothing is there by half."""
    store = SqliteStore(path, SPACE, create=False)
    assert store.check() == []
    found = store.recent("s1", 99)
    messages = sum(len(exchange.messages) for exchange in found)
    if "forgetting" in said:
        gone = said["forgetting"] not in {exchange.id for exchange in found}
        assert messages == (6 if gone else 8)
        assert gone or "forgotten" not in said
    else:
        assert said["acknowledged"] <= messages <= said["tried"]
    for exchange in found:
        assert len(exchange.messages) == (2 if exchange.state is ExchangeState.COMPLETE else 1)
    assert store.scan() == found
    store.close()


@pytest.mark.slow
def test_a_crash_at_every_operation_loses_nothing(tmp_path, monkeypatch):
    template = tmp_path / "template.db"
    SqliteStore(template, SPACE).close()
    empty = template.read_bytes()

    def crash(at, seed):
        path = tmp_path / f"crash-{at}-{seed}.db"
        path.write_bytes(empty)
        disk = Disk(at, seed)
        said = run(path, disk, monkeypatch)
        disk.lose_unsynced()
        judge(path, said)
        for left in tmp_path.glob(f"{path.name}*"):
            left.unlink()
        return disk.operations

    operations = crash(0, 0)
    assert operations > 100
    for at in range(1, operations + 1):
        crash(at, at)


def test_the_layer_can_lose_what_was_not_synced(tmp_path, monkeypatch):
    """Without syncing, the same crashes lose something: the test above can fail."""
    monkeypatch.setattr(database, "_PRAGMAS", "PRAGMA synchronous = OFF;")
    template = tmp_path / "template.db"
    SqliteStore(template, SPACE).close()
    empty, failed = template.read_bytes(), 0
    for at in range(40, 120, 4):
        path = tmp_path / f"crash-{at}.db"
        path.write_bytes(empty)
        disk = Disk(at, at)
        said = run(path, disk, monkeypatch)
        disk.lose_unsynced()
        try:
            judge(path, said)
        except (AssertionError, StoreError):
            failed += 1
    assert failed > 0
