"""The guards of `conftest.py` hold: a guard that lets everything through is worse than none."""

import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from unabridged import config


def test_the_home_is_nobodys(tmp_path_factory):
    base = tmp_path_factory.getbasetemp()
    assert Path.home().is_relative_to(base)
    assert config.home_of().is_relative_to(base)
    assert not config.home_of().exists()
    ran = subprocess.run(
        [sys.executable, "-c", "from unabridged import config; print(config.home_of())"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert Path(ran.stdout.strip()).is_relative_to(base)


def test_nobodys_settings_are_read():
    assert set(config.read().sources.values()) == {"default", "$UNABRIDGED_HOME"}
    assert "OPENAI_API_KEY" not in os.environ


@pytest.mark.parametrize("address", [("192.0.2.1", 80), ("example.org", 80), ("2001:db8::1", 80)])
def test_no_other_machine_is_reached(address):
    with pytest.raises(AssertionError, match="this machine only"):
        socket.create_connection(address, timeout=1)
    with socket.socket() as plain, pytest.raises(AssertionError, match="this machine only"):
        plain.connect_ex(address)


def test_this_machine_is():
    with socket.create_server(("127.0.0.1", 0)) as server:
        socket.create_connection(server.getsockname(), timeout=5).close()
