"""Conversations for tests: a writer that stores them like the engine, with plain ids."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta

from unabridged.domain.exchange import Exchange, ExchangeState
from unabridged.domain.message import Message, Part, Role, Text
from unabridged.domain.record import Record
from unabridged.domain.session import Session
from unabridged.domain.write import Batch
from unabridged.ports import Store

START = datetime(2026, 3, 1, 9, 0, tzinfo=UTC)
"""The time at which every conversation of a test begins."""


class LogWriter:
    """The writer of one session. Each message takes one minute.

    Args:
        store: The store to write to, or None to write nowhere.
        session: The session's id; ids of messages and exchanges begin with it.
    """

    def __init__(self, store: Store | None, session: str = "s1") -> None:
        self.store = store
        self.header = Session(session, "", START, START)
        self.parent: str | None = None
        self._count = 0

    def message(
        self,
        content: str | Sequence[Part],
        role: Role = Role.USER,
        *,
        parent: str | None = None,
        tokens: int | None = None,
    ) -> Message:
        """Return the next message, without writing."""
        self._count += 1
        return Message(
            id=f"{self.header.id}-m{self._count:05}",
            role=role,
            parts=(Text(content),) if isinstance(content, str) else tuple(content),
            at=START + timedelta(minutes=self._count),
            parent=parent,
            tokens=tokens,
            tokenizer=None if tokens is None else "test",
        )

    def begin(
        self,
        content: str | Sequence[Part],
        *,
        records: tuple[Record, ...] = (),
        tokens: int = 2,
        original: bytes | None = None,
    ) -> Exchange:
        """Store a user's message after the head."""
        message = self.message(content, parent=self.header.head, tokens=tokens)
        exchange = Exchange(
            id=f"{self.header.id}-x{self._count:05}",
            session=self.header.id,
            parent=self.parent,
            state=ExchangeState.OPEN,
            messages=(message,),
            at=message.at,
        )
        originals = {} if original is None else {message.id: original}
        self.write(exchange, message.id, records=records, originals=originals)
        return exchange

    def answer(
        self,
        exchange: Exchange,
        content: str | Sequence[Part],
        *,
        state: ExchangeState = ExchangeState.COMPLETE,
        records: tuple[Record, ...] = (),
    ) -> Exchange:
        """Store an answer to an open exchange."""
        message = self.message(content, Role.ASSISTANT, parent=self.header.head, tokens=3)
        news = replace(exchange, messages=(message,), state=state, model="tester")
        self.write(news, message.id, records=records)
        return replace(news, messages=(*exchange.messages, message))

    def say(self, user: str, assistant: str) -> Exchange:
        """Store a whole exchange after the head, in two writes."""
        return self.answer(self.begin(user), assistant)

    def edit(self, exchange: Exchange, user: str, assistant: str) -> Exchange:
        """Store an edited message: a second child of the same parent."""
        self.go_to(exchange.user.parent, exchange.parent)
        return self.say(user, assistant)

    def regenerate(self, exchange: Exchange, assistant: str) -> Exchange:
        """Store another answer to the same user message: a sibling that shares it."""
        user = exchange.user
        message = self.message(assistant, Role.ASSISTANT, parent=user.id, tokens=3)
        twin = replace(
            exchange,
            id=f"{self.header.id}-x{self._count:05}",
            state=ExchangeState.COMPLETE,
            messages=(message,),
            model="tester",
        )
        self.write(twin, message.id, opened_by=user.id)
        return replace(twin, messages=(user, message))

    def go_to(self, head: str | None, exchange: str | None) -> None:
        """Move the head to another message, the last of an exchange."""
        moved = replace(self.header, head=head)
        if self.store is not None:
            self.store.set_session(moved, self.header.head)
        self.header, self.parent = moved, exchange

    def write(
        self,
        exchange: Exchange,
        head: str,
        *,
        opened_by: str | None = None,
        records: tuple[Record, ...] = (),
        originals: Mapping[str, bytes] | None = None,
    ) -> None:
        """Append one batch after the head, and move the head."""
        updated = START + timedelta(minutes=self._count)
        header = replace(self.header, head=head, updated=updated)
        batch = Batch(header, exchange, opened_by, records, originals or {})
        if self.store is not None:
            self.store.append(batch, self.header.head)
        self.header, self.parent = header, exchange.id
