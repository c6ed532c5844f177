"""The threads in which an ``AsyncMemory`` works."""

import asyncio
import os
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import copy_context
from functools import partial
from threading import Thread
from typing import TypeVar
from weakref import WeakSet

from unabridged.domain.settings import Settings
from unabridged.errors import StoreClosedError
from unabridged.stores import store_errors
from unabridged.turn.run import Reply

Result = TypeVar("Result")


class MemoryThreads:
    """The threads of one memory, and the answers that stream in them."""

    def __init__(self, settings: Settings) -> None:
        self._work = ThreadPoolExecutor(settings.threads, "unabridged")
        self._streams = ThreadPoolExecutor(settings.max_streams, "unabridged-stream")
        self._closing: asyncio.Task[None] | None = None
        self._process = os.getpid()
        self.replies: WeakSet[Reply] = WeakSet()

    async def read(self, call: Callable[[], Result]) -> Result:
        """Run something that may be dropped when its task is cancelled."""
        future, work = self._submitted(self._work, call)
        try:
            return await future
        except asyncio.CancelledError:
            work.cancel()
            raise

    async def write(self, call: Callable[[], Result]) -> Result:
        """Run something to its end; a cancelled task ends after it."""
        return await to_its_end(self._submitted(self._work, call)[0])

    async def stream(self, call: Callable[[], Result], stop: Callable[[], None]) -> Result:
        """Run a step of a stream; a cancelled task stops the stream, and ends after that."""
        future, work = self._submitted(self._streams, call)
        try:
            return await future
        except asyncio.CancelledError:
            work.cancel()
            await to_its_end(in_thread(stop))
            raise

    async def close(self, close: Callable[[], None]) -> None:
        """Stop the answers, finish the work, close the memory; a forked child does nothing."""
        if os.getpid() != self._process:
            return
        if self._closing is None:
            stops = [reply.stop for reply in self.replies]
            self._closing = asyncio.ensure_future(self._close(stops, close))
        await to_its_end(self._closing)

    async def _close(self, stops: Sequence[Callable[[], None]], close: Callable[[], None]) -> None:
        await asyncio.gather(*(in_thread(stop) for stop in stops))
        self._streams.shutdown(wait=False, cancel_futures=True)
        await in_thread(self._work.shutdown)
        await in_thread(close)

    def _submitted(
        self, pool: ThreadPoolExecutor, call: Callable[[], Result]
    ) -> tuple[asyncio.Future[Result], Future[Result]]:
        if os.getpid() != self._process:  # the threads are the parent's
            raise store_errors.forked()
        loop = asyncio.get_running_loop()
        future: asyncio.Future[Result] = loop.create_future()
        try:
            work = pool.submit(copy_context().run, call)
        except RuntimeError as error:
            raise StoreClosedError(
                "The memory was closed.", hint="Open it again: await AsyncMemory.open()."
            ) from error
        work.add_done_callback(partial(_deliver, loop, future))
        return future, work


def in_thread(call: Callable[[], Result]) -> asyncio.Future[Result]:
    """Run something in a thread outside of the pools, which may all be busy or closed."""
    loop = asyncio.get_running_loop()
    future: asyncio.Future[Result] = loop.create_future()
    work: Future[Result] = Future()
    work.add_done_callback(partial(_deliver, loop, future))

    def run() -> None:
        try:
            work.set_result(call())
        except BaseException as error:  # noqa: BLE001 - who awaits it gets it
            work.set_exception(error)

    Thread(target=run, name="unabridged-close").start()
    return future


def _deliver(
    loop: asyncio.AbstractEventLoop, future: asyncio.Future[Result], work: Future[Result]
) -> None:
    try:
        loop.call_soon_threadsafe(_settle, future, work)
    except RuntimeError:
        return  # the loop was closed: nobody waits


def _settle(future: asyncio.Future[Result], work: Future[Result]) -> None:
    if future.done() or work.cancelled():
        return
    error = work.exception()
    if error is not None:
        future.set_exception(error)
    else:
        future.set_result(work.result())


async def to_its_end(future: asyncio.Future[Result]) -> Result:
    """Wait for something also if the task is cancelled, which then ends after it."""
    cancelled: asyncio.CancelledError | None = None
    while not future.done():
        try:
            await asyncio.wait([future])
        except asyncio.CancelledError as error:
            cancelled = error
    if cancelled is not None:
        future.exception()  # seen, so that it is not reported as forgotten
        raise cancelled
    return future.result()
