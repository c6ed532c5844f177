"""The flow of a chat request: it drives a turn and awaits the upstream.

The user's message is stored before the upstream is asked; the answer is stored before its end is
sent.
"""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from typing import Any

import anyio
from starlette.requests import Request
from starlette.responses import Response

from unabridged.domain.chat import ChatRequest, StreamChunk
from unabridged.domain.exchange import QUOTING
from unabridged.domain.message import Foreign, Role
from unabridged.domain.scope import Scope
from unabridged.domain.settings import is_off_record
from unabridged.errors import (
    ContextRefusedError,
    HeadMovedError,
    InputError,
    MissingParentError,
    StoreError,
    UnabridgedError,
)
from unabridged.ports import ChatModel
from unabridged.server.auxiliary_requests import side_request
from unabridged.server.chat_request import AnswerInfo, ChatApiRequest, Writer
from unabridged.server.client_disconnect import LEFT, ClientLeftError, while_there
from unabridged.server.client_programs import compacts
from unabridged.server.conversation_ids import program_id
from unabridged.server.error_responses import answer_in
from unabridged.server.resolve_scope import scope_of
from unabridged.server.state import Service, grant_of, service_of
from unabridged.server.stream_answer import AnswerStream, passed_headers
from unabridged.server.upstream_prompt import (
    UpstreamPrompt,
    for_upstream,
    put,
    relaying,
    with_memory,
    without_memory,
)
from unabridged.server.upstream_request import RefusedError
from unabridged.server.usual_window import usual_window
from unabridged.space.space import Space
from unabridged.turn.conversation import chat_lock, sync
from unabridged.turn.prepare import GREW, PromptOptions
from unabridged.turn.turn import Turn
from unabridged.wire.incoming_message import REMINDER
from unabridged.wire.own_field import NAME, OwnField

WAY = "x-unabridged"
"""The header that limits memory: ``off`` disables it, ``readonly`` recalls without recording."""
WAYS = ("", "on", "off", "readonly")
ATTEMPTS = 5
"""Attempts to sync a request while other programs write to the same session."""

Writing = Callable[[ChatApiRequest, AnswerInfo], Writer]
"""Makes the writer of an answer in the client's dialect."""


async def answer(
    request: Request, asked: ChatApiRequest, writing: Writing, *, bare: str = ""
) -> Response:
    """Answer a request with memory.

    Args:
        request: The request.
        asked: The question that it asks.
        writing: Makes the writer of the answer in the client's dialect.
        bare: Its kind, if it is not a conversation: then nothing is recalled or recorded.

    Raises:
        UnabridgedError: It cannot be answered; the upstream was not asked.
    """
    service, way = service_of(request), way_of(request)
    asked = replace(asked, raw=await request.body())
    if compacts(request):
        options = replace(asked.request_options, compacts=True)
        asked = replace(asked, request_options=options)
    scope = scope_of(request, asked.user, asked.model)
    model, asked = await _model(service, asked)
    flow = _Flow(service, scope, asked, writing, request, model)
    side = bare or side_request(asked.drafts, asked.body, service.side_rules)
    side = side or _without_question(asked)
    _check_parts(asked, flow.model)
    if way == "off" or side:
        return await flow.plain({"x-unabridged-way": side or "off"})
    try:
        await flow.prepare(readonly=way == "readonly")
    except StoreError as error:
        return await flow.failed(error)
    return await flow.answered()


def _without_question(asked: ChatApiRequest) -> str:
    return "" if any(draft.role is Role.USER for draft in asked.drafts) else "no user message"


def _check_parts(asked: ChatApiRequest, model: ChatModel | None) -> None:
    there = relaying(model)
    if (
        there is None
        or there.address.dialect != "ollama"
        or asked.dialect in {"anthropic", "ollama"}
    ):
        return
    for draft in asked.drafts:
        for part in draft.parts:
            if isinstance(part, Foreign) and part.kind != REMINDER:
                raise InputError(
                    f"Ollama takes no content of the kind {part.kind!r}.",
                    hint="Send it to a server that takes it, or send its text.",
                )


def way_of(request: Request) -> str:
    """Return what the request allows memory to do.

    Raises:
        InputError: The header has another value.
    """
    way = request.headers.get(WAY, "").strip().lower()
    if way not in WAYS:
        raise InputError(f"The header {WAY} is {way!r}.", hint="Use off or readonly.")
    return way


async def _model(
    service: Service, asked: ChatApiRequest
) -> tuple[ChatModel | None, ChatApiRequest]:
    def known() -> tuple[ChatModel | None, ChatApiRequest]:
        model = service.upstreams.model(asked.model)
        if model is not None:
            model.abilities()  # asked here, since it may wait for the network
        return model, for_upstream(asked, model)

    return await service.think(known)


@dataclass
class _Flow:
    """One request while it is answered.

    Its model is None if memory quotes; its turn is None without memory.
    """

    service: Service
    scope: Scope
    asked: ChatApiRequest
    writing: Writing
    request: Request
    model: ChatModel | None = None
    turn: Turn | None = None
    headers: dict[str, str] = field(default_factory=dict)
    own_field: Mapping[str, Any] = field(default_factory=dict)
    _sent: ChatRequest = field(default_factory=lambda: ChatRequest(()))

    def __post_init__(self) -> None:
        self.at = self.service.clock.now()
        self._note(())

    @property
    def _only(self) -> str | None:
        if self.turn is None or grant_of(self.request).session is None:
            return None
        return self.turn.context.scope.session

    async def plain(self, headers: Mapping[str, str]) -> Response:
        """Ask the upstream without memory."""
        self.headers |= headers
        asked, service = self.asked, self.service
        there, window = relaying(self.model), asked.request_options.window
        same = there is not None and there.address.dialect == asked.dialect
        unchanged = same and headers.get("x-unabridged-way") == "off"
        if not unchanged:
            window = await usual_window(service, self.scope, self.model, window)
        question = without_memory(asked, service.clock, window, unchanged=unchanged)
        return await self._put(question)

    async def failed(self, error: StoreError) -> Response:
        """Continue without memory, if the settings allow it.

        Raises:
            StoreError: They do not allow it.
        """
        self._failed(error)
        return await self.plain({"x-unabridged-warning": f"memory failed: {type(error).__name__}"})

    def _failed(self, error: StoreError) -> None:
        self.service.metrics.memory_failed(error)
        if self.service.settings.on_memory_error != "pass":
            raise error
        self.service.log.failed(error, "memory")

    async def prepare(self, *, readonly: bool) -> None:
        """Sync the client's history, prepare the request and store the user's message."""
        turn, request = await self.service.run(
            self.scope, lambda space: self._started(space, readonly=readonly)
        )
        self.service.metrics.context(turn.context)
        self._take(turn, request)

    def _started(self, space: Space, *, readonly: bool) -> tuple[Turn, ChatRequest]:
        session = self.scope.session or self.asked.session
        newest = next((d for d in reversed(self.asked.drafts) if d.role is Role.USER), None)
        if newest is not None and is_off_record(newest.text, space.settings.off_record):
            readonly = True
            self.headers["x-unabridged-way"] = "off the record"
        program = program_id(self.request.headers, self.asked.body)
        with chat_lock(space, self.asked.drafts, session, program):
            return self._begun(space, session, program, readonly=readonly)

    def _begun(
        self, space: Space, session: str | None, program: str | None, *, readonly: bool
    ) -> tuple[Turn, ChatRequest]:
        attempt, stage = 0, self.service.metrics.stage
        narrow = grant_of(self.request).session is not None
        model = self.model or space.shared(Space.quoting)
        while True:
            try:
                with stage("sync"):
                    synced = sync(space, self.asked.drafts, session, program, store=not readonly)
                options = PromptOptions(model, reach=synced.session if narrow else None)
                asked = self.asked.request_options
                turn = Turn(space, options, synced=synced, request_options=asked)
                with stage("prepare"):
                    turn.prepare()
                with stage("begin") if synced.stored else nullcontext():
                    return turn, turn.start()
            except (HeadMovedError, MissingParentError):  # others wrote or forgot meanwhile
                attempt += 1
                if attempt == ATTEMPTS:
                    raise

    def _take(self, turn: Turn, request: ChatRequest) -> None:
        self.turn, self._sent = turn, request
        if turn.is_recorded:  # else it could not be looked up
            self.headers["x-unabridged-context"] = turn.context.id
        self.headers["x-unabridged-session"] = turn.context.scope.session or ""
        edits = turn.context.edits
        if edits is not None and edits.left_out:
            gone = {"messages": edits.left_out_items, "tokens": edits.left_out_tokens}
            told = ", ".join(f"{name}={count}" for name, count in gone.items())
            self.headers["x-unabridged-left-out"] = told
            self.own_field = {"left_out": gone}
        self._note([note for note in turn.context.ledger.notes if note.startswith(GREW)])

    def _note(self, notes: Sequence[str]) -> None:
        if said := (*self.asked.notes, *notes):
            self.headers["x-unabridged-warning"] = " ".join(said)

    async def answered(self, *, again: bool = True) -> Response:
        """Ask the upstream with memory; retry once with a shorter prompt if it is too long."""
        if self.turn is None:
            raise AssertionError("prepared before it is asked")
        question = with_memory(self.asked, self.turn.context, self._sent, self._only)
        return await self._put(question, again=again)

    async def _put(self, question: UpstreamPrompt, *, again: bool = True) -> Response:
        try:
            said = await while_there(
                self.request, put(self.service, self.scope, self.model, question)
            )
        except (ClientLeftError, asyncio.CancelledError) as error:
            with anyio.CancelScope(shield=True):
                await self._keep(broken=True)
            if isinstance(error, ClientLeftError):
                return Response(status_code=LEFT)
            raise
        except RefusedError as refused:
            if again and self.turn and isinstance(refused.error, ContextRefusedError):
                return await self._shortened(self.turn, refused.error)
            return await self._refused(question, refused)
        except UnabridgedError as error:
            await self._keep(broken=True)
            return answer_in(self.asked.dialect, error, self.headers)
        turn = self.turn
        moment = AnswerInfo(
            id=turn.context.id if turn else self.service.clock.new_id(),
            at=self.at,
            model=self.model.model if self.model else QUOTING,
            clock=self.service.clock,
            stored=turn is not None and turn.is_recorded,
            own={NAME: self.own_field} if self.own_field else {},
        )
        delivery = AnswerStream(
            said,
            self.writing(self._named_asked, moment),
            self._receive,
            self._keep,
            raw=question.is_raw(self.model),
            stream=self.asked.stream,
            headers=self.headers,
            own=OwnField(self.asked.dialect, self.own_field),
        )
        try:
            return await delivery.respond(self.request)
        except UnabridgedError as error:
            return answer_in(self.asked.dialect, error, self.headers)

    async def _shortened(self, turn: Turn, refusal: ContextRefusedError) -> Response:
        def made(space: Space) -> ChatRequest:
            turn.space = space
            return turn.refused(refusal)

        try:
            self._take(turn, await self.service.run(self.scope, made))
        except UnabridgedError as error:
            await self._keep(broken=True)
            return answer_in(self.asked.dialect, error, self.headers)
        return await self.answered(again=False)

    async def _refused(self, question: UpstreamPrompt, refused: RefusedError) -> Response:
        await self._keep(broken=True)
        if question.is_raw(self.model):
            kind = refused.headers.get("content-type", "application/json")
            headers = {**passed_headers(refused.headers), **self.headers}
            return Response(refused.body, refused.status, headers, kind)
        return answer_in(self.asked.dialect, refused.error, self.headers)

    @property
    def _named_asked(self) -> ChatApiRequest:
        # A model inside this process answers to every name; the answer names the model itself.
        return self.asked if relaying(self.model) else replace(self.asked, model="")

    def _receive(self, chunk: StreamChunk) -> StreamChunk:
        if self.turn is None:
            return chunk
        self.turn.receive(chunk)
        missing = chunk.done and chunk.usage is None
        return replace(chunk, usage=self.turn.counted) if missing else chunk

    async def _keep(self, *, broken: bool) -> None:
        turn = self.turn
        if turn is None or not turn.is_recorded:
            return

        def kept(space: Space) -> None:
            turn.space = space  # the pool may have closed the space that it began with
            with self.service.metrics.stage("record"):
                if broken:
                    turn.break_off()
                else:
                    turn.finish()

        try:
            await self.service.run(self.scope, kept)
        except StoreError as error:
            self._failed(error)
            return
        if turn.usage is not None:
            self.service.metrics.usage(turn.usage)
        self.service.background.soon(self.scope)
