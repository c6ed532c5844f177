"""``python -m bench core``: the figures of storing, preparing and counting, next to bare baselines.

Needs nothing but the package: conversations come from a seeded generator, and everything lies in a
temporary home that is removed afterwards.
"""

import os
import platform
import tempfile
from collections.abc import Callable, Iterator, Sequence
from importlib.metadata import version
from pathlib import Path

import apsw

from bench.core import fixed_costs, prefix_reuse
from bench.core.store_sizes import SizedStore, measure
from bench.figures.report import BenchReport, ReportRow, row
from bench.figures.timer import timed
from bench.formats.longmemeval import LongMemEvalCorpus
from bench.generator import TalkGenerator
from bench.recall import coverage

SIZES = (100, 10_000, 100_000)
"""Stored exchanges at which is measured."""
STEP = 2_000
"""Exchanges of a seeding between two words of progress."""

Progress = Callable[[str], None]


def run(
    *,
    sizes: Sequence[int] = SIZES,
    progress: Progress | None = None,
    data: str | Path | None = None,
    seed: int = 7,
) -> BenchReport:
    """Measure everything.

    Args:
        sizes: Stored exchanges at which is measured.
        progress: Told in a few words what continues.
        data: A folder with LongMemEval's ``questions.jsonl`` and ``sessions.jsonl.xz``, to measure
            coverage and prefix reuse on real conversations; None measures neither.
        seed: Of the conversations that are drawn.

    Raises:
        TransferError: The data cannot be read.
    """
    say = progress or (lambda _: None)
    rows = [*_sized(sorted(set(sizes)), seed, say), *fixed_costs.rows(say)]
    if data is not None:
        folder = Path(data)
        corpus = LongMemEvalCorpus.load(folder / "questions.jsonl", folder / "sessions.jsonl.xz")
        rows += [*prefix_reuse.rows(corpus, say), *coverage.rows(corpus, say)]
    return BenchReport(machine(), tuple(rows))


def _sized(sizes: Sequence[int], seed: int, say: Progress) -> Iterator[ReportRow]:
    drawn = TalkGenerator(seed)
    stored = 0
    with tempfile.TemporaryDirectory(prefix="unabridged-bench-") as home:
        for size in sizes:
            bench = SizedStore(Path(home), drawn, size)
            took = _seed(bench, size - stored, say)
            yield row("seed", took / max(1, size - stored), size=size, note="an exchange, in bulk")
            stored = size
            say(f"Measuring at {size:,} exchanges …")
            yield from measure(bench)


def _seed(bench: SizedStore, exchanges: int, say: Progress) -> float:
    took = 0.0
    done = 0
    with bench.open() as memory:
        for conversation in bench.drawn.conversations(exchanges):
            if done % STEP == 0:
                say(f"Storing {bench.size:,} exchanges: {done:,} of {exchanges:,} …")
            took += timed(memory.space.log.import_transcript, conversation)[0]
            done += len(conversation.exchanges)
    return took


def machine() -> dict[str, str]:
    """What it runs on."""
    return {
        "unabridged": version("unabridged"),
        "python": platform.python_version(),
        "sqlite": apsw.sqlite_lib_version(),
        "system": f"{platform.system()} {platform.machine()}",
        "cores": str(os.cpu_count()),
    }
