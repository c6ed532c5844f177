"""Keys that are typed while no prompt reads them: kept for the next prompt, and not echoed."""

import contextlib
import os
import select
import signal
import sys
from types import TracebackType
from typing import Any, Self

from unabridged import config
from unabridged.cli.output import write_controls
from unabridged.cli.terminal_text import Safe, cells

_AT_ONCE = 65_536
"""Bytes to read at once."""
_AS_KEYS = str.maketrans({"\n": "\r", "\0": "\x04"})
"""The bytes of Enter and Ctrl-D from a terminal that edits lines, and the keys."""
_PASTES, _NO_PASTES = Safe("\x1b[?2004h"), Safe("\x1b[?2004l")
"""Let the terminal mark what is pasted, so that several lines stay one message."""


class TypeAhead:
    """The terminal between two prompts. Ctrl-C still interrupts.

    A terminal that edits lines itself turns Enter into a line break and Ctrl-D into the end of
    input before anybody reads them. So it does no editing while this is entered.

    Args:
        wanted: Whether a person types; otherwise nothing is changed.
    """

    def __init__(self, *, wanted: bool) -> None:
        self._wanted = wanted and sys.platform != "win32"
        self._before: list[Any] | None = None
        self._resumed: Any = None
        self._early_taken, self._early = False, ""

    def __enter__(self) -> Self:
        if self._wanted and sys.platform != "win32":
            import termios  # noqa: PLC0415 - not on Windows

            self._before = termios.tcgetattr(sys.stdin.fileno())
            self.keep()
            # A shell sets its own modes while the program is stopped.
            self._resumed = signal.signal(signal.SIGCONT, lambda *_: self.keep())
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._before is not None and sys.platform != "win32":
            import termios  # noqa: PLC0415 - not on Windows

            signal.signal(signal.SIGCONT, self._resumed)
            termios.tcsetattr(sys.stdin.fileno(), termios.TCSADRAIN, self._before)
            _write(_NO_PASTES)

    def take(self) -> None:
        """Take the keys that were typed before this was entered, and erase their echo."""
        if self._before is None:
            return
        self._early = _typed(sys.stdin.fileno())
        if self._early:
            size = os.get_terminal_size(sys.stdout.fileno())
            rows = min(_echoed_rows(self._early, size.columns), size.lines - 1)
            _write(Safe(f"\r\x1b[{rows}A\x1b[J" if rows else "\r\x1b[J"))

    def early(self) -> str:
        """Return the keys that were typed so far; nothing at a second call."""
        if self._before is None or self._early_taken:
            return ""
        self._early_taken = True
        return (self._early + _typed(sys.stdin.fileno())).translate(_AS_KEYS)

    def keep(self) -> None:
        """Keep keys as they are from here on."""
        if self._before is None or sys.platform == "win32":
            return
        import termios  # noqa: PLC0415 - not on Windows

        mode = [*self._before]
        mode[0] &= ~termios.ICRNL
        # Ctrl-C would otherwise discard what was typed before it.
        mode[3] = (mode[3] | termios.NOFLSH) & ~(termios.ECHO | termios.ICANON | termios.IEXTEN)
        termios.tcsetattr(sys.stdin.fileno(), termios.TCSADRAIN, mode)
        _write(_PASTES)


def _echoed_rows(keys: str, columns: int) -> int:
    # The terminal shows a control character as ^ and a letter, and Ctrl-D not at all.
    rows = 0
    for line in keys.replace("\0", "").replace("\r", "\n").split("\n"):
        shown = cells(line) + sum(char < " " for char in line)
        rows += 1 + max(0, shown - 1) // columns
    return rows - 1


def _typed(handle: int) -> str:
    typed = b""
    while select.select([handle], [], [], 0)[0]:
        piece = os.read(handle, _AT_ONCE)
        if not piece:
            break
        typed += piece
    return typed.decode("utf-8", "ignore")


def _write(sequence: Safe) -> None:
    if not config.is_dumb_terminal():
        with contextlib.suppress(OSError):
            write_controls(sequence)
