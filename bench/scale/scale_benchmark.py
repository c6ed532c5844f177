"""``python -m bench scale``: search, prepare, record and import in stores of any size, on one core.

Exchanges are drawn by a seeded generator, as long as LoCoMo's (27 words a side in the mean; 45 and
275, as LongMemEval's, for the import of long ones). Every step runs in a fresh process.
"""

import json
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from bench.core.core_benchmark import machine
from bench.figures.report import BenchReport, ReportAim, ReportRow, row
from bench.figures.timer import spread
from unabridged.errors import UnabridgedError

SIZES = (10_000, 100_000, 1_000_000)
"""Stored exchanges at which is measured."""
LENGTHY = 2_000
"""Long exchanges whose import is measured."""
STARTS = 7
"""Fresh processes that search once."""
MEBIBYTE = 1 << 20

AIMS: Mapping[str, ReportAim] = MappingProxyType(
    {
        "search, warm": ReportAim(by_size={10_000: 3, 100_000: 8, 1_000_000: 20}, tail=3),
        "prepare, whole": ReportAim(by_size={10_000: 8, 100_000: 15, 1_000_000: 30}),
        "begin + record above bare": ReportAim(most=1.5),
        "import, short": ReportAim(least=3_000),
        "import, long": ReportAim(least=400),
        "resident": ReportAim(by_size={1_000_000: 1024}),
        "fast index against exact": ReportAim(least=0.97),
    }
)
"""Name of a row to its target."""
ROWS = (*AIMS, "search, cold", "open, cold", "begin", "record", "disk")
"""The names of all rows; some continue after a colon."""

Progress = Callable[[str], None]


def run(*, sizes: Sequence[int] = SIZES, progress: Progress, seed: int = 7) -> BenchReport:
    """Measure at each size; interrupted, it returns the figures so far.

    Args:
        sizes: Stored exchanges at which is measured.
        progress: Told in a few words what continues.
        seed: Of the conversations that are drawn.
    """
    rows: list[ReportRow] = []
    try:
        for found in _rows(sorted(set(sizes)), progress, seed):
            rows.append(found)  # noqa: PERF402 - what came before an interruption is kept
    except KeyboardInterrupt:
        return BenchReport({**machine(), "interrupted": "yes"}, tuple(rows))
    return BenchReport(machine(), tuple(rows))


def _rows(sizes: Sequence[int], say: Progress, seed: int) -> Iterator[ReportRow]:
    with tempfile.TemporaryDirectory(prefix="unabridged-bench-") as home:
        say(f"Storing {LENGTHY:,} long exchanges …")
        built = _step("build", home=home, exchanges=LENGTHY, lengthy=True, seed=seed)
        yield _imported("import, long", built, LENGTHY)
    for size in sizes:
        with tempfile.TemporaryDirectory(prefix="unabridged-bench-") as home:
            say(f"Storing {size:,} exchanges …")
            built = _step("build", home=home, exchanges=size, seed=seed)
            yield _imported("import, short", built, size)
            yield row("disk", built["bytes"], size=size, unit="bytes", note="of each exchange")
            say(f"Measuring at {size:,} exchanges …")
            yield from _measured(home, size)


def _imported(name: str, built: Mapping[str, float], size: int) -> ReportRow:
    note = f"{built['words']:.0f} words an exchange; conversations of 10, each durable"
    rate = built["rate"]
    return row(name, rate, size=size, unit="exchanges/s", note=note, aims=AIMS)


def _measured(home: str, size: int) -> Iterator[ReportRow]:
    starts = [_step("cold", home=home, number=number) for number in range(STARTS)]
    for name, key, note in (
        ("search, cold", "search", "the first of a process, files out of the system's cache"),
        ("open, cold", "open", "before it"),
    ):
        yield row(name, spread(start[key] for start in starts), size=size, note=note)
    warm = _step("warm", home=home)
    yield row("search, warm", spread(warm["search"]), size=size, aims=AIMS)
    yield from _resident(warm, size)
    recall = _step("exact", home=home)["recall"]
    note = "of the first 10 of a search without any of the index's shortcuts"
    name = "fast index against exact"
    yield row(name, recall, size=size, unit="share", note=note, aims=AIMS)
    talk = _step("talk", home=home)
    yield row("prepare, whole", spread(talk["prepare"]), size=size, aims=AIMS)
    each = zip(talk["begin"], talk["record"], talk["bare"], strict=True)
    above = spread(begun + recorded - bare for begun, recorded, bare in each)
    yield row("begin", spread(talk["begin"]), size=size)
    yield row("record", spread(talk["record"]), size=size)
    bare = spread(talk["bare"]).p50
    note = "baseline: two bare transactions with the same rows but the index's, synchronous=FULL"
    given: dict[str, Any] = {"size": size, "baseline": bare, "note": note, "aims": AIMS}
    yield row("begin + record above bare", above, **given)


def _resident(warm: Mapping[str, Any], size: int) -> Iterator[ReportRow]:
    held, before = warm["resident"], warm["resident_before"]
    if not held:
        return
    parts = {
        "resident": held["all"],
        "resident: anonymous": held["anonymous"],
        "resident: of files": held["all"] - held["anonymous"],
        "resident: before opening": before["all"],
    }
    note = "after 200 searches; what is of files the system can take back"
    for name, value in parts.items():
        shown = note if name == "resident" else ""
        yield row(name, value / MEBIBYTE, size=size, unit="MiB", note=shown, aims=AIMS)


def _step(name: str, **given: Any) -> dict[str, Any]:
    command = [sys.executable, "-m", "bench.scale.scale_steps", name, json.dumps(given)]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)  # noqa: S603 - our own words
    if done.returncode == 130:  # the child was interrupted, and so were we
        raise KeyboardInterrupt
    if done.returncode != 0:
        raise UnabridgedError(
            f"The step {name!r} of the benchmark ended with {done.returncode}.",
            hint="Its output above has the reason, usually a full disk.",
        )
    found: dict[str, Any] = json.loads(done.stdout)
    return found
