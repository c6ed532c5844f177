"""A route whose handler is made while the server answers already: what is slow to import waits for nobody."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager, nullcontext
from typing import Protocol, runtime_checkable

from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send


@runtime_checkable
class Runs(Protocol):
    """A route with something that runs for as long as the application does."""

    def running(self) -> AbstractAsyncContextManager[None]:
        """Start it, and end it with the block."""
        ...


class LaterRoute(Route):
    """A route that is made later; who asks before waits for it.

    Args:
        path: Its path.
        make: Makes it; called once, in a thread, when the application starts.
    """

    def __init__(self, path: str, make: Callable[[], Route]) -> None:
        self._make = make
        self._door = _Door()
        super().__init__(path, self._door)

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Make the route, and let what belongs to it run until the block ends.

        Raises:
            Exception: It could not be made; told at the end, and to who asked for it.
        """
        self._door.opened = asyncio.get_running_loop().create_future()
        over = asyncio.Event()
        live = asyncio.create_task(self._live(over), name=f"later {self.path}")
        try:
            yield
        finally:
            over.set()
            await live

    async def _live(self, over: asyncio.Event) -> None:
        opened = self._door.opened
        try:
            route = await asyncio.to_thread(self._make)
            async with route.running() if isinstance(route, Runs) else nullcontext():
                opened.set_result(route.app)
                await over.wait()
        except BaseException as error:
            if not opened.done():
                opened.set_exception(error)
                opened.exception()  # told below as well; nobody may have asked for it
            raise


class _Door:
    """Passes requests on to the handler, once it is there."""

    opened: "asyncio.Future[ASGIApp]"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        app = await asyncio.shield(self.opened)
        await app(scope, receive, send)
