"""Read a stream ahead of the program that uses it."""

import asyncio
from collections.abc import AsyncIterator

MOST_BYTES = 262_144
"""Bytes that are held; reading continues when they are taken."""


class ReadAhead:
    """Reads a stream in its own task, so that all that has arrived is taken together.

    HTTP libraries return every chunk alone, also those that arrived in one packet: to parse and send
    each alone costs several times as much.

    Args:
        source: The stream.
    """

    def __init__(self, source: AsyncIterator[bytes]) -> None:
        self._source = source
        self._held = bytearray()
        self._arrived, self._taken = asyncio.Event(), asyncio.Event()
        self._reading = asyncio.ensure_future(self._read())

    async def pieces(self) -> AsyncIterator[bytes]:
        """Yield what has arrived; raise what the stream raises, once all before it was yielded."""
        while True:
            await self._arrived.wait()
            self._arrived.clear()
            if self._held:
                data = bytes(self._held)
                self._held.clear()
                self._taken.set()
                yield data
            if self._reading.done() and not self._held:
                break
        await self._reading

    async def stop(self) -> None:
        """Stop reading; what has arrived may still be taken."""
        self._reading.cancel()
        await asyncio.wait({self._reading})
        if not self._reading.cancelled():
            self._reading.exception()  # taken, or asyncio would report it

    async def _read(self) -> None:
        try:
            async for data in self._source:
                self._held += data
                self._arrived.set()
                while len(self._held) >= MOST_BYTES:
                    self._taken.clear()
                    await self._taken.wait()
        finally:
            self._arrived.set()
