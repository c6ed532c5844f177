"""``unabridged why``."""

import click

from unabridged.cli.open_from_options import look_into
from unabridged.cli.options import MEMORY, Invocation
from unabridged.cli.output import dumps, echo, echo_lines
from unabridged.cli.paint import colour_out, width
from unabridged.cli.plain_command import plain_command
from unabridged.cli.views.context_report import (
    account_data,
    account_lines,
    account_of,
    detail_lines,
    titles_of,
)
from unabridged.domain.results import ContextReport


@plain_command(
    "why",
    "unabridged why",
    "unabridged why --verbose",
    "unabridged why --json 01KAJ3 | jq .parts",
    options=MEMORY,
)
@click.argument("wanted", required=False, metavar="[ID]")
@click.option("-v", "--verbose", is_flag=True, help="Show ids, figures and every candidate.")
@click.option("--prompt", is_flag=True, help="Show the prompt itself, rendered again.")
def command(invocation: Invocation, wanted: str | None, *, verbose: bool, prompt: bool) -> None:
    """Show what a prompt held, and why.

    ID is the exchange that the prompt was for, or the beginning or end of its id; without it, the last.
    With --json, the tokens in "parts" add up to "window".
    """
    space = look_into(invocation)
    account = account_of(space, wanted)
    if invocation.json:
        invocation.emit(account_data(account, prompt=prompt))
    elif prompt:
        _print_prompt(account)
    elif verbose:
        echo_lines(detail_lines(account, width(), colour=colour_out()))
    else:
        titles = titles_of(space, account)
        echo_lines(account_lines(account, width(), colour=colour_out(), titles=titles))
        echo()
        echo(f"More: unabridged why -v{f' {wanted}' if wanted else ''}", "dim")


def _print_prompt(account: ContextReport) -> None:
    for message in account.messages or ():
        echo(f"── {message.get('role', '')}", "accent")
        content = message.get("content")
        echo(content if isinstance(content, str) else dumps(message))
        echo()
