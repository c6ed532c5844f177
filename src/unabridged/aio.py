"""Memory for asynchronous programs: the methods of ``Memory``, awaited. Threads are used here only."""

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from functools import update_wrapper
from typing import Any, Concatenate, Generic, ParamSpec, Self, TypeVar

from unabridged.domain.context import Context
from unabridged.domain.exchange import Exchange
from unabridged.knowledge.facts import Facts
from unabridged.knowledge.requirements import Requirements
from unabridged.memory import Memory
from unabridged.space.space import Space
from unabridged.turn.conversation import Conversation
from unabridged.turn.events import Event
from unabridged.turn.run import Reply

Params = ParamSpec("Params")
Result = TypeVar("Result")
Item = TypeVar("Item")
Sync = TypeVar("Sync")


class _Wrapper(Generic[Sync]):
    """An object whose methods are called in threads."""

    def __init__(self, sync: Sync) -> None:
        self._sync = sync


def _awaited(
    method: Callable[Concatenate[Sync, Params], Result],
) -> Callable[Concatenate[_Wrapper[Sync], Params], Coroutine[Any, Any, Result]]:
    async def call(self: _Wrapper[Sync], /, *args: Params.args, **kwargs: Params.kwargs) -> Result:
        return await asyncio.to_thread(method, self._sync, *args, **kwargs)

    update_wrapper(call, method)
    return call


def _iterated(
    method: Callable[Concatenate[Sync, Params], Iterator[Item]],
) -> Callable[Concatenate[_Wrapper[Sync], Params], AsyncIterator[Item]]:
    def call(
        self: _Wrapper[Sync], /, *args: Params.args, **kwargs: Params.kwargs
    ) -> AsyncIterator[Item]:
        return _steps(lambda: method(self._sync, *args, **kwargs))

    update_wrapper(call, method)
    return call


async def _steps(begin: Callable[[], Iterator[Item]]) -> AsyncIterator[Item]:
    steps = begin()
    try:
        while found := await asyncio.to_thread(_next, steps):
            yield found[0]
    finally:
        close = getattr(steps, "close", None)
        if close is not None:
            await asyncio.to_thread(close)


def _next(steps: Iterator[Item]) -> tuple[Item] | None:
    for item in steps:
        return (item,)
    return None


class AsyncReply(_Wrapper[Reply]):
    """An answer on its way: ``Reply``, awaited. Iterate it with ``async for`` to stream."""

    def __aiter__(self) -> AsyncIterator[Event]:
        return _steps(lambda: iter(self._sync))

    @property
    def text(self) -> str:
        """The words of the answer so far."""
        return self._sync.text

    @property
    def context(self) -> Context:
        """The context that was sent."""
        return self._sync.context

    @property
    def exchange(self) -> Exchange | None:
        """The exchange as stored, after the end."""
        return self._sync.exchange

    @property
    def notes(self) -> list[str]:
        """What a person should know."""
        return self._sync.notes

    finish = _awaited(Reply.finish)
    stop = _awaited(Reply.stop)


def _replied(
    method: Callable[Concatenate[Sync, Params], Reply],
) -> Callable[Concatenate[_Wrapper[Sync], Params], Coroutine[Any, Any, AsyncReply]]:
    async def call(
        self: _Wrapper[Sync], /, *args: Params.args, **kwargs: Params.kwargs
    ) -> AsyncReply:
        return AsyncReply(await asyncio.to_thread(method, self._sync, *args, **kwargs))

    update_wrapper(call, method)
    return call


class AsyncConversation(_Wrapper[Conversation]):
    """A session that one owner talks in: ``Conversation``, awaited."""

    @property
    def session(self) -> str:
        """The id of the session."""
        return self._sync.session

    prepare = _awaited(Conversation.prepare)
    begin = _awaited(Conversation.begin)
    record_tools = _awaited(Conversation.record_tools)
    record = _awaited(Conversation.record)
    chat = _replied(Conversation.chat)
    sync = _awaited(Conversation.sync)
    history = _awaited(Conversation.history)
    undo = _awaited(Conversation.undo)
    branches = _awaited(Conversation.branches)
    checkout = _awaited(Conversation.checkout)
    rename = _awaited(Conversation.rename)


class AsyncFacts(_Wrapper[Facts]):
    """What was learned of the user: ``Memory.facts``, awaited."""

    all = _awaited(Facts.all)
    pinned = _awaited(Facts.pinned)
    get = _awaited(Facts.get)
    history = _awaited(Facts.history)
    add = _awaited(Facts.add)
    edit = _awaited(Facts.edit)
    pin = _awaited(Facts.pin)
    unpin = _awaited(Facts.unpin)
    withdraw = _awaited(Facts.withdraw)


class AsyncRequirements(_Wrapper[Requirements]):
    """What was required: ``Memory.requirements``, awaited."""

    all = _awaited(Requirements.all)
    get = _awaited(Requirements.get)
    add = _awaited(Requirements.add)
    edit = _awaited(Requirements.edit)
    pin = _awaited(Requirements.pin)
    unpin = _awaited(Requirements.unpin)
    withdraw = _awaited(Requirements.withdraw)


class AsyncMemory(_Wrapper[Memory]):
    """Conversation memory over one space: ``Memory``, awaited.

    Any number of tasks may share it. What was begun is done to its end also where its task is
    cancelled.

    Args:
        memory: The memory.
    """

    @classmethod
    async def open(cls, *args: Any, **kwargs: Any) -> Self:
        """Open a space; see ``Memory.open``."""
        return cls(await asyncio.to_thread(Memory.open, *args, **kwargs))

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    @property
    def space(self) -> Space:
        """The space, with everything that it can do; its methods block."""
        return self._sync.space

    @property
    def facts(self) -> AsyncFacts:
        """What was learned of the user."""
        return AsyncFacts(self._sync.facts)

    @property
    def requirements(self) -> AsyncRequirements:
        """What was required."""
        return AsyncRequirements(self._sync.requirements)

    def conversation(self, session: str | None = None, *, title: str = "") -> AsyncConversation:
        """Begin a conversation, or continue one; see ``Memory.conversation``."""
        return AsyncConversation(self._sync.conversation(session, title=title))

    close = _awaited(Memory.close)
    ask = _awaited(Memory.ask)
    chat = _replied(Memory.chat)
    prepare = _awaited(Memory.prepare)
    record = _awaited(Memory.record)
    add = _awaited(Memory.add)
    search = _awaited(Memory.search)
    get = _awaited(Memory.get)
    history = _awaited(Memory.history)
    sessions = _awaited(Memory.sessions)
    why = _awaited(Memory.why)
    stats = _awaited(Memory.stats)
    pin = _awaited(Memory.pin)
    plan_forget = _awaited(Memory.plan_forget)
    forget = _awaited(Memory.forget)
    maintain = _iterated(Memory.maintain)
    import_transcript = _awaited(Memory.import_transcript)
    import_file = _awaited(Memory.import_file)
    export = _awaited(Memory.export)
    save = _awaited(Memory.save)
