"""``unabridged search``."""

from typing import Any

from unabridged.cli.open_from_options import words_from
from unabridged.cli.operation_command import performed
from unabridged.cli.options import MEMORY, Invocation
from unabridged.cli.output import echo, echo_lines
from unabridged.cli.paint import width
from unabridged.cli.plain_command import plain_command
from unabridged.cli.terminal_text import wrap
from unabridged.cli.views.found import by_score, found_lines, loosely, nothing_lines


@plain_command(
    "search",
    "unabridged search hotel lisbon",
    "unabridged search --since 2026-05-01 '\"blue folder\"'",
    "unabridged search --json --limit 3 --role user passport",
    options=(*MEMORY, "only_session"),
    operation="search",
    hidden=("session",),
)
def command(invocation: Invocation, *, query: tuple[str, ...], **given: Any) -> None:
    """Find exchanges by what was said.

    Searches every session and branch of the space. Words in quotation marks must occur exactly as
    written. `unabridged show ID` shows an exchange whole.
    """
    words = words_from(query)
    found, call = performed(invocation, "search", query=words, **given)
    for line in wrap(call.space.search_note, width()) if call.space.search_note else ():
        echo(line, "warn", err=True)
    if invocation.json:
        invocation.emit(found)
    elif found:
        echo_lines(line for one in by_score(found) for line in found_lines(one, words))
    else:
        near, _ = performed(invocation, "search", call=call, **{**given, **loosely(words)})
        echo_lines(nothing_lines(words, near))
