"""Maintenance in the background: annotate, embed, learn facts, condense.

A space is in the queue at most once. One worker does small slices and pauses between them, so that
requests come first. Nothing is lost if the queue is full, a slice fails or the server ends: due
work follows from what is stored, and is found again at the next recording in the space.
"""

import asyncio
import threading
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field, replace

from unabridged.domain.results import MaintenanceProgress
from unabridged.domain.scope import Scope
from unabridged.server.observability import Watch
from unabridged.space.space import Space

MOST = 1024
"""The most spaces in the queue."""
QUIET = 0.25
"""Seconds without a request before a slice runs: programs often send the next request at once."""
PATIENCE = 1.0
"""Seconds that a slice waits for that before it runs anyway."""
BREATH = 0.02
"""Seconds between two slices, so that a waiting request comes first."""
PAGE_SIZE = 4
"""Exchanges of a slice, about 50 ms of work: a request that comes meanwhile waits for some of it."""
PAGES = 16
"""Pages of each kind done for a space before the next space has its turn."""

Run = Callable[[Scope, Callable[[Space], bool]], Awaitable[bool]]


@dataclass(slots=True)
class _Job:
    """The work in one space; its steps belong to the memory that started them."""

    space: Space | None = None
    steps: Iterator[MaintenanceProgress] = field(default_factory=lambda: iter(()))
    more: bool = False
    """Whether there was more work than one request causes, so that there may be still more."""

    def step(self, space: Space) -> bool:
        """Do one step, or all of them if the space was closed and reopened.

        Steps restart with a reopened space: one at a time would never reach the last.

        Returns:
            Whether it was the last step.
        """
        again = self.space is not None and self.space is not space
        if self.space is not space:
            self.space, self.steps = space, _steps(space)
        for step in self.steps:
            if step.stage in _PAGED:
                self.more = self.more or step.done > 1
            if not again:
                return False
        return True


_PAGED = frozenset({"embed", "read", "facts", "requirements"})
"""Stages that work page by page; the others run whole each time."""


def _steps(space: Space) -> Iterator[MaintenanceProgress]:
    for page in space.maintenance.embed():
        yield MaintenanceProgress("embed", page.done, page.left)
    newest = space.sessions.newest()
    yield from space.maintenance.run(
        newest.id if newest else None,
        pages=PAGES,
        page_size=PAGE_SIZE,
        threshold=space.contexts.last_memory(),
    )


class Background:
    """The worker and its queue.

    Args:
        run: Runs a function on the memory of a scope in a thread: ``Service.run``.
        watch: Reports whether requests are being answered; counts, and logs failures.
    """

    def __init__(self, run: Run, watch: Watch) -> None:
        self._run = run
        self._watch = watch
        self._waiting: OrderedDict[Scope, None] = OrderedDict()
        self._guard = threading.Lock()
        self._task: asyncio.Task[None] | None = None
        self._wake = asyncio.Event()
        self._loop: asyncio.AbstractEventLoop | None = None

    def __len__(self) -> int:
        return len(self._waiting)

    def soon(self, scope: Scope) -> None:
        """Queue a space for its due work; may be called from any thread.

        Args:
            scope: The scope that was recorded to; its session is ignored.
        """
        wanted = replace(scope, session=None)
        with self._guard:
            if wanted not in self._waiting and len(self._waiting) >= MOST:
                self._watch.metrics.dropped()
                return
            self._waiting[wanted] = None
        if self._loop is not None:
            with suppress(RuntimeError):  # the loop has ended, and so has the worker
                self._loop.call_soon_threadsafe(self._wake.set)

    def start(self) -> None:
        """Start the worker; call it in the server's event loop."""
        self._loop = asyncio.get_running_loop()
        self._task = asyncio.create_task(self._work(), name="background")
        self._wake.set()

    async def stop(self) -> None:
        """Stop after the current slice; what is queued is found again later."""
        if self._task is None:
            return
        self._task.cancel()
        with suppress(asyncio.CancelledError):
            await self._task
        self._task = None

    async def _work(self) -> None:
        while True:
            scope = self._next()
            if scope is None:
                self._wake.clear()
                if not self._waiting:
                    await self._wake.wait()
                continue
            try:
                await self._maintain(scope)
            except Exception as error:  # noqa: BLE001 - one space's fault must not end the work for all others; it is told
                self._watch.metrics.sliced("failed")
                self._watch.log.failed(error, "background")

    def _next(self) -> Scope | None:
        with self._guard:
            return self._waiting.popitem(last=False)[0] if self._waiting else None

    async def _maintain(self, scope: Scope) -> None:
        job = _Job()
        while True:
            await self._watch.quiet(QUIET, PATIENCE)
            done = await self._run(scope, job.step)
            self._watch.metrics.sliced("done" if done else "more")
            if done:
                if job.more:
                    self.soon(scope)
                return
            await asyncio.sleep(BREATH)
