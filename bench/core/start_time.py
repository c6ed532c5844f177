"""How long it takes to start: the import and the command's help, next to a bare interpreter."""

import subprocess
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from statistics import median

from bench.figures.report import ReportRow, row
from bench.figures.timer import Spread, spread, timed

STARTS = 15
"""Starts of each kind."""
NOTHING = "pass"
IMPORT = "import unabridged"
HELP = "from unabridged.cli.main import main; main(['--help'])"
MODULES = (
    "import sys; before = len(sys.modules); import unabridged; print(len(sys.modules) - before)"
)


def rows() -> Iterator[ReportRow]:
    """Measure starts; what a bare interpreter takes is the baseline and is taken off."""
    programs = [NOTHING, IMPORT]
    programs += [HELP] if find_spec("unabridged.cli.main") else []
    times: dict[str, list[float]] = {program: [] for program in programs}
    for _ in range(STARTS):
        for program in programs:
            times[program].append(timed(_run, program)[0])
    bare = median(times[NOTHING])
    for name, program in (("import unabridged", IMPORT), ("unabridged --help", HELP)):
        if program in times:
            found = spread(times[program])
            beyond = Spread(round(found.p50 - bare, 4), round(found.p95 - bare, 4))
            yield row(name, beyond, baseline=bare, note="beyond the bare interpreter's start")
    yield row("modules loaded by import", float(_run(MODULES)), unit="modules")


def _run(program: str) -> str:
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, capture_output=True, text=True, check=True)  # noqa: S603 - our own words
    return done.stdout.strip()
