"""Markdown as calm text: no boxes, no colours where words suffice, nothing swallowed."""

from typing import ClassVar

from markdown_it import MarkdownIt
from rich.console import Console, ConsoleOptions, RenderResult
from rich.markdown import Heading, Markdown, MarkdownElement
from rich.theme import Theme

from unabridged.cli.chat.markdown_blocks import hard_breaks

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
    """An answer as Markdown. HTML in it is text, and line breaks are kept."""

    elements: ClassVar[dict[str, type[MarkdownElement]]] = {
        **Markdown.elements,
        "heading_open": _PlainHeading,
    }

    def __init__(self, text: str) -> None:
        super().__init__("", code_theme="ansi_dark", hyperlinks=False)
        parser = MarkdownIt("commonmark", {"html": False}).enable(["strikethrough", "table"])
        self.parsed = parser.parse(hard_breaks(text))
