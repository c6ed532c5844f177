"""``import --find``: shows the files that were found, and lets a person choose."""

import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from unabridged.cli.format import count, size
from unabridged.cli.import_files import Opener, remark
from unabridged.cli.options import Invocation
from unabridged.cli.output import echo
from unabridged.cli.progress import bar
from unabridged.cli.terminal_text import safe
from unabridged.domain.results import Transcript
from unabridged.errors import InputError
from unabridged.space.space import Space
from unabridged.transfer.find import Survey, Walk, candidates, survey

ALL, NONE = "all", "none"
_NUMBERS = re.compile(r"(\d{1,6})(?:-(\d{1,6}))?")


def choose(
    invocation: Invocation, folder: Path, space: Space | None, opener: Opener, wanted: str | None
) -> list[str]:
    """Look for files below a folder, show them, and give those that shall be taken over.

    Args:
        invocation: The call.
        folder: The folder.
        space: What is here already; None where nothing is.
        opener: Opens a file.
        wanted: ``all``, ``none``, or numbers of the list; None to ask.

    Raises:
        InputError: The numbers are none of the list.
        TransferError: The folder cannot be opened.
    """
    walk = Walk()
    found = _search(invocation, folder, space, opener, walk)
    if invocation.json and wanted in (None, NONE):
        data = {"folder": str(folder), "looked": walk.looked, "files": [_data(s) for s in found]}
        invocation.emit(data)
        return []
    if not invocation.json:
        _show(folder, found, walk)
    if not found or wanted == NONE:
        return []
    if wanted is None:
        wanted = _ask(len(found))
    return [str(found[number - 1].path) for number in picked(wanted, len(found))]


def picked(text: str, most: int) -> list[int]:
    """Read numbers of a list: ``1,3-5``, ``all`` or ``none``; each once, in order.

    Raises:
        InputError: They are none of the list.
    """
    text = text.strip().lower()
    if text in (ALL, NONE, ""):
        return list(range(1, most + 1)) if text == ALL else []
    numbers: set[int] = set()
    for piece in text.replace(",", " ").split():
        match = _NUMBERS.fullmatch(piece)
        first = int(match[1]) if match else 0
        last = int(match[2] or first) if match else 0
        if not 1 <= first <= last <= most:
            raise InputError(
                f"{piece!r} is no number of the list.",
                hint=f"Give numbers from 1 to {most}, as 1,3-5, or all or none.",
            )
        numbers.update(range(first, last + 1))
    return sorted(numbers)


def _search(
    invocation: Invocation, folder: Path, space: Space | None, opener: Opener, walk: Walk
) -> list[Survey]:
    def held(conversation: Transcript) -> int:
        return space.log.count_known(conversation) if space else 0

    home = Path(invocation.settings().home).resolve()
    here = folder.expanduser().resolve()
    listed = list(candidates(here, walk, home))
    found = []
    with bar("Looking", len(listed), quiet=invocation.json) as shown:
        for path, length in listed:
            walk.looked += 1
            if (each := survey(path, length, opener, held)) is not None:
                found.append(each)
            shown.update(1)
    return found


def _show(folder: Path, found: Sequence[Survey], walk: Walk) -> None:
    if not found:
        echo(
            f"No conversations of a known form below {safe(str(folder))}"
            f" ({count(walk.looked, 'file')} looked into)."
        )
    for number, each in enumerate(found, start=1):
        span = f"{each.first:%Y-%m-%d} to {each.last:%Y-%m-%d}" if each.first and each.last else ""
        echo(f"{number:>4}  {safe(str(each.path))}")
        echo(
            f"      {each.format}, {count(each.conversations, 'conversation')},"
            f" {count(each.exchanges, 'exchange')}, {span}, {size(each.size)}; {_state(each)}"
        )
    if walk.closed:
        remark(f"{count(walk.closed, 'folder')} could not be opened")
    if walk.cut:
        remark("There are too many files: the end was not reached; name a folder further down")


def _state(each: Survey) -> str:
    broken = f", breaks off: {safe(each.error)}" if each.error else ""
    unread = f", {each.unread:,} passed over" if each.unread else ""
    if each.held == each.exchanges:
        return f"imported already{unread}{broken}"
    part = f"{each.held:,} imported already" if each.held else "not imported yet"
    return f"{part}{unread}{broken}"


def _ask(most: int) -> str:
    if not sys.stdin.isatty():
        remark("Choose with --pick 1,3-5 or --all.")
        return NONE
    while True:
        text = str(click.prompt(f"Which (1-{most}, as 1,3-5; all; none)", default=NONE, err=True))
        try:
            picked(text, most)
        except InputError as error:
            remark(f"{error} {error.hint}")
        else:
            return text


def _data(each: Survey) -> dict[str, Any]:
    names = ("path", "format", "size", "conversations", "exchanges", "held", "unread", "error")
    times = {"first": each.first, "last": each.last}
    return {**{name: getattr(each, name) for name in names}, **times}
