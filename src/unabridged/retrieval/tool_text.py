"""The text of an exchange's tools: their names, arguments and results.

The index holds some of its words, without vectors: a log of 100 kB must be found by the file that it
is about and by the error at its end, and must not hide what was said. An exact search reads all.
"""

from collections.abc import Iterator

from unabridged.domain.exchange import Exchange
from unabridged.domain.message import ToolCall, ToolResult
from unabridged.language.words import words_by_sentence

ENDS = 2_000
"""Characters from the beginning, and from the end, of an argument or result that are indexed."""
MOST_WORDS = 400
"""Different words of the tools of one exchange that are indexed, those of calls first."""


def tool_text(exchange: Exchange) -> str:
    """Return the names, arguments and results of an exchange's tools, in order."""
    return "\n".join(
        text
        for message in exchange.messages
        for part in message.parts
        if isinstance(part, ToolCall | ToolResult)
        for text in _texts(part)
    )


def indexed_tool_text(exchange: Exchange) -> str:
    """Return the words of an exchange's tools that are indexed, each once; empty without tools."""
    parts = [part for message in exchange.messages for part in message.parts]
    calls = [part for part in parts if isinstance(part, ToolCall)]
    results = [part for part in parts if isinstance(part, ToolResult)]
    held: dict[str, None] = {}
    given: list[ToolCall | ToolResult] = [*calls, *results]
    for part in given:
        for text in _texts(part):
            for words in words_by_sentence(_ends(text)):
                held |= dict.fromkeys(words)
            if len(held) >= MOST_WORDS:
                return " ".join(list(held)[:MOST_WORDS])
    return " ".join(held)


def _texts(part: ToolCall | ToolResult) -> Iterator[str]:
    yield part.name
    yield part.arguments if isinstance(part, ToolCall) else part.text


def _ends(text: str) -> str:
    if len(text) <= 2 * ENDS:
        return text
    return f"{text[:ENDS]}\n{text[-ENDS:]}"
