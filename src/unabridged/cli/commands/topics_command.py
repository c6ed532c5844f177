"""``unabridged topics``."""

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from unabridged.cli.format import count, day
from unabridged.cli.operation_command import call_of, performed
from unabridged.cli.options import MEMORY, Invocation
from unabridged.cli.output import echo, echo_lines, plain
from unabridged.cli.paint import Column, paint, table, width
from unabridged.cli.plain_command import plain_command
from unabridged.cli.progress import Stages
from unabridged.cli.terminal_text import clip, one_line, wrap
from unabridged.cli.views.found import titled
from unabridged.domain.exchange import Exchange
from unabridged.domain.topic import Topic
from unabridged.errors import NotFoundError

if TYPE_CHECKING:
    from unabridged.operations.call import Call
    from unabridged.operations.operation_results import TopicResult

MOST = 1_000
"""Topics that the operation lists at most."""
OTHER = "other"
ROOM_FOR_ALL = 90
"""The least width to also count sessions and show whole dates."""


@plain_command(
    "topics",
    "unabridged topics",
    "unabridged topics --since 2026-05-01 --until 2026-05-31",
    "unabridged topics --show 3",
    options=(*MEMORY, "only_session"),
    operation="topics.list",
    hidden=("session",),
)
@click.option(
    "--show", "shown", metavar="NUMBER", help="List the exchanges of one topic, or of `other`."
)
@click.option(
    "--limit",
    type=click.IntRange(1),
    default=20,
    show_default=True,
    help="List up to this many topics, or exchanges of a topic.",
)
def command(invocation: Invocation, *, shown: str | None, limit: int, **given: Any) -> None:
    """List what was talked about, with sizes and dates.

    Every exchange is in exactly one topic; the last topic holds those that belong to no other. Use
    a topic's number with --show and the same --since, --until and --session.
    """
    call = call_of(invocation, "topics.list")
    with Stages(quiet=invocation.json) as stages:
        moving = replace(call, moved=stages.show)
        found, _ = performed(invocation, "topics.list", call=moving, limit=MOST, **given)
    if shown is not None:
        _show(invocation, call, _chosen(found, shown), limit)
        return
    invocation.answer(
        found[:limit],
        *(topic_lines(found, limit) if found else ()),
        empty="There is no exchange in this period.",
    )


def _chosen(found: Sequence["TopicResult"], wanted: str) -> "TopicResult":
    for topic in found:
        if wanted == str(topic.number) or (topic.other and wanted == OTHER):
            return topic
    raise NotFoundError(f"There is no topic {wanted!r}.", hint="List them: unabridged topics")


def topic_lines(topics: Sequence["TopicResult"], limit: int) -> list[str]:
    """List topics with their numbers; the others are always last."""
    room = width()
    wide = room >= ROOM_FOR_ALL
    columns = [
        Column("", right=True, style="dim"),
        Column("topic", flexible=True),
        Column("exchanges", right=True),
        *([Column("sessions", right=True)] if wide else []),
        Column("tokens", right=True),
        Column("when", style="dim"),
    ]
    rest = [topic for topic in topics[limit:] if not topic.other]
    shown = [*topics[:limit], *(topic for topic in topics[limit:] if topic.other)]
    rows = [
        (
            str(topic.number),
            topic.name,
            f"{len(topic.exchanges):,}",
            *([f"{len(topic.sessions):,}"] if wide else []),
            f"{topic.tokens:,}",
            _when(topic, days=wide),
        )
        for topic in shown
    ]
    lines = table(columns, rows, room)
    if rest:
        held = count(sum(len(topic.exchanges) for topic in rest), "exchange")
        more = f"… and {count(len(rest), 'smaller topic')} with {held}: --limit {len(topics)}"
        lines.append(paint(more, "dim"))
    return lines


def _when(topic: Topic, *, days: bool) -> str:
    first, last = (day(at)[: 10 if days else 7] for at in (topic.first, topic.last))
    return first if first == last else f"{first} – {last}"


def _show(invocation: Invocation, call: "Call", topic: "TopicResult", limit: int) -> None:
    exchanges = [
        performed(invocation, "exchanges.get", call=call, exchange=wanted)[0]
        for wanted in topic.exchanges[:limit]
    ]
    if invocation.json:
        invocation.emit({**plain(topic), "exchanges": exchanges})
        return
    titles = {session.id: session.title for session in call.space.sessions.all()}
    for line in wrap(one_line(topic.name), width()):
        echo(line, "bold")
    echo()
    for exchange in exchanges:
        echo_lines(_exchange_lines(exchange, titles.get(exchange.session, "")))
    if len(topic.exchanges) > limit:
        left = len(topic.exchanges) - limit
        echo(f"… and {left:,} more: --limit {len(topic.exchanges)}", "dim")


def _exchange_lines(exchange: Exchange, title: str) -> list[str]:
    room = width()
    head = f"{day(exchange.at)}  {exchange.id}"
    named = clip(one_line(title), max(0, room - len(head) - 2))
    lines: list[str] = [titled(head, named)]
    lines.append("  " + clip("› " + one_line(exchange.user.text), room - 2))
    if exchange.answer:
        lines.append("    " + clip(one_line(exchange.answer.text), room - 4))
    return lines
