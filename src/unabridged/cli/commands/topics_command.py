"""``unabridged topics``."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

import click

from unabridged.cli.format import count, day
from unabridged.cli.open_from_options import look_into, session_named
from unabridged.cli.options import MEMORY, Invocation
from unabridged.cli.output import echo, echo_lines, exchange_data, plain
from unabridged.cli.paint import Column, paint, table, width
from unabridged.cli.period import in_period, period
from unabridged.cli.plain_command import plain_command
from unabridged.cli.progress import Stages
from unabridged.cli.terminal_text import clip, one_line, wrap
from unabridged.domain.exchange import Exchange
from unabridged.domain.topic import Topic
from unabridged.errors import NotFoundError
from unabridged.space.space import Space

OTHER = "other"
ROOM_FOR_ALL = 90
"""The least width to also count sessions and show whole dates."""


@plain_command(
    "topics",
    "unabridged topics",
    "unabridged topics --since 2026-05-01 --until 2026-05-31",
    "unabridged topics --show 3",
    options=(*MEMORY, "only_session"),
)
@in_period
@click.option(
    "--show", "shown", metavar="NUMBER", help="List the exchanges of one topic, or of `other`."
)
@click.option(
    "--limit",
    type=click.IntRange(1),
    default=20,
    show_default=True,
    help="List up to this many exchanges of a topic.",
)
def command(
    invocation: Invocation,
    since: datetime | None,
    until: datetime | None,
    shown: str | None,
    limit: int,
) -> None:
    """List what was talked about, with sizes and dates.

    Every exchange is in exactly one topic; the last topic holds those that belong to no other. Use
    a topic's number with --show and the same --since, --until and --session.
    """
    space = look_into(invocation)
    start, end = period(since, until)
    found = _found(invocation, space, start, end)
    if shown is not None:
        _show(invocation, space, *_chosen(found, shown), limit)
        return
    if invocation.json:
        invocation.emit([topic_data(n, topic) for n, topic in enumerate(found[:limit], 1)])
        return
    if not found:
        echo("There is no exchange in this period.", "dim")
        return
    echo_lines(topic_lines(found, limit))


def _found(
    invocation: Invocation, space: Space, since: datetime | None, until: datetime | None
) -> list[Topic]:
    session = session_named(invocation, space) if invocation.given("session") else None
    with Stages(quiet=invocation.json) as stages:
        return space.maintenance.topics(
            since=since,
            until=until,
            session=session.id if session else None,
            moved=stages.show,
        )


def _chosen(found: Sequence[Topic], wanted: str) -> tuple[int, Topic]:
    if wanted == OTHER and found and found[-1].other:
        return len(found), found[-1]
    if wanted.isdecimal() and 1 <= int(wanted) <= len(found):
        return int(wanted), found[int(wanted) - 1]
    raise NotFoundError(f"There is no topic {wanted!r}.", hint="List them: unabridged topics")


def topic_data(number: int, topic: Topic) -> dict[str, Any]:
    """Return a topic for JSON."""
    return {"number": number, "name": topic.name, **plain(topic)}


def topic_lines(topics: Sequence[Topic], limit: int) -> list[str]:
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
    numbered = list(enumerate(topics, 1))
    shown = numbered[:limit]
    rest = [topic for _, topic in numbered[limit:] if not topic.other]
    shown += [(n, topic) for n, topic in numbered[limit:] if topic.other]
    rows = [
        (
            str(number),
            topic.name,
            f"{len(topic.exchanges):,}",
            *([f"{len(topic.sessions):,}"] if wide else []),
            f"{topic.tokens:,}",
            _when(topic, days=wide),
        )
        for number, topic in shown
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


def _show(invocation: Invocation, space: Space, number: int, topic: Topic, limit: int) -> None:
    exchanges = [space.log.get(wanted) for wanted in topic.exchanges[:limit]]
    if invocation.json:
        data = topic_data(number, topic)
        invocation.emit({**data, "exchanges": [exchange_data(each) for each in exchanges]})
        return
    titles = {line.session.id: line.session.title for line in space.sessions.summaries()}
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
    lines = [f"{paint(head, 'dim')}  {paint(named, 'accent')}".rstrip()]
    lines.append("  " + clip("› " + one_line(exchange.user.text), room - 2))
    if exchange.answer:
        lines.append("    " + clip(one_line(exchange.answer.text), room - 4))
    return lines
