"""``python -m bench parallel``: reads of one memory by several threads, also while one writes.

Python runs one thread at a time: more threads can hardly read more in a second. The figures show
whether they read less, and whether a reader waits for a writer.
"""

import os
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from threading import Barrier, Event
from time import perf_counter
from typing import Any

from bench.core.core_benchmark import machine
from bench.core.store_sizes import SizedStore, hold_conversation
from bench.figures.report import BenchReport, ReportAim, ReportRow, row
from bench.figures.timer import spread, timed
from bench.generator import TalkGenerator
from unabridged.memory import Memory

SIZE = 10_000
"""Stored exchanges."""
THREADS = (1, 2, 4, 8)
"""Numbers of threads that read."""
READS = 320
"""Reads of each figure, by all threads together."""
WRITES = 60
"""Writes that are measured while nobody reads."""
PAUSE_SECONDS = 0.02
"""Between two writes, so that the writer does not take all of Python's time."""
NO_AIMS: Mapping[str, ReportAim] = {}
"""No figure has a target."""

Progress = Callable[[str], None]
Read = Callable[[str], object]


@dataclass(frozen=True, slots=True)
class ThreadReads:
    """What several threads read together.

    Attributes:
        rate: Reads per second, by all threads together.
        milliseconds: What each read took.
    """

    rate: float
    milliseconds: Sequence[float]


def run(
    *,
    size: int = SIZE,
    threads: Sequence[int] = THREADS,
    progress: Progress | None = None,
    seed: int = 7,
) -> BenchReport:
    """Measure reads by each number of threads; interrupted, return what was measured until then.

    Args:
        size: Stored exchanges.
        threads: Numbers of threads that read.
        progress: Called with a few words on what is done.
        seed: Seed of the generated conversations.
    """
    on = {**machine(), "load": f"{os.getloadavg()[0]:.1f}"}
    rows: list[ReportRow] = []
    try:
        for found in _rows(size, sorted(set(threads)), progress or (lambda _: None), seed):
            rows.append(found)  # noqa: PERF402 - what came before an interruption is kept
    except KeyboardInterrupt:
        return BenchReport({**on, "interrupted": "yes"}, tuple(rows))
    return BenchReport(on, tuple(rows))


def _rows(size: int, threads: Sequence[int], say: Progress, seed: int) -> Iterator[ReportRow]:
    drawn = TalkGenerator(seed)
    with tempfile.TemporaryDirectory(prefix="unabridged-bench-") as home:
        bench = SizedStore(Path(home), drawn, size)
        with bench.open() as memory:
            say(f"Storing {size:,} exchanges …")
            for conversation in drawn.conversations(size):
                memory.space.log.import_transcript(conversation)
            session = hold_conversation(bench, memory)
        with bench.open() as memory:
            reads: dict[str, Read] = {
                "search": memory.search,
                "prepare": lambda question: memory.prepare(question, session=session),
            }
            for name, read in reads.items():
                yield from _scaled(name, read, bench, threads, say)
            yield from _while_one_writes(memory, reads, bench, say)


def _scaled(
    name: str, read: Read, bench: SizedStore, threads: Sequence[int], say: Progress
) -> Iterator[ReportRow]:
    baseline: float | None = None
    for number in threads:
        say(f"{name}: {_threads(number)} …")
        found = read_together(read, bench.questions(READS), number)
        note = f"baseline: {_threads(threads[0])}" if baseline else ""
        given: dict[str, Any] = {"size": bench.size, "aims": NO_AIMS}
        rated: dict[str, Any] = {"unit": "reads/s", "baseline": baseline, "note": note}
        yield row(f"{name} rate: {_threads(number)}", found.rate, **rated, **given)
        yield row(f"{name}: {_threads(number)}", spread(found.milliseconds), **given)
        baseline = baseline or found.rate


def _threads(number: int) -> str:
    return "1 thread" if number == 1 else f"{number} threads"


def _while_one_writes(
    memory: Memory, reads: Mapping[str, Read], bench: SizedStore, say: Progress
) -> Iterator[ReportRow]:
    write = _writer(memory, bench.drawn)
    alone = spread(timed(write)[0] for _ in range(WRITES))
    given: dict[str, Any] = {"size": bench.size, "aims": NO_AIMS}
    yield row("write", alone, note="an exchange, while nobody reads", **given)
    for name, read in reads.items():
        say(f"{name}: while one writes …")
        questions = bench.questions(READS)
        quiet = spread(read_together(read, questions, 1).milliseconds)
        with writing(write) as took:
            busy = spread(read_together(read, questions, 1).milliseconds)
        note = f"baseline: while nobody writes; its 95th percentile is {quiet.p95:.1f} ms"
        yield row(f"{name}, one writes", busy, baseline=quiet.p50, note=note, **given)
        note = f"baseline: while nobody reads; {len(took)} writes"
        busy = spread(took)
        yield row(f"write, one reads: {name}", busy, baseline=alone.p50, note=note, **given)


def _writer(memory: Memory, drawn: TalkGenerator) -> Callable[[], object]:
    topic = drawn.topics[-1]
    said = [(drawn.said(topic), drawn.answered(topic)) for _ in range(WRITES)]
    numbers = count()

    def write() -> object:
        number = next(numbers)
        question, answer = said[number % len(said)]
        messages = [
            {"role": "user", "content": f"{number}: {question}"},
            {"role": "assistant", "content": answer},
        ]
        return memory.add(messages, session="writer")

    return write


def read_together(read: Read, questions: Sequence[str], threads: int) -> ThreadReads:
    """Read in several threads that begin together, after one read each that is not measured.

    Args:
        read: Reads for a question.
        questions: What is asked, shared out among the threads.
        threads: How many.
    """
    ready = Barrier(threads)

    def work(share: Sequence[str]) -> tuple[float, list[float], float]:
        ready.wait()  # now each share has a thread
        read(questions[0])
        began = perf_counter()
        milliseconds = [timed(read, question)[0] for question in share]
        return began, milliseconds, perf_counter()

    with ThreadPoolExecutor(threads) as executor:
        done = list(executor.map(work, [questions[n::threads] for n in range(threads)]))
    begins, taken, ends = zip(*done, strict=True)
    milliseconds = [each for share in taken for each in share]
    return ThreadReads(len(milliseconds) / (max(ends) - min(begins)), milliseconds)


@contextmanager
def writing(write: Callable[[], object]) -> Iterator[Sequence[float]]:
    """Write in a thread for as long as the block runs.

    Yields:
        What each write took, in milliseconds; it grows.
    """
    ending = Event()
    took: list[float] = []

    def work() -> None:
        while not took or not ending.wait(PAUSE_SECONDS):
            took.append(timed(write)[0])

    with ThreadPoolExecutor(1) as executor:
        writer = executor.submit(work)
        try:
            yield took
        finally:
            ending.set()
        writer.result()
