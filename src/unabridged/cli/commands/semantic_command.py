"""``unabridged semantic``."""

import click

from unabridged.cli.maintain import judge_pending
from unabridged.cli.open_from_options import open_space, path_named
from unabridged.cli.options import MEMORY, Invocation, common, example, invoked
from unabridged.cli.output import echo, echo_lines
from unabridged.cli.views.annotations import (
    annotation_lines,
    correct,
    distribution_lines,
    scheme_lines,
)
from unabridged.domain.message import Role

SHOWN = 10
"""Exchanges whose readings are shown, the newest."""


@click.group(
    "semantic",
    invoke_without_command=True,
    epilog=example(
        "unabridged semantic show",
        "unabridged semantic stats",
        "unabridged semantic set 01KAJ3 decision",
    ),
)
@common(*MEMORY)
@click.pass_context
def command(ctx: click.Context) -> None:
    """Show what kind of content messages are, and correct it.

    A message's category says how much of its kind stays verbatim when a session is condensed.
    """
    if ctx.invoked_subcommand is None:
        ctx.invoke(show_command)


@command.command(
    "show", epilog=example("unabridged semantic show", "unabridged semantic show --session 2")
)
@click.option(
    "--limit", type=click.IntRange(1), default=SHOWN, show_default=True, help="Exchanges."
)
@common(*MEMORY, "session")
@invoked
def show_command(invocation: Invocation, limit: int) -> None:
    """Show the categories, and what the newest exchanges of a session were judged to be."""
    space = open_space(invocation)
    newest = path_named(invocation, space, limit)
    annotations = space.annotations.of(newest)
    if invocation.json:
        ordered = [annotations[exchange.id] for exchange in newest if exchange.id in annotations]
        invocation.emit({"scheme": space.annotations.scheme, "exchanges": ordered})
        return
    echo_lines([*scheme_lines(space.annotations.scheme), ""])
    if not newest:
        echo("There is no exchange yet; `unabridged chat` begins one.", "dim")
    echo_lines(annotation_lines(newest, annotations))


@command.command("stats", epilog=example("unabridged semantic stats --json"))
@common(*MEMORY)
@invoked
def stats_command(invocation: Invocation) -> None:
    """Show how often each category was read, and who judged.

    What was not judged yet is judged first.
    """
    space = open_space(invocation)
    judge_pending(space, quiet=invocation.json)
    if invocation.json:
        invocation.emit(space.annotations.stats())
        return
    echo_lines(distribution_lines(space))


@command.command(
    "set",
    epilog=example(
        "unabridged semantic set 01KAJ3 decision",
        "unabridged semantic set 01KAJ3 small talk --side assistant --importance 0.1",
    ),
)
@click.argument("exchange")
@click.argument("category", nargs=-1, required=True)
@click.option(
    "--side",
    type=click.Choice([Role.USER.value, Role.ASSISTANT.value]),
    default=Role.USER.value,
    show_default=True,
    help="Whose message.",
)
@click.option(
    "--importance",
    type=click.FloatRange(0, 1),
    help="0 to 1; that of the category where none is given.",
)
@common(*MEMORY)
@invoked
def set_command(
    invocation: Invocation,
    exchange: str,
    category: tuple[str, ...],
    side: str,
    importance: float | None,
) -> None:
    """Say what a message of an exchange is; no later judgement changes it.

    EXCHANGE is an exchange's id or the beginning of one.
    """
    space = open_space(invocation)
    found, reading = correct(space, exchange, " ".join(category), Role(side), importance)
    invocation.answer(reading, *annotation_lines([found], {found.id: reading}))
