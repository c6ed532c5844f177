"""Memory for asynchronous programs: the methods of ``Memory``, awaited.

Work on a memory runs in ``threads`` threads (a setting); each answer that streams has a thread of
its own, since it waits for a model.
"""

import asyncio
import inspect
from collections.abc import (
    AsyncGenerator,
    AsyncIterator,
    Callable,
    Coroutine,
    Generator,
    Iterator,
    Sequence,
)
from functools import partial, update_wrapper
from pathlib import Path
from typing import (
    Any,
    Concatenate,
    Generic,
    NoReturn,
    ParamSpec,
    Self,
    TypeVar,
    Unpack,
    get_args,
    get_type_hints,
)

from unabridged.aio.threads import MemoryThreads, in_thread, to_its_end
from unabridged.domain.context import Context
from unabridged.domain.exchange import Exchange
from unabridged.domain.settings import Settings, SettingsDict
from unabridged.errors import InputError, UnsupportedError
from unabridged.knowledge.facts import Facts
from unabridged.knowledge.requirements import Requirements
from unabridged.memory import Memory
from unabridged.ports import ChatModel, Clock
from unabridged.space.space import Space
from unabridged.space.tools import Offered
from unabridged.turn.conversation import Conversation
from unabridged.turn.events import Event
from unabridged.turn.run import Reply
from unabridged.wire.any_message import AnyMessage

Params = ParamSpec("Params")
Result = TypeVar("Result")
Item = TypeVar("Item")
Sync = TypeVar("Sync")
Call = TypeVar("Call", bound=Callable[..., Any])


class _Wrapper(Generic[Sync]):
    """An object whose methods are called in threads."""

    def __init__(self, sync: Sync, threads: MemoryThreads) -> None:
        self._sync = sync
        self._threads = threads

    def __repr__(self) -> str:  # type: ignore[explicit-override]  # typing.override came with 3.12
        return f"<Async{repr(self._sync).removeprefix('<')}"


_Awaited = Callable[Concatenate[_Wrapper[Sync], Params], Coroutine[Any, Any, Result]]


def _read(method: Callable[Concatenate[Sync, Params], Result]) -> _Awaited[Sync, Params, Result]:
    async def call(self: _Wrapper[Sync], /, *args: Params.args, **kwargs: Params.kwargs) -> Result:
        return await self._threads.read(partial(method, self._sync, *args, **kwargs))

    update_wrapper(call, method)
    return call


def _write(method: Callable[Concatenate[Sync, Params], Result]) -> _Awaited[Sync, Params, Result]:
    async def call(self: _Wrapper[Sync], /, *args: Params.args, **kwargs: Params.kwargs) -> Result:
        return await self._threads.write(partial(method, self._sync, *args, **kwargs))

    update_wrapper(call, method)
    return call


def _replied(
    method: Callable[Concatenate[Sync, Params], Reply],
) -> "_Awaited[Sync, Params, AsyncReply]":
    async def call(
        self: _Wrapper[Sync], /, *args: Params.args, **kwargs: Params.kwargs
    ) -> AsyncReply:
        reply = await self._threads.read(partial(method, self._sync, *args, **kwargs))
        return AsyncReply(reply, self._threads)

    return _returning(call, method, AsyncReply)


def _iterated(
    method: Callable[Concatenate[Sync, Params], Iterator[Item]],
) -> Callable[Concatenate[_Wrapper[Sync], Params], AsyncGenerator[Item, None]]:
    async def call(
        self: _Wrapper[Sync], /, *args: Params.args, **kwargs: Params.kwargs
    ) -> AsyncGenerator[Item, None]:
        steps = method(self._sync, *args, **kwargs)
        while found := await self._threads.write(partial(_next, steps)):
            yield found[0]

    items = get_args(get_type_hints(method)["return"])
    return _returning(call, method, AsyncGenerator[items[0], None])  # type: ignore[valid-type]  # made from the hint


def _returning(call: Call, method: Callable[..., Any], kind: Any) -> Call:
    # Let help() show what the asynchronous method returns.
    update_wrapper(call, method)
    signature = inspect.signature(method).replace(return_annotation=kind)
    call.__signature__ = signature  # type: ignore[attr-defined]  # as inspect reads it
    call.__annotations__ = {**call.__annotations__, "return": kind}
    return call


def _next(steps: Iterator[Item]) -> tuple[Item] | None:
    for item in steps:
        return (item,)
    return None


class AsyncReply(_Wrapper[Reply]):
    """An answer on its way: ``Reply``, awaited. Iterate it with ``async for`` for pieces of text.

    If the task that iterates it is cancelled, the connection to the model is closed, and what came
    is stored as incomplete. As an asynchronous context manager it stops at the end of the block.
    """

    def __init__(self, reply: Reply, threads: MemoryThreads) -> None:
        super().__init__(reply, threads)
        self._pieces = iter(reply)
        threads.replies.add(reply)

    def __aiter__(self) -> AsyncIterator[str]:
        return self

    async def __anext__(self) -> str:
        found = await self._step(partial(_next, self._pieces))
        if found is None:
            self._threads.replies.discard(self._sync)
            raise StopAsyncIteration
        return found[0]

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.stop()

    async def events(self) -> AsyncGenerator[Event, None]:
        """Iterate over what happens: the context, pieces of text, tool calls, the end.

        Raises:
            HeadMovedError: Another writer was faster; nothing was sent.
            UpstreamError: The model did not answer; what came is stored.
        """
        events = self._sync.events()
        while found := await self._step(partial(_next, events)):
            yield found[0]

    async def text(self) -> str:
        """Run to the end, and return the whole text.

        Raises:
            UpstreamError: The model did not answer; what came is stored.
        """
        text = await self._step(self._sync.text)
        self._threads.replies.discard(self._sync)
        return text

    async def finish(self) -> Exchange:
        """Run to the end, and return the exchange as stored.

        Raises:
            UpstreamError: The model did not answer; what came is stored.
        """
        await self.text()
        return await self._step(self._sync.finish)

    async def stop(self) -> None:
        """End the answer here, and close the connection to the model; what came is stored."""
        await to_its_end(in_thread(self._sync.stop))

    async def _step(self, call: Callable[[], Result]) -> Result:
        return await self._threads.stream(call, self._sync.stop)

    @property
    def context(self) -> Context:
        """The context that is sent."""
        return self._sync.context

    @property
    def exchange(self) -> Exchange | None:
        """The exchange as it is stored; None before it is begun."""
        return self._sync.exchange

    @property
    def notes(self) -> list[str]:
        """Sentences for a person: a suspected truncation, what was not stored."""
        return self._sync.notes


class AsyncConversation(_Wrapper[Conversation]):
    """A session that one task talks in: ``Conversation``, awaited."""

    @property
    def session(self) -> str:
        """The id of the session."""
        return self._sync.session

    prepare = _read(Conversation.prepare)
    begin = _write(Conversation.begin)
    record_tools = _write(Conversation.record_tools)
    record = _write(Conversation.record)
    chat = _replied(Conversation.chat)
    sync = _write(Conversation.sync)
    history = _read(Conversation.history)
    undo = _write(Conversation.undo)
    branches = _read(Conversation.branches)
    checkout = _write(Conversation.checkout)
    rename = _write(Conversation.rename)


class AsyncFacts(_Wrapper[Facts]):
    """What was learned of the user: ``Memory.facts``, awaited."""

    all = _read(Facts.all)
    pinned = _read(Facts.pinned)
    get = _read(Facts.get)
    history = _read(Facts.history)
    add = _write(Facts.add)
    edit = _write(Facts.edit)
    pin = _write(Facts.pin)
    unpin = _write(Facts.unpin)
    withdraw = _write(Facts.withdraw)


class AsyncRequirements(_Wrapper[Requirements]):
    """What the user required of a system: ``Memory.requirements``, awaited."""

    all = _read(Requirements.all)
    get = _read(Requirements.get)
    history = _read(Requirements.history)
    add = _write(Requirements.add)
    edit = _write(Requirements.edit)
    pin = _write(Requirements.pin)
    unpin = _write(Requirements.unpin)
    withdraw = _write(Requirements.withdraw)


_AWAIT = "Write: async with AsyncMemory.open() as memory; or: memory = await AsyncMemory.open()."


class Opening:
    """A memory that is being opened: await it, or use it in ``async with``."""

    def __init__(self, opening: Coroutine[Any, Any, "AsyncMemory"]) -> None:
        self._opening = opening
        self._memory: AsyncMemory | None = None

    def __await__(self) -> Generator[Any, None, "AsyncMemory"]:
        return self._opening.__await__()

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or not hasattr(AsyncMemory, name):
            raise AttributeError(f"{type(self).__name__!r} has no {name!r}.")
        self._opening.close()
        raise UnsupportedError("This memory is not open yet.", hint=_AWAIT)

    def __enter__(self) -> NoReturn:
        self._opening.close()
        raise InputError("AsyncMemory needs `async with`, not `with`.", hint=_AWAIT)

    def __exit__(self, *_: object) -> None: ...

    async def __aenter__(self) -> "AsyncMemory":
        self._memory = await self
        return self._memory

    async def __aexit__(self, *_: object) -> None:
        if self._memory is not None:
            await self._memory.close()


class AsyncMemory(_Wrapper[Memory]):
    """Conversation memory over one space: ``Memory``, awaited. Any number of tasks may share it.

    A cancelled write completes before its task ends. A cancelled read is dropped. A cancelled
    ``chat`` or ``ask`` closes the connection to the model, and what came is stored as incomplete.
    """

    def __init__(self, memory: Memory) -> None:
        super().__init__(memory, MemoryThreads(memory.space.settings))

    @classmethod
    def open(
        cls,
        home: str | Path | None = None,
        *,
        upstream: ChatModel | str | None = None,
        session: str | None = None,
        settings: Settings | None = None,
        clock: Clock | None = None,
        ephemeral: bool = False,
        create: bool = True,
        recover: bool = True,
        **settings_: Unpack[SettingsDict],
    ) -> Opening:
        """Open the memory of a user: ``async with AsyncMemory.open() as memory``, or ``await``.

        The arguments and errors are those of ``Memory.open``.
        """
        given = partial(
            Memory.open,
            home,
            upstream=upstream,
            session=session,
            settings=settings,
            clock=clock,
            ephemeral=ephemeral,
            create=create,
            recover=recover,
            **settings_,
        )
        return Opening(cls._opened(given))

    @classmethod
    async def _opened(cls, given: Callable[[], Memory]) -> Self:
        opening = in_thread(given)
        try:
            return cls(await to_its_end(opening))
        except asyncio.CancelledError:
            if opening.exception() is None:
                await to_its_end(in_thread(opening.result().close))
            raise

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    @property
    def space(self) -> Space:
        """Everything else that the memory can do; its methods block."""
        return self._sync.space

    @property
    def facts(self) -> AsyncFacts:
        """What was learned of the user."""
        return AsyncFacts(self._sync.facts, self._threads)

    @property
    def requirements(self) -> AsyncRequirements:
        """What the user required of a system."""
        return AsyncRequirements(self._sync.requirements, self._threads)

    def conversation(self, session: str | None = None, *, title: str = "") -> AsyncConversation:
        """Begin a conversation, or continue the one of this id."""
        return AsyncConversation(self._sync.conversation(session, title=title), self._threads)

    async def close(self) -> None:
        """Stop the answers that stream, finish what is being written, and close the memory."""
        await self._threads.close(self._sync.close)

    async def ask(
        self,
        message: "AnyMessage",
        *,
        session: str | None = None,
        images: Sequence[str] = (),
        tools: Sequence[Offered] | None = None,
    ) -> str:
        """Ask the model with memory, and return its answer; see ``chat``."""
        reply = await self.chat(message, session=session, images=images, tools=tools)
        return await reply.text()

    chat = _replied(Memory.chat)
    prepare = _read(Memory.prepare)
    record = _write(Memory.record)
    add = _write(Memory.add)
    search = _read(Memory.search)
    get = _read(Memory.get)
    history = _read(Memory.history)
    sessions = _read(Memory.sessions)
    why = _read(Memory.why)
    stats = _read(Memory.stats)
    pin = _write(Memory.pin)
    plan_forget = _read(Memory.plan_forget)
    forget = _write(Memory.forget)
    maintain = _iterated(Memory.maintain)
    import_file = _write(Memory.import_file)
    export = _write(Memory.export)
    save = _write(Memory.save)
