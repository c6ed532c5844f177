"""The service: what every handler shares, made once when the server starts."""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from starlette.requests import HTTPConnection

from unabridged.domain.access import Grant
from unabridged.domain.scope import Scope
from unabridged.domain.settings import Settings
from unabridged.wiring import Memory
from unabridged.wiring.lanes import Lanes

THREADS = 32
"""Threads that ask memories: most of them wait for their turn in a space."""

Result = TypeVar("Result")


class Service:
    """What handlers share.

    Args:
        settings: Every choice.
        lanes: The open memories; closed with the service.

    Attributes:
        settings: Every choice.
        lanes: The open memories.
        clock: The time and fresh ids.
    """

    def __init__(self, settings: Settings, lanes: Lanes) -> None:
        self.settings = settings
        self.lanes = lanes
        self.clock = lanes.clock
        self._threads = ThreadPoolExecutor(THREADS, thread_name_prefix="memory")

    async def run(self, scope: Scope, work: Callable[[Memory], Result]) -> Result:
        """Do something with the memory of a scope, in a thread, while nobody else uses it.

        The work goes on to its end where the caller is cancelled: what is half done stays nowhere.

        Args:
            scope: Whose memory.
            work: Takes the memory; may block.

        Raises:
            UnabridgedError: As the work, or as ``Lanes.hold``.
        """

        def held() -> Result:
            with self.lanes.hold(scope) as memory:
                return work(memory)

        return await asyncio.get_running_loop().run_in_executor(self._threads, held)

    def close(self) -> None:
        """Wait for what is being done, and close every memory."""
        self._threads.shutdown(wait=True)
        self.lanes.close()


def service_of(connection: HTTPConnection) -> Service:
    """Give the service of a request."""
    service: Service = connection.app.state.service
    return service


def grant_of(connection: HTTPConnection) -> Grant:
    """Give what a request may do; the guard has looked at it before any handler sees it."""
    grant: Grant = connection.scope["state"]["grant"]
    return grant
