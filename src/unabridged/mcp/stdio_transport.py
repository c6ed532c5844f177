"""MCP over standard input and output: a desktop client starts the process and talks with it."""

from collections.abc import Callable

import anyio

from unabridged.clock import SystemClock
from unabridged.domain.permissions import Grant
from unabridged.domain.scope import Scope
from unabridged.domain.settings import Settings
from unabridged.factory.adapters import named_for
from unabridged.factory.space_pool import SpacePool
from unabridged.mcp.request_context import Caller, ToolRequests
from unabridged.mcp.run_later import LaterWork
from unabridged.mcp.server import server_of


def serve(settings: Settings, failed: Callable[[Exception], None]) -> None:
    """Serve the memory that settings name, until the client closes standard input.

    Args:
        settings: Every choice; user and agent say whose memory.
        failed: Told of errors that no client can mend.

    Raises:
        UnabridgedError: The memory cannot be opened.
    """
    settings = named_for(settings, SystemClock())
    caller = Caller(Scope(settings.user, settings.agent, settings.model or None), Grant("stdio"))
    pool = SpacePool(settings)
    try:
        with pool.use(caller.scope):
            pass  # what cannot be opened is told now, not in every answer
        anyio.run(_serve, pool, caller, failed)
    finally:
        pool.close()


async def _serve(pool: SpacePool, caller: Caller, failed: Callable[[Exception], None]) -> None:
    async with anyio.create_task_group() as group:
        tender = LaterWork(pool, caller.scope, failed)
        group.start_soon(tender.work)
        requests = ToolRequests(pool, lambda _: caller, tender.soon, failed)
        await server_of(requests).run_stdio_async()
        group.cancel_scope.cancel()
