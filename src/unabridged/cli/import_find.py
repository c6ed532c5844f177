"""``import --find``: list the files that were found, and let a person choose."""

import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from unabridged.cli.format import count, size
from unabridged.cli.import_files import Opener
from unabridged.cli.import_report import kinds, remark
from unabridged.cli.options import Invocation
from unabridged.cli.output import echo, prompt
from unabridged.cli.paint import width
from unabridged.cli.progress import bar
from unabridged.cli.terminal_text import wrap
from unabridged.domain.results import Transcript
from unabridged.errors import InputError
from unabridged.space.space import Space
from unabridged.transfer.find import Survey, Walk, candidates, merged, survey

ALL, NONE = "all", "none"
_NUMBERS = re.compile(r"(\d{1,6})(?:-(\d{1,6}))?")
_INDENT = 6


def choose(
    invocation: Invocation, folder: Path, space: Space | None, opener: Opener, wanted: str | None
) -> list[str]:
    """Look for files below a folder, list them, and return those to import.

    Args:
        invocation: The call.
        folder: The folder.
        space: The space to import into; None if it does not exist.
        opener: Opens a file.
        wanted: ``all``, ``none``, or numbers of the list; None to ask.

    Raises:
        InputError: The numbers are not in the list.
        TransferError: The folder cannot be opened.
    """
    walk = Walk()
    found = merged(_search(invocation, folder, space, opener, walk))
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
        InputError: They are not in the list.
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
                f"{piece!r} is not a number of the list.",
                hint=f"Use numbers from 1 to {most}, such as 1,3-5, or all or none.",
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
            f"No conversations of a known format below {folder!s}"
            f" ({count(walk.looked, 'file')} read)."
        )
    for number, each in enumerate(found, start=1):
        echo(f"{number:>4}  {each.path!s}")
        for copy in each.copies:
            echo(f"{'':{_INDENT}}the same as {copy!s}")
        for line in wrap(_details(each), width() - _INDENT):
            echo(f"{'':{_INDENT}}{line}")
    if walk.closed:
        remark(f"{count(walk.closed, 'folder')} could not be opened.")
    if walk.cut:
        remark("There are too many files. Name a subfolder.")


def _details(each: Survey) -> str:
    span = f" {each.first:%Y-%m-%d} to {each.last:%Y-%m-%d}," if each.first and each.last else ""
    return (
        f"{each.format}, {count(each.conversations, 'conversation')},"
        f" {count(each.exchanges, 'exchange')},{span} {size(each.size)}; {_state(each)}"
    )


def _state(each: Survey) -> str:
    if each.held == each.exchanges:
        said = "imported already"
    else:
        said = f"{each.held:,} imported already" if each.held else "not imported yet"
    if each.failed:
        said += f"; {count(each.failed, 'part')} cannot be read"
    if each.skipped:
        said += f"; would skip {kinds(each.skipped)}"
    return f"{said}; breaks off: {each.error}" if each.error else said


def _ask(most: int) -> str:
    if not sys.stdin.isatty():
        remark("Choose with --pick 1,3-5 or --all.")
        return NONE
    while True:
        text = str(
            prompt(f"Which (1-{most}, such as 1,3-5; all; none) [{NONE}]:", err=True) or NONE
        )
        try:
            picked(text, most)
        except InputError as error:
            remark(f"{error} {error.hint}")
        else:
            return text


def _data(each: Survey) -> dict[str, Any]:
    names = (
        "path", "copies", "format", "size", "conversations", "exchanges", "held", "skipped",
        "failed", "error", "first", "last",
    )  # fmt: skip
    return {name: getattr(each, name) for name in names}
