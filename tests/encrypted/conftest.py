"""An SQLite that encrypts, in place of the one that does not: see the Makefile.

Both are the module `apsw`, so one process has one of them. Without it nothing here is collected.
"""

from tests.faults.test_interplay import run as run_at  # noqa: F401 - a fixture
from tests.unit.cli.conftest import run  # noqa: F401 - a fixture
from tests.unit.cli.test_cli_encrypt import home  # noqa: F401 - a fixture

from unabridged.stores.sqlite.connection import can_encrypt

collect_ignore_glob = [] if can_encrypt() else ["test_*.py"]
