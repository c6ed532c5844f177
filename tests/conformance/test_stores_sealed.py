"""The contract of stores once more, under a key and with an anchor: nothing honest is ever doubted."""

import pytest

from unabridged.domain.encryption_key import EncryptionKey
from unabridged.domain.hash_chain import MacKey
from unabridged.domain.scope import SpaceId
from unabridged.stores.checkpoint_file import CheckpointFile
from unabridged.stores.integrity_policy import IntegrityPolicy
from unabridged.stores.sqlite import SqliteStore
from unabridged.stores.sqlite.connection import ConnectionOptions
from unabridged.testing.stores import StoreContract

SPACE = SpaceId("ada", "tests")
KEY = EncryptionKey(bytes(range(32)))


class _Sealed(StoreContract):
    @pytest.fixture
    def store(self, tmp_path):
        self.folder = tmp_path
        mac_key = MacKey(KEY.for_("chain"), KEY.mark)
        self.guard = IntegrityPolicy(mac_key, CheckpointFile(tmp_path / "anchor", mac_key))
        self.stores = []
        yield self.open(create=True)
        for store in self.stores:
            store.close()

    def reopen(self, store):
        store.close()
        return self.open(create=False)

    def open(self, *, create):
        self.stores.append(self.make(create=create))
        return self.stores[-1]


class TestSealedSqliteStore(_Sealed):
    def make(self, *, create):
        path = self.folder / "space.db"
        return SqliteStore(path, SPACE, create=create, access=ConnectionOptions(guard=self.guard))
