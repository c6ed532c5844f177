"""A memory that a server keeps, with the same facade as one that is open here."""

import io
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, Self, cast

from unabridged.client.books import (
    RemoteFacts,
    RemoteForgetting,
    RemoteRequirements,
    RemoteUpkeep,
)
from unabridged.client.wire import PAGE, Wire, path_of
from unabridged.clock import SystemClock
from unabridged.domain.budget import Mode
from unabridged.domain.chat import ToolSpec, Usage
from unabridged.domain.context import Context
from unabridged.domain.exchange import Exchange, ExchangeState
from unabridged.domain.message import Message, Part, Role, Text, part_to_dict
from unabridged.domain.session import Session
from unabridged.domain.views import Account, Conversation, Found, Pin, SessionLine, Stats, Step
from unabridged.errors import EmptyMessageError, InputError, NotFoundError
from unabridged.space.tools import tool_from
from unabridged.transfer.detect import open_file
from unabridged.transfer.unabridged import write_jsonl
from unabridged.wire.own import from_plain, to_plain

_SPOOLED = 1 << 20
"""Bytes of an export above which it is laid on the disk."""


class RemoteMemory:
    """One space of memory that a server keeps, and the session that is being talked in.

    Every method does what that of the embedded ``Memory`` does, and raises the same errors. Ids
    and times of messages are given by the server.

    Args:
        url: The server's address.
        key: The API key, or the token that the server's first start made; empty for none.
        user: The user; empty for what the key says, or the server's default.
        agent: The agent; likewise.
        model: The model, where models have memories of their own; empty for the server's default.
        session: The session to take up, as ``switch`` finds it; None for the newest.
        timeout: Seconds to wait for an answer.

    Attributes:
        facts: What was learned of the user.
        requirements: What was required.
        upkeep: What was condensed.
        forgetting: What can be forgotten.

    Raises:
        NotFoundError: There is no such session.
        KeyRefusedError: The key is missing or not valid.
        UpstreamAwayError: No server answers.
    """

    def __init__(
        self,
        url: str = "http://127.0.0.1:11435",
        *,
        key: str = "",
        user: str = "",
        agent: str = "",
        model: str = "",
        session: str | None = None,
        timeout: float = 60.0,
    ) -> None:
        self._wire = Wire(url, _headers(key, user, agent, model), timeout)
        self._clock = SystemClock()
        self._remarks: list[str] = []
        self._title = ""
        self.facts = RemoteFacts(self._wire)
        self.requirements = RemoteRequirements(self._wire)
        self.upkeep = RemoteUpkeep(self._wire)
        self.forgetting = RemoteForgetting(self._wire)
        try:
            self._session_id = self._first_session(session)
        except BaseException:
            self.close()
            raise

    def _first_session(self, wanted: str | None) -> str | None:
        if wanted is not None:
            return self.switch(wanted).id
        newest = self._wire.items("sessions", Session, limit=1)
        return newest[0].id if newest else None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close every connection."""
        self._wire.close()

    # The read and the write path.

    def prepare(
        self,
        message: str,
        *,
        mode: Mode | str | None = None,
        tools: Sequence[Callable[..., Any] | ToolSpec] | None = None,
        retry_of: str | None = None,
        images: Sequence[str] = (),
    ) -> Context:
        """Make the context for a message. Only reads: nothing is stored.

        The server holds it for half an hour; ``manifest`` and ``shared`` are empty.

        Args:
            message: The user's words.
            mode: ``chat`` or ``tools``; None for the server's setting.
            tools: Tools to offer in tools mode instead of the configured ones; functions are
                described to the server, and run here or nowhere.
            retry_of: The id of an exchange whose message is answered again.
            images: URIs of pictures that go with the message.

        Raises:
            EmptyMessageError: There is nothing in it.
            PromptTooLargeError: What must be sent does not fit the window.
            UpstreamError: The server's upstream, or the server itself, does not answer.
        """
        body = {
            "message": message,
            "session": self._session_id,
            "mode": Mode(mode).value if mode else None,
            "tools": None if tools is None else [to_plain(_spec(tool)) for tool in tools],
            "retry_of": retry_of,
            "images": list(images),
        }
        return from_plain(Context, self._wire.ask("prepare", body))

    def message(self, role: Role, parts: Sequence[Part]) -> Message:
        """Make a message; the server gives it another id and its own time when it is stored."""
        return Message(self._clock.new_id(), role, tuple(parts), self._clock.now())

    def begin(self, context: Context) -> Exchange:
        """Store the user's message of a context; when this returns, it survives a power cut.

        Raises:
            HeadMovedError: The session moved on since the context was prepared.
        """
        body = {"title": self._title or None}
        return self._extended(context, "begin", body, (), ExchangeState.OPEN)

    def step(self, context: Context, messages: Sequence[Message]) -> Exchange:
        """Store a tool round of a begun exchange: calls and results together."""
        self._name(context)
        told = [{"role": m.role.value, "parts": _parts(m)} for m in messages]
        body = {"messages": told}
        return self._extended(context, "step", body, messages, ExchangeState.OPEN)

    def record(
        self,
        context: Context,
        reply: str | Message | None,
        *,
        state: ExchangeState | str = ExchangeState.COMPLETE,
        usage: Usage | None = None,
    ) -> Exchange:
        """Store the answer to a context, and begin it where it was not begun.

        Raises:
            InputError: It was answered already.
            HeadMovedError: The session moved on since the context was prepared.
            NotFoundError: The server holds the context no more, and it was not begun.
        """
        self._name(context)
        said = self.message(Role.ASSISTANT, [Text(reply)]) if isinstance(reply, str) else reply
        body = {
            "parts": _parts(said) if said and said.parts else None,
            "state": ExchangeState(state).value,
            "usage": to_plain(usage),
        }
        messages = () if said is None else (said,)
        return self._extended(context, "record", body, messages, ExchangeState(state))

    def remarks(self) -> list[str]:
        """What a person should know of what was not stored, since this was asked last."""
        said, self._remarks = self._remarks, []
        return list(dict.fromkeys(said))

    def _name(self, context: Context) -> None:
        """Begin a context whose session is to have a title; else the server does it by itself."""
        if self._title and context.new_session:
            self.begin(context)

    def _extended(
        self,
        context: Context,
        verb: str,
        body: Mapping[str, object],
        messages: Sequence[Message],
        state: ExchangeState,
    ) -> Exchange:
        told = self._wire.post(f"contexts/{path_of(context.id)}/{verb}", body)
        self._session_id, self._title = context.scope.session, ""
        self._remarks += told["notes"]
        if told["exchange"] is not None:
            return from_plain(Exchange, told["exchange"])
        return Exchange(  # it passes through: it was forgotten before
            id=context.id,
            session=context.scope.session or "",
            parent=context.parent,
            state=state,
            messages=(context.user, *messages),
            at=context.at,
            mode=context.mode.value,
            model=context.scope.model,
        )

    # Looking things up.

    def search(self, query: str, limit: int = 10) -> list[Found]:
        """Find exchanges by words, meaning and time, best first; each whole, with its session."""
        if not query.strip():
            return []
        found = self._wire.ask("search", {"query": query, "limit": limit})
        return [from_plain(Found, item) for item in found["items"]]

    def why(self, context_id: str | None = None) -> Account:
        """Account for a past context, the last by default, and render it again.

        Raises:
            NotFoundError: There is no such context.
        """
        return self._wire.get(f"contexts/{path_of(context_id or 'last')}", Account)

    def stats(self) -> Stats:
        """Give the figures of the space."""
        return self._wire.get("stats", Stats)

    def tend(self, pages: int | None = None) -> Iterator[Step]:
        """Do what is done after recording: judge messages, draw facts, condense.

        Args:
            pages: At most so many pages of each kind; None for everything.

        Yields:
            How far each stage has come, request by request.
        """
        before = None
        while True:
            told = self._wire.post("tend", {"pages": min(pages or 20, 20)})
            for item in told["stages"]:
                yield from_plain(Step, item)
            if pages is not None or told["done"] or told == before:
                return
            before = told

    # Sessions.

    @property
    def session(self) -> Session | None:
        """The session that is being talked in; None where the next message begins one."""
        if self._session_id is None:
            return None
        try:
            return self._wire.get(f"sessions/{path_of(self._session_id)}", Session)
        except NotFoundError:
            return None  # it was forgotten

    def sessions(self) -> list[SessionLine]:
        """Every session, the most recently updated first."""
        held = self._wire.all("sessions", dict, limit=PAGE)
        return [
            SessionLine(from_plain(Session, one), one["exchanges"], one["id"] == self._session_id)
            for one in held
        ]

    def new_session(self, title: str = "") -> None:
        """Let the next message begin a session; the current one stays as it is."""
        self._session_id = None
        self._title = title

    def switch(self, wanted: str) -> Session:
        """Take up another session, by id, number in the list, title or beginning of its id.

        Raises:
            NotFoundError: Nothing matches, or several do.
        """
        if not wanted:
            raise NotFoundError("There is no session without a name.", hint="Name one.")
        (session,) = self._wire.items("sessions", Session, called=wanted)
        self._session_id = session.id
        return session

    def retitle(self, title: str) -> Session:
        """Give the current session another title.

        Raises:
            InputError: The title is empty.
            NotFoundError: No session has begun yet.
        """
        if not title.strip():
            raise InputError("A title needs some words.", hint="Give some.")
        if self._session_id is None:
            raise NotFoundError("No session has begun yet.", hint="Say something first.")
        return self._wire.change(f"sessions/{path_of(self._session_id)}", Session, {"title": title})

    def history(self, limit: int = 50) -> list[Exchange]:
        """The current session's path, oldest first."""
        if self._session_id is None:
            return []
        path = f"sessions/{path_of(self._session_id)}/exchanges"
        newest = self._wire.all(path, Exchange, limit=max(1, min(limit, PAGE)))
        return list(islice(newest, limit))[::-1]

    def show(self, wanted: str) -> Exchange:
        """Give an exchange by its id or the beginning of it.

        Raises:
            NotFoundError: There is none, or several.
        """
        return self._wire.get(f"exchanges/{path_of(wanted)}", Exchange)

    # Pins.

    def remember(self, text: str) -> Pin:
        """Pin words: every prompt carries them from now on."""
        if not text.strip():
            raise EmptyMessageError("There is nothing to remember.", hint="Give a text.")
        return self._wire.made("pins", Pin, {"text": text})

    def pin(self, exchange_id: str) -> Pin:
        """Pin what the user said in an exchange."""
        return self._wire.made("pins", Pin, {"exchange": exchange_id})

    def unpin(self, wanted: str) -> Pin:
        """Take a pin off, by its id or its number in the list."""
        return self._wire.delete(f"pins/{path_of(wanted)}", Pin)

    def pins(self) -> list[Pin]:
        """Every pin, the oldest first."""
        return self._wire.items("pins", Pin)

    # In and out.

    def conversations(self) -> Iterator[Conversation]:
        """Every session with every exchange of every branch, the oldest first."""
        with tempfile.SpooledTemporaryFile(_SPOOLED) as file:
            whole = cast("io.BufferedRandom", file)
            self._wire.download("export", whole, format="jsonl")
            whole.seek(0)
            with open_file(whole, format="unabridged") as reader:
                yield from (item for item in reader if isinstance(item, Conversation))

    def admit(self, conversation: Conversation) -> int:
        """Take over a conversation from elsewhere; what is here already is passed over.

        Returns:
            How many exchanges were new.

        Raises:
            InputError: Something of it cannot be stored.
        """
        held = io.BytesIO()
        write_jsonl([conversation], held)
        told = self._wire.upload("import", held.getvalue(), format="unabridged")
        self._remarks += told["notes"]
        if told["unread_count"]:
            reasons = "; ".join(f"{one['where']}: {one['reason']}" for one in told["unread"])
            raise InputError(f"Not all of it was stored: {reasons}.", hint="The rest was.")
        return int(told["added"])


def _headers(key: str, user: str, agent: str, model: str) -> dict[bytes, bytes]:
    """What goes with each request; names in UTF-8, as the server reads them."""
    bearer = f"Bearer {key}" if key else ""
    named = {
        "X-Unabridged-User": user,
        "X-Unabridged-Agent": agent,
        "X-Unabridged-Model": model,
        "Authorization": bearer,
    }
    return {name.encode(): value.encode() for name, value in named.items() if value}


def _spec(tool: Callable[..., Any] | ToolSpec) -> ToolSpec:
    """A tool as a model sees it."""
    return tool if isinstance(tool, ToolSpec) else tool_from(tool).spec


def _parts(message: Message) -> list[dict[str, Any]]:
    return [part_to_dict(part) for part in message.parts]
