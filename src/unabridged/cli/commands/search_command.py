"""``unabridged search``."""

import click

from unabridged.cli.open_from_options import look_into, words_from
from unabridged.cli.options import MEMORY, Invocation, common, example, invoked
from unabridged.cli.output import echo, echo_lines
from unabridged.cli.paint import width
from unabridged.cli.terminal_text import safe, wrap
from unabridged.cli.views.lists import found_lines


@click.command(
    "search",
    epilog=example(
        "unabridged search hotel lisbon", 'unabridged search --json --limit 3 "the blue folder"'
    ),
)
@click.argument("query", nargs=-1, required=True)
@click.option("--limit", type=click.IntRange(1, 1000), default=10, show_default=True)
@common(*MEMORY)
@invoked
def command(invocation: Invocation, query: tuple[str, ...], limit: int) -> None:
    """Find exchanges by what was said.

    The whole space is searched, every session and branch. `unabridged show ID` shows one whole.
    """
    space = look_into(invocation)
    found = space.search(words_from(query), limit)
    for line in wrap(safe(space.search_note), width()) if space.search_note else ():
        echo(line, "warn", err=True)
    if invocation.json:
        invocation.emit(found)
        return
    if not found:
        echo("Nothing was found.", "dim")
    echo_lines(line for one in found for line in found_lines(one))
