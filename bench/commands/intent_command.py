"""``python -m bench intent``."""

import click

from bench.annotations import intent_accuracy, labelled_messages
from unabridged.cli.options import Invocation
from unabridged.cli.output import echo, echo_lines
from unabridged.cli.paint import Column, table, width
from unabridged.cli.plain_command import plain_command


@plain_command(
    "intent", "python -m bench intent --data tests/fixtures/intent/heldout.tsv", options=("json",)
)
@click.option(
    "--data",
    required=True,
    metavar="PATH",
    help="Labelled messages: lines of intent, tab, message; or CSV, or JSON.",
)
def intent_command(invocation: Invocation, data: str) -> None:
    """Measure how often intent is read as labelled by a person.

    Recall is the share of an intent's messages that were read as it, precision the share of those
    read as it that were it; the last columns show how its messages were read.
    """
    messages = labelled_messages.load(data)
    intent_accuracy.run(messages[:1])  # the first reads the tables
    rows = intent_accuracy.run(messages)
    *each, altogether = rows
    if invocation.json:
        accuracy = altogether["accuracy"]
        invocation.emit({"benchmark": "intent", "accuracy": accuracy, "rows": rows})
        return
    columns = [Column(head.removeprefix("as_"), right=head != "intent") for head in each[0]]
    echo_lines(table(columns, [[_cell(value) for value in row.values()] for row in each], width()))
    said = f"{altogether['accuracy']:.3f} of {altogether['messages']:,} messages are read right"
    echo(f"\n{said}, in {altogether['milliseconds']:.2f} ms each.")


def _cell(value: object) -> str:
    match value:
        case None:
            return ""
        case float():
            return f"{value:.3f}"
        case _:
            return str(value)
