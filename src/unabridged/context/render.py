"""Rendering: chosen items to the messages that are sent, and the tokens of each form.

Equal choices give equal bytes. The order serves prompt caches: first the system prompt with the
pinned facts and the condensation of the session's earlier exchanges; then the history, oldest
first; then the last user message, with the recall block and the user's words.
"""

import hashlib
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from functools import lru_cache
from types import MappingProxyType
from typing import Any

from unabridged.budget.count import Counter
from unabridged.condense.history_summary import HistorySummary
from unabridged.context.excerpt import excerpt_sides, label
from unabridged.context.recall_block import (
    CLIENT_CLOSING,
    CLIENT_OPENING,
    CLOSING,
    ELSEWHERE,
    GUIDE,
    HERE,
    OPENING,
    as_line,
    day_of,
    exchange_block,
)
from unabridged.context.strip_markup import without_fences, without_markup
from unabridged.context.types import Places
from unabridged.domain.budget import Mode
from unabridged.domain.chat import ToolSpec
from unabridged.domain.exchange import Exchange
from unabridged.domain.message import Message, Part, Reasoning, Role, Text, ToolCall, ToolResult
from unabridged.language.lazy_pattern import lazy_pattern

SYSTEM: Mapping[Mode, str] = MappingProxyType(
    {
        Mode.CHAT: "You are a helpful assistant.",
        Mode.TOOLS: (
            "You are a helpful assistant. Call a tool where it helps to answer; "
            "when you have what you need, answer in words."
        ),
    }
)
"""The default system prompts, by mode. A persona replaces them."""
PINNED = "\n\nPinned by the user:\n"
EARLIER_OPENING = (
    '\n\n<recalled-earlier note="earlier in this conversation, condensed: {count}; id {id}">\n'
)
EARLIER_CLOSING = "</recalled-earlier>"
SHORT_ID = 12
"""Characters of an exchange's id that represent it in a line."""
BRIEFS_OPENING = (
    '<recalled-excerpts note="single sentences of others, each with the id of the whole">\n'
)
BRIEFS_CLOSING = "</recalled-excerpts>\n"
_FORGED = lazy_pattern(r"\s+/\s+(?=(?:user|assistant|tool|summary)\s*:)", re.IGNORECASE)
"""Words that would look like the other side of an exchange in a line of both."""
NO_ANSWER = "[no answer came]"
_ANY_DAY = datetime(2026, 11, 21, 12, 34, tzinfo=UTC)
"""Every date takes the same tokens, so that the markup is counted once."""


def system_text(system: str) -> str:
    """Return the persona's words and the sentence on the recall block."""
    return f"{system}\n\n{GUIDE}" if system else GUIDE


def pinned_text(pins: Sequence[str]) -> str:
    """Return the pinned facts as they follow the system prompt; empty without any."""
    return PINNED + "\n".join(f"- {without_markup(pin)}" for pin in pins) if pins else ""


def earlier_text(earlier: HistorySummary | None) -> str:
    """Return the condensation of the session's earlier exchanges; it follows the pinned facts.

    It stays byte for byte the same until the beginning of the shown history moves. Empty for none.
    """
    if earlier is None:
        return ""
    said = f"{earlier.count} exchange" + ("" if earlier.count == 1 else "s")
    lines = []
    day = ""
    for line, at in zip(earlier.lines, earlier.dates, strict=True):
        date = day_of(at)
        if date != day:
            lines.append(f"[{date}]")
        who = line.role.value if line.role else "summary"
        lines.append(f"{who}: {as_line(line.text)}")
        day = date
    opening = EARLIER_OPENING.format(count=said, id=earlier.id)
    return opening + "\n".join(lines) + f"\n{EARLIER_CLOSING}"


def system_message(
    system: str, pins: Sequence[str], earlier: HistorySummary | None, at: datetime
) -> Message:
    """Return the system message: persona, pinned facts, earlier exchanges condensed."""
    words = system_text(system) + pinned_text(pins) + earlier_text(earlier)
    return Message("system", Role.SYSTEM, (Text(words),), at)


def history_messages(exchange: Exchange, places: Places = ()) -> list[Message]:
    """Return an exchange of this session as messages, whole or as an excerpt.

    Calls without results and results without calls are left out together, since servers refuse
    them. An exchange without an answer gets a note as its answer, since templates need alternating
    roles.
    """
    if places:
        return _excerpt_messages(exchange, places)
    kept: Iterable[Message] = exchange.messages
    if not all(_plain(message) for message in kept):
        results = {r.call_id for m in exchange.messages for r in m.results}
        calls = {c.id for m in exchange.messages for c in m.calls}
        kept = (_sent(message, results & calls) for message in exchange.messages)
    messages = [message for message in kept if message.parts]
    if not messages or messages[-1].role is not Role.ASSISTANT or messages[-1].calls:
        messages.append(_note(exchange, NO_ANSWER))
    return messages


def _plain(message: Message) -> bool:
    return all(isinstance(part, Text) for part in message.parts)


def _sent(message: Message, paired: set[str]) -> Message:
    def stays(part: Part) -> bool:
        match part:
            case Reasoning():
                return False
            case ToolCall(id=call_id) | ToolResult(call_id=call_id):
                return call_id in paired
            case _:
                return True

    return _harmless(message, [part for part in message.parts if stays(part)])


def harmless(message: Message) -> Message:
    """Return a message as it is sent: without reasoning, its results unable to pose as memory.

    The words of both sides are not changed: they are in their own place, with their own role.
    """
    return _harmless(message, [part for part in message.parts if not isinstance(part, Reasoning)])


def _harmless(message: Message, parts: Sequence[Part]) -> Message:
    made: tuple[Part, ...] = tuple(
        replace(part, text=without_fences(part.text)) if isinstance(part, ToolResult) else part
        for part in parts
    )
    if made == message.parts:
        return message
    if made == tuple(part for part in message.parts if not isinstance(part, Reasoning)):
        return replace(message, parts=made)  # the stored count is without reasoning
    return replace(message, parts=made, tokens=None, tokenizer=None)


def _note(exchange: Exchange, text: str) -> Message:
    return Message(f"{exchange.id}-note", Role.ASSISTANT, (Text(text),), exchange.at)


def _excerpt_messages(exchange: Exchange, places: Places) -> list[Message]:
    by_role: dict[Role, list[str]] = {Role.USER: [], Role.ASSISTANT: []}
    for message, text in excerpt_sides(exchange, places):
        by_role[message.role].append(text)
    said = "\n".join(by_role[Role.USER]) or "[…]"
    answered = "\n".join(by_role[Role.ASSISTANT]) or "[…]"
    note = without_markup(label(exchange, places))
    user = Text(f"[{note}]\n{said}")
    return [
        Message(f"{exchange.id}-user", Role.USER, (user,), exchange.at),
        Message(f"{exchange.id}-answer", Role.ASSISTANT, (Text(answered),), exchange.at),
    ]


def in_history(exchange: Exchange, counter: Counter, places: Places = ()) -> int:
    """Count the tokens of an exchange as messages of this session, with their template."""
    return sum(counter.message(message) for message in history_messages(exchange, places))


def recalled_block(exchange: Exchange, session: str | None, places: Places = ()) -> str:
    """Return a recalled exchange as it is in the recall block, whole or as an excerpt."""
    origin = HERE if exchange.session == session else ELSEWHERE
    if places:
        sides = [(m.role.value, text) for m, text in excerpt_sides(exchange, places)]
        return exchange_block(exchange.at, origin, sides, label(exchange, places))
    said = [(m.role.value, m.text) for _, m in exchange.spoken]
    return exchange_block(exchange.at, origin, said)


def in_fence(exchange: Exchange, counter: Counter, places: Places = ()) -> int:
    """Count the tokens of an exchange inside the recall block.

    A whole one is the sum of the counts stored with its messages and the markup around them.
    """
    if places:
        return counter.text(recalled_block(exchange, None, places))
    said = [m for _, m in exchange.spoken]
    markup = _markup(tuple(m.role for m in said))
    return counter.text(markup) + sum(_in_block(message, counter) for message in said)


def _in_block(message: Message, counter: Counter) -> int:
    made = without_markup(message.text)
    return counter.parts(message) if made == message.text else counter.text(made)


@lru_cache(maxsize=64)
def _markup(roles: tuple[Role, ...]) -> str:
    return exchange_block(_ANY_DAY, ELSEWHERE, [(role.value, "") for role in roles])


def fence_frame(counter: Counter, *, for_client: bool = False) -> int:
    """Count the tokens of the recall block itself."""
    opening, closing = (CLIENT_OPENING, CLIENT_CLOSING) if for_client else (OPENING, CLOSING)
    return counter.text(opening) + counter.text(closing)


def brief_lines(exchange: Exchange, places: Places) -> str:
    """Return a few sentences of an exchange as lines of the block that short excerpts share."""
    sides = excerpt_sides(exchange, places)
    said = " / ".join(f"{m.role.value}: {_FORGED.sub('/', as_line(text))}" for m, text in sides)
    # An id that came from elsewhere may contain anything, and end with our own bracket.
    name = " ".join(without_markup(f"{exchange.id[:SHORT_ID]}]").split())
    return f"[{day_of(exchange.at)} {name} {said}\n"


def in_brief(exchange: Exchange, counter: Counter, places: Places) -> int:
    """Count the tokens of these lines."""
    return counter.text(brief_lines(exchange, places))


def briefs_frame(counter: Counter) -> int:
    """Count the tokens of the block that short excerpts share, without its lines."""
    return counter.text(BRIEFS_OPENING) + counter.text(BRIEFS_CLOSING)


def exchange_blocks(
    items: Iterable[tuple[Exchange, Places, bool]], session: str | None
) -> list[str]:
    """Return recalled exchanges as blocks, the short excerpts after the others.

    ``items`` are exchanges, each with the sentences of its excerpt and whether it is a short one.
    """
    given = list(items)
    blocks = [recalled_block(e, session, places) for e, places, brief in given if not brief]
    briefs = [brief_lines(e, places) for e, places, brief in given if brief]
    return [*blocks, BRIEFS_OPENING, *briefs, BRIEFS_CLOSING] if briefs else blocks


def user_message(user: Message, recalled: Sequence[str]) -> Message:
    """Return the last message: the recall block, if it is not empty, then the user's words."""
    user = harmless(user)
    if not recalled:
        return user
    block = OPENING + "".join(recalled) + CLOSING
    parts = list(user.parts)
    first = next((i for i, part in enumerate(parts) if isinstance(part, Text)), None)
    if first is None:
        parts.insert(0, Text(block))
    else:
        words = parts[first]
        parts[first] = Text(block + (words.text if isinstance(words, Text) else ""))
    # The stored count is only that of the words.
    return replace(user, parts=tuple(parts), tokens=None, tokenizer=None)


def prompt(
    system: Message, history: Iterable[Sequence[Message]], last: Message
) -> tuple[Message, ...]:
    """Return the whole prompt in order."""
    return (system, *(message for messages in history for message in messages), last)


def digest_of(message: Mapping[str, Any]) -> str:
    """Return sixteen hex digits for one rendered message."""
    return hashlib.sha256(_canonical(message)).hexdigest()[:16]


def hash_of(messages: Sequence[Mapping[str, Any]], tools: Sequence[ToolSpec] | None) -> str:
    """Return the SHA-256 of the rendered prompt and its tools."""
    offered = [[t.name, t.description, dict(t.parameters)] for t in tools or ()]
    return hashlib.sha256(_canonical([list(messages), offered])).hexdigest()


_encode = json.JSONEncoder(ensure_ascii=True, sort_keys=True, separators=(",", ":")).encode


def _canonical(data: Any) -> bytes:
    return _encode(data).encode("ascii")
