"""What docs/benchmarks.md says can be measured is what the benchmarks measure."""

import re
from pathlib import Path

from bench.core import (
    counter_speed,
    fixed_costs,
    start_time,
    store_sizes,
)
from bench.core.core_benchmark import SIZES, run
from bench.figures.report import AIMS
from bench.main import bench
from bench.recall.coverage import BUDGETS
from bench.recall.ranking_measures import ranked
from bench.scale import scale_benchmark

PAGE = (Path(__file__).parents[2] / "docs" / "benchmarks.md").read_text("utf-8")
MEASURES = {*ranked([], {"gold"}), *(f"{m}@{b}" for m in ("coverage", "verbatim") for b in BUDGETS)}
ROWS = re.findall(r"^\| `([^`]+)` \|", PAGE, re.MULTILINE)


def test_every_row_is_one_of_the_report(monkeypatch):
    for count in ("PREPARED", "WRITTEN", "OPENED", "READ", "SPOKEN"):
        monkeypatch.setattr(store_sizes, count, 3)
    monkeypatch.setattr(counter_speed, "CONVERSATIONS", 11)
    monkeypatch.setattr(counter_speed, "COUNTS", 1)
    monkeypatch.setattr(fixed_costs, "TALKS", 1)
    monkeypatch.setattr(fixed_costs, "TALK", 40)
    monkeypatch.setattr(start_time, "STARTS", 1)
    names = {row.name.partition(":")[0] for row in run(sizes=[20])}
    # Behind a colon stands what a run may lack: an extra, an intent, a budget of public data.
    names.add("retrieval coverage")
    names |= {*scale_benchmark.ROWS, *MEASURES}
    assert ROWS
    assert [name for name in ROWS if name.partition(":")[0] not in names] == []


def test_every_target_and_size_is_written_down():
    assert [name for name in AIMS if f"`{name}`" not in PAGE] == []
    assert all(f"{size:,}" in PAGE for size in SIZES)


def test_every_benchmark_is_named():
    assert [name for name in bench.commands if f"python -m bench {name}" not in PAGE] == []
