"""Clients that disconnect: their work is cancelled."""

import asyncio
from collections.abc import Coroutine
from contextlib import suppress
from typing import Any, TypeVar

from starlette.requests import Request

Result = TypeVar("Result")

LEFT = 499
"""The status in the log if the client left before the answer (as in nginx)."""


class ClientLeftError(Exception):
    """The client closed its connection."""


async def while_there(request: Request, work: Coroutine[Any, Any, Result]) -> Result:
    """Do something while the client is connected; its body was read before.

    Raises:
        ClientLeftError: The client left; the work is cancelled.
    """
    doing = asyncio.ensure_future(work)
    leaving = asyncio.ensure_future(_left(request))
    try:
        await asyncio.wait({doing, leaving}, return_when=asyncio.FIRST_COMPLETED)
        if not doing.done():
            raise ClientLeftError
        return doing.result()
    finally:
        for task in (leaving, doing):
            if not task.done():
                task.cancel()
                with suppress(asyncio.CancelledError):
                    await task


async def _left(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass
