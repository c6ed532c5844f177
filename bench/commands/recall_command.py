"""The benchmarks of recall: ``python -m bench longmemeval``, ``longmemeval-pooled``, ``locomo``."""

import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from bench.figures.plot import bars
from bench.recall import locomo_benchmark, longmemeval_benchmark
from bench.recall.recall_findings import RecallFindings
from bench.report_output import INTERRUPTED, progress_printer
from unabridged.cli.options import Invocation
from unabridged.cli.output import echo, echo_lines
from unabridged.cli.paint import Column, paint, table, width
from unabridged.cli.plain_command import plain_command
from unabridged.cli.terminal_text import wrap
from unabridged.errors import SettingError

MEASURES = (
    "any@1", "any@5", "any@10", "all@5", "all@10", "frac@5", "frac@10", "mrr", "ndcg@10",
    "coverage@2000", "coverage@4000", "coverage@8000", "coverage@16000",
    "verbatim@2000", "verbatim@4000", "verbatim@8000", "verbatim@16000", "verbatim@all",
)  # fmt: skip
"""What a person is shown; JSON has every k."""
BY_TYPE = (
    "all@5", "frac@10", "mrr", "coverage@2000", "coverage@4000", "coverage@8000", "coverage@16000",
)  # fmt: skip
"""What is shown for each type of question."""
_HEADS = {
    "coverage@2000": "cov 2k",
    "coverage@4000": "4k",
    "coverage@8000": "8k",
    "coverage@16000": "16k",
}
PLOTTED = ("any@1", "any@5", "all@5", "frac@5", "frac@10", "mrr", "ndcg@10", *BY_TYPE[3:])
"""What a plot shows, of the first unit."""

_Command = Callable[..., Any]


def _options(command: _Command) -> _Command:
    for option in (
        click.option("--first", type=click.IntRange(1), help="Ask only this number of questions."),
        click.option("--plot", metavar="FILE", help="Write the figures as bars, in SVG."),
        click.option(
            "--baseline", is_flag=True, help="Also measure plain BM25 and plain dense search."
        ),
        click.option("--reranker", metavar="NAME", help="Use another reranker: onnx:FOLDER."),
        click.option(
            "--embedder",
            metavar="NAME",
            help="Use another embedder: none, onnx:intfloat/multilingual-e5-small …",
        ),
        click.option(
            "--data", required=True, metavar="PATH", help="The file or folder of the questions."
        ),
    ):
        command = option(command)
    return command


@plain_command(
    "longmemeval",
    "python -m bench longmemeval --data ../shared/data/longmemeval --baseline",
    "python -m bench longmemeval --data longmemeval_s.json --json --plot recall.svg",
    options=("json",),
)
@_options
@click.option("--search-only", is_flag=True, help="Do not prepare contexts: no coverage.")
def longmemeval_command(invocation: Invocation, *, search_only: bool, **given: Any) -> None:
    """Measure recall in long histories of chat sessions.

    Each question of LongMemEval is asked of a memory that holds its own history, at its own date.
    """
    _run(invocation, longmemeval_benchmark.run, given, search_only=search_only)


@plain_command(
    "longmemeval-pooled",
    "python -m bench longmemeval-pooled --data ../shared/data/longmemeval",
    options=("json",),
)
@_options
def pooled_command(invocation: Invocation, **given: Any) -> None:
    """Measure recall over the histories of all questions at once.

    Every session of every question is in one memory.
    """
    _run(invocation, longmemeval_benchmark.run_pooled, given, search_only=False)


@plain_command(
    "locomo",
    "python -m bench locomo --data ../shared/data/locomo/locomo4.json --baseline",
    "python -m bench locomo --data locomo10.json --json --search-only",
    options=("json",),
)
@_options
@click.option("--search-only", is_flag=True, help="Do not prepare contexts: no coverage.")
def locomo_command(invocation: Invocation, *, search_only: bool, **given: Any) -> None:
    """Measure recall in conversations of two people over months.

    Two turns that follow each other are an exchange. Categories 1 to 4 count; category 5, which is
    adversarial, is shown apart.
    """
    _run(invocation, locomo_benchmark.run, given, search_only=search_only)


def _run(
    invocation: Invocation,
    run: Callable[..., RecallFindings],
    given: Mapping[str, Any],
    *,
    search_only: bool,
) -> None:
    plot = given["plot"]
    if plot and Path(plot).suffix.lower() != ".svg":
        raise SettingError(
            f"The plot {plot!r} cannot be drawn: only SVG is supported.",
            hint="Use a name that ends in .svg; browsers and word processors show it.",
        )
    chosen: dict[str, Any] = {name: given[name] for name in ("data", "baseline", "first")}
    chosen["settings"] = {n: given[n] for n in ("embedder", "reranker") if given[n]}
    if search_only:
        chosen["budgets"] = ()
    say = progress_printer(quiet=invocation.json)
    findings = run(progress=say, **chosen)
    if sys.stderr.isatty():
        say("")
    data = findings.as_dict()
    if plot:
        Path(plot).write_text(_plot(data), encoding="utf-8")
    if invocation.json:
        invocation.emit(data)
    else:
        echo_lines(lines(data))
    if data["interrupted"]:
        asked, total = data["questions"]["asked"], data["questions"]["total"]
        echo(f"Interrupted: the figures are over {asked} of {total} questions.", "warn", err=True)
        raise click.exceptions.Exit(INTERRUPTED)


def lines(data: Mapping[str, Any]) -> list[str]:
    """Lay findings out for people: a table a unit, one by question type, and what else is known."""
    shown: list[str] = []
    for unit, groups in data["figures"].items():
        if "all" in groups:
            count = groups["all"]["questions"]
            shown += [paint(f"{unit}, {count:,} questions", "bold"), *_overall(data, unit), ""]
            shown += [*_by_type(groups), ""]
    shown += _recalled(data["recalled"])
    for name, held in data["seconds"].items():
        shown.append(f"{name}: p50 {held['p50']:.4f} s, p95 {held['p95']:.4f} s")
    for note in data["notes"]:
        shown += [paint(line, "dim") for line in wrap(note, width())]
    return shown


def _overall(data: Mapping[str, Any], unit: str) -> list[str]:
    held = data["figures"][unit]["all"]
    errors = data["standard_errors"][unit]["all"]
    baselines = [n for n, b in data["baselines"].items() if unit in b["figures"]]
    columns = [Column("measure"), Column("ours ± s.e.", right=True)]
    for name in baselines:
        columns += [Column(name, right=True), Column("above it (95 %)", right=True)]
    rows = []
    for measure in [name for name in MEASURES if name in held]:
        row = [measure, f"{_share(held[measure])} ± {_share(errors[measure])}"]
        for name in baselines:
            theirs = data["baselines"][name]["figures"][unit]["all"]
            gain = data["baselines"][name]["differences"][unit].get(measure)
            row.append(_share(theirs[measure]) if measure in theirs else "")
            row.append(_gain(gain) if gain else "")
        rows.append(row)
    return table(columns, rows, width())


def _gain(gain: Any) -> str:
    mean, low, high = f"{gain.mean:+.3f}", f"{gain.low:+.2f}", f"{gain.high:+.2f}"
    return f"{mean} ({low} {high})".replace("0.", ".")


def _by_type(groups: Mapping[str, Mapping[str, float]]) -> list[str]:
    names = [name for name in BY_TYPE if name in groups["all"]]
    if not names:
        return []
    short = [_HEADS.get(name, name) for name in names]
    columns = [Column("type", flexible=True), Column("n", right=True)]
    columns += [Column(name, right=True) for name in short]
    rows = [
        [group, f"{held['questions']:,}", *(_share(held[name]) for name in names)]
        for group, held in groups.items()
    ]
    return table(columns, rows, width())


def _recalled(groups: Mapping[str, Mapping[str, float]]) -> list[str]:
    if not groups:
        return []
    names = list(next(iter(groups.values())))
    columns = [Column("exchanges"), *(Column(name, right=True) for name in groups)]
    rows = [[name, *(f"{held[name]:,.2f}" for held in groups.values())] for name in names]
    return [*table(columns, rows, width()), ""]


def _share(value: float) -> str:
    return f"{value:.3f}".removeprefix("0")


def _plot(data: Mapping[str, Any]) -> str:
    unit = next((u for u, groups in data["figures"].items() if "all" in groups), "")
    ours = data["figures"].get(unit, {}).get("all", {})
    measures: Sequence[str] = [name for name in PLOTTED if name in ours]
    held = {"unabridged": data} | data["baselines"]
    systems = {}
    for name, each in held.items():
        figures = each["figures"].get(unit, {}).get("all", {})
        errors = each["standard_errors"].get(unit, {}).get("all", {})
        systems[name] = {m: (figures[m], errors[m]) for m in measures if m in figures}
    title = f"{data['benchmark']}: {unit}, {ours.get('questions', 0):,} questions"
    return bars(title, systems, measures)
