"""``unabridged tour``."""

import sys
from collections.abc import Sequence
from pathlib import Path

import click

from unabridged.cli.options import Invocation
from unabridged.cli.output import echo
from unabridged.cli.paint import Column, table, width
from unabridged.cli.plain_command import plain_command
from unabridged.cli.terminal_text import wrap
from unabridged.cli.tour.guide import go_on, guide, play, wait
from unabridged.cli.tour.script import Chapter, chapters, chosen
from unabridged.cli.tour.stage import Stage, stage


@plain_command(
    "tour",
    "unabridged tour",
    "unabridged tour companion story",
    "unabridged tour --no-pause | less",
    "unabridged tour --keep ~/unabridged-tour",
    options=("json",),
)
@click.argument("names", nargs=-1, metavar="[CHAPTER]...")
@click.option("--list", "listing", is_flag=True, help="List the chapters.")
@click.option("--no-pause", is_flag=True, help="Do not wait for a key after each step.")
@click.option(
    "--keep",
    type=click.Path(path_type=Path),
    metavar="FOLDER",
    help="Use this empty folder, and keep it to look around in.",
)
def command(
    invocation: Invocation,
    names: tuple[str, ...],
    keep: Path | None,
    *,
    listing: bool,
    no_pause: bool,
) -> None:
    """Show in five minutes what Unabridged does, with its own example data.

    A chapter for each profile: `start`, `companion`, `workspace`, `agent`, `requirements`, `story`
    and `end`. Each step explains why, shows the command, runs it for real, and says what to look at.
    Press Enter to continue, n for the next chapter, q to quit; without a terminal it does not wait.

    It needs no model, no key and no network: `quote` answers, even if a model is available. It uses a
    temporary folder, which is removed at the end, also after Ctrl-C. Your own memory and settings are
    neither read nor changed.
    """
    picked = chosen(names)
    if listing:
        _list(invocation)
        return
    with stage(keep) as played:
        if invocation.json:
            steps = play(played, picked)
        else:
            steps = []
            _welcome(picked)
            pausing = not no_pause and sys.stdin.isatty() and sys.stdout.isatty()
            guide(played, picked, wait if pausing else go_on)
    if invocation.json:
        invocation.emit({"folder": str(played.folder) if keep else None, "steps": steps})
        return
    _farewell(played, picked[-1], kept=keep is not None)


def _welcome(picked: Sequence[Chapter]) -> None:
    if len(picked) < len(chapters()):
        return
    names = ", ".join(each.name for each in picked)
    said = f"About five minutes. For one chapter: unabridged tour NAME. Chapters: {names}."
    for line in [*wrap(said, width()), ""]:
        echo(line, "dim")


def _list(invocation: Invocation) -> None:
    data = [{"name": c.name, "title": c.title, "steps": len(c.steps)} for c in chapters()]
    columns = [Column("chapter"), Column("steps", right=True), Column("", flexible=True)]
    rows = [(each.name, str(len(each.steps)), each.title) for each in chapters()]
    invocation.answer(data, *table(columns, rows, width()))


def _farewell(played: Stage, last: Chapter, *, kept: bool) -> None:
    if not kept:
        echo("The tour's folder was removed. Your own home folder was never touched.", "dim")
        return
    # Each on its own line and never wrapped, to be copied.
    echo("The conversations, and a home for each chapter, are kept in", "dim")
    echo(f"  {played.folder}")
    echo("To look around:", "dim")
    echo(f"  unabridged --home {played.folder / last.name} sessions")
