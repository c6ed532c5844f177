"""The conversation on a terminal: editing with prompt_toolkit, answers laid out by rich."""

import time
from collections.abc import Iterable
from typing import Any

from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.live import Live
from rich.padding import Padding
from rich.segment import Segment
from rich.spinner import Spinner
from rich.text import Text

from unabridged.cli.chat.editor import Editor
from unabridged.cli.chat.markdown import THEME, Blocks, MarkdownAnswer
from unabridged.cli.chat.type_ahead import TypeAhead
from unabridged.cli.output import echo
from unabridged.cli.paint import INDENT, WIDEST, paint
from unabridged.cli.terminal_text import safe, wrap
from unabridged.errors import UnabridgedError
from unabridged.turn.conversation import Conversation


class SafeConsole(Console):
    """A terminal to which no text sends a control character, whatever lays it out."""

    def __init__(self, **terms: Any) -> None:
        super().__init__(highlight=False, emoji=False, markup=False, **terms)

    def render(  # type: ignore[explicit-override]  # typing.override needs Python 3.12
        self, renderable: RenderableType, options: ConsoleOptions | None = None
    ) -> Iterable[Segment]:
        """Return the pieces to write, their text made safe; Markdown may contain ``&#x202e;``."""
        for piece in super().render(renderable, options):
            yield piece if piece.control else piece._replace(text=safe(piece.text))


REFRESHES = 8
"""Drawings of a growing answer per second."""
LAID_OUT = 4000
"""The most characters of a growing block to lay out; of a longer one, show the end plain."""


class TerminalScreen:
    """A person's terminal.

    Args:
        console: The console; None for this process's own.
        typed: Keeps the keys that are typed during an answer; None for no keyboard.
    """

    interactive = True

    def __init__(self, console: Console | None = None, typed: TypeAhead | None = None) -> None:
        self._console = console or SafeConsole()
        self._console.push_theme(THEME)
        self._fixed = console.width if console else None
        self._typed = typed or TypeAhead(wanted=False)
        self._editor: Editor | None = None
        self._spinner = Spinner("dots", style="cyan")
        self._blocks = Blocks()
        self._live: Live | None = None
        self._began = 0.0
        self._doing = ""
        self._gap = False

    def open(self, conversation: Conversation, commands: Iterable[str]) -> None:
        """Pass the names of commands and earlier messages to the editor."""
        said = [exchange.user.text for exchange in conversation.history(200)]
        self._editor = Editor(said, list(commands))
        self._editor.type(self._typed.early())

    def read(self, draft: str = "") -> str | None:
        """Read a message or command; None at Ctrl-D."""
        assert self._editor is not None  # noqa: S101 - `open` comes first
        echo()
        try:
            return self._editor.read(draft)
        finally:
            self._typed.keep()

    def begin_answer(self) -> None:
        """Show that the model is working, and for how long."""
        self._fit()
        self._blocks = Blocks()
        self._began, self._doing, self._gap = time.monotonic(), "reading", False
        echo()
        self._live = Live(
            get_renderable=self._growing,
            console=self._console,
            refresh_per_second=REFRESHES,
            transient=True,
        )
        self._live.start()

    def delta(self, text: str, reasoning: str) -> None:
        """Print finished blocks, and show the growing one below."""
        if reasoning and not text:
            self._doing = "thinking"
        for block in self._blocks.feed(safe(text)):
            self._print(block)

    def working(self, text: str) -> None:
        """Print what the model does."""
        self._print(self._blocks.rest())
        self._began, self._doing = time.monotonic(), "working"
        line = Text(text, style="dim", overflow="ellipsis", no_wrap=True)
        self._console.print(Padding(line, (0, 0, 0, INDENT)))
        self._gap = True

    def end_answer(self) -> None:
        """Print the rest."""
        if self._live:
            self._live.stop()
            self._live = None
        self._print(self._blocks.rest())
        if self._gap:
            echo()

    def say(self, lines: Iterable[str]) -> None:
        """Write lines."""
        for line in lines:
            echo(" " * INDENT + line)

    def note(self, text: str, style: str = "dim") -> None:
        """Write a remark, broken into lines."""
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
        # The same spinner each time: a new one would show its first glyph again.
        self._spinner.update(text=Text(f"{self._doing} …{waited}", style="dim"))
        return Padding(self._spinner, (0, 0, 0, INDENT))


class _Lines:
    """Lines of a renderable, without the empty ones around it.

    Args:
        inner: What to show.
        tail: Whether to show only the end that fits the terminal.
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
