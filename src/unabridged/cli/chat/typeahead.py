"""Keeps what is typed during an answer out of it: it is read when the answer is over."""

import sys
from typing import Any


class TerminalEcho:
    """The terminal's echo of typed keys, which can be turned off and back on."""

    def __init__(self) -> None:
        self._before: list[Any] | None = None

    def off(self) -> None:
        """Let typed keys be silent, where standard input is a terminal that can be told."""
        if sys.platform == "win32" or not sys.stdin.isatty():
            return
        import termios  # noqa: PLC0415 - there is none on Windows

        handle = sys.stdin.fileno()
        self._before = termios.tcgetattr(handle)
        quiet = termios.tcgetattr(handle)
        quiet[3] &= ~termios.ECHO
        termios.tcsetattr(handle, termios.TCSADRAIN, quiet)

    def on(self) -> None:
        """Restore it as it was."""
        if self._before is None or sys.platform == "win32":
            return
        import termios  # noqa: PLC0415 - there is none on Windows

        termios.tcsetattr(sys.stdin.fileno(), termios.TCSADRAIN, self._before)
        self._before = None
