"""``python -m bench condense``."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import click

from bench.condense import condense_benchmark
from bench.report_output import INTERRUPTED, progress_printer
from unabridged.cli.options import Invocation
from unabridged.cli.output import echo, echo_lines
from unabridged.cli.paint import Column, paint, table, width
from unabridged.cli.plain_command import plain_command
from unabridged.cli.terminal_text import wrap

_Figures = Mapping[str, Mapping[str, Any]]
_ABREAST = 3
"""Differences in a row."""
_OURS = {"differences": "unabridged", "differences_asked": "unabridged, asked,"}
"""Differences to who is above the baselines."""


@plain_command(
    "condense",
    "python -m bench condense --data ../shared/data",
    "python -m bench condense --data ../shared/data --only answers --only qmsum --json",
    options=("json",),
)
@click.option(
    "--data",
    required=True,
    metavar="FOLDER",
    help="A folder that holds any of longmemeval, locomo, qmsum and crd3.",
)
@click.option(
    "--only",
    multiple=True,
    metavar="NAME",
    help="Measure only this: answers, qmsum, crd3, contexts or speed; repeatable.",
)
@click.option(
    "--first",
    type=click.IntRange(1),
    help="Use only this number of questions (of each conversation), meetings and episodes.",
)
@click.option(
    "--written",
    type=click.IntRange(0),
    default=0,
    metavar="N",
    help="Let the embedded model condense this number of sessions too.",
)
def condense_command(
    invocation: Invocation, data: str, only: tuple[str, ...], first: int | None, written: int
) -> None:
    """Measure what condensing keeps, next to simple ways to keep as much.

    Answers that remain in condensed histories (LongMemEval, LoCoMo) and in contexts of 2,000
    and 4,000 tokens; summaries of meetings (QMSum); turns of play that a summary used (CRD3); time.
    Every condensation of the run is checked: whole sentences of its sources, the limit, the order.
    """
    say = progress_printer(quiet=invocation.json)
    found = condense_benchmark.run(
        data, progress=say, only=only, first=first, written=written
    ).as_dict()
    if invocation.json:
        invocation.emit(found)
    else:
        echo_lines(["", *lines(found)])
    if found["interrupted"]:
        echo("Interrupted. These are the figures so far.", "warn", err=True)
        raise click.exceptions.Exit(INTERRUPTED)


def lines(data: Mapping[str, Any]) -> list[str]:
    """Lay findings out for people."""
    shown: list[str] = []
    for each in data["tables"]:
        shown += [paint(each["name"], "bold"), *wrap(each["about"], width()), ""]
        for name, group in each["groups"].items():
            shown += [paint(f"{name}: {group[each['unit']]:,} {each['unit']}", "bold")]
            shown += [*_figures(group), ""]
            for key, ours in _OURS.items():
                if group[key]:
                    shown += [f"{ours} above it, 95 %:", *_gains(group[key]), ""]
        shown += _wanted(each)
    shown += [*_speed(data["speed"]), *_written(data["written"]), *_checks(data)]
    notes = list(data["notes"])
    if data["missing"]:
        notes.append(f"Missing, so not measured: {', '.join(data['missing'])}.")
    return shown + [paint(line, "dim") for note in notes for line in wrap(note, width())]


def _figures(group: Mapping[str, _Figures]) -> list[str]:
    held, errors = group["figures"], group["standard_errors"]
    names = list(next(iter(held.values())))
    columns = [Column("method", flexible=True), *(Column(name, right=True) for name in names)]
    rows = [
        [method, *(f"{_share(found[n])} ± {_share(errors[method][n])}" for n in names)]
        for method, found in held.items()
    ]
    return table(columns, rows, width())


def _gains(differences: _Figures) -> list[str]:
    names = [name for name in next(iter(differences.values())) if name != "size"]
    shown: list[str] = []
    for begin in range(0, len(names), _ABREAST):
        some = names[begin : begin + _ABREAST]
        columns = [Column("baseline", flexible=True), *(Column(n, right=True) for n in some)]
        rows = [[method, *(_gain(found[n]) for n in some)] for method, found in differences.items()]
        shown += table(columns, rows, width())
    return shown


def _gain(gain: Any) -> str:
    return f"{gain.mean:+.3f} ({gain.low:+.2f} {gain.high:+.2f})".replace("0.", ".")


def _wanted(each: Mapping[str, Any]) -> Iterator[str]:
    for name, held in each["least"].items():
        yield f"{name}: must {_share(held['must'])}, aim {_share(held['aim'])}"
        yield ""


def _speed(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    if not rows:
        return []
    names = [name for name in rows[0] if name not in {"method", "cpu us per token"}]
    columns = [Column("method"), *(Column(name, right=True) for name in names)]
    timed = [row for row in rows if "ms" in row]
    shown = table(
        columns, [[row["method"], *(_number(row[n]) for n in names)] for row in timed], width()
    )
    linear = [row for row in rows if "ms" not in row]
    told = (f"{row['method']} {_number(row['1M : 100k'])}" for row in linear)
    if linear:
        shown += ["", *wrap(f"A token at 1,000,000 to one at 100,000: {', '.join(told)}", width())]
    return [paint("speed", "bold"), *shown, ""]


def _written(found: Mapping[str, Any]) -> list[str]:
    # What a model wrote, as a table of two columns.
    if not found:
        return []
    reasons = "; ".join(f"{count} times {reason}" for reason, count in found["reasons"].items())
    rows = [[name, str(value)] for name, value in found.items() if name != "reasons"]
    told = table([Column("written"), Column("", right=True)], rows, width())
    return [*told, *wrap(f"Fell back: {reasons or 'never'}.", width()), ""]


def _checks(data: Mapping[str, Any]) -> list[str]:
    count = sum(held["condensations"] for held in data["checks"].values())
    if not count:
        return []
    wrong = [
        f"{method}: {number} {name}"
        for method, held in data["checks"].items()
        for name, number in held.items()
        if name != "condensations" and number
    ]
    told = "; ".join(wrong) or "no violation"
    return [*wrap(f"{count:,} condensations checked: {told}.", width()), ""]


def _share(value: float) -> str:
    return f"{value:.3f}".replace("0.", ".", 1) if abs(value) < 1 else f"{value:.3f}"


def _number(value: float | None) -> str:
    if value is None:
        return ""
    return f"{value:,}" if isinstance(value, int) else f"{value:,.2f}"
