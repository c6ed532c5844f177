import shutil
import tempfile
from pathlib import Path

from hypothesis import HealthCheck, settings
from unabridged.stores.files import FilesStore
from unabridged.stores.files.names import place_of

from unabridged.domain.scope import Space
from unabridged.stores.inmemory import InMemoryStore
from unabridged.stores.sqlite import SqliteStore
from unabridged.testing.stateful import StoreMachine

SPACE = Space("ada", "machine")
LESS = settings(
    max_examples=40,
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


class FilesMachine(StoreMachine):
    layout = "model"
    compression = False

    def make(self):
        self.folder = Path(tempfile.mkdtemp())
        self.place = place_of(self.folder / "home", SPACE, self.layout)
        return self.open()

    def open(self):
        return FilesStore(
            self.place, SPACE, layout=self.layout, compression=self.compression, create=True
        )

    def reopen(self, store):
        store.close()
        return self.open()  # one in which nobody wrote is gone when it is closed

    def teardown(self):
        super().teardown()
        if hasattr(self, "folder"):
            shutil.rmtree(self.folder)


class FilesByAgentMachine(FilesMachine):
    layout = "agent"


class FilesByUserMachine(FilesMachine):
    layout = "user"
    compression = True


TestInMemory = InMemoryMachine.TestCase
TestInMemory.settings = LESS
TestSqlite = SqliteMachine.TestCase
TestSqlite.settings = LESS
TestFiles = FilesMachine.TestCase
TestFiles.settings = LESS
TestFilesByAgent = FilesByAgentMachine.TestCase
TestFilesByAgent.settings = LESS
TestFilesByUser = FilesByUserMachine.TestCase
TestFilesByUser.settings = LESS
