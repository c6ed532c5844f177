"""Blobs in a SQLite file: each row is proved, and what damage breaks is found and mended."""

from dataclasses import replace

import pytest
from tests.opened import connection_of

from unabridged.domain.record import RecordKind
from unabridged.domain.scope import SpaceId
from unabridged.errors import StoreDamagedError
from unabridged.stores.sqlite import SqliteStore
from unabridged.testing.log_writer import LogWriter
from unabridged.testing.stores_blobs import BLOBS, ORIGINAL
from unabridged.testing.stores_writes import make_record


@pytest.fixture
def store(tmp_path):
    store = SqliteStore(tmp_path / "space.db", SpaceId("ada"))
    said = LogWriter(store).begin("one", original=ORIGINAL)
    store.put([replace(make_record(name, said.id), blobs=BLOBS) for name in "ab"])
    assert store.check() == []
    yield store
    store.close()


def test_equal_blobs_are_stored_once(store):
    [(count,)] = connection_of(store).execute("SELECT count(*) FROM blob")
    assert count == len(BLOBS) + 1


@pytest.mark.parametrize(
    "damage",
    [
        "UPDATE blob SET body = body || x'00'",
        "UPDATE blob SET kind = 'tools' WHERE kind = 'system'",
        "DELETE FROM blob WHERE kind = 'system'",
    ],
)
def test_a_damaged_blob_is_never_given(store, damage):
    connection_of(store).execute(damage)
    with pytest.raises(StoreDamagedError):
        store.records(RecordKind.FACT)
    assert store.check() != []


@pytest.mark.parametrize(
    "damage",
    [
        "DELETE FROM blob_use WHERE user_kind = 'fact' AND user_id = 'a'",
        "UPDATE blob_use SET user_id = 'c' WHERE user_id = 'a'",
        "INSERT INTO blob VALUES ('x', 'image', x'00', x'00')",
    ],
)
def test_rebuilding_mends_the_uses_of_records(store, damage):
    connection_of(store).execute(damage)
    assert store.check() != []
    store.rebuild()
    assert store.check() == []
    assert [record.blobs for record in store.records(RecordKind.FACT)] == [BLOBS, BLOBS]


def test_a_damaged_use_of_an_original_is_never_read(store):
    use = "UPDATE blob_use SET blob = (SELECT id FROM blob WHERE kind = 'system')"
    connection_of(store).execute(f"{use} WHERE user_kind = 'message'")
    with pytest.raises(StoreDamagedError):
        store.originals(m.id for x in store.scan() for m in x.messages)
    assert store.check() != []


def test_no_byte_of_a_blob_is_left_when_its_last_use_is_forgotten(store):
    store.erase(exchange.id for exchange in store.scan())
    assert store.blobs(blob.digest for blob in BLOBS) == {}
    for path in store.path.parent.rglob("*"):
        data = path.read_bytes() if path.is_file() else b""
        assert not any(blob.data in data for blob in BLOBS)
        assert ORIGINAL not in data
