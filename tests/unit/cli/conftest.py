import json
from dataclasses import dataclass

import pytest
from click.testing import CliRunner

from unabridged.cli.main import cli


@dataclass
class Ran:
    code: int
    out: str
    err: str

    @property
    def data(self):
        return json.loads(self.out)


@pytest.fixture
def run(tmp_path, monkeypatch):
    """Runs a command line in a home of its own; `quote` answers unless another is named."""
    monkeypatch.setenv("UNABRIDGED_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("UNABRIDGED_UPSTREAM", "quote")
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.delenv("OLLAMA_HOST", raising=False)

    def call(*words, text=None):
        result = CliRunner().invoke(cli, list(words), input=text)
        return Ran(result.exit_code, result.stdout, result.stderr)

    return call
