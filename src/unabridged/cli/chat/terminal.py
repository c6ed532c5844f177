"""The conversation on a terminal: editing with prompt_toolkit, answers laid out by rich."""

import sys
import time
from collections.abc import Iterable
from typing import Any

import click
from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.live import Live
from rich.padding import Padding
from rich.segment import Segment
from rich.spinner import Spinner
from rich.text import Text

from unabridged.cli.chat.editor import Editor
from unabridged.cli.chat.markdown import THEME, Blocks, MarkdownAnswer
from unabridged.cli.output import echo
from unabridged.cli.paint import INDENT, WIDEST, paint
from unabridged.cli.terminal_text import safe, wrap
from unabridged.errors import UnabridgedError
from unabridged.turn.conversation import Conversation

REFRESHES = 8
"""How often a second a growing answer is drawn."""
LAID_OUT = 4000
"""Characters up to which a growing block is laid out each time; the end of a larger one is plain."""


class TerminalScreen:
    """A person's terminal.

    Args:
        console: Where it is; None for this process's own.
    """

    interactive = True

    def __init__(self, console: Console | None = None) -> None:
        self._console = console or Console(highlight=False, emoji=False, markup=False)
        self._console.push_theme(THEME)
        self._fixed = console.width if console else None
        self._editor: Editor | None = None
        self._echo = TerminalEcho()
        self._blocks = Blocks()
        self._live: Live | None = None
        self._began = 0.0
        self._doing = ""
        self._gap = False

    def open(self, conversation: Conversation, commands: Iterable[str]) -> None:
        """Take the names of commands and the earlier messages for the editor."""
        said = [exchange.user.text for exchange in conversation.history(200)]
        self._editor = Editor(said, list(commands))

    def read(self, draft: str = "") -> str | None:
        """Read a message or command; None at Ctrl-D."""
        assert self._editor is not None  # noqa: S101 - `open` comes first
        click.echo()
        return self._editor.read(draft)

    def begin_answer(self) -> None:
        """Show that the model reads, and for how long by now."""
        self._fit()
        self._blocks = Blocks()
        self._began, self._doing, self._gap = time.monotonic(), "reading", False
        click.echo()
        self._live = Live(
            get_renderable=self._growing,
            console=self._console,
            refresh_per_second=REFRESHES,
            transient=True,
        )
        self._echo.off()
        self._live.start()

    def delta(self, text: str, reasoning: str) -> None:
        """Show finished blocks for good, and the growing one below."""
        if reasoning and not text:
            self._doing = "thinking"
        for block in self._blocks.feed(safe(text)):
            self._print(block)

    def working(self, text: str) -> None:
        """Say what the model does."""
        self._print(self._blocks.rest())
        self._began, self._doing = time.monotonic(), "working"
        line = Text(text, style="dim", overflow="ellipsis", no_wrap=True)
        self._console.print(Padding(line, (0, 0, 0, INDENT)))
        self._gap = True

    def end_answer(self) -> None:
        """Show what is left."""
        if self._live:
            self._live.stop()
            self._live = None
        self._echo.on()
        self._print(self._blocks.rest())
        if self._gap:
            click.echo()

    def say(self, lines: Iterable[str]) -> None:
        """Write lines."""
        for line in lines:
            echo(" " * INDENT + line)

    def note(self, text: str, style: str = "dim") -> None:
        """Write a line beside the matter, broken where it is too long."""
        room = min(self._columns(), WIDEST) - INDENT
        self.say(paint(line, style) for line in wrap(safe(text), room))

    def error(self, error: UnabridgedError) -> None:
        """Write an error with its hint."""
        self.note(f"error: {error}", "bad")
        if error.hint:
            self.note(f"hint: {error.hint}")

    def _fit(self) -> None:
        self._console.width = min(self._columns(), WIDEST)

    def _columns(self) -> int:
        return self._fixed or max(20, Console().width)

    def _print(self, block: str) -> None:
        if not block.strip():
            return
        if self._gap:
            self._console.print()
        self._console.print(Padding(_Lines(MarkdownAnswer(block.strip("\n"))), (0, 0, 0, INDENT)))
        self._gap = True

    def _growing(self) -> RenderableType:
        self._fit()
        growing = self._blocks.growing
        if growing.strip():
            large = len(growing) > LAID_OUT
            inner = Text(growing[-LAID_OUT:]) if large else MarkdownAnswer(growing.strip("\n"))
            shown = _Lines(inner, tail=True)
            return Padding(shown, (1 if self._gap else 0, 0, 0, INDENT))
        seconds = int(time.monotonic() - self._began)
        waited = f" {seconds} s" if seconds else ""
        spinner = Spinner("dots", text=Text(f"{self._doing} …{waited}", style="dim"), style="cyan")
        return Padding(spinner, (0, 0, 0, INDENT))


class _Lines:
    """Something as lines, without the empty ones around it.

    Args:
        inner: What to show.
        tail: Whether to show no more of it than the terminal has room for: its end.
    """

    def __init__(self, inner: RenderableType, *, tail: bool = False) -> None:
        self._inner = inner
        self._tail = tail

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        lines = console.render_lines(self._inner, options, pad=False)
        while lines and not _has_text(lines[0]):
            del lines[0]
        while lines and not _has_text(lines[-1]):
            del lines[-1]
        if self._tail:
            lines = lines[-max(1, console.size.height - 3) :]
        for line in lines:
            yield from line
            yield Segment.line()


def _has_text(line: list[Segment]) -> bool:
    return any(segment.text.strip() for segment in line)


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
