"""``python -m bench imports``: import a synthetic ChatGPT export, in a temporary home.

The baseline reads the same file with ``json.loads`` and inserts the same rows of conversations into
a bare SQLite file: one transaction per 256 exchanges, ``synchronous=FULL``. It has no search index.
"""

import json
import os
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter, process_time
from types import MappingProxyType
from typing import Any

import apsw

from bench.core.core_benchmark import machine
from bench.figures.report import BenchReport, ReportAim, ReportRow, row
from bench.generator import MIXED, SHORT, TalkSize
from bench.imports.chatgpt_export import write_export
from unabridged import Memory
from unabridged.factory.file_transfer import EXCHANGES_AT_ONCE

SIZES: Mapping[str, tuple[TalkSize, int]] = MappingProxyType(
    {"short": (SHORT, 8_500), "mixed": (MIXED, 10_000)}
)
"""Length of the exchanges, and how many: 17 MB, and 30 MB."""
TABLES = ("session", "exchange", "message")
AIMS: Mapping[str, ReportAim] = MappingProxyType(
    {
        "exchanges per second, short": ReportAim(least=3_000),
        "seconds until searchable, mixed": ReportAim(most=15),
    }
)
_MEGABYTE = 1_000_000

Progress = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Timing:
    """Seconds of the clock, of this process's CPU, and of the CPU of processes that it started."""

    wall: float
    own: float
    helper: float

    @property
    def cpu(self) -> float:
        """Seconds of CPU in all."""
        return self.own + self.helper


def run(
    *,
    progress: Progress,
    names: Sequence[str] = tuple(SIZES),
    exchanges: int | None = None,
    maintain: bool = True,
) -> BenchReport:
    """Measure imports.

    Args:
        progress: Takes a few words on what is being done.
        names: Which kinds of exchanges: ``short``, ``mixed``.
        exchanges: How many; None for the default of each kind.
        maintain: Whether maintenance after the import is measured too.
    """
    rows: list[ReportRow] = []
    for name in names:
        size, count = SIZES[name]
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "conversations.json"
            progress(f"writing {name} exchanges")
            written = write_export(file, exchanges or count, size=size)
            rows += _measure(name, file, written, maintain=maintain, progress=progress)
    load = ", ".join(f"{value:.1f}" for value in os.getloadavg())
    return BenchReport({**machine(), "load": load}, tuple(rows))


def _measure(
    name: str, file: Path, exchanges: int, *, maintain: bool, progress: Progress
) -> Iterator[ReportRow]:
    home = file.parent / "home"
    with Memory.open(home) as memory:
        progress(f"importing {name} exchanges")
        searchable = _timed(lambda: _import(memory, file))
        done = None
        if maintain:
            progress(f"maintenance after {name} exchanges")
            done = _timed(lambda: list(memory.maintain()))
    progress(f"baseline of {name} exchanges")
    bare = _bare(file, next(home.rglob("*.db")))
    megabytes = file.stat().st_size / _MEGABYTE

    def figure(what: str, unit: str, values: tuple[float, float], note: str = "") -> ReportRow:
        found, baseline = (round(value, 2) for value in values)
        named = f"{what}, {name}"
        return row(named, found, unit=unit, baseline=baseline, note=note, aims=AIMS)

    note = f"{exchanges:,} exchanges, {megabytes:.1f} MB; CPU {searchable.own:.1f} s and {searchable.helper:.1f} s in a second process, baseline {bare.cpu:.1f} s"
    yield figure("seconds until searchable", "s", (searchable.wall, bare.wall), note)
    rates = (exchanges / searchable.wall, exchanges / bare.wall)
    yield figure("exchanges per second", "1/s", rates)
    yield figure("MB per second", "MB/s", (megabytes / searchable.wall, megabytes / bare.wall))
    by_cpu = (exchanges / searchable.cpu, exchanges / bare.cpu)
    yield figure("exchanges per CPU second", "1/s", by_cpu)
    if done is not None:
        note = f"CPU {searchable.cpu + done.cpu:.1f} s; with annotating, learning and condensing"
        yield figure("seconds until all done", "s", (searchable.wall + done.wall, bare.wall), note)


def _import(memory: Memory, file: Path) -> None:
    result = memory.import_file(file)
    if result.failed or result.added != result.exchanges:
        raise RuntimeError(f"the import is not whole: {result}")
    memory.search("what was that about?")


def _timed(act: Callable[[], object]) -> Timing:
    wall, own, helper = perf_counter(), process_time(), _of_children()
    act()
    return Timing(perf_counter() - wall, process_time() - own, _of_children() - helper)


def _of_children() -> float:
    times = os.times()
    return times.children_user + times.children_system


def _bare(file: Path, stored: Path) -> Timing:
    source = apsw.Connection(str(stored), flags=apsw.SQLITE_OPEN_READONLY)
    rows = {table: source.execute(f"SELECT * FROM {table}").fetchall() for table in TABLES}  # noqa: S608 - our own names
    schema = [
        sql
        for (sql,) in source.execute("SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL")
        if any(sql.startswith(f"CREATE TABLE {table} ") for table in TABLES)
    ]
    source.close()
    bare = apsw.Connection(str(file.parent / "bare.db"))
    bare.execute("PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL")
    for sql in schema:
        bare.execute(sql)
    exchanges = len(rows["exchange"])
    batches = max(1, exchanges // EXCHANGES_AT_ONCE)

    def write() -> None:
        json.loads(file.read_bytes())
        for number in range(batches):
            with bare:
                for table in TABLES:
                    _insert(bare, table, rows[table][number::batches])

    timing = _timed(write)
    bare.close()
    return timing


def _insert(bare: apsw.Connection, table: str, rows: Sequence[tuple[Any, ...]]) -> None:
    if rows:
        marks = ", ".join("?" * len(rows[0]))
        bare.executemany(f"INSERT INTO {table} VALUES ({marks})", rows)  # noqa: S608 - our own names
