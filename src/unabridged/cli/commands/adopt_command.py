"""``unabridged adopt``."""

import difflib
import re
from collections.abc import Iterator
from pathlib import Path

import click

from unabridged.cli.confirm import confirm
from unabridged.cli.format import count
from unabridged.cli.options import MEMORY, Invocation
from unabridged.cli.output import echo, echo_lines
from unabridged.cli.paint import paint, width
from unabridged.cli.plain_command import plain_command
from unabridged.cli.terminal_text import one_line, wrap
from unabridged.domain.file_edit import Adoption, Edit, EditKind
from unabridged.errors import InputError
from unabridged.factory.edited_files import adoption_of

AROUND = 8
"""The number of words to show around a change."""
_WORDS = re.compile(r"\s+|[^\s]+")


@plain_command(
    "adopt",
    "unabridged adopt memory/qwen2-5-7b.json --dry-run",
    "unabridged adopt conversations/ann/sessions.json --yes",
    "unabridged adopt --undo chats/default_01K5_conversation.json",
    options=MEMORY,
)
@click.argument("file", type=click.Path(path_type=Path))
@click.option(
    "--forget-removed", is_flag=True, help="Delete for good what you removed from the file."
)
@click.option(
    "--undo", is_flag=True, help="Write the file again from memory, without your changes."
)
@click.option("--dry-run", is_flag=True, help="Only show the difference.")
@click.option("--yes", is_flag=True, help="Do not ask.")
def command(
    invocation: Invocation,
    file: Path,
    *,
    forget_removed: bool,
    undo: bool,
    dry_run: bool,
    yes: bool,
) -> None:
    """Import your changes to a readable JSON file.

    The changes are shown first, exchange by exchange: [-old text-] and {+new text+}. Nothing is lost: the old text stays as a branch, and so does what you removed, unless --forget-removed is given. A change that cannot be imported is reported with its line; then nothing is imported.

    Counts, dates and summaries in the file are written again from the exchanges.
    """
    if undo and forget_removed:
        raise InputError("--undo and --forget-removed exclude each other.", hint="Remove one.")
    adoption = adoption_of(invocation.settings(), file)
    view = adoption.view(undo=undo)
    if not invocation.json:
        echo_lines(adoption_lines(view))
    todo = not view.sound and not dry_run
    if todo:
        confirm("Undo these changes?" if undo else "Import these changes?", yes=yes)
        adoption.take(view, undo=undo, forget_removed=forget_removed)
    if invocation.json:
        invocation.emit({"adopted": todo, "difference": view})
    elif todo:
        echo(f"{'Restored' if undo else 'Imported'} {file}.")


def adoption_lines(view: Adoption) -> Iterator[str]:
    """Show the changes of an edited file."""
    if view.sound:
        yield f"{view.path} is unchanged; there is nothing to import."
        return
    if view.edits:
        yield f"{view.path}: {count(len(view.edits), 'change')} by hand."
    for edit in view.edits:
        yield from _edit(edit)
    for note in view.notes:
        yield from wrap(note, width())


def _edit(edit: Edit) -> Iterator[str]:
    where = one_line(edit.session)
    yield ""
    if edit.kind is EditKind.TITLE:
        yield paint(f"{where}: the title", "bold")
        yield from _side("", *edit.user)
        return
    yield paint(f"{where}, exchange {edit.place}: {edit.kind.value}", "bold")
    yield from _side("› ", *edit.user)
    yield from _side("  ", *edit.answer)


def _side(mark: str, old: str, new: str) -> Iterator[str]:
    # One text with its change: ``[-gone-]`` and ``{+new+}``, as git marks words.
    if old or new:
        for line in wrap(mark + marked(old, new), width()):
            yield f"  {line}"


def marked(old: str, new: str) -> str:
    """Return a text with its changes marked, and some words around each."""
    if old == new:
        return _clipped(new)
    before, after = _WORDS.findall(old), _WORDS.findall(new)
    parts = []
    steps = difflib.SequenceMatcher(None, before, after, autojunk=False).get_opcodes()
    for number, (step, start, end, low, high) in enumerate(steps):
        gone, come = "".join(before[start:end]), "".join(after[low:high])
        if step == "equal":
            first, last = number == 0, number == len(steps) - 1
            parts.append(_between(before[start:end], first=first, last=last))
            continue
        parts.append(f"[-{gone}-]" if gone else "")
        parts.append(f"{{+{come}+}}" if come else "")
    return "".join(parts)


def _clipped(text: str) -> str:
    words = _WORDS.findall(text)
    return text if len(words) <= 2 * AROUND else "".join(words[: 2 * AROUND]) + "…"


def _between(words: list[str], *, first: bool, last: bool) -> str:
    kept = 2 * AROUND  # with the blanks between them
    head = 0 if first else kept
    tail = 0 if last else kept
    if len(words) <= head + tail + 1:
        return "".join(words)
    return "".join(words[:head]) + " … " + "".join(words[len(words) - tail :] if tail else [])
