import sys
from dataclasses import dataclass
from types import ModuleType

import pytest


@dataclass(frozen=True)
class Row:
    name: str
    size: int | None
    p50: float
    met: bool | None = None
    note: str = ""


class Report:
    def __init__(self):
        self.machine = {"cores": "2"}

    def __iter__(self):
        return iter([Row("begin + record", 10_000, 1.25, met=True), Row("open", None, 0.5)])


@pytest.fixture
def asked(monkeypatch):
    found = {}

    def run(**options):
        options.pop("progress")("measuring")
        found.update(options)
        return Report()

    module = ModuleType("unabridged.evals.core")
    module.run = run
    monkeypatch.setitem(sys.modules, "unabridged.evals.core", module)
    return found


def test_figures_are_a_table(run, asked):
    ran = run("bench", "core", "--size", "100", "--size", "10000", "--data", "x")
    assert ran.code == 0, ran.err
    assert asked == {"sizes": (100, 10_000), "data": "x"}
    assert ran.out.splitlines()[:3] == [
        "name              size   p50  met",
        "begin + record  10,000  1.25  ✓",
        "open                     0.5",
    ]
    assert ran.err == "measuring\n"


def test_figures_are_json(run, asked):
    ran = run("bench", "core", "--json")
    assert ran.data["machine"] == {"cores": "2"}
    assert ran.data["rows"][0]["p50"] == 1.25
    assert asked == {"data": None}
    assert ran.err == ""
