"""Questions that a person answers with yes or no."""

import sys

import click

from unabridged.cli.output import echo, prompt
from unabridged.errors import InputError

_YES = ("y", "yes")


def is_yes(answer: str) -> bool:
    """Return whether an answer means yes: y or yes, in any case."""
    return answer.strip().lower() in _YES


def confirm(question: str, *, yes: bool) -> None:
    """Ask a person; end the call unless the answer is yes.

    Args:
        question: What to ask.
        yes: Whether ``--yes`` was given, which answers for the person.

    Raises:
        InputError: Standard input or output is not a terminal.
    """
    if yes:
        return
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise InputError("Not a terminal, cannot ask for confirmation.", hint="Add --yes.")
    answer = prompt(f"{question} [y/N]")
    if not is_yes(answer):
        echo("Nothing was changed.", err=True)
        raise click.Abort
