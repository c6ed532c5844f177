"""A client's message list: where it continues the log, what in it is new, what memory adds to it.

A request is the client's: everything in it is sent, in its order. Memory only adds.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from unabridged.domain.chat import ToolSpec
from unabridged.domain.exchange import Exchange
from unabridged.domain.message import Message


class Fit(StrEnum):
    """What happens to a client's request that does not fit the window."""

    AUTO = "auto"
    REFUSE = "refuse"
    CONDENSE = "condense"


@dataclass(frozen=True, slots=True)
class ClientMessage:
    """One message of a client's list.

    Attributes:
        message: Its role and content.
        exchange: The position of its exchange in the path; the length of the path for the newest
            one, None for a system message.
        items: How many items of the client's list it was made from; 0 if a message before it
            is of the same item.
    """

    message: Message
    exchange: int | None
    items: int = 1


@dataclass(frozen=True, slots=True)
class SyncedHistory:
    """A client's request, aligned with the log.

    Attributes:
        session: The id of its session; a new one if ``new_session``.
        new_session: Whether the session is not in the log yet.
        path: The exchanges that the client sent before its last message, oldest first: as stored,
            or made for this request only if they are not to be stored.
        user: The client's last user message, as it is stored or will be.
        messages: The whole list of the client, in its order.
        parent: The exchange that the new one follows, or None for a session's first.
        follows: The message that the user's message follows, or None for a session's first.
        retry_of: The exchange whose user message is answered again, or None.
        open: The stored exchange that this request continues (a tool loop), or None.
        new_rounds: Messages after the user's message that are not stored yet, for ``record_tools``;
            not the beginning of an answer, which is stored with the answer.
        taken: How many messages were added to the log.
        stored: Whether the request may be recorded; else it is only answered.
        unstored: The ids of those in ``path`` that are not in the log: forgotten ones, and new ones
            of a request that may not be recorded.
        folder: The working folder that its program names, or empty.
    """

    session: str
    new_session: bool
    path: tuple[Exchange, ...]
    user: Message
    messages: tuple[ClientMessage, ...] = ()
    parent: str | None = None
    follows: str | None = None
    retry_of: str | None = None
    open: Exchange | None = None
    new_rounds: tuple[Message, ...] = ()
    taken: int = 0
    stored: bool = True
    unstored: frozenset[str] = frozenset()
    folder: str = ""

    @property
    def newest(self) -> int:
        """The position of the user's message in the list."""
        last = len(self.path)
        return next(n for n, one in enumerate(self.messages) if one.exchange == last)

    @property
    def rounds(self) -> tuple[Message, ...]:
        """What the client sent after its last user message."""
        after = self.messages[self.newest + 1 :]
        return tuple(one.message for one in after if one.exchange is not None)


@dataclass(frozen=True, slots=True)
class RequestOptions:
    """A client's options for one request.

    Attributes:
        tools: The tools that it offers, in its order; empty for none.
        window: ``num_ctx``, or None if not given.
        max_output: The client's limit for the answer, in tokens, or None.
        options: Everything else, in the client's dialect; passed on as it is.
        fit: What happens if the request does not fit the window; None for the setting.
        compacts: Whether the client is a program that compacts its history when it is refused.
    """

    tools: tuple[ToolSpec, ...] = ()
    window: int | None = None
    max_output: int | None = None
    options: Mapping[str, object] = field(default_factory=dict)
    fit: Fit | None = None
    compacts: bool = False


@dataclass(frozen=True, slots=True)
class RequestEdits:
    """What memory changes in a client's list; messages are named by their position in it.

    Attributes:
        after: Text to add at the end of a message.
        before: Text to add at the beginning of a message.
        left_out: The messages that are condensed in a text of ``before``.
        left_out_items: How many items of the client's list these are.
        left_out_tokens: What these take.
        inserted: The session's earlier messages, for a client that sends only its newest one; they
            go before the message at ``newest``.
        newest: The position of the user's message.
    """

    after: Mapping[int, str] = field(default_factory=dict)
    before: Mapping[int, str] = field(default_factory=dict)
    left_out: frozenset[int] = frozenset()
    left_out_items: int = 0
    left_out_tokens: int = 0
    inserted: tuple[Message, ...] = ()
    newest: int = 0
