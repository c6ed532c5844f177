"""The encrypted SQLite store: the same suite, and nothing readable on the disk."""

import contextlib
import threading

import apsw
import pytest
from tests.helpers.indexed import open_indexed

from unabridged.domain.scope import SpaceId
from unabridged.embeddings.static import StaticEmbedder
from unabridged.errors import (
    StoreBusyError,
    StoreKeyError,
)
from unabridged.index import merge_policy
from unabridged.stores.sqlite.connection import ConnectionOptions, is_encrypted
from unabridged.stores.sqlite.convert import convert
from unabridged.testing.log_writer import LogWriter
from unabridged.testing.stores import StoreContract
from unabridged.testing.stores_lookup import index_of

SPACE = SpaceId("ada", "tests")
KEY = bytes(range(32))
SECRET = "Zanzibarholzwurm"


def opened(path, key=KEY, **more):
    return open_indexed(
        path, SPACE, access=ConnectionOptions(key=key), embedder=StaticEmbedder(), **more
    )


class TestEncryptedSqliteStore(StoreContract):
    @pytest.fixture
    def stores(self):
        stores = []
        yield stores
        for store in stores:
            store.close()

    @pytest.fixture
    def store(self, tmp_path, stores, monkeypatch):
        monkeypatch.setattr(merge_policy, "SEALED_EXCHANGES", 2)
        stores.append(opened(tmp_path / "space.db"))
        self.stores = stores
        return stores[-1]

    def reopen(self, store):
        store.close()
        self.stores.append(opened(store.path, create=False))
        return self.stores[-1]


def test_nothing_that_was_said_can_be_read_on_the_disk(tmp_path, monkeypatch):
    monkeypatch.setattr(merge_policy, "SEALED_EXCHANGES", 5)
    store = opened(tmp_path / "space.db")
    talk = LogWriter(store, "s1")
    for number in range(40):
        talk.say(f"{SECRET} number {number}", f"I heard {SECRET} {number}.")
    index_of(store).follow()
    assert list((tmp_path / "space.db-index").iterdir()), "the index has files of its own"
    for _ in range(2):  # with its log beside it, and without
        files = [path for path in tmp_path.rglob("*") if path.is_file()]
        data = b"".join(path.read_bytes() for path in files).lower()
        assert SECRET.lower().encode() not in data
        assert b"create table" not in data
        store.close()
    assert is_encrypted(tmp_path / "space.db")
    again = opened(tmp_path / "space.db", create=False)
    assert again.check() == []
    assert len(again.scan()) == 40
    again.close()


@pytest.mark.parametrize(
    ("key", "said"), [(b"", "no key is set"), (KEY[::-1], "does not open with this key")]
)
def test_without_the_right_key_it_says_so_and_touches_nothing(tmp_path, key, said):
    store = opened(tmp_path / "space.db")
    LogWriter(store, "s1").say("one", "two")
    store.close()
    before = (tmp_path / "space.db").read_bytes()
    with pytest.raises(StoreKeyError, match=said) as caught:
        opened(tmp_path / "space.db", key)
    assert "UNABRIDGED_KEY" in caught.value.hint
    assert (tmp_path / "space.db").read_bytes() == before


def test_an_unencrypted_file_stays_as_it_is_when_a_key_is_named(tmp_path):
    store = opened(tmp_path / "space.db", b"")
    LogWriter(store, "s1").say("one", "two")
    store.close()
    again = opened(tmp_path / "space.db")
    assert len(again.scan()) == 1
    again.close()
    assert not is_encrypted(tmp_path / "space.db")


def test_forgetting_leaves_nothing_under_the_encryption_either(tmp_path):
    store = opened(tmp_path / "space.db")
    talk = LogWriter(store, "s1")
    said = [talk.say(f"{SECRET} {n}" * 40, f"{SECRET} {n}" * 90) for n in range(30)]
    store.erase(exchange.id for exchange in said)
    store.close()
    plain = apsw.Connection(str(tmp_path / "space.db"))
    plain.pragma("cipher", "chacha20")
    plain.pragma("key", f"raw:{KEY.hex()}")
    plain.pragma("journal_mode", "delete")
    plain.pragma("rekey", "")
    plain.close()
    data = (tmp_path / "space.db").read_bytes()
    assert data.startswith(b"SQLite format 3")
    assert SECRET.encode() not in data


def test_a_file_is_encrypted_and_made_readable_again(tmp_path, monkeypatch):
    monkeypatch.setattr(merge_policy, "SEALED_EXCHANGES", 5)
    path = tmp_path / "space.db"
    store = opened(path, b"")
    talk = LogWriter(store, "s1")
    said = [talk.say(f"{SECRET} {n}", "Yes.") for n in range(20)]
    store.close()
    access = ConnectionOptions(key=KEY)
    for encrypted in (True, False, True):
        assert convert(path, access, encrypted=encrypted)
        assert not convert(path, access, encrypted=encrypted)
        assert is_encrypted(path) == encrypted
        again = opened(path, create=False)
        assert again.scan() == said
        again.rebuild()
        assert again.check() == []
        again.close()
        data = b"".join(p.read_bytes() for p in tmp_path.rglob("*") if p.is_file())
        assert (SECRET.encode() in data) != encrypted
    assert not list(tmp_path.glob("*.recoded*"))


def test_a_file_that_others_have_open_is_not_converted(tmp_path):
    path = tmp_path / "space.db"
    store = opened(path, b"")
    LogWriter(store, "s1").say("one", "two")
    with pytest.raises(StoreBusyError):
        convert(path, ConnectionOptions(busy_timeout=0.1, key=KEY), encrypted=True)
    assert len(store.scan()) == 1
    store.close()
    assert not is_encrypted(path)


def test_a_program_that_waits_while_a_file_is_converted_writes_nothing_into_the_old_one(tmp_path):
    path = tmp_path / "space.db"
    store = opened(path, b"")
    LogWriter(store, "s1").say("one", "two")
    store.close()
    seen = []

    def late(session):
        try:
            other = opened(path, create=False)
        except StoreBusyError:
            return
        LogWriter(other, session).say("three", "four")
        seen.append(session)
        other.close()

    threads = [threading.Thread(target=late, args=(f"late{n}",)) for n in range(6)]
    for thread in threads:
        thread.start()
    with contextlib.suppress(StoreBusyError):
        convert(path, ConnectionOptions(busy_timeout=5, key=KEY), encrypted=True)
    for thread in threads:
        thread.join()
    again = opened(path, create=False)
    assert {exchange.session for exchange in again.scan()} == {"s1", *seen}
    again.close()
