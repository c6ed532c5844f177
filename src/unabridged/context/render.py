"""Rendering: chosen items to the messages that are sent. Equal choices give equal bytes.

Order, for prompt caches: system prompt with the pinned facts; history, oldest first; then, in the
last user message, the fence with what was recalled for it, and the user's words.
"""

import hashlib
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from unabridged.context.excerpt import excerpt_sides, label
from unabridged.context.recall_block import (
    CLOSING,
    ELSEWHERE,
    GUIDE,
    HERE,
    NOW,
    OPENING,
    MarkupRules,
    as_line,
    day_of,
    exchange_block,
    neutralise,
    unfenced,
)
from unabridged.context.strip_markup import has_brackets
from unabridged.domain.chat import ToolSpec
from unabridged.domain.exchange import Exchange
from unabridged.domain.message import Message, Part, Reasoning, Role, Text, ToolCall, ToolResult

PINNED = "\n\nPinned by the user:\n"
SHORT_ID = 12
"""Characters of an exchange's id that stand for it in a line."""
BRIEFS_OPENING = (
    '<recalled-excerpts note="single sentences of others, each with the id of the whole">\n'
)
BRIEFS_CLOSING = "</recalled-excerpts>\n"
_FORGED = re.compile(r"\s+/\s+(?=(?:user|assistant|tool|summary)\s*:)", re.IGNORECASE)
"""Words that would look like the other side of an exchange in a line of both."""
NO_ANSWER = "[no answer came]"


def system_text(system: str) -> str:
    """The system prompt as it is sent: the persona's words and one sentence on the fence."""
    return f"{system}\n\n{GUIDE}" if system else GUIDE


def pinned_text(pins: Sequence[str], rules: MarkupRules = NOW) -> str:
    """The pinned facts as they stand behind the system prompt; empty without any."""
    return PINNED + "\n".join(f"- {neutralise(pin, rules)}" for pin in pins) if pins else ""


def history_messages(
    exchange: Exchange, places: Sequence[tuple[int, int]] = (), rules: MarkupRules = NOW
) -> list[Message]:
    """An exchange of this session as messages, whole or as an excerpt.

    Calls without results and results without calls are left away together, since servers refuse
    them; an exchange without an answer gets a note in its place, since templates want turns.
    """
    if places:
        return _excerpt_messages(exchange, places, rules)
    kept: Iterable[Message] = exchange.messages
    if not all(_plain(message) for message in kept):
        results = {r.call_id for m in exchange.messages for r in m.results}
        calls = {c.id for m in exchange.messages for c in m.calls}
        kept = (_sent(message, results & calls, rules) for message in exchange.messages)
    messages = [message for message in kept if message.parts]
    if not messages or messages[-1].role is not Role.ASSISTANT or messages[-1].calls:
        messages.append(_note(exchange, NO_ANSWER))
    return messages


def _plain(message: Message) -> bool:
    return all(isinstance(part, Text) and not has_brackets(part.text) for part in message.parts)


def _sent(message: Message, paired: set[str], rules: MarkupRules) -> Message:
    def stays(part: Part) -> bool:
        match part:
            case Reasoning():
                return False
            case ToolCall(id=call_id) | ToolResult(call_id=call_id):
                return call_id in paired
            case _:
                return True

    parts = _harmless([part for part in message.parts if stays(part)], rules)
    return message if parts == message.parts else replace(message, parts=parts)


def harmless(message: Message) -> Message:
    """A message as it is sent: without reasoning, and with nothing that imitates the fence."""
    kept = [part for part in message.parts if not isinstance(part, Reasoning)]
    return replace(message, parts=_harmless(kept, NOW))


def _harmless(parts: Sequence[Part], rules: MarkupRules) -> tuple[Part, ...]:
    made: list[Part] = []
    for place, part in enumerate(parts):
        match part:
            case Text(text) if has_brackets(text):
                goes_on = any(isinstance(later, Text) for later in parts[place + 1 :])
                made.append(Text(unfenced(text, rules, goes_on=goes_on)))
            case ToolResult(text=text) if has_brackets(text):
                made.append(replace(part, text=unfenced(text, rules)))
            case _:
                made.append(part)
    return tuple(made)


def _note(exchange: Exchange, text: str) -> Message:
    return Message(f"{exchange.id}-note", Role.ASSISTANT, (Text(text),), exchange.at)


def _excerpt_messages(
    exchange: Exchange, places: Sequence[tuple[int, int]], rules: MarkupRules
) -> list[Message]:
    by_role: dict[Role, list[str]] = {Role.USER: [], Role.ASSISTANT: []}
    for message, text in excerpt_sides(exchange, places, rules.sentences):
        by_role[message.role].append(unfenced(text, rules))
    said = "\n".join(by_role[Role.USER]) or "[…]"
    answered = "\n".join(by_role[Role.ASSISTANT]) or "[…]"
    note = unfenced(label(exchange, places, rules.sentences), rules)
    user = Text(f"[{note}]\n{said}")
    return [
        Message(f"{exchange.id}-user", Role.USER, (user,), exchange.at),
        Message(f"{exchange.id}-answer", Role.ASSISTANT, (Text(answered),), exchange.at),
    ]


def recalled_block(
    exchange: Exchange,
    session: str | None,
    places: Sequence[tuple[int, int]] = (),
    rules: MarkupRules = NOW,
) -> str:
    """A recalled exchange inside the fence, whole or as an excerpt.

    Args:
        exchange: The exchange.
        session: The session that it is recalled into.
        places: The sentences of an excerpt; none for the whole.
        rules: By which it is rendered, and the sentences were numbered.
    """
    origin = HERE if exchange.session == session else ELSEWHERE
    if places:
        sides = [
            (m.role.value, text) for m, text in excerpt_sides(exchange, places, rules.sentences)
        ]
        note = label(exchange, places, rules.sentences)
        return exchange_block(exchange.at, origin, sides, note, rules)
    said = [(m.role.value, m.text) for _, m in exchange.spoken]
    return exchange_block(exchange.at, origin, said, rules=rules)


def brief_lines(
    exchange: Exchange, places: Sequence[tuple[int, int]], rules: MarkupRules = NOW
) -> str:
    """A few sentences of an exchange as lines of the block that short excerpts share.

    Args:
        exchange: The exchange.
        places: The sentences.
        rules: By which it is rendered, and the sentences were numbered.
    """
    sides = excerpt_sides(exchange, places, rules.sentences)
    said = " / ".join(
        f"{m.role.value}: {_FORGED.sub('/', as_line(text, rules))}" for m, text in sides
    )
    name = exchange.id[:SHORT_ID]
    if rules.fence > 1:  # one that came from elsewhere may hold anything
        name = " ".join(neutralise(name, rules).split())
    return f"[{day_of(exchange.at)} {name}] {said}\n"


def briefs_block(
    briefs: Sequence[tuple[Exchange, Sequence[tuple[int, int]]]], rules: MarkupRules = NOW
) -> list[str]:
    """The block of short excerpts; nothing for none.

    Args:
        briefs: Exchanges with the sentences of each.
        rules: By which it is rendered, and the sentences were numbered.
    """
    if not briefs:
        return []
    lines = [brief_lines(exchange, places, rules) for exchange, places in briefs]
    return [BRIEFS_OPENING, *lines, BRIEFS_CLOSING]


def user_message(user: Message, recalled: Sequence[str], rules: MarkupRules = NOW) -> Message:
    """The last message: the fence, where there is something in it, then the user's words."""
    block = OPENING + "".join(recalled) + CLOSING if recalled else ""
    parts = list(_harmless(user.parts, rules))
    first = next((i for i, part in enumerate(parts) if isinstance(part, Text)), None)
    if block and first is None:
        parts.insert(0, Text(block))
    elif block and first is not None:
        words = parts[first]
        parts[first] = Text(block + (words.text if isinstance(words, Text) else ""))
    if block:  # the stored count is that of the words alone
        return replace(user, parts=tuple(parts), tokens=None, tokenizer=None)
    return replace(user, parts=tuple(parts))


def prompt(
    system: Message, history: Iterable[Sequence[Message]], last: Message
) -> tuple[Message, ...]:
    """The whole prompt in order."""
    return (system, *(message for messages in history for message in messages), last)


def digest_of(message: Mapping[str, Any]) -> str:
    """Sixteen hex digits for one rendered message."""
    return hashlib.sha256(_canonical(message)).hexdigest()[:16]


def hash_of(messages: Sequence[Mapping[str, Any]], tools: Sequence[ToolSpec] | None) -> str:
    """SHA-256 of the rendered prompt and the tools offered with it."""
    offered = [[t.name, t.description, dict(t.parameters)] for t in tools or ()]
    return hashlib.sha256(_canonical([list(messages), offered])).hexdigest()


_encode = json.JSONEncoder(ensure_ascii=True, sort_keys=True, separators=(",", ":")).encode


def _canonical(data: Any) -> bytes:
    return _encode(data).encode("ascii")
