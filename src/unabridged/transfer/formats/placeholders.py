"""Bracketed lines that replace missing messages.

The user opens every exchange. If a character greets first, only a summary is left, or the user's
side was not kept, a bracketed line opens the exchange. The other side is then stored and found like
any other, and no words are attributed to the user.
"""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from unabridged.domain.message import Role, Text
from unabridged.domain.session import title_from
from unabridged.transfer.build_conversation import RawMessage
from unabridged.transfer.ids import digest

GREETED = "The conversation begins with the other side."
MISSING = "The user's side was not kept."
SUMMARY = "Only this summary is left of what was said here."

_PREFIX = "standing in/"


def user_line(
    key: str,
    said: str,
    *,
    at: datetime | None = None,
    parent: str | None = None,
    where: str = "",
) -> RawMessage:
    """Return a bracketed line that replaces a user's message.

    ``key`` is the key of the message after it.
    """
    own = _PREFIX + digest("standing in", key)
    return RawMessage(own, Role.USER, (Text(f"[{said}]"),), parent, at, where=where)


def summary(
    text: str,
    *,
    key: str = "",
    note: str = "",
    at: datetime | None = None,
    parent: str | None = None,
    where: str = "",
) -> list[RawMessage]:
    """Return the exchange that keeps a summary whose originals are gone.

    The note describes what it replaces, such as dates.
    """
    key = key or digest("summary", note, text)
    said = f"{SUMMARY} {note}".strip()
    opened = user_line(key, said, at=at, parent=parent, where=where)
    return [opened, RawMessage(key, Role.ASSISTANT, (Text(text),), opened.key, at, where=where)]


def opened(messages: Sequence[RawMessage], said: str = GREETED) -> list[RawMessage]:
    """Put one bracketed line before messages without an earlier user message.

    Parents come before children; those without a parent begin the conversation.
    """
    first = [each for each in messages if each.parent is None and each.role is not Role.USER]
    if not first:
        return list(messages)
    line = user_line("beginning", said, at=first[0].at, where=first[0].where)
    early = {each.key for each in first}
    return [line, *(replace(m, parent=line.key) if m.key in early else m for m in messages)]


def title(messages: Sequence[RawMessage]) -> str:
    """Return a title from the user's first message; empty without one."""
    said = (each for each in messages if each.role is Role.USER)
    spoken = (each for each in said if not each.key.startswith(_PREFIX))
    first = next(spoken, None)
    words = [part.text for part in first.parts if isinstance(part, Text)] if first else []
    return title_from("\n".join(words))
