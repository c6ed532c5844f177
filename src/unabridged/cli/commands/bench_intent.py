"""``unabridged bench intent``."""

import importlib

import click

from unabridged.cli.options import Invocation, common, example, invoked
from unabridged.cli.output import echo_lines
from unabridged.cli.paint import Column, table, width


@click.command(
    "intent",
    epilog=example("unabridged bench intent --data tests/fixtures/intent/heldout.tsv"),
)
@click.option(
    "--data",
    required=True,
    metavar="PATH",
    help="Labelled messages: lines of intent, tab, message; or CSV, or JSON.",
)
@common("json")
@invoked
def intent_command(invocation: Invocation, data: str) -> None:
    """Measure how often intent is read as a person labelled it.

    Recall is the share of an intent's messages that were read as it, precision the share of those
    read as it that were it.
    """
    labelled = importlib.import_module("unabridged.evals.labelled")
    intent = importlib.import_module("unabridged.evals.intent")
    rows = intent.run(labelled.load(data))
    if invocation.json:
        invocation.emit({"benchmark": "intent", "rows": rows})
        return
    names = list(dict.fromkeys(name for row in rows for name in row))
    columns = [Column(name, right=name != "intent") for name in names]
    shown = [[_cell(row.get(name)) for name in names] for row in rows]
    echo_lines(table(columns, shown, width()))


def _cell(value: object) -> str:
    match value:
        case None:
            return ""
        case float():
            return f"{value:.3f}"
        case _:
            return str(value)
