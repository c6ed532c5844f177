"""A second process that analyses texts while this one reads and stores an import.

Analysing is a pure function of the texts, so that it does not matter which process does it. Texts
and results go through two pipes and are never written to a file. The process ends when its input
ends, and so also when this one is killed. If it cannot be started or breaks off, this process
analyses everything itself.
"""

import os
import subprocess
import sys
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from threading import Condition, Thread
from typing import IO

from unabridged.domain.exchange import Exchange
from unabridged.projections.search_index.analysis_messages import (
    pack_texts,
    read_frame,
    unpack_results,
    write_frame,
)
from unabridged.retrieval.analyze import AnalyzedExchange, texts_of

LEAST_EXCHANGES = 512
"""Exchanges of an import from which on a second process is worth its start."""
BATCH = 128
"""Exchanges that are analysed at once."""
IN_FLIGHT = 2
"""Batches that the process has at a time: one that it analyses, and the next."""
END_SECONDS = 5.0
"""Seconds that the process gets to end; then it is killed."""
PATIENCE_SECONDS = 60.0
"""Seconds that two batches may take; then the process is killed."""
_NO_WINDOW = 0x0800_0000

Analyse = Callable[[Sequence[Exchange]], list[AnalyzedExchange]]


@dataclass(slots=True, eq=False)
class _Batch:
    exchanges: Sequence[Exchange]
    made: list[AnalyzedExchange] | None = None


class AnalysisProcess:
    """Analyses exchanges in a second process. Thread-safe.

    Args:
        module: A module whose ``main`` analyses what it reads from its input.
        identity: The identity of the embedder that it uses.
        cores: How many processor cores this process may use; None to find out.
    """

    def __init__(self, module: str, identity: str, cores: int | None = None) -> None:
        self.identity = identity
        self._module = module
        self._cores = cores
        self._changed = Condition()
        self._early: list[Exchange] = []
        self._waiting: deque[_Batch] = deque()
        self._flying: deque[_Batch] = deque()
        self._ready: dict[str, tuple[Exchange, AnalyzedExchange]] = {}
        self._process: subprocess.Popen[bytes] | None = None
        self._thread = Thread()
        self._broken = False

    @property
    def is_running(self) -> bool:
        """Whether there is a second process now."""
        return self._process is not None

    def give(self, exchanges: Sequence[Exchange]) -> None:
        """Begin to analyse exchanges; the first few hundred only if more follow."""
        with self._changed:
            self._early += exchanges
            if self._process is None and (len(self._early) < LEAST_EXCHANGES or not self._start()):
                return
            early, self._early = self._early, []
            for start in range(0, len(early), BATCH):
                self._waiting.append(_Batch(early[start : start + BATCH]))
            self._changed.notify_all()

    def take(self, exchanges: Sequence[Exchange], analyse: Analyse) -> list[AnalyzedExchange]:
        """Return what was read of exchanges; this process analyses what the other one has not.

        Args:
            exchanges: Any exchanges, given or not.
            analyse: Analyses exchanges in this process.
        """
        self._share(analyse)
        with self._changed:
            ready = self._ready
            found = [ready.pop(one.id, None) for one in exchanges]
        known = [
            each is not None and each[0] is one for each, one in zip(found, exchanges, strict=True)
        ]
        rest = iter(
            analyse([one for one, is_known in zip(exchanges, known, strict=True) if not is_known])
        )
        return [
            each[1] if each and is_known else next(rest)
            for each, is_known in zip(found, known, strict=True)
        ]

    def end(self) -> None:
        """End the process, and forget what was not taken."""
        with self._changed:
            process, self._process = self._process, None
            self._early.clear()
            self._waiting.clear()
            self._flying.clear()
            self._ready.clear()
            self._broken = False
            self._changed.notify_all()
        if process is not None:
            if process.stdin is not None:
                with suppress(OSError):
                    process.stdin.close()
            self._thread.join()

    def _share(self, analyse: Analyse) -> None:
        # This process takes the last of what waits while the other one goes through the first.
        while True:
            with self._changed:
                if not self._waiting:
                    done = self._changed.wait_for(
                        lambda: not self._flying or self._process is None, PATIENCE_SECONDS
                    )
                    if not done and self._process is not None:
                        self._process.kill()  # what it had is read here
                        self._flying.clear()
                    return
                batch = self._waiting.pop()
            self._keep(batch, analyse(batch.exchanges))

    def _keep(self, batch: _Batch, made: Sequence[AnalyzedExchange]) -> None:
        with self._changed:
            for exchange, read in zip(batch.exchanges, made, strict=True):
                self._ready[exchange.id] = (exchange, read)

    def _start(self) -> bool:
        if self._broken or not sys.executable or getattr(sys, "frozen", False):
            return False
        if (self._cores or _cores()) < 2:
            return False
        code = f"import sys; sys.path[:] = {sys.path!r}; from {self._module} import main; main()"
        flags = _NO_WINDOW if sys.platform == "win32" else 0
        try:
            process = subprocess.Popen(  # noqa: S603 - our own interpreter and words
                [sys.executable, "-c", code],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                creationflags=flags,
            )  # fmt: skip
        except OSError:
            self._broken = True
            return False
        self._process = process
        self._thread = Thread(target=self._run, args=(process,), name="analysis", daemon=True)
        self._thread.start()
        return True

    def _run(self, process: subprocess.Popen[bytes]) -> None:
        try:
            if process.stdin is not None and process.stdout is not None:
                self._exchange(process, process.stdin, process.stdout)
        except (OSError, EOFError, ValueError):  # it broke off; what did not arrive is made here
            process.kill()
        finally:
            with self._changed:
                if self._process is process:
                    self._process, self._broken = None, True
                    self._waiting.clear()
                    self._flying.clear()
                self._changed.notify_all()
            _end(process)

    def _exchange(
        self, process: subprocess.Popen[bytes], given: IO[bytes], made: IO[bytes]
    ) -> None:
        flying: deque[_Batch] = deque()
        while True:
            while len(flying) < IN_FLIGHT and (batch := self._next(process, wait=not flying)):
                flying.append(batch)
                write_frame(given, pack_texts(map(texts_of, batch.exchanges)))
            if not flying:
                return
            results = unpack_results(read_frame(made))
            with self._changed:
                if self._process is not process:
                    return
                batch = flying.popleft()
                self._keep(batch, results)
                if batch in self._flying:
                    self._flying.remove(batch)
                self._changed.notify_all()

    def _next(self, process: subprocess.Popen[bytes], *, wait: bool) -> _Batch | None:
        with self._changed:
            if wait:
                self._changed.wait_for(lambda: self._waiting or self._process is not process)
            if self._process is not process or not self._waiting:
                return None
            batch = self._waiting.popleft()
            self._flying.append(batch)
            return batch


def _cores() -> int:
    usable = getattr(os, "sched_getaffinity", None)
    return len(usable(0)) if usable is not None else os.cpu_count() or 1


def _end(process: subprocess.Popen[bytes]) -> None:
    for stream in (process.stdin, process.stdout):
        if stream is not None:
            with suppress(OSError):
                stream.close()
    try:
        process.wait(END_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
