"""``unabridged search``."""

from datetime import datetime
from functools import partial

import click

from unabridged.cli.open_from_options import look_into, session_named, words_from
from unabridged.cli.options import MEMORY, Invocation
from unabridged.cli.output import echo, echo_lines
from unabridged.cli.paint import width
from unabridged.cli.period import in_period, period
from unabridged.cli.plain_command import plain_command
from unabridged.cli.terminal_text import safe, wrap
from unabridged.cli.views.found import by_score, found_lines, nearest, nothing_lines
from unabridged.errors import InputError


@plain_command(
    "search",
    "unabridged search hotel lisbon",
    "unabridged search --since 2026-05-01 '\"blue folder\"'",
    "unabridged search --json --limit 3 --role user passport",
    options=(*MEMORY, "only_session"),
)
@click.argument("query", nargs=-1, required=True)
@click.option(
    "--limit",
    type=click.IntRange(1, 1000),
    default=10,
    show_default=True,
    help="Show up to this many exchanges.",
)
@in_period
@click.option(
    "--role",
    type=click.Choice(["user", "assistant"]),
    help="Only if this side contains a word of the query.",
)
@click.option("--exact", is_flag=True, help="Find the query exactly as written, newest first.")
@click.option(
    "--min-relevance",
    type=click.FloatRange(0, 1),
    metavar="SHARE",
    help="How well exchanges must match, 0 to 1; 0 lists the nearest too.",
)
def command(
    invocation: Invocation,
    *,
    query: tuple[str, ...],
    limit: int,
    since: datetime | None,
    until: datetime | None,
    role: str | None,
    exact: bool,
    min_relevance: float | None,
) -> None:
    """Find exchanges by what was said.

    Searches every session and branch of the space. Words in quotation marks must occur exactly as
    written. `unabridged show ID` shows an exchange whole.
    """
    words = words_from(query)
    if not words.strip():
        raise InputError("The query is empty.", hint="Write a word: unabridged search hotel")
    space = look_into(invocation)
    session = session_named(invocation, space) if invocation.given("session") else None
    start, end = period(since, until)
    search = partial(
        space.search, reach=session.id if session else None, since=start, until=end, role=role
    )
    found = search(words, limit, exact=exact, min_relevance=min_relevance)
    for line in wrap(safe(space.search_note), width()) if space.search_note else ():
        echo(line, "warn", err=True)
    if invocation.json:
        invocation.emit(found)
    elif found:
        echo_lines(line for one in by_score(found) for line in found_lines(one, words))
    else:
        echo_lines(nothing_lines(words, nearest(search, words)))
