"""How long it takes to start: imports, help, commands, a first ``prepare``, next to bare Python."""

import os
import resource
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from statistics import median

from bench.figures.report import ReportRow, row
from bench.figures.timer import Spread, spread
from bench.generator import TalkGenerator
from unabridged.memory import Memory

STARTS = 15
"""Starts of each kind."""
EXCHANGES = 200
"""Exchanges of the home that commands read."""
NOTHING = "pass"
COMMAND = "from unabridged.cli.main import main; main({words})"
PREPARE = """
import time
import unabridged.memory
begun = time.process_time()
with unabridged.memory.Memory.open({home!r}, create=False) as memory:
    memory.prepare("What did we say about the plan last week?")
    print((time.process_time() - begun) * 1000)
"""
MODULES = (
    "import sys; before = len(sys.modules); import unabridged; print(len(sys.modules) - before)"
)


def rows() -> Iterator[ReportRow]:
    """Measure starts in CPU time; that of a bare interpreter is the baseline and is taken off."""
    with tempfile.TemporaryDirectory() as folder:
        _fill(folder)
        programs = _programs(folder)
        times: dict[str, list[float]] = {name: [] for name in programs}
        prepared: list[float] = []
        for _ in range(STARTS):
            for name, program in programs.items():
                times[name].append(_run(program)[0])
            prepared.append(float(_run(PREPARE.format(home=folder))[1]))
    bare = median(times.pop(NOTHING))
    for name, taken in times.items():
        found = spread(taken)
        beyond = Spread(round(found.p50 - bare, 4), round(found.p95 - bare, 4))
        yield row(name, beyond, baseline=bare, note="CPU beyond the bare interpreter's")
    note = f"CPU after the import, {EXCHANGES} exchanges"
    yield row("open + first prepare", spread(prepared), note=note)
    yield row("modules loaded by import", float(_run(MODULES)[1]), unit="modules")


def _programs(home: str) -> dict[str, str]:
    lines = ("--help", "facts add --help", "sessions", "search plan")
    return {
        NOTHING: NOTHING,
        "import unabridged": "import unabridged",
        "import unabridged.memory": "import unabridged.memory",
        **{
            f"unabridged {line}": COMMAND.format(words=["--home", home, *line.split()])
            for line in lines
        },
    }


def _fill(home: str) -> None:
    drawn, left = TalkGenerator(), EXCHANGES
    with Memory.open(home) as memory:
        while left > 0:
            for talk in drawn.conversations(20):
                memory.space.log.import_transcript(talk)
                left -= len(talk.exchanges)
        memory.search("plan")


def _run(program: str) -> tuple[float, str]:
    # CPU milliseconds of a process, and what it prints. Bytecode is kept, as an installation keeps it.
    place = {"PYTHONPYCACHEPREFIX": str(Path(tempfile.gettempdir()) / "unabridged-bench-bytecode")}
    environment = {**os.environ, **place}  # noqa: TID251 - it changes how Python starts, no setting
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    command = [sys.executable, "-c", program]
    done = subprocess.run(  # noqa: S603 - our own words
        command, capture_output=True, text=True, check=True, env=environment
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return used * 1000, done.stdout.strip()
