import asyncio
import threading
from contextlib import asynccontextmanager

import pytest
from starlette.responses import PlainTextResponse
from starlette.routing import Route

from unabridged.server.lazy_route import LaterRoute


class Slow(Route):
    """A route with something that runs, as the MCP server's has."""

    def __init__(self, told):
        self.told = told
        super().__init__("/slow", PlainTextResponse("here"))

    @asynccontextmanager
    async def running(self):
        self.told.append("begun")
        yield
        self.told.append("ended")


async def asked(route):
    got = []

    async def send(message):
        got.append(message)

    await route.app({"type": "http", "method": "GET", "path": "/slow", "headers": []}, None, send)
    return got[0]["status"], got[1]["body"]


def test_who_asks_before_it_is_there_waits_and_it_ends_with_the_application():
    async def go():
        may, told = threading.Event(), []

        def make():
            may.wait(60)
            return Slow(told)

        route = LaterRoute("/slow", make)
        async with route.running():
            early = asyncio.create_task(asked(route))
            await asyncio.sleep(0.05)
            assert not early.done()
            may.set()
            assert await early == (200, b"here")
            assert await asked(route) == (200, b"here")
            assert told == ["begun"]
        assert told == ["begun", "ended"]

    asyncio.run(go())


def test_an_application_that_ends_at_once_waits_until_it_was_made():
    async def go():
        told = []
        async with LaterRoute("/slow", lambda: Slow(told)).running():
            pass
        assert told == ["begun", "ended"]

    asyncio.run(go())


def test_what_cannot_be_made_is_told_to_who_asks_and_at_the_end():
    async def go():
        def make():
            raise ImportError("what was asked for is broken")

        route = LaterRoute("/slow", make)
        async with route.running():
            with pytest.raises(ImportError, match="asked for"):
                await asked(route)

    with pytest.raises(ImportError, match="asked for"):
        asyncio.run(go())
