"""The server, as it runs: the application on a free port of this machine."""

import pytest
from tests.helpers.keyless import KEYLESS
from tests.helpers.web_server import WebServer

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


class _Running(WebServer):
    """The application with its service."""

    def __init__(self, agents, settings, clock, more, tracing):
        self.service = Service(settings, SpacePool(settings, clock, agents=agents), tracing)
        self.app = create_app(self.service, more)
        super().__init__(self.app)


def running(*, clock=None, more=(), tracing=None, **settings):
    """Start a server outside a test: ``served`` is its address, ``stop`` ends it."""
    found = config.load(environ=KEYLESS, **settings)
    agents = by_agent(environ=KEYLESS, **settings)
    one = _Running(agents, found, clock or SystemClock(), more, tracing)
    one.start()
    one.served = Served(one.url)
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
