"""Functions that `facts` and `requirements` share."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import click

from unabridged.cli.format import count, moment
from unabridged.cli.open_from_options import open_space
from unabridged.cli.options import MEMORY, Invocation
from unabridged.cli.output import echo
from unabridged.cli.paint import Column, table, width
from unabridged.cli.plain_command import PlainGroup, plain_command
from unabridged.cli.progress import bar

if TYPE_CHECKING:
    from unabridged.domain.fact import FactChange
    from unabridged.space.space import Space

PAGE = 200
"""Exchanges between two reports of progress."""


def change_lines(changes: "Sequence[FactChange]") -> list[str]:
    """Show the changes of a fact or requirement, oldest first."""
    columns = [
        Column("", style="dim"),
        Column(""),
        Column("", style="dim"),
        Column("", flexible=True),
    ]
    rows = [(moment(c.at), c.what, c.by, c.text or "(withdrawn)") for c in changes]
    return table(columns, rows, width())


def add_learning(
    group: PlainGroup,
    about: str,
    verb: tuple[str, str],
    part: "Callable[[Space], Any]",
    held: "Callable[[Space], Sequence[Any]]",
) -> None:
    """Add the command that learns from new exchanges page by page, with progress on a terminal.

    Args:
        group: The group, named by what is learned.
        about: The help of the command.
        verb: What was done, such as ``Learned`` and ``from``.
        part: Returns the facts or requirements of a space, which learn.
        held: Returns all that are known in a space, in any state.
    """
    name = str(group.name)

    @plain_command(
        "learn",
        f"unabridged {name} learn",
        f"unabridged {name} learn --with-model",
        options=(*MEMORY, "upstream", "ollama_url", "openai_url", "gguf"),
        group=group,
        about=about,
    )
    @click.option("--with-model", is_flag=True, help="Ask the model too; every quote is checked.")
    def run(invocation: Invocation, *, with_model: bool) -> None:
        space = open_space(invocation)
        before, known = len(held(space)), part(space)
        asking: Any = known.asking(space.model) if with_model else None
        looked = 0
        with bar("Reading", max(1, space.stats().exchanges)) as shown:
            while read := known.learn_pending(PAGE, asking):
                looked += read
                shown.update(read)
        if asking is not None and asking.note:
            echo(asking.note, "warn", err=True)
        new = len(held(space)) - before
        invocation.answer(
            {"exchanges": looked, name: new},
            f"{verb[0]} {count(new, name[:-1])} {verb[1]} {count(looked, 'exchange')}.",
        )
