"""Without the extra `server`, the command says which one is missing."""

import subprocess
import sys

import pytest


@pytest.mark.parametrize("package", ["starlette", "uvicorn", "httptools", "prometheus_client"])
def test_a_missing_package_names_the_extra(package, tmp_path):
    program = (
        f"import sys; sys.modules[{package!r}] = None\nfrom unabridged.cli.main import main; main()"
    )
    words = [sys.executable, "-c", program, "--home", str(tmp_path), "serve", "--port", "0"]
    done = subprocess.run(words, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode != 0
    assert package in done.stderr
    assert "[server]'" in done.stderr
    assert "fault of the program" not in done.stderr
