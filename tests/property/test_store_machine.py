import shutil
import tempfile
from pathlib import Path

from hypothesis import HealthCheck, settings

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


TestInMemory = InMemoryMachine.TestCase
TestInMemory.settings = LESS
TestSqlite = SqliteMachine.TestCase
TestSqlite.settings = LESS
