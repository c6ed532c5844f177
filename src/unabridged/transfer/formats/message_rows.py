"""Messages in a row, each with a role and a content, as in many programs."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from unabridged.domain.annotation import Stated
from unabridged.domain.message import Part, Role
from unabridged.transfer.build_conversation import RawMessage, content_key
from unabridged.transfer.formats.jsonl import parts_of
from unabridged.transfer.formats.responses_items import role_of
from unabridged.transfer.lenient_fields import (
    EMPTY_MESSAGE,
    REPEATED_MESSAGE,
    Reasons,
    as_id,
    as_object,
    as_text,
)

Parts = Callable[[Role, Mapping[str, Any], Reasons], Iterable[Part]]

_TIMES = ("timestamp", "time", "created_at")


class MessageRow:
    """A growing row of messages: each follows the one before it."""

    def __init__(self, reasons: Reasons) -> None:
        self.messages: list[RawMessage] = []
        self._reasons = reasons
        self._said: dict[str, tuple[Part, ...]] = {}

    @property
    def last(self) -> str | None:
        """Return the key of the newest message, or None."""
        return self.messages[-1].key if self.messages else None

    def extend(self, messages: Iterable[RawMessage]) -> None:
        """Append messages that are chained already; count repeated keys."""
        news = list(messages)
        if any(each.key in self._said for each in news):
            self._reasons[REPEATED_MESSAGE] += 1
            return
        for each in news:
            self._said[each.key] = each.parts
            self.messages.append(each)

    def add(
        self,
        data: Any,
        where: str,
        *,
        name: str = "role",
        parts: Parts = parts_of,
        stated: Stated | None = None,
    ) -> None:
        """Read a message and append it; count it if it cannot be imported.

        The field ``name`` holds the role; ``stated`` is what the file says of it.
        """
        message = as_object(data)
        why = "not a message, or of an unknown role"
        role = role_of(message.get(name), data, self._reasons, why)
        if role is None:
            return
        content = tuple(parts(role, message, self._reasons))
        if not content:
            self._reasons[EMPTY_MESSAGE] += 1
            return
        self._append(role, content, message, where, stated)

    def _append(
        self,
        role: Role,
        parts: tuple[Part, ...],
        message: Mapping[str, Any],
        where: str,
        stated: Stated | None,
    ) -> None:
        made = content_key(len(self.messages), role.value, parts)
        key = as_id(message.get("id")) or made
        if key in self._said:
            if self._said[key] == parts:
                self._reasons[REPEATED_MESSAGE] += 1
                return
            key = f"{key}/{made}"
        self._said[key] = parts
        time = next((message[each] for each in _TIMES if message.get(each) is not None), None)
        model = as_text(message.get("model")) or None
        at = self._reasons.time(time)
        self.messages.append(
            RawMessage(key, role, parts, self.last, at, model, where=where, stated=stated)
        )
