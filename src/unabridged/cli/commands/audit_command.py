"""``unabridged audit``."""

from collections.abc import Sequence

import click

from unabridged.cli.format import moment
from unabridged.cli.operation_command import performed
from unabridged.cli.options import MEMORY, Invocation
from unabridged.cli.output import echo_lines
from unabridged.cli.paint import Column, table, width
from unabridged.cli.parse_moment import parse_past
from unabridged.cli.plain_command import plain_command
from unabridged.clock import SystemClock
from unabridged.domain.audit import AuditEntry

_COLUMNS = [
    Column("time"),
    Column("who"),
    Column("operation"),
    Column("space", flexible=True),
    Column("calls"),
    Column("items"),
    Column("outcome"),
]


@plain_command(
    "audit", "unabridged audit --since 7d", "unabridged audit --since 2026-03-01 --json",
    options=MEMORY,
)  # fmt: skip
@click.option("--since", metavar="WHEN", help="Only entries since 12h, 30d, 8w or a date.")
@click.option(
    "--limit", type=click.IntRange(1), default=200, show_default=True, help="The newest N entries."
)
def command(invocation: Invocation, since: str | None, limit: int) -> None:
    """List who read, exported, shared, imported and forgot.

    WHO is the id of an API key (`unabridged keys list`), token, loopback, stdio, or local for commands. A space is shown by its name while it exists, then by a keyed digest. No entry has anything that was said. `unabridged verify` notices entries that were changed or removed.
    """
    after = parse_past(since, SystemClock().now()).isoformat() if since else None
    found, _ = performed(invocation, "audit.list", since=after, limit=limit)
    if invocation.json or not found:
        invocation.answer(found, empty="The audit log has no entry yet.")
        return
    echo_lines(table(_COLUMNS, _rows(found), width()))


def _rows(found: Sequence[AuditEntry]) -> list[tuple[str, ...]]:
    return [
        (
            moment(each.at),
            each.who,
            each.what,
            each.name or each.space,
            f"{each.times:,}",
            f"{each.count:,}",
            str(each.outcome),
        )
        for each in reversed(found)
    ]
