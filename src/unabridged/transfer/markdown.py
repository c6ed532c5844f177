"""Markdown out, for people to read: the current path of each conversation, with dates."""

import json
from collections.abc import Iterable, Iterator
from typing import BinaryIO, assert_never

from unabridged.domain.exchange import Exchange, ExchangeState
from unabridged.domain.message import (
    Image,
    Message,
    Part,
    Reasoning,
    Role,
    Text,
    ToolCall,
    ToolResult,
)
from unabridged.domain.results import Transcript
from unabridged.transfer.current_path import current_path

_SPEAKERS = {
    Role.USER: "You",
    Role.ASSISTANT: "Assistant",
    Role.TOOL: "Tool",
    Role.SYSTEM: "System",
}
_STATES = {
    ExchangeState.OPEN: "(the answer is awaited)",
    ExchangeState.UNANSWERED: "(no answer came)",
    ExchangeState.INCOMPLETE: "(the answer broke off here)",
}


def write_markdown(conversations: Iterable[Transcript], stream: BinaryIO) -> int:
    """Write conversations as Markdown.

    Returns:
        How many exchanges were written.
    """
    count = 0
    for conversation in conversations:
        path = current_path(conversation)
        count += len(path)
        stream.writelines(
            block.encode("utf-8", "replace") + b"\n\n"
            for block in _conversation(conversation, path)
        )
    return count


def _conversation(conversation: Transcript, path: list[Exchange]) -> Iterator[str]:
    session = conversation.session
    yield f"# {session.title or 'Untitled'}"
    others = len(conversation.exchanges) - len(path)
    branches = f", {others} more on other branches" if others else ""
    yield f"*{session.created:%d %B %Y}, {len(path)} exchanges{branches}*"
    for exchange in path:
        for message in exchange.messages:
            yield from _message(message, exchange.model)
        if exchange.state in _STATES:
            yield f"*{_STATES[exchange.state]}*"


def _message(message: Message, model: str | None) -> Iterator[str]:
    by = f" ({model})" if model and message.role is Role.ASSISTANT else ""
    yield f"**{_SPEAKERS[message.role]}**{by}, {message.at:%Y-%m-%d %H:%M}"
    for part in message.parts:
        yield _part(part)


def _part(part: Part) -> str:
    match part:
        case Text(text):
            return text
        case Image(uri):
            return "*(a picture)*" if uri.startswith("data:") else f"![picture]({uri})"
        case ToolCall(name=name, arguments=arguments):
            return _fenced(f"{name} {_compact(arguments)}")
        case ToolResult(text=text):
            return _fenced(text)
        case Reasoning(text):
            return "\n".join(f"> {line}" for line in text.splitlines())
        case _:
            assert_never(part)


def _compact(arguments: str) -> str:
    try:
        return json.dumps(json.loads(arguments), ensure_ascii=False)
    except (ValueError, RecursionError):
        return arguments


def _fenced(text: str) -> str:
    fence = "```"
    while fence in text:
        fence += "`"
    return f"{fence}\n{text}\n{fence}"
