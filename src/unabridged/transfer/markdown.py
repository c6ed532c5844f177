"""Write conversations as Markdown for people to read, with dates.

What a message says is shown, and hides nothing of the next one: HTML is shown as text, as in the chat,
a block of code ends with its message, and control characters are replaced.
"""

import json
import re
from collections.abc import Iterable, Iterator
from typing import BinaryIO, assert_never

from unabridged.domain.control_characters import without_controls
from unabridged.domain.exchange import Exchange, ExchangeState
from unabridged.domain.message import (
    Foreign,
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
from unabridged.domain.session import title_from
from unabridged.transfer.current_path import current_path, other_branches
from unabridged.transfer.times import in_words

_SPEAKERS = {
    Role.USER: "You",
    Role.ASSISTANT: "Assistant",
    Role.TOOL: "Tool",
    Role.SYSTEM: "System",
}
_STATES = {
    ExchangeState.OPEN: "(waiting for the answer)",
    ExchangeState.UNANSWERED: "(no answer)",
    ExchangeState.INCOMPLETE: "(the answer breaks off here)",
}


def write_markdown(
    conversations: Iterable[Transcript], stream: BinaryIO, *, branches: bool = False
) -> int:
    """Write the current path of conversations as Markdown, and other branches if wanted.

    Returns:
        The number of exchanges written.
    """
    count = 0
    for conversation in conversations:
        path = current_path(conversation)
        runs = other_branches(conversation) if branches else []
        count += len(path) + sum(map(len, runs))
        stream.writelines(
            without_controls(block).encode() + b"\n\n"
            for block in _conversation(conversation, path, runs)
        )
    return count


def _conversation(
    conversation: Transcript, path: list[Exchange], runs: list[list[Exchange]]
) -> Iterator[str]:
    session = conversation.session
    yield f"# {_inline(session.title) or 'Untitled'}"
    others = len(conversation.exchanges) - len(path)
    more = f", {others:,} more on other branches" if others else ""
    plural = "" if len(path) == 1 else "s"
    yield f"*{in_words(session.created)}, {len(path):,} exchange{plural}{more}*"
    yield from _exchanges(path)
    by_id = {exchange.id: exchange for exchange in conversation.exchanges}
    for run in runs:
        before = by_id.get(run[0].parent or "")
        place = (
            f"after “{_inline(title_from(before.user.text))}”" if before else "from the beginning"
        )
        yield f"## Another branch, {place}"
        yield from _exchanges(run)


def _exchanges(exchanges: Iterable[Exchange]) -> Iterator[str]:
    for exchange in exchanges:
        for message in exchange.messages:
            yield from _message(message, exchange.model)
        if exchange.state in _STATES:
            yield f"*{_STATES[exchange.state]}*"


def _message(message: Message, model: str | None) -> Iterator[str]:
    by = f" ({_inline(model)})" if model and message.role is Role.ASSISTANT else ""
    yield f"**{_SPEAKERS[message.role]}**{by}, {message.at:%Y-%m-%d %H:%M}"
    for part in message.parts:
        yield _part(part)


def _part(part: Part) -> str:
    match part:
        case Text(text):
            return _shown(text)
        case Image(uri):
            return "*(a picture)*" if uri.startswith("data:") else f"![picture]({_address(uri)})"
        case ToolCall(name=name, arguments=arguments):
            return _fenced(f"{name} {_compact(arguments)}")
        case ToolResult(text=text):
            return _fenced(text)
        case Foreign(kind):
            return f"*({_inline(kind)})*"
        case Reasoning(text):
            return "\n".join(f"> {line}" for line in _shown(text).splitlines())
        case _:
            assert_never(part)


_BLOCK = re.compile(r"( {0,3})(`{3,}|~{3,})")
_CODE_OR_HTML = re.compile(
    r"(?P<code>(`+)(?!`).*?(?<!`)\2(?!`))"
    r"|<(?=[A-Za-z/!?])(?!(?:https?|ftp|mailto):[^\s<>]*>|[\w.+-]+@[\w.-]+>)"
)


def _shown(text: str) -> str:
    lines, block, indent = [], "", ""
    for line in text.replace("\r\n", "\n").split("\n"):
        mark = _BLOCK.match(line)
        if block:
            is_end = mark and mark[2].startswith(block) and not line.strip().strip(block[0])
            block = "" if is_end else block
        elif mark:
            indent, block = mark[1], mark[2]  # a list that holds it ends at less
        elif not line.startswith(("    ", "\t")):  # which may be code
            line = _as_text(line)  # noqa: PLW2901 - the same line, shown
        lines.append(line)
    return "\n".join([*lines, indent + block] if block else lines)


def _as_text(line: str) -> str:
    return _CODE_OR_HTML.sub(lambda found: found["code"] or r"\<", line)


def _inline(text: str) -> str:
    return _as_text(" ".join(text.split()))


def _address(uri: str) -> str:
    return re.sub(r"[\s<>()\\]", lambda found: f"%{ord(found[0]):02X}", uri)


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
