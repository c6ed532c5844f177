"""The service: what every handler shares, made once when the server starts."""

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
from unabridged.server.background import Background
from unabridged.server.log import RequestLog
from unabridged.server.metrics import Metrics
from unabridged.server.observability import Watch
from unabridged.server.trace_spans import Tracing
from unabridged.space.space import Space

THREADS = 32
"""Threads that ask memories."""
LAST_SECONDS = 10.0
"""For which the end waits for requests that were broken off, and are storing what came."""

Result = TypeVar("Result")


class Service:
    """What handlers share.

    Its upstreams may wait for the network: they are asked in threads only (``think``).

    Args:
        settings: Every choice.
        pool: The open spaces; closed with the service.
        tracing: Where spans go, closed with the service; None for nowhere.
    """

    def __init__(self, settings: Settings, pool: SpacePool, tracing: Tracing | None = None) -> None:
        self.settings = settings
        self.pool = pool
        self.clock = pool.clock
        self.upstreams = Upstreams(settings, pool.clock)
        self.tracing = tracing or Tracing()
        self.metrics = Metrics(self.tracing)
        self.log = RequestLog(self.clock, settings.log)
        self.watch = Watch(self.metrics, self.log, self.tracing)
        self.background = Background(self.run, self.watch)
        self.metrics.watch(
            queue=lambda: len(self.background), spaces=lambda: len(pool.open_spaces())
        )
        self._relays: dict[Address, UpstreamRelay] = {}
        self._threads = ThreadPoolExecutor(THREADS, thread_name_prefix="memory")
        self._thoughts = ThreadPoolExecutor(THREADS, thread_name_prefix="upstream")

    async def run(
        self, scope: Scope, work: Callable[[Space], Result], *, create: bool = True
    ) -> Result:
        """Do something with the memory of a scope, in a thread.

        The work goes on to its end where the caller is cancelled: what is half done stays nowhere.

        Args:
            scope: Whose memory.
            work: Takes the space; may block.
            create: Whether a space that is not there is begun; see ``SpacePool.use``.
        """

        def held() -> Result:
            with self.pool.use(scope, create=create) as space:
                return work(space)

        spans = copy_context()  # what is traced in the thread belongs to this request
        return await asyncio.get_running_loop().run_in_executor(self._threads, spans.run, held)

    async def think(self, work: Callable[[], Result]) -> Result:
        """Do something that waits for the upstream or for the machine, in a thread."""
        return await asyncio.get_running_loop().run_in_executor(self._thoughts, work)

    async def relay(self) -> UpstreamRelay | None:
        """Give the way to the upstream; None for one inside this process.

        Raises:
            SettingError: The settings name an upstream that cannot be used.
            UpstreamError: The one that they name does not answer.
        """
        address = await self.think(lambda: self.upstreams.address)
        if address is None:
            return None
        if address not in self._relays:
            name = "Ollama" if address.dialect == "ollama" else "The model server"
            self._relays[address] = UpstreamRelay(address, name=name, hint=_AWAY[address.dialect])
        return self._relays[address]

    async def end(self) -> None:
        """End what goes on: wait for requests that are being answered, then ``close``.

        The web server has let them finish by then, or has broken them off: what they still store
        (an answer as incomplete, say) is waited for.
        """
        await self.watch.idle(LAST_SECONDS)
        await self.background.stop()
        relays, self._relays = list(self._relays.values()), {}
        for relay in relays:
            await relay.close()
        await asyncio.to_thread(self.close)

    def close(self) -> None:
        """Wait for what is being done, and close every space."""
        self._threads.shutdown(wait=True)
        self._thoughts.shutdown(wait=True)
        self.upstreams.close()
        self.pool.close()
        self.tracing.close()


_AWAY = {
    "ollama": "Start it with `ollama serve`, or set ollama_url to where it listens.",
    "openai": "Check openai_url, and that the server runs.",
}
"""What to do when nobody answers, by dialect."""


def service_of(connection: HTTPConnection) -> Service:
    """Give the service of a request."""
    service: Service = connection.app.state.service
    return service


def grant_of(connection: HTTPConnection) -> Grant:
    """Give what a request may do; the guard has looked at it before any handler sees it."""
    grant: Grant = connection.scope["state"]["grant"]
    return grant
