"""The way of a request for an answer: heard, prepared and begun, asked, told and kept.

The user's message is durable before the upstream is asked; what came is durable before the end of
the answer is said.
"""

import asyncio
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

import anyio
from starlette.requests import Request
from starlette.responses import Response

from unabridged.domain.scope import Scope
from unabridged.errors import (
    ContextRefusedError,
    HeadMovedError,
    InputError,
    StoreError,
    UnabridgedError,
)
from unabridged.memory.serving import Reply, Sent, keep, ready, shorter
from unabridged.ports import ChatModel
from unabridged.server.asked import Asked, Moment, Writer
from unabridged.server.asking import RefusedError
from unabridged.server.deliver import Delivery
from unabridged.server.leaving import LEFT, ClientLeftError, while_there
from unabridged.server.problems import answer_in
from unabridged.server.question import Question, put, with_memory, without_memory
from unabridged.server.service import Service, grant_of, service_of
from unabridged.server.side import side_request
from unabridged.server.whose import scope_of
from unabridged.wiring import Memory

WAY = "x-unabridged"
"""The header that says what memory does: ``off`` nothing, ``readonly`` recall without recording."""
WAYS = ("", "on", "off", "readonly")
ATTEMPTS = 5
"""How often a request is heard again where other programs write to the same session."""

Writing = Callable[[Asked, Moment], Writer]
"""Makes what says an answer in the client's dialect."""


async def answer(request: Request, asked: Asked, writing: Writing, *, bare: str = "") -> Response:
    """Answer a request with memory.

    Args:
        request: The request.
        asked: What it asks.
        writing: Makes what says the answer in the client's dialect.
        bare: What it is, where it is no conversation: it is neither recalled nor recorded then.

    Raises:
        UnabridgedError: It cannot be answered; nothing was asked then.
    """
    service, way = service_of(request), way_of(request)
    turn = _Turn(service, scope_of(request, asked.user, asked.model), asked, writing, request)
    turn.model = await _model(service, asked)
    side = bare or side_request(asked.drafts, asked.body)
    if way == "off" or side:
        return await turn.plain({"x-unabridged-way": side or "off"})
    try:
        await turn.prepare(readonly=way == "readonly")
    except StoreError as error:
        return await turn.failed(error)
    return await turn.answered()


def way_of(request: Request) -> str:
    """Give what the request wants of memory.

    Raises:
        InputError: The header says something else.
    """
    way = request.headers.get(WAY, "").strip().lower()
    if way not in WAYS:
        raise InputError(f"The header {WAY} is {way!r}.", hint="Use off or readonly.")
    return way


async def _model(service: Service, asked: Asked) -> ChatModel | None:
    """The model that is asked, its abilities known; None where the memory itself answers."""

    def known() -> ChatModel | None:
        model = service.upstreams.model(asked.model)
        if model is not None:
            model.abilities()  # asked here, since it may wait for the network, and a lane may not
        return model

    return await service.think(known)


@dataclass
class _Turn:
    """One request on its way.

    Attributes:
        service: What handlers share.
        scope: Whose memory.
        asked: The request.
        writing: Makes what says the answer.
        request: The request as it came.
        model: The model; None for the memory's own quoting.
        sent: What memory made of it; None without memory.
        headers: Headers of ours.
    """

    service: Service
    scope: Scope
    asked: Asked
    writing: Writing
    request: Request
    model: ChatModel | None = None
    sent: Sent | None = None
    headers: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.at = self.service.clock.now()
        self._note(())

    @contextmanager
    def _at(self, memory: Memory) -> Iterator[None]:
        """Let a memory ask our model, and recall no more than the key reaches."""
        with memory.asking(self.model or memory.quoting), memory.narrowed(self._only):
            yield

    @property
    def _only(self) -> str | None:
        """The only session that may be recalled from, once it is known; None for all."""
        if self.sent is None or grant_of(self.request).session is None:
            return None
        return self.sent.context.scope.session

    async def plain(self, headers: Mapping[str, str]) -> Response:
        """Ask the upstream without memory."""
        self.headers |= headers
        return await self._put(without_memory(self.asked, self.service.clock))

    async def failed(self, error: StoreError) -> Response:
        """Go on without memory, where the settings allow it.

        Raises:
            StoreError: They do not.
        """
        self._failed(error)
        return await self.plain({"x-unabridged-warning": f"memory failed: {type(error).__name__}"})

    def _failed(self, error: StoreError) -> None:
        self.service.metrics.memory_failed(error)
        if self.service.settings.memory_failure != "pass":
            raise error
        self.service.log.failed(error, "memory")

    async def prepare(self, *, readonly: bool) -> None:
        """Hear the request, prepare it and store the user's message."""

        def made(memory: Memory) -> Sent:
            with self._at(memory):
                return self._ready(memory, readonly=readonly)

        sent = await self.service.run(self.scope, made)
        self.service.metrics.context(sent.context)
        self._take(sent)

    def _ready(self, memory: Memory, *, readonly: bool) -> Sent:
        attempt, stage = 0, self.service.metrics.stage
        narrow = grant_of(self.request).session is not None
        while True:
            session = self.scope.session or self.asked.session
            with stage("hear"):
                heard = memory.hear(self.asked.drafts, session=session, record=not readonly)
            try:
                with memory.narrowed(heard.session if narrow else None):
                    return ready(memory, heard, self.asked.wishes, stage)
            except HeadMovedError:
                attempt += 1
                if attempt == ATTEMPTS:
                    raise

    def _take(self, sent: Sent) -> None:
        self.sent = sent
        if sent.stored:  # else nobody could look it up
            self.headers["x-unabridged-context"] = sent.context.id
        self.headers["x-unabridged-session"] = sent.context.scope.session or ""
        self._note(sent.notes)

    def _note(self, notes: Sequence[str]) -> None:
        if said := (*self.asked.notes, *notes):
            self.headers["x-unabridged-warning"] = " ".join(said)

    async def answered(self) -> Response:
        """Ask the upstream with memory; refused for its length, once more with a shorter prompt."""
        sent = self.sent
        if sent is None:
            raise AssertionError("prepared before it is asked")
        return await self._put(with_memory(self.asked, sent, self._only))

    async def _put(self, question: Question, *, again: bool = True) -> Response:
        """Ask, and tell what is said."""
        try:
            said = await while_there(
                self.request, put(self.service, self.scope, self.model, question)
            )
        except (ClientLeftError, asyncio.CancelledError) as error:
            with anyio.CancelScope(shield=True):
                await self._keep(Reply(), broken=True)
            if isinstance(error, ClientLeftError):
                return Response(status_code=LEFT)
            raise
        except RefusedError as refused:
            if again and self.sent and isinstance(refused.error, ContextRefusedError):
                return await self._shortened(refused)
            return await self._refused(question, refused)
        except UnabridgedError as error:
            await self._keep(Reply(), broken=True)
            return answer_in(self.asked.dialect, error, self.headers)
        sent = self.sent
        moment = Moment(
            id=sent.context.id if sent else self.service.clock.new_id(),
            at=self.at,
            model=self.model.model if self.model else "quote",
            clock=self.service.clock,
            stored=sent is not None and sent.stored,
        )
        delivery = Delivery(
            said,
            self.writing(self.asked, moment),
            self._keep,
            raw=question.is_raw(self.model),
            stream=self.asked.stream,
            headers=self.headers,
        )
        try:
            return await delivery.respond(self.request)
        except UnabridgedError as error:
            return answer_in(self.asked.dialect, error, self.headers)

    async def _shortened(self, refused: RefusedError) -> Response:
        """Ask again with what the refusal taught."""
        sent, refusal = self.sent, refused.error
        if sent is None or not isinstance(refusal, ContextRefusedError):
            raise AssertionError("only a prepared prompt is made shorter")

        def made(memory: Memory) -> Sent:
            with self._at(memory):
                return shorter(memory, sent, refusal)

        try:
            self._take(await self.service.run(self.scope, made))
        except UnabridgedError as error:
            await self._keep(Reply(), broken=True)
            return answer_in(self.asked.dialect, error, self.headers)
        return await self._put(with_memory(self.asked, self.sent or sent, self._only), again=False)

    async def _refused(self, question: Question, refused: RefusedError) -> Response:
        """The upstream's error, as it is where it speaks the client's dialect."""
        await self._keep(Reply(), broken=True)
        if question.is_raw(self.model):
            kind = refused.headers.get("content-type", "application/json")
            return Response(refused.body, refused.status, self.headers, kind)
        return answer_in(self.asked.dialect, refused.error, self.headers)

    async def _keep(self, reply: Reply, *, broken: bool) -> None:
        """Store what came."""
        sent = self.sent
        if sent is None or not sent.stored:
            return

        def kept(memory: Memory) -> None:
            with self._at(memory), self.service.metrics.stage("record"):
                keep(memory, sent, reply, broken=broken)

        try:
            await self.service.run(self.scope, kept)
        except StoreError as error:
            self._failed(error)
            return
        if reply.usage is not None:
            self.service.metrics.usage(reply.usage)
        self.service.background.soon(self.scope)
