"""The embedded model: `make test` runs this folder in a process of its own, one test at a time."""

from tests.clients.conftest import behind, serving, start  # noqa: F401 - fixtures
from tests.journeys.conftest import house  # noqa: F401 - a fixture
from tests.journeys.test_workspace import server  # noqa: F401 - a fixture
