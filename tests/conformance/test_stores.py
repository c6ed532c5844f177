import pytest
from tests.helpers.indexed import open_indexed

from unabridged.domain.scope import SpaceId
from unabridged.embeddings.static import StaticEmbedder
from unabridged.home.followed_spaces import FollowedSpaces, JsonFolder
from unabridged.home.spaces import SpacesFolder
from unabridged.index import clusters, merge_policy
from unabridged.stores.in_memory import InMemoryStore
from unabridged.stores.sqlite import SqliteStore
from unabridged.testing.stores import StoreContract

SPACE = SpaceId("ada", "tests")


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
        monkeypatch.setattr(merge_policy, "SEALED_EXCHANGES", 2)
        monkeypatch.setattr(merge_policy, "FANOUT", 3)
        monkeypatch.setattr(clusters, "wanted", lambda passages: 3 if passages > 5 else 0)
        opened.append(open_indexed(tmp_path / "space.db", SPACE, embedder=StaticEmbedder()))
        self.opened = opened
        return opened[-1]

    def reopen(self, store):
        store.close()
        self.opened.append(open_indexed(store.path, SPACE, create=False, embedder=StaticEmbedder()))
        return self.opened[-1]


class FollowedContract(StoreContract):
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
        self.opened, self.home = opened, tmp_path
        return self.open()

    def open(self):
        folder = JsonFolder(self.home / "json", self.layout, compression=self.compression)
        spaces = FollowedSpaces(SpacesFolder(self.home / "spaces"), folder)
        self.opened.append(spaces.open(SPACE))
        return self.opened[-1]

    def reopen(self, store):
        assert store.troubles == []
        store.close()
        return self.open()


class TestFollowedByModel(FollowedContract):
    pass


class TestFollowedByModelPacked(FollowedContract):
    compression = True


class TestFollowedByAgent(FollowedContract):
    layout = "agent"


class TestFollowedByUser(FollowedContract):
    layout = "user"
