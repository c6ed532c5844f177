"""A client's message list, aligned with the log: where it continues and what in it is new."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from unabridged.domain.chat import ToolSpec
from unabridged.domain.exchange import Exchange
from unabridged.domain.message import Message


@dataclass(frozen=True, slots=True)
class SyncedHistory:
    """A client's request, aligned with the log.

    Attributes:
        session: The id of its session; a new one if ``new_session``.
        new_session: Whether the session is not in the log yet.
        path: The exchanges that the client sent before its last message, oldest first: as stored,
            or made for this request only if they are not to be stored.
        user: The client's last user message, as it is stored or will be.
        parent: The exchange that the new one follows, or None for a session's first.
        follows: The message that the user's message follows, or None for a session's first.
        retry_of: The exchange whose user message is answered again, or None.
        open: The stored exchange that this request continues (a tool loop), or None.
        rounds: Messages after the user's message that belong to it: tool calls and results, or the
            beginning of an answer that the model must continue. Calls without results and results
            without calls are left out.
        new_rounds: Those of them that are not stored yet, for ``step``; not the beginning of an
            answer, which is stored with the answer.
        taken: How many messages were added to the log.
        stored: Whether the request may be recorded; else it is only answered.
        system: The client's system messages, in order and joined; empty for none.
    """

    session: str
    new_session: bool
    path: tuple[Exchange, ...]
    user: Message
    parent: str | None = None
    follows: str | None = None
    retry_of: str | None = None
    open: Exchange | None = None
    rounds: tuple[Message, ...] = ()
    new_rounds: tuple[Message, ...] = ()
    taken: int = 0
    stored: bool = True
    system: str = ""


@dataclass(frozen=True, slots=True)
class RequestOptions:
    """A client's options for one request.

    Attributes:
        tools: The tools that it offers, in its order; empty for none.
        window: ``num_ctx``, or None if not given.
        max_output: The client's limit for the answer, in tokens, or None.
        options: Everything else, in the client's dialect; passed on as it is.
    """

    tools: tuple[ToolSpec, ...] = ()
    window: int | None = None
    max_output: int | None = None
    options: Mapping[str, object] = field(default_factory=dict)
