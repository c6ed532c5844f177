"""A request heard: where a client's whole history stands in the log, and what of it is new."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from unabridged.domain.chat import ToolSpec
from unabridged.domain.exchange import Exchange
from unabridged.domain.message import Message


@dataclass(frozen=True, slots=True)
class SyncedHistory:
    """A client's request, placed in the log.

    Attributes:
        session: The id of the session that it belongs to; a new one where ``new_session``.
        new_session: Whether the session is not in the log yet.
        path: The exchanges that the client sent before its last message, oldest first: as stored,
            or made for this request only where they are not to be stored.
        user: The client's last user message, as it is stored or will be.
        parent: The exchange that the new one follows, or None for a session's first.
        follows: The message that the user's message follows, or None for a session's first.
        retry_of: The exchange whose user message is answered again, or None.
        open: The stored exchange that this request goes on with (a tool loop), or None.
        rounds: Messages behind the user's message that go with it: tool calls and results, or the
            beginning of an answer that the model shall go on with. Calls without results are not
            among them, nor results without calls.
        new_rounds: Those of them that are not stored yet, for ``step``; not the beginning of an
            answer, which is stored with the answer.
        taken: How many messages were taken over into the log.
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
    """What a client wants of one request beside its messages.

    Attributes:
        tools: The tools that it offers, in its order; empty for none.
        window: ``num_ctx``, or None where it does not say.
        max_output: The limit of the answer that it gave in tokens, or None.
        options: Everything else, in the client's dialect; passed on as it is.
    """

    tools: tuple[ToolSpec, ...] = ()
    window: int | None = None
    max_output: int | None = None
    options: Mapping[str, object] = field(default_factory=dict)
