"""A route whose handler is made in the background, so that a slow import delays no start."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager, nullcontext
from typing import Protocol, runtime_checkable

from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send


@runtime_checkable
class Runs(Protocol):
    """A route with something that runs as long as the application."""

    def running(self) -> AbstractAsyncContextManager[None]:
        """Run it until the block ends."""
        ...


class LaterRoute(Route):
    """A route that is made later; requests before wait for it.

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
        """Make the route, and run what belongs to it until the block ends.

        Raises:
            Exception: It could not be made; raised at the end, and to requests for it.
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
                opened.exception()  # raised below as well, in case no request came
            raise


class _Door:
    """Passes requests on to the handler once it is made."""

    opened: "asyncio.Future[ASGIApp]"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        app = await asyncio.shield(self.opened)
        await app(scope, receive, send)
