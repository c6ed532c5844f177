"""``python -m bench peers``."""

import click

from bench.peers import peers_benchmark
from bench.report_output import INTERRUPTED, progress_printer
from unabridged.cli.options import Invocation
from unabridged.cli.output import echo, echo_lines
from unabridged.cli.paint import Column, paint, table, width
from unabridged.cli.plain_command import plain_command
from unabridged.cli.terminal_text import wrap

_SHORT = {
    "peer": "peer",
    "ingest turns/s": "turns/s",
    "search p50 ms": "p50 ms",
    "search p95 ms": "p95 ms",
    "turn frac@5": "t@5",
    "turn frac@10": "t@10",
    "exchange frac@5": "x@5",
    "exchange frac@10": "x@10",
    "resident MiB": "MiB",
    "disk bytes/turn": "B/turn",
}
"""Figure to the head of its column."""


@plain_command(
    "peers", "python -m bench peers --data ../shared/data/locomo/locomo4.json", options=("json",)
)
@click.option("--data", required=True, metavar="PATH", help="LoCoMo: a file or a folder.")
@click.option("--only", multiple=True, metavar="NAME", help="Measure only this one; repeatable.")
def peers_command(invocation: Invocation, data: str, only: tuple[str, ...]) -> None:
    """Measure other memories on the same turns, with the same vectors.

    Those that are installed (the dependency group `peers` names them): chromadb, mem0, langgraph,
    llamaindex, mempalace, rank_bm25. Each runs on one core in a process of its own, and embeds with
    our default embedder. t@k is frac@k of turns and x@k that of exchanges, over categories 1 to 4.
    """
    found = peers_benchmark.run(data, progress=progress_printer(quiet=invocation.json), only=only)
    if invocation.json:
        invocation.emit({"benchmark": "peers", **{n: getattr(found, n) for n in _FIELDS}})
    else:
        columns = [Column(head, right=head != "peer") for head in _SHORT.values()]
        rows = [[_cell(row[name]) for name in _SHORT] for row in found.rows]
        echo_lines(["", *table(columns, rows, width())] if rows else [])
        notes = [f"{row['peer']}: {row['note']}." for row in found.rows] + found.notes
        echo_lines(paint(line, "dim") for note in notes for line in wrap(note, width()))
    if found.interrupted:
        echo("Interrupted. These are the figures so far.", "warn", err=True)
        raise click.exceptions.Exit(INTERRUPTED)


_FIELDS = ("machine", "rows", "notes", "interrupted")


def _cell(value: object) -> str:
    match value:
        case None:
            return ""
        case int():
            return f"{value:,}"
        case float():
            return f"{value:.3f}".removesuffix("0")
        case _:
            return str(value)
