"""``python -m bench long``: writing one very long answer, and the prompts after it.

Each step runs in its own process, so that the greatest memory is that of the step.
"""

import json
import resource
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from random import Random
from time import process_time

from bench.core.core_benchmark import machine
from bench.figures.report import BenchReport, ReportRow
from unabridged.memory import Memory

MEGABYTES = (4, 40)
"""Sizes of the answer."""
_WORDS = (
    "garden shed water tree program server model memory answer question hotel seven red".split()
)
_PEAK_PER_MEGABYTE = 1 << (20 if sys.platform == "darwin" else 10)
"""How Linux and macOS count the greatest memory: in kilobytes, in bytes."""


def run(
    *, megabytes: Sequence[int] = MEGABYTES, progress: Callable[[str], None] | None = None
) -> BenchReport:
    """Measure CPU seconds and the greatest memory, for each size of the answer in megabytes."""
    say = progress or (lambda _: None)
    return BenchReport(machine(), tuple(row for size in megabytes for row in _rows(size, say)))


def _rows(megabytes: int, say: Callable[[str], None]) -> Iterator[ReportRow]:
    with tempfile.TemporaryDirectory() as home:
        for step in ("write", "prepare"):
            say(f"{step} with an answer of {megabytes} MB …")
            command = [sys.executable, "-m", "bench.core.long_answers", step, home, str(megabytes)]
            told = subprocess.run(command, capture_output=True, check=True, text=True)  # noqa: S603 - our own module
            seconds, memory = json.loads(told.stdout)
            yield ReportRow(f"{step}, {megabytes} MB", None, "s of CPU", seconds)
            yield ReportRow(f"{step}, {megabytes} MB, memory", None, "MB", memory)


def _step(step: str, home: str, megabytes: int) -> tuple[float, int]:
    answer = _answer(megabytes) if step == "write" else ""
    with Memory.open(home, upstream="quote") as memory:
        began = process_time()
        if step == "write":
            said = {"role": "user", "content": "Write it all down."}
            memory.add([said, {"role": "assistant", "content": answer}])
        else:
            memory.prepare("What was it about the garden?")
        seconds = process_time() - began
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return seconds, peak // _PEAK_PER_MEGABYTE


def _answer(megabytes: int) -> str:
    drawn, made, size = Random(1), list[str](), 0  # noqa: S311 - the same text each time
    while size < megabytes * 1_000_000:
        made.append(" ".join(drawn.choices(_WORDS, k=12)).capitalize() + ". ")
        size += len(made[-1])
    return "".join(made)


if __name__ == "__main__":
    print(json.dumps(_step(sys.argv[1], sys.argv[2], int(sys.argv[3]))))
