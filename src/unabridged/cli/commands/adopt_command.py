"""``unabridged adopt``."""

import sys
from pathlib import Path

import click

from unabridged.cli.options import MEMORY, Invocation, common, example, invoked
from unabridged.cli.output import echo, echo_lines
from unabridged.cli.views.file_edits import adoption_lines
from unabridged.errors import InputError
from unabridged.factory.edited_files import adoption_of


@click.command(
    "adopt",
    epilog=example(
        "unabridged adopt memory/qwen2-5-7b.json --dry-run",
        "unabridged adopt conversations/ann/sessions.json --yes",
        "unabridged adopt --undo chats/default_01K5_conversation.json",
    ),
)
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--forget-removed", is_flag=True, help="Forget for good what you took out.")
@click.option("--undo", is_flag=True, help="Write the file again from memory.")
@click.option("--dry-run", is_flag=True, help="Only show the difference.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@common(*MEMORY)
@invoked
def command(
    invocation: Invocation,
    file: Path,
    *,
    forget_removed: bool,
    undo: bool,
    dry_run: bool,
    yes: bool,
) -> None:
    """Take a readable JSON file that you edited by hand into memory.

    The difference is shown exchange by exchange: [-what was-] and {+what is+}. Nothing is lost: the
    old words of an exchange stay as a branch, and so does what you took out, unless --forget-removed.
    What cannot be adopted is refused with its line, and nothing is done.

    Figures, dates and summaries in the file are written again from the exchanges.
    """
    if undo and forget_removed:
        raise InputError("--undo and --forget-removed contradict each other.", hint="Keep one.")
    adoption = adoption_of(invocation.settings(), file)
    view = adoption.view(undo=undo)
    if not invocation.json:
        echo_lines(adoption_lines(view))
    todo = not view.sound and not dry_run
    if todo:
        _ask(yes=yes)
        adoption.take(view, undo=undo, forget_removed=forget_removed)
    if invocation.json:
        invocation.emit({"adopted": todo, "difference": view})
    elif todo:
        echo(f"{file} is {'as it was' if undo else 'taken over'}.")


def _ask(*, yes: bool) -> None:
    if yes:
        return
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise InputError("Nobody can be asked here.", hint="Add --yes where it shall be done.")
    click.confirm("Take this over?", abort=True)
