"""A memory that a server keeps, with the methods of the embedded one."""

import io
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO, Self, cast

from unabridged.client.http_calls import Wire
from unabridged.client.remote_conversation import RemoteConversation, body_of
from unabridged.client.remote_views import (
    RemoteCondensations,
    RemoteFacts,
    RemoteRequirements,
    RemoteSubject,
    RemoteView,
    called,
    like,
    subjects_of,
)
from unabridged.domain.arguments import checks_arguments
from unabridged.domain.budget import Mode
from unabridged.domain.chat import Usage
from unabridged.domain.context import Context
from unabridged.domain.exchange import Exchange, ExchangeState
from unabridged.domain.fact import Fact
from unabridged.domain.forgetting import ForgetPlan, Receipt
from unabridged.domain.results import (
    ContextReport,
    MaintenanceProgress,
    SearchResult,
    SessionSummary,
    Transcript,
)
from unabridged.domain.session import Session
from unabridged.domain.short_repr import quoted, short
from unabridged.errors import (
    EmptyMessageError,
    InputError,
    NotFoundError,
    TransferError,
)
from unabridged.factory.file_transfer import ImportResult
from unabridged.memory import Memory, plain_messages, plan_of
from unabridged.operations import (
    TABLE,
    exchanges,
    facts,
    forgetting,
    maintenance,
    search as lookups,
    sessions,
    transfer,
)
from unabridged.operations.operation import Operation
from unabridged.space.forgetting import Forgetting
from unabridged.space.sessions import check_session_name
from unabridged.space.tools import Offered
from unabridged.transfer.detect_format import open_file
from unabridged.transfer.export import FORMS, write_file
from unabridged.transfer.native_jsonl import write_jsonl
from unabridged.turn.messages import listed
from unabridged.wire.any_message import AnyMessage, read_messages

_SPOOLED_BYTES = 1 << 20
"""The size above which an export goes to the disk."""
_PAGES = 20
"""Pages of maintenance of one request, at most."""


@checks_arguments
class RemoteMemory(RemoteView):
    """One space of memory that a server keeps. Any number of threads may share it.

    Its methods do what those of the embedded ``Memory`` do, and raise the same errors, with these
    limits: it asks no model (chat with the server at its ``/v1``), the server sets ids and times of
    messages, and a search returns 1,000 exchanges at most. All other operations of the server are
    methods by subject and verb: ``memory.shares.list()``.

    Args:
        url: The server's address.
        key: The API key, or the token that the server's first start makes; empty for none.
        user: The user; empty for that of the key, or the server's default.
        agent: The agent; likewise.
        model: The model, if the server separates models; empty for its default.
        session: The default session, by id, number or title; None for the newest.
        timeout: Seconds to wait for an answer.
        operations: The operations of the server; None for those of this version.

    Raises:
        InputError: An argument has another type.
        NotFoundError: There is no such session.
        KeyRefusedError: The key is missing or not valid.
        UpstreamAwayError: No server answers.
    """

    _embedded = Memory

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
        operations: Sequence[Operation[Any, Any]] | None = None,
    ) -> None:
        super().__init__(Wire(url, _headers(key, user, agent, model), timeout))
        self._whose = "/".join(filter(None, (user, agent)))
        self._subjects = subjects_of(self._wire, TABLE if operations is None else operations)
        self.facts = RemoteFacts(self._wire)
        self.requirements = RemoteRequirements(self._wire)
        self.condensations = RemoteCondensations(self._wire)
        self._session: str | None = None
        try:
            if session is not None:
                self._session = self._found(session).id
            else:
                self._newest()  # a wrong key or address fails now
        except BaseException:
            self.close()
            raise

    def __getattr__(self, subject: str) -> RemoteSubject:
        if (found := self.__dict__.get("_subjects", {}).get(subject)) is not None:
            return cast("RemoteSubject", found)
        raise self._lacks(subject)

    def __dir__(self) -> Sequence[str]:  # type: ignore[explicit-override]  # typing.override came with 3.12
        return [*super().__dir__(), *self._subjects]

    def __repr__(self) -> str:  # type: ignore[explicit-override]  # typing.override came with 3.12
        return short(self, self._wire.url, quoted(self._whose))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close every connection."""
        self._wire.close()

    # Talking.

    def conversation(self, session: str | None = None, *, title: str = "") -> "RemoteConversation":
        """Begin a conversation, or continue the one of this id."""
        return RemoteConversation(self._wire, session, title)

    def prepare(
        self,
        message: "AnyMessage" = "",
        *,
        session: str | None = None,
        images: Sequence[str] = (),
        tools: Sequence[Offered] | None = None,
        mode: Mode | str | None = None,
        retry_of: str | None = None,
    ) -> Context:
        """Prepare the context for a message; see ``RemoteConversation.prepare``."""
        return self.conversation(self._named(session)).prepare(
            message, images=images, tools=tools, mode=mode, retry_of=retry_of
        )

    def record(
        self,
        context: Context,
        reply: "AnyMessage | None",
        *,
        usage: Usage | None = None,
        state: ExchangeState | str | None = None,
    ) -> Exchange:
        """Store a message and its answer, at the session's end; see ``RemoteConversation.record``."""
        conversation = self.conversation(context.scope.session)
        return conversation._recorded_as(context, reply, usage, state, behind=True)

    @like(Memory.add)
    def add(
        self,
        messages: "Iterable[AnyMessage] | AnyMessage",
        *,
        session: str | None = None,
        at: datetime | None = None,
    ) -> list[Exchange]:
        if session is not None:
            check_session_name(session)
        said = [body_of(one) for one in read_messages(listed(messages)) if one.parts]
        told = self._wire.call(
            exchanges.add_messages,
            messages=said,
            session=self._named(session),
            at=at,
        )
        return [replace(one, notes=told.notes) for one in told.exchanges]

    # Looking things up.

    get = called(Memory.get, exchanges.get_exchange)
    stats = called(Memory.stats, lookups.stats)
    receipts = called(Forgetting.receipts, forgetting.list_receipts)

    @like(Memory.search)
    def search(self, query: str, **filters: Any) -> list[SearchResult]:
        if not query.strip() or filters.get("limit") == 0:
            return []
        try:
            return list(self._wire.call(lookups.search, query=query, **filters).items)
        except NotFoundError:
            return []  # the session has not begun yet

    @like(Memory.history)
    def history(self, session: str | None = None, *, limit: int = 50) -> list[Any]:
        return plain_messages(self.conversation(self._named(session)).history(limit))

    @like(Memory.sessions)
    def sessions(self, *, limit: int | None = None) -> list[SessionSummary]:
        named = self._named(None)
        found = self._wire.all(sessions.list_sessions)
        return [SessionSummary(one, one.exchanges, one.id == named) for one in islice(found, limit)]

    @like(Memory.why)
    def why(self, context: Context | str | None = None) -> ContextReport:
        name = context.id if isinstance(context, Context) else context
        if name == lookups.LAST:  # here it is an id
            raise NotFoundError(f"There is no context {name!r}.", hint="Leave it out for the last.")
        return self._wire.call(lookups.get_context, context=lookups.LAST if name is None else name)

    # What every prompt carries, and what is forgotten.

    @like(Memory.pin)
    def pin(self, text: str | None = None, *, exchange: str | None = None) -> Fact:
        if text is not None and not text.strip():
            raise EmptyMessageError("There is nothing to pin.", hint="Give a text.")
        return self.facts.get(self._wire.call(facts.add_pin, text=text, exchange=exchange).id)

    @like(Memory.plan_forget)
    def plan_forget(self, *ids: str, **named: Any) -> ForgetPlan:
        return self._wire.call(forgetting.plan_forgetting, exchanges=ids, **named)

    @like(Memory.forget)
    def forget(self, *ids_or_plan: str | ForgetPlan, **named: Any) -> Receipt:
        plan = plan_of(ids_or_plan, self.plan_forget, **named)
        return self._wire.call(forgetting.forget, plan=plan.id)

    @like(Memory.maintain)
    def maintain(self, *, pages: int | None = None) -> Iterator[MaintenanceProgress]:
        before, left = None, pages
        while left is None or left > 0:
            at_once = _PAGES if left is None else min(left, _PAGES)
            told = self._wire.call(maintenance.maintain, pages=at_once)
            yield from told.stages
            if told.done or told == before:
                return
            before = told
            left = None if left is None else left - at_once

    # In and out.

    @like(Memory.import_file)
    def import_file(
        self,
        path: str | Path,
        *,
        format: str | None = None,  # noqa: A002 - the public name
        model: str | None = None,
    ) -> ImportResult:
        try:
            file = Path(path).open("rb")  # noqa: SIM115 - closed below, after its errors are told
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or str(error)
            raise TransferError(
                f"{str(path)!r} cannot be opened: {reason}.", hint="Check the path."
            ) from error
        with file:
            return self._wire.upload(
                transfer.import_file, ImportResult, file, format=format, model=model
            )

    @like(Memory.export)
    def export(
        self,
        path: str | Path,
        *,
        format: str = "jsonl",  # noqa: A002 - the public name
    ) -> int:
        if format not in FORMS:
            raise InputError(
                f"There is no format {format!r}.", hint=f"Use one of: {', '.join(FORMS)}."
            )

        def write(to: BinaryIO) -> int:
            self._wire.download(transfer.export_file, to, format=format)
            return self.stats().exchanges

        return write_file(Path(path), write)

    def transcripts(self) -> Iterator[Transcript]:
        """Iterate over every session with every exchange of every branch, the oldest first."""
        with tempfile.SpooledTemporaryFile(_SPOOLED_BYTES) as file:
            whole = cast("io.BufferedRandom", file)
            self._wire.download(transfer.export_file, whole, format="jsonl")
            whole.seek(0)
            with open_file(whole, format="unabridged") as reader:
                yield from (item for item in reader if isinstance(item, Transcript))

    def import_transcript(self, transcript: Transcript) -> int:
        """Import a whole conversation from elsewhere; return how many exchanges were new.

        Raises:
            InputError: Something of it cannot be stored.
        """
        held = io.BytesIO()
        write_jsonl([transcript], held)
        held.seek(0)
        told = self._wire.upload(transfer.import_file, ImportResult, held, format="unabridged")
        if told.failed_count:
            reasons = "; ".join(f"{one.where}: {one.reason}" for one in told.failed)
            raise InputError(f"Not all of it was stored: {reasons}.", hint="The rest was.")
        return told.added

    def _named(self, session: str | None) -> str | None:
        wanted = session if session is not None else self._session
        if wanted is not None:
            return wanted
        newest = self._newest()
        return newest.id if newest else None

    def _newest(self) -> Session | None:
        return next(iter(self._wire.call(sessions.list_sessions, limit=1).items), None)

    def _found(self, wanted: str) -> Session:
        if not wanted:
            raise NotFoundError("There is no session without a name.", hint="Name one.")
        (session,) = self._wire.call(sessions.list_sessions, called=wanted).items
        return session


def _headers(key: str, user: str, agent: str, model: str) -> dict[bytes, bytes]:
    # The headers of each request; names in UTF-8, as the server reads them.
    bearer = f"Bearer {key}" if key else ""
    named = {
        "X-Unabridged-User": user,
        "X-Unabridged-Agent": agent,
        "X-Unabridged-Model": model,
        "Authorization": bearer,
    }
    return {name.encode(): value.encode() for name, value in named.items() if value}
