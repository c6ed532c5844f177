"""Guards for every test: nothing reaches the person's own home, environment or network."""

import ipaddress
import os
import socket
from pathlib import Path

import pytest
from tests.helpers.keyless import KEYLESS

from unabridged.errors import UnabridgedError

NO_AUTHORITY = Path(__file__).parent / "fixtures/no_authority.pem"


@pytest.fixture(autouse=True)
def _own_home(tmp_path_factory, monkeypatch):
    """Let each test have an empty home, and no settings of the person who runs it."""
    home = tmp_path_factory.mktemp("home")
    for name in list(os.environ):
        if name.startswith(("UNABRIDGED_", "XDG_", "OLLAMA_", "OPENAI_")):
            monkeypatch.delenv(name)
    for name, value in KEYLESS.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("USERPROFILE", str(home))
    monkeypatch.setenv("UNABRIDGED_HOME", str(home / "unabridged"))


class OutsideError(AssertionError):
    """A test tried to reach another machine."""


def _refuse_outside(address):
    host = address[0] if isinstance(address, tuple) else "localhost"  # a Unix socket is a file
    try:
        inside = host in {"", "localhost"} or ipaddress.ip_address(host).is_loopback
    except ValueError:
        inside = False
    if not inside:
        raise OutsideError(f"a test may reach this machine only, not {host!r}")


@pytest.fixture(autouse=True, scope="session")
def _keyless():
    """Let servers that several tests share be asked without a key."""
    with pytest.MonkeyPatch.context() as patch:
        for name, value in KEYLESS.items():
            patch.setenv(name, value)
        yield


@pytest.fixture(autouse=True, scope="session")
def _no_network():
    """Refuse every connection that leaves this machine, and every name that must be looked up."""
    real_connect, real_connect_ex = socket.socket.connect, socket.socket.connect_ex
    real_lookup = socket.getaddrinfo

    def connect(self, address):
        _refuse_outside(address)
        return real_connect(self, address)

    def connect_ex(self, address):
        _refuse_outside(address)
        return real_connect_ex(self, address)

    def lookup(host, *args, **kwargs):
        name = host.decode() if isinstance(host, bytes) else host
        _refuse_outside((name or "",))
        return real_lookup(host, *args, **kwargs)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(socket.socket, "connect", connect)
        patch.setattr(socket.socket, "connect_ex", connect_ex)
        patch.setattr(socket, "getaddrinfo", lookup)
        # No test needs an authority; reading the machine's takes each HTTP client 18 ms.
        patch.setenv("SSL_CERT_FILE", str(NO_AUTHORITY))
        yield


@pytest.fixture(scope="session")
def smollm2(request):
    """The small model's file, fetched once into pytest's own cache folder."""
    from unabridged.models import gguf
    from unabridged.models.smollm2 import fetch

    if not gguf.installed():
        pytest.skip("xllamacpp is not installed")
    try:
        return fetch(request.config.cache.mkdir("unabridged"))
    except UnabridgedError as error:
        pytest.skip(f"the small model cannot be fetched: {error}")


@pytest.fixture(scope="session")
def fetched_embedder(request):
    """Give a function that fetches a transformer's folder, once into pytest's own cache folder."""
    from unabridged.embeddings.hub import fetch
    from unabridged.embeddings.onnx_session import need

    def get(name):
        try:
            need()
            return fetch(name, request.config.cache.mkdir("unabridged"))
        except UnabridgedError as error:
            pytest.skip(f"the embedder {name} cannot be had: {error} {error.hint}")
        except OutsideError as error:
            pytest.skip(f"the embedder {name} is not in pytest's cache folder: {error}")

    return get
