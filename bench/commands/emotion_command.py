"""``python -m bench emotion``."""

import click

from bench.annotations import emotion_accuracy
from unabridged.cli.options import Invocation
from unabridged.cli.output import echo, echo_lines
from unabridged.cli.paint import Column, table, width
from unabridged.cli.plain_command import plain_command


@plain_command(
    "emotion",
    "python -m bench emotion --data ../shared/data/emobank/emobank.csv",
    options=("json",),
)
@click.option(
    "--data",
    required=True,
    metavar="PATH",
    help="EmoBank's emobank.csv or its folder: columns V and A (1 to 5) and text.",
)
def emotion_command(invocation: Invocation, data: str) -> None:
    """Measure how feelings are read against sentences that people rated.

    Pearson's correlation with rated valence and arousal of each way to read them: exclamation marks
    alone, a table of words, the meaning between two poles, and both, which is what is used.
    """
    rows = emotion_accuracy.run(emotion_accuracy.load(data))
    if invocation.json:
        invocation.emit({"benchmark": "emotion", "rows": rows})
        return
    heads = [head for head in rows[0] if not head.endswith("_error")]
    columns = [Column(head, right=head != "way") for head in heads]
    echo_lines(table(columns, [[_cell(row, head) for head in heads] for row in rows], width()))
    echo("\nCorrelations with 95 % intervals; strong: the share read as stronger than 0.7.")


def _cell(row: dict[str, object], head: str) -> str:
    value, error = row[head], row.get(f"{head}_error")
    if value is None:
        return ""
    if isinstance(value, float):
        return f"{value:.3f} ± {error:.3f}" if error is not None else f"{value:.3f}"
    return f"{value:,}" if isinstance(value, int) else str(value)
