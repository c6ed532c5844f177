"""``python -m bench compare``: the figures of this checkout, divided by those of another one.

Each command prints a report of a benchmark as JSON. They run in turn, so that both meet the same
machine, and a figure is the median of its runs.
"""

import shlex
import subprocess
from collections.abc import Callable, Mapping, Sequence
from statistics import median

import msgspec

from bench.core.core_benchmark import machine
from bench.figures.report import BenchReport, ReportAim, ReportRow, row
from unabridged.errors import InputError

RUNS = 5
"""Runs of each command."""
NO_AIMS: Mapping[str, ReportAim] = {}
"""No figure has a target."""

Figure = tuple[str, int | None]
Progress = Callable[[str], None]


def run(
    current: str,
    baseline: str,
    folder: str,
    *,
    runs: int = RUNS,
    progress: Progress | None = None,
) -> BenchReport:
    """Run two commands in turn, and compare each figure that both of them report.

    Args:
        current: The command of this checkout.
        baseline: The command of the other one.
        folder: The folder in which the other command runs.
        runs: Runs of each.
        progress: Called with a few words on what is done.

    Raises:
        InputError: A command failed, or printed no report.
    """
    say = progress or (lambda _: None)
    taken: dict[str, list[dict[Figure, float]]] = {current: [], baseline: []}
    units: dict[Figure, str] = {}
    for number in range(1, runs + 1):
        for command, at in ((current, None), (baseline, folder)):
            say(f"run {number} of {runs}: {command}")
            taken[command].append(_figures(command, at, units))
    return BenchReport(machine(), tuple(_rows(taken[current], taken[baseline], units)))


def _figures(command: str, folder: str | None, units: dict[Figure, str]) -> dict[Figure, float]:
    ran = subprocess.run(  # noqa: S603 - the person's own command
        shlex.split(command), cwd=folder, capture_output=True, check=False
    )
    try:
        reported = msgspec.json.decode(ran.stdout)["rows"]
    except (msgspec.DecodeError, KeyError, TypeError):
        said = ran.stderr.decode("utf-8", "replace").strip().splitlines()
        raise InputError(
            f"`{command}` printed no report: {said[-1] if said else 'nothing was said'}",
            hint="Use a benchmark with --json.",
        ) from None
    found = {(one["name"], one["size"]): one for one in reported if one.get("p50") is not None}
    units.update({figure: one["unit"] for figure, one in found.items()})
    return {figure: one["p50"] for figure, one in found.items()}


def _rows(
    current: Sequence[Mapping[Figure, float]],
    baseline: Sequence[Mapping[Figure, float]],
    units: Mapping[Figure, str],
) -> list[ReportRow]:
    shared = [figure for figure in units if all(figure in run for run in (*current, *baseline))]
    return [
        row(
            name,
            median(run[name, size] for run in current),
            size=size,
            unit=units[name, size],
            baseline=median(run[name, size] for run in baseline),
            aims=NO_AIMS,
        )
        for name, size in shared
    ]
