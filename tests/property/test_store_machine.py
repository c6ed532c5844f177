import shutil
import tempfile
from pathlib import Path

from hypothesis import HealthCheck, settings
from tests.helpers.examples import examples

from unabridged.domain.scope import SpaceId
from unabridged.home.followed_spaces import FollowedSpaces, JsonFolder
from unabridged.home.spaces import SpacesFolder
from unabridged.stores.in_memory import InMemoryStore
from unabridged.stores.sqlite import SqliteStore
from unabridged.testing.stateful import StoreMachine

SPACE = SpaceId("ada", "machine")
LESS = settings(
    max_examples=examples(40),
    stateful_step_count=25,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
)


class InMemoryMachine(StoreMachine):
    def make(self):
        return InMemoryStore(SPACE)


class SqliteMachine(StoreMachine):
    def make(self):
        self.folder = Path(tempfile.mkdtemp())
        return SqliteStore(self.folder / "space.db", SPACE)

    def reopen(self, store):
        store.close()
        return SqliteStore(store.path, SPACE, create=False)

    def teardown(self):
        super().teardown()
        if hasattr(self, "folder"):
            shutil.rmtree(self.folder)


class FollowedMachine(StoreMachine):
    """With readable files, which are always those that the log renders."""

    layout = "model"
    compression = False

    def make(self):
        self.folder = Path(tempfile.mkdtemp())
        return self.open()

    def open(self):
        folder = JsonFolder(self.folder / "json", self.layout, compression=self.compression)
        return FollowedSpaces(SpacesFolder(self.folder / "spaces"), folder).open(SPACE)

    def reopen(self, store):
        assert (store.troubles, store.notes) == ([], [])
        before = self.files()
        store.close()
        shutil.rmtree(self.folder / "json", ignore_errors=True)
        again = self.open()
        assert self.files() == before
        return again

    def files(self):
        paths = sorted((self.folder / "json").rglob("[!.]*"))
        return {path.name: path.read_bytes() for path in paths if path.is_file()}

    def teardown(self):
        super().teardown()
        if hasattr(self, "folder"):
            shutil.rmtree(self.folder)


class FollowedByAgentMachine(FollowedMachine):
    layout = "agent"


class FollowedByUserMachine(FollowedMachine):
    layout = "user"
    compression = True


TestInMemory = InMemoryMachine.TestCase
TestInMemory.settings = LESS
TestSqlite = SqliteMachine.TestCase
TestSqlite.settings = LESS
TestFollowed = FollowedMachine.TestCase
TestFollowed.settings = LESS
TestFollowedByAgent = FollowedByAgentMachine.TestCase
TestFollowedByAgent.settings = LESS
TestFollowedByUser = FollowedByUserMachine.TestCase
TestFollowedByUser.settings = LESS
