"""The server, as it runs: the application on a free port of this machine."""

import faulthandler
import socket
import sys
import threading

import pytest
import uvicorn

from unabridged import config
from unabridged.clock import SystemClock
from unabridged.config.agent_settings import by_agent
from unabridged.factory.space_pool import SpacePool
from unabridged.home.api_keys import ApiKeys
from unabridged.server.app import create_app
from unabridged.server.state import Service


class Served(str):
    """The base address of a running server, without a slash at its end.

    ``app`` is the application, ``service`` what its handlers share, ``settings`` what it runs on.
    """

    __slots__ = ("app", "service", "settings")

    @property
    def v1(self):
        """The address that OpenAI's clients take."""
        return f"{self}/v1"

    @property
    def port(self):
        return int(self.rpartition(":")[2])

    @property
    def bearer(self):
        """The header that opens memory on this machine while there is no key: the token."""
        return bearer(ApiKeys(self.settings.home).token())


def bearer(secret):
    """The header that shows a key, or the token."""
    return {"Authorization": f"Bearer {secret}"}


class _Running:
    """One server in a thread of its own, closed as a signal would close it."""

    def __init__(self, agents, settings, clock, more, tracing):
        self.service = Service(settings, SpacePool(settings, clock, agents=agents), tracing)
        self.app = create_app(self.service, more)
        self.socket = socket.socket()
        self.socket.bind(("127.0.0.1", 0))
        made = uvicorn.Config(self.app, log_config=None, lifespan="on", ws="none", access_log=False)
        made.timeout_graceful_shutdown = 5
        self.server = uvicorn.Server(made)
        self.up = threading.Event()
        self.thread = threading.Thread(target=self._run, name="served")

    def _run(self):
        try:
            self.server.run(sockets=[self.socket])
        finally:
            self.up.set()

    def start(self):
        real = self.server.startup

        async def startup(sockets=None):
            await real(sockets)
            self.up.set()

        self.server.startup = startup
        self.thread.start()
        assert self.up.wait(30), "the server did not start in 30 s"
        assert self.server.started, "the server ended while it started"

    def stop(self):
        self.server.should_exit = True
        self.thread.join(30)
        if self.thread.is_alive():
            faulthandler.dump_traceback(sys.__stderr__)  # who holds it up
        self.socket.close()
        assert not self.thread.is_alive(), "the server did not end in 30 s"


def running(*, clock=None, more=(), tracing=None, **settings):
    """Start a server outside a test: ``served`` is its address, ``stop`` ends it."""
    found = config.load(environ={}, **settings)
    agents = by_agent(environ={}, **settings)
    one = _Running(agents, found, clock or SystemClock(), more, tracing)
    one.start()
    one.served = Served(f"http://127.0.0.1:{one.socket.getsockname()[1]}")
    one.served.app, one.served.service, one.served.settings = one.app, one.service, found
    return one


@pytest.fixture
def serving(tmp_path):
    """Give a function that starts a server and gives its address; all end with the test.

    ``serving(upstream="ollama", ollama_url=server.url)`` takes any setting, ``home`` too (default:
    a folder of the test, the same for all servers of it), ``clock=``, ``more=`` (more routes) and
    ``tracing=``.
    """
    started = []

    def start(**chosen):
        started.append(running(**{"home": tmp_path / "home", **chosen}))
        return started[-1].served

    yield start
    for one in reversed(started):
        one.stop()
