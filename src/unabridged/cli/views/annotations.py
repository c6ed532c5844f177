"""Annotations as text: categories, annotated messages, their distribution."""

from collections.abc import Mapping, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any

from unabridged.cli.format import count, moment, percent
from unabridged.cli.paint import Column, paint, table, width
from unabridged.cli.terminal_text import one_line
from unabridged.domain.annotation import ExchangeReading, Scheme
from unabridged.domain.exchange import Exchange

if TYPE_CHECKING:
    from unabridged.operations.call import Call

_NAMED = 3
"""Categories in one row."""
_BAR = 20
"""Width in cells of the longest bar of a distribution."""


def called(category: str) -> str:
    """Return the name of a category as people write it."""
    return category.replace("_", " ")


def scheme_lines(scheme: Scheme) -> list[str]:
    """Show the categories of a scheme, with the share that stays verbatim."""
    columns = [
        Column("category"),
        Column("verbatim", right=True),
        Column("importance", right=True),
        Column("contains", flexible=True, style="dim"),
    ]
    rows = [
        (called(each.name), percent(each.keep), f"{each.importance:.2f}", each.about)
        for each in scheme.categories
    ]
    return table(columns, rows, width())


def annotation_lines(
    exchanges: Sequence[Exchange], annotations: Mapping[str, ExchangeReading]
) -> list[str]:
    """Show the annotations of exchanges: a head for each, and a line for each message."""
    columns = [
        Column("", style="dim"),
        Column("", style="accent"),
        Column("", right=True),
        Column("", style="dim"),
        Column("", flexible=True),
    ]
    heads: list[tuple[str, int]] = []
    rows: list[tuple[str, ...]] = []
    for exchange in exchanges:
        reading = annotations.get(exchange.id)
        judged = reading.messages if reading else {}
        found = [(m, judged[m.id]) for m in exchange.messages if m.id in judged]
        heads.append((paint(f"{moment(exchange.at)}  {exchange.id}", "dim"), len(found)))
        rows += [
            (
                message.role.value,
                called(one.category),
                f"{one.importance:.2f}",
                one.by.partition("/")[0],
                one_line(message.text),
            )
            for message, one in found
        ]
    left = ("  " + line for line in (table(columns, rows, width() - 2) if rows else []))
    return [line for head, size in heads for line in (head, *islice(left, size))]


def annotated_lines(annotations: Sequence[ExchangeReading], call: "Call") -> list[str]:
    """Show annotations with the exchanges that they belong to."""
    exchanges = [call.space.log.get(each.exchange) for each in annotations]
    return annotation_lines(exchanges, {each.exchange: each for each in annotations})


def distribution_lines(counts: Any) -> list[str]:
    """Show the number of messages by category, and the classifiers."""
    total = sum(each.messages for each in counts.categories)
    most = max((each.messages for each in counts.categories), default=0)
    columns = [
        Column("category"),
        Column("messages", right=True),
        Column("share", right=True),
        Column("exchanges", right=True),
        Column("", style="accent"),
    ]
    rows = [
        (
            called(each.name),
            f"{each.messages:,}",
            percent(each.messages / total if total else 0),
            f"{each.exchanges:,}",
            "▪" * round(_BAR * each.messages / most) if most else "",
        )
        for each in counts.categories
    ]
    said = f"{count(counts.exchanges, 'exchange')} classified, {counts.pending:,} pending"
    by = ", ".join(f"{name} {number:,}" for name, number in counts.by.items())
    lines = table(columns, rows, width())
    return [*lines, paint(f"{said} · scheme {counts.scheme}{f' · by {by}' if by else ''}", "dim")]


def judged_rows(counts: Any) -> list[tuple[str, str]]:
    """Return rows of a table: how many messages are classified, and the categories."""
    held = sorted(counts.categories, key=lambda each: -each.messages)
    most = [f"{called(each.name)} {each.messages:,}" for each in held if each.messages]
    total = sum(each.messages for each in counts.categories)
    said = f"{count(total, 'message')} of {count(counts.exchanges, 'exchange')}"
    rows = [("classified", f"{said}; {count(counts.pending, 'exchange')} pending")]
    chunks = (most[at : at + _NAMED] for at in range(0, len(most), _NAMED))
    return [*rows, *(("", ", ".join(chunk)) for chunk in chunks)]
