"""What a person is told when the server listens, and when it has ended."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from unabridged.cli.format import count
from unabridged.cli.paint import paint, width
from unabridged.cli.terminal_text import pad, safe, wrap

if TYPE_CHECKING:
    from unabridged.server.run_server import Ended

_LABEL = 10
"""Cells of the first column."""
_CLIENT = 18
"""Cells of the column of clients."""


@dataclass(frozen=True, slots=True)
class Start:
    """A server that listens.

    Attributes:
        url: Its address.
        provider: What serves: ``ollama``, ``openai``, ``gguf`` or ``quote``; empty for nothing yet.
        note: Which model answers, and how to get a better one; or why none does.
        home: Where memory is; empty where nothing is kept.
        keys: Whether every route needs a key.
        token: The file of the token for memory and MCP, on this machine, while there are no keys.
        mcp: Whether MCP is served.
    """

    url: str
    provider: str
    note: str
    home: str
    keys: bool
    token: str
    mcp: bool


def start_lines(start: Start) -> Iterator[str]:
    """Say where it listens, what answers, where memory is, and how to connect."""
    yield f"{paint('Unabridged', 'bold')} listens at {paint(start.url, 'accent')}"
    yield ""
    yield from _row("Model", start.note, "" if start.provider else "warn")
    yield from _row("Memory", start.home or "nothing is kept (--ephemeral)")
    yield from _row("Access", _access(start))
    yield from _row("Connect", f"{pad('Ollama clients', _CLIENT)}OLLAMA_HOST={start.url}")
    yield from _row("", f"{pad('OpenAI clients', _CLIENT)}OPENAI_BASE_URL={start.url}/v1")
    mcp = f"{start.url}/mcp" if start.mcp else "not installed: pip install 'unabridged[mcp]'"
    yield from _row("", f"{pad('MCP clients', _CLIENT)}{mcp}")
    yield from _row("", f"{pad('step by step', _CLIENT)}unabridged connect")
    yield ""
    yield paint("Ctrl-C ends it; answers that are being given are finished first.", "dim")


def _access(start: Start) -> str:
    if start.keys:
        return "Every request needs an API key: unabridged keys create NAME"
    return f"Chatting needs no key on this machine; memory and MCP need the token in {start.token}"


def _row(label: str, text: str, style: str = "") -> Iterator[str]:
    lines = [safe(text)] if label in {"", "Connect"} else wrap(safe(text), width() - _LABEL)
    for number, line in enumerate(lines):
        head = pad("" if number else label, _LABEL)
        yield paint(head, "dim") + paint(line, style)


def end_line(ended: "Ended") -> str:
    """Say what was done at the end."""
    said = [f"Ended after {count(ended.answered, 'request')}."]
    if ended.finished:
        said.append(f"{count(ended.finished, 'answer')} came to the end first.")
    if ended.broken:
        said.append(f"{count(ended.broken, 'answer')} broken off: what came is kept as incomplete.")
    return " ".join([*said, "Every memory is closed."])
