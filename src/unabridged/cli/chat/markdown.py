"""Markdown as calm text: no boxes, few colours, nothing lost."""

import re
from typing import ClassVar

from markdown_it import MarkdownIt
from rich.console import Console, ConsoleOptions, RenderResult
from rich.markdown import Heading, Markdown, MarkdownElement
from rich.theme import Theme

_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_ITEM = re.compile(r"(?:[-*+]|\d{1,9}[.)])(?:\s|$)")
_CONTINUES = re.compile(rf"\s|{_ITEM.pattern}")
_MAY_CONTINUE = re.compile(r"[\s\d*+-]")
_BROKEN = re.compile(r"[^\s|]")


class Blocks:
    """Splits text in pieces into blocks. All blocks joined are the text exactly.

    A block ends at an empty line outside code, unless the next line may belong to a list.
    """

    def __init__(self) -> None:
        self.growing = ""

    def feed(self, text: str) -> list[str]:
        """Add text, and return the blocks that it completes."""
        self.growing += text
        finished = []
        while (end := _end(self.growing)) is not None:
            finished.append(self.growing[:end])
            self.growing = self.growing[end:]
        return finished

    def rest(self) -> str:
        """Return what is left at the end."""
        rest, self.growing = self.growing, ""
        return rest


def _end(text: str) -> int | None:
    fence, first, empty, place = "", "", False, 0
    lines = text.split("\n")
    for number, line in enumerate(lines):
        whole = number < len(lines) - 1
        if empty and first and not fence and _begins_anew(first, line, whole=whole):
            return place
        fence = _fence_after(fence, line)
        empty = not line.strip()
        first = first or line.strip()
        place += len(line) + 1
    return None


def _begins_anew(first: str, line: str, *, whole: bool) -> bool:
    if not line.strip():
        return False
    if not _ITEM.match(first):
        return True
    return not _CONTINUES.match(line) if whole else not _MAY_CONTINUE.match(line)


def _fence_after(fence: str, line: str) -> str:
    mark = _FENCE.match(line)
    if not mark:
        return fence
    if not fence:
        return mark[1]
    closes = mark[1].startswith(fence) and not line.strip().strip(fence[0])
    return "" if closes else fence


def hard_breaks(text: str) -> str:
    """Return Markdown in which every line break stays one, as in a chat."""
    lines, fence, shown = text.split("\n"), "", []
    for number, line in enumerate(lines):
        inside = bool(fence)
        fence = _fence_after(fence, line)
        following = lines[number + 1] if number + 1 < len(lines) else ""
        breaks = not inside and not fence and _BROKEN.match(line.lstrip()) and following.strip()
        shown.append(line.rstrip() + "  " if breaks else line)
    return "\n".join(shown)


THEME = Theme(
    {
        "markdown.code": "cyan",
        "markdown.code_block": "cyan",
        "markdown.h1": "bold",
        "markdown.h2": "bold",
        "markdown.h3": "bold",
        "markdown.h4": "italic",
        "markdown.item.bullet": "dim",
        "markdown.item.number": "dim",
        "markdown.hr": "dim",
        "markdown.block_quote": "default",
        "markdown.link": "cyan",
        "markdown.link_url": "dim",
        "markdown.table.border": "dim",
        "markdown.table.header": "bold",
    }
)


class _PlainHeading(Heading):
    """A heading without a box, at the left."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:  # type: ignore[explicit-override]  # typing.override needs Python 3.12
        self.text.justify = "left"
        yield self.text


class MarkdownAnswer(Markdown):
    """An answer as Markdown. HTML is shown as text, and line breaks are kept."""

    elements: ClassVar[dict[str, type[MarkdownElement]]] = {
        **Markdown.elements,
        "heading_open": _PlainHeading,
    }

    def __init__(self, text: str) -> None:
        super().__init__("", code_theme="ansi_dark", hyperlinks=False)
        parser = MarkdownIt("commonmark", {"html": False}).enable(["strikethrough", "table"])
        self.parsed = parser.parse(hard_breaks(text))
