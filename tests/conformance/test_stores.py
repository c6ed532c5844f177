import pytest

from unabridged.domain.scope import Space
from unabridged.embeddings.static import StaticEmbedder
from unabridged.index import centres, upkeep
from unabridged.stores.files import FilesStore
from unabridged.stores.files.names import place_of
from unabridged.stores.inmemory import InMemoryStore
from unabridged.stores.sqlite import SqliteStore
from unabridged.testing.indexed import open_indexed
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


class TestSqliteStoreInSegments(TestSqliteStore):
    """The same, with an index in many small segments, and vectors beside the words."""

    @pytest.fixture
    def store(self, tmp_path, opened, monkeypatch):
        monkeypatch.setattr(upkeep, "SEALED_EXCHANGES", 2)
        monkeypatch.setattr(upkeep, "FANOUT", 3)
        monkeypatch.setattr(centres, "wanted", lambda passages: 3 if passages > 5 else 0)
        opened.append(open_indexed(tmp_path / "space.db", SPACE, embedder=StaticEmbedder()))
        self.opened = opened
        return opened[-1]

    def reopen(self, store):
        store.close()
        self.opened.append(open_indexed(store.path, SPACE, create=False, embedder=StaticEmbedder()))
        return self.opened[-1]


class FilesContract(StoreContract):
    layout = "model"
    compression = False

    @pytest.fixture
    def opened(self):
        stores = []
        yield stores
        for store in stores:
            store.close()

    @pytest.fixture
    def store(self, tmp_path, opened):
        self.opened = opened
        self.place = place_of(tmp_path / "home", SPACE, self.layout)
        return self.open()

    def open(self):
        store = FilesStore(
            self.place, SPACE, layout=self.layout, compression=self.compression, create=True
        )
        self.opened.append(store)
        return store

    def reopen(self, store):
        store.close()
        return self.open()  # begun anew where nobody wrote: then its file is gone


class TestFilesByModel(FilesContract):
    pass


class TestFilesByModelPacked(FilesContract):
    compression = True


class TestFilesByAgent(FilesContract):
    layout = "agent"


class TestFilesByUser(FilesContract):
    layout = "user"
