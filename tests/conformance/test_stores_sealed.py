"""The contract of stores once more, under a key and with an anchor: nothing honest is ever doubted."""

import pytest

from unabridged.domain.chain import Signet
from unabridged.domain.key import Key
from unabridged.domain.scope import Space
from unabridged.stores.anchor import Anchor
from unabridged.stores.guard import Guard
from unabridged.stores.sqlite import SqliteStore
from unabridged.stores.sqlite.connecting import Access
from unabridged.testing.stores import StoreContract

SPACE = Space("ada", "tests")
KEY = Key(bytes(range(32)))


class _Sealed(StoreContract):
    @pytest.fixture
    def store(self, tmp_path):
        self.folder = tmp_path
        signet = Signet(KEY.for_("chain"), KEY.mark)
        self.guard = Guard(signet, Anchor(tmp_path / "anchor", signet))
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
        return SqliteStore(path, SPACE, create=create, access=Access(guard=self.guard))
