"""The service: shared by all handlers, made once when the server starts."""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from typing import TypeVar

from starlette.requests import HTTPConnection

from unabridged.domain.chat import Address
from unabridged.domain.permissions import Grant
from unabridged.domain.scope import Scope
from unabridged.domain.settings import Settings
from unabridged.factory.space_pool import SpacePool
from unabridged.factory.upstreams import Upstreams
from unabridged.net.relay import UpstreamRelay
from unabridged.server.auxiliary_requests import rules_of
from unabridged.server.background import Background
from unabridged.server.backup_schedule import BackupSchedule
from unabridged.server.log import RequestLog
from unabridged.server.metrics import Metrics
from unabridged.server.observability import Watch
from unabridged.server.trace_spans import Tracing
from unabridged.space.space import Space

THREADS = 32
"""Threads that work with memories."""
LAST_SECONDS = 10.0
"""Seconds that shutdown waits for broken-off requests to store what arrived."""

Result = TypeVar("Result")


class Service:
    """The shared state of handlers.

    Calls of its upstreams may wait for the network: make them in threads only (``think``).

    Args:
        settings: All settings.
        pool: The open spaces; closed with the service.
        tracing: The destination of spans, closed with the service; None for none.
    """

    def __init__(self, settings: Settings, pool: SpacePool, tracing: Tracing | None = None) -> None:
        self.settings = settings
        self.pool = pool
        self.clock = pool.clock
        self.upstreams = Upstreams(settings, pool.clock)
        self.side_rules = rules_of(settings.home)
        self.tracing = tracing or Tracing()
        self.metrics = Metrics(self.tracing)
        self.log = RequestLog(self.clock, settings.log)
        self.watch = Watch(self.metrics, self.log, self.tracing)
        self.background = Background(self.run, self.watch)
        self.backups = BackupSchedule(settings, pool.clock, self.log)
        self.metrics.watch(
            queue=lambda: len(self.background), spaces=lambda: len(pool.open_spaces())
        )
        self._relays: dict[Address, UpstreamRelay] = {}
        self._threads = ThreadPoolExecutor(THREADS, thread_name_prefix="memory")
        self._thoughts = ThreadPoolExecutor(THREADS, thread_name_prefix="upstream")

    async def run(
        self, scope: Scope, work: Callable[[Space], Result], *, create: bool = True
    ) -> Result:
        """Run a function on the memory of a scope, in a thread.

        If the caller is cancelled the work still runs to its end, so that nothing stays half done.

        Args:
            scope: The scope.
            work: Takes the space; may block.
            create: Whether to create a missing space; see ``SpacePool.use``.
        """

        def held() -> Result:
            with self.pool.use(scope, create=create) as space:
                return work(space)

        spans = copy_context()  # spans of the thread belong to this request
        return await asyncio.get_running_loop().run_in_executor(self._threads, spans.run, held)

    async def think(self, work: Callable[[], Result]) -> Result:
        """Run a function that may block, in a thread."""
        return await asyncio.get_running_loop().run_in_executor(self._thoughts, work)

    async def relay(self) -> UpstreamRelay | None:
        """Return the connection to the upstream; None for one inside this process.

        Raises:
            SettingError: The configured upstream cannot be used.
            UpstreamError: The configured upstream does not answer.
        """
        address = await self.think(lambda: self.upstreams.address)
        return self.relay_to(address) if address is not None else None

    def relay_to(self, address: Address) -> UpstreamRelay:
        """Return the connection to an address of the upstream."""
        if address not in self._relays:
            name = "Ollama" if address.dialect == "ollama" else "The model server"
            self._relays[address] = UpstreamRelay(address, name=name, hint=_AWAY[address.dialect])
        return self._relays[address]

    async def end(self) -> None:
        """Wait for requests that are being answered, then ``close``.

        The web server has finished them or broken them off by then; this waits until they have
        stored their answers.
        """
        await self.watch.idle(LAST_SECONDS)
        await self.background.stop()
        await self.backups.stop()
        relays, self._relays = list(self._relays.values()), {}
        for relay in relays:
            await relay.close()
        await asyncio.to_thread(self.close)

    def close(self) -> None:
        """Wait for running work, and close every space."""
        self._threads.shutdown(wait=True)
        self._thoughts.shutdown(wait=True)
        self.upstreams.close()
        self.pool.close()
        self.tracing.close()


_AWAY = {
    "anthropic": "Check anthropic_url, and that the server runs.",
    "ollama": "Start it with `ollama serve`, or set ollama_url to its address.",
    "openai": "Check openai_url, and that the server runs.",
}
"""Hints for an upstream that does not answer, by dialect."""


def service_of(connection: HTTPConnection) -> Service:
    """Return the service of a request."""
    service: Service = connection.app.state.service
    return service


def grant_of(connection: HTTPConnection) -> Grant:
    """Return the grant of a request, which the guard has checked."""
    grant: Grant = connection.scope["state"]["grant"]
    return grant
