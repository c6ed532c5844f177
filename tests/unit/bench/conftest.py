import pytest
from click.testing import CliRunner
from tests.unit.cli.conftest import Ran
from tests.unit.transfer.conftest import Read

from bench.main import bench


@pytest.fixture
def run(tmp_path, monkeypatch):
    """Runs a benchmark's command line, with a home of its own."""
    monkeypatch.setenv("UNABRIDGED_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("COLUMNS", "80")

    def call(*words):
        result = CliRunner().invoke(bench, list(words))
        return Ran(result.exit_code, result.stdout, result.stderr)

    return call


@pytest.fixture
def read():
    return Read
