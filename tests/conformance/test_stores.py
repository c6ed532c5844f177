import pytest

from unabridged.domain.scope import Space
from unabridged.stores.inmemory import InMemoryStore
from unabridged.stores.sqlite import SqliteStore
from unabridged.testing.stores import StoreContract

SPACE = Space("ada", "tests")


class TestInMemoryStore(StoreContract):
    @pytest.fixture
    def store(self):
        return InMemoryStore(SPACE)


class TestSqliteStore(StoreContract):
    @pytest.fixture
    def opened(self):
        stores = []
        yield stores
        for store in stores:
            store.close()

    @pytest.fixture
    def store(self, tmp_path, opened):
        opened.append(SqliteStore(tmp_path / "space.db", SPACE))
        self.opened = opened
        return opened[-1]

    def reopen(self, store):
        store.close()
        self.opened.append(SqliteStore(store.path, SPACE, create=False))
        return self.opened[-1]
