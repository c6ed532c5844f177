"""``python -m bench facts``."""

from collections.abc import Mapping
from typing import Any

import click

from bench.facts import facts_benchmark
from bench.report_output import progress_printer
from unabridged.cli.options import Invocation
from unabridged.cli.output import echo, echo_lines
from unabridged.cli.paint import Column, paint, table, width
from unabridged.cli.plain_command import plain_command
from unabridged.cli.terminal_text import wrap


@plain_command(
    "facts",
    "python -m bench facts --data ../shared/data",
    "python -m bench facts --data ../shared/data/longmemeval --sample 200 --json",
    options=("json",),
)
@click.option(
    "--data",
    required=True,
    metavar="PATH",
    help="LongMemEval, LoCoMo, PrecisionMemBench, or the folder that holds them.",
)
@click.option(
    "--sample", type=click.IntRange(0), default=0, help="Show this number of facts to label."
)
@click.option("--seed", type=int, default=1, show_default=True, help="Which sample.")
def facts_command(invocation: Invocation, data: str, sample: int, seed: int) -> None:
    """Measure the facts that rules learn, and what facts answer.

    How many per 100 exchanges, of which kinds and in what time; for PrecisionMemBench what must and
    must not be returned, next to plain BM25 over the same beliefs.
    """
    found = facts_benchmark.run(
        data, progress=progress_printer(quiet=invocation.json), sample=sample, seed=seed
    )
    if invocation.json:
        invocation.emit(found)
        return
    echo()
    if found["drawn"]:
        echo_lines([*_drawn(found), ""])
    if "precisionmembench" in found:
        echo_lines([*_precision(found["precisionmembench"]), ""])
    for row in found["sample"]:
        echo(f"{row['subject']} | {row['attribute']} | {row['value']} | {row['quote']}")


def _drawn(found: Mapping[str, Any]) -> list[str]:
    heads = ("exchanges", "facts", "per 100", "ms each")
    columns = [Column("data"), *(Column(head, right=True) for head in heads)]
    rows = [
        (
            each["data"],
            f"{each['exchanges']:,}",
            f"{each['facts']:,}",
            f"{each['per_100']:.1f}",
            f"{each['milliseconds']:.2f}",
        )
        for each in found["drawn"]
    ]
    lines = table(columns, rows, width())
    for each in found["drawn"]:
        kinds = ", ".join(f"{name} {number:,}" for name, number in each["kinds"].items())
        lines += [paint(line, "dim") for line in wrap(f"{each['data']}: {kinds}", width())]
    held = found["bearing"]
    said = (
        f"bearing over {held['facts']:,} facts: p50 {held['milliseconds_p50']:.2f} ms, "
        f"p95 {held['milliseconds_p95']:.2f} ms, {held['given']:.1f} facts a message"
    )
    return [*lines, said]


def _precision(found: Mapping[str, Any]) -> list[str]:
    heads = ("must return", "must not: cases", "violated", "only: cases", "violated")
    columns = [Column("precisionmembench"), *(Column(head, right=True) for head in heads)]
    rows = [
        (
            name,
            f"{held['must_return_recall']:.3f}",
            f"{held['must_not_return_cases']:,}",
            f"{held['must_not_return_violated']:.3f}",
            f"{held['only_cases']:,}",
            f"{held['only_violated']:.3f}",
        )
        for name, held in ((n, found[n]) for n in ("facts", "bm25", "bm25_stateless"))
    ]
    lines = table(columns, rows, width())
    failures = found["facts"]["failures"]
    return [*lines, *(paint(line, "dim") for text in failures for line in wrap(text, width()))]
