"""``AsyncMemory`` under cancellation, over real HTTP servers."""

import asyncio
import gc
import inspect
import pydoc
import threading
import time
from collections.abc import AsyncGenerator
from contextlib import contextmanager

import pytest
from tests.opened import end_without_loop, threads_of

from unabridged import AsyncMemory, Memory, UnabridgedError
from unabridged.aio import AsyncConversation, AsyncReply
from unabridged.domain.exchange import ExchangeState
from unabridged.domain.results import MaintenanceProgress
from unabridged.errors import InputError, StoreClosedError, UnsupportedError, UpstreamAwayError
from unabridged.models.scripted import ScriptedModel
from unabridged.testing.openai_server import OpenAITestServer
from unabridged.testing.replies import ScriptedReply
from unabridged.turn.conversation import Conversation

LONG = "word " * 2_000
SLOW = ScriptedReply(LONG, pause=0.02)


@contextmanager
def served(script, **given):
    with OpenAITestServer(script, window=100_000, **given) as server:
        yield server, {"upstream": "openai", "openai_url": server.base_url, "model": "test-model"}


def own_threads():
    """Return the threads that are left over after those that end have ended."""
    own = [t for t in threading.enumerate() if t.name.startswith("unabridged")]
    for thread in own:
        thread.join(5)
    return [thread for thread in own if thread.is_alive()]


async def gone(condition, seconds=20):
    """Wait until something is so."""
    until = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < until, "it did not come about"
        await asyncio.sleep(0.01)


def test_a_memory_that_is_not_open_says_how_to_open_it(tmp_path):
    async def main():
        with pytest.raises(InputError) as found, AsyncMemory.open(tmp_path / "home"):
            pass
        assert "async with AsyncMemory.open()" in found.value.hint
        with pytest.raises(UnsupportedError) as found:
            await AsyncMemory.open(tmp_path / "home").ask("Hello")
        assert "await AsyncMemory.open()" in found.value.hint
        opening = AsyncMemory.open(tmp_path / "home", upstream="quote")
        with pytest.raises(AttributeError, match="no_such_thing"):
            opening.no_such_thing()
        await (await opening).close()

    asyncio.run(main())


def test_help_shows_what_an_asynchronous_method_returns():
    assert inspect.signature(AsyncMemory.chat).return_annotation is AsyncReply
    assert inspect.signature(AsyncConversation.chat).return_annotation is AsyncReply
    wanted = AsyncGenerator[MaintenanceProgress, None]
    assert inspect.signature(AsyncMemory.maintain).return_annotation == wanted
    assert inspect.signature(AsyncMemory.get) == inspect.signature(Memory.get)
    assert "AsyncReply" in pydoc.render_doc(AsyncMemory.chat)


def test_both_ways_to_open_and_what_is_closed(tmp_path):
    async def main():
        async with await AsyncMemory.open(tmp_path / "home", upstream="quote") as memory:
            await memory.record(await memory.prepare("I like tea."), "Noted.")
            assert "1 exchange" in repr(memory)
        async with AsyncMemory.open(tmp_path / "home", upstream="quote") as memory:
            assert (await memory.stats()).exchanges == 1
            assert await memory.facts.pin((await memory.pin("I like tea.")).id)
            assert [fact.text for fact in await memory.facts.pinned()] == ["I like tea."]
        await memory.close()
        with pytest.raises(StoreClosedError):
            await memory.stats()
        with pytest.raises(UnabridgedError):
            await AsyncMemory.open(tmp_path / "home", usr="ann")

    asyncio.run(main())
    assert own_threads() == []


def test_every_method_is_there_with_its_signature():
    for kind, other in ((Memory, AsyncMemory), (Conversation, AsyncConversation)):
        for name in dir(kind):
            if name.startswith("_") or name in ("is_named", "header", "head", "turn"):
                continue
            if name == "space" and kind is Conversation:
                continue
            one, two = getattr(kind, name), getattr(other, name)
            if callable(one):
                assert [*inspect.signature(one).parameters] == [*inspect.signature(two).parameters]
                assert two.__doc__


def test_pieces_events_and_text(tmp_path):
    async def main():
        model = ScriptedModel(["One two.", "Three.", "Four."])
        async with AsyncMemory.open(tmp_path / "home", upstream=model) as memory:
            reply = await memory.chat("Count.")
            assert isinstance(reply, AsyncReply)
            assert [piece async for piece in reply] == ["One ", "two."]
            assert await reply.text() == "One two."
            assert reply.exchange.state is ExchangeState.COMPLETE
            events = [e async for e in (await memory.chat("More.")).events()]
            assert [type(e).__name__ for e in events] == ["Prepared", "Begun", "Delta", "Finished"]
            async with await memory.chat("Last.") as reply:
                assert await reply.text() == "Four."
            talk = memory.conversation("own")
            assert (await (await talk.chat("Hello")).finish()).session == "own"

    asyncio.run(main())


def test_a_cancelled_write_completes_before_its_task_ends(tmp_path):
    async def main():
        async with AsyncMemory.open(tmp_path / "home", upstream="quote", threads=1) as memory:
            for n in range(20):
                context = await memory.prepare(f"Number {n}")
                task = asyncio.ensure_future(memory.record(context, "Yes."))
                await asyncio.sleep(0)
                task.cancel()
                with pytest.raises(asyncio.CancelledError):
                    await task
                assert (await memory.get(context.id)).state is ExchangeState.COMPLETE
            with pytest.raises(TimeoutError):
                await asyncio.wait_for(memory.add("From elsewhere."), 0)
            async with asyncio.timeout(30):
                assert (await memory.stats()).exchanges in (20, 21)

    asyncio.run(main())


def test_a_cancelled_read_is_dropped(tmp_path):
    async def main():
        async with AsyncMemory.open(tmp_path / "home", upstream="quote", threads=1) as memory:
            blocked = threading.Event()
            held = asyncio.ensure_future(threads_of(memory).read(blocked.wait))
            await asyncio.sleep(0.05)
            began = []
            waiting = asyncio.ensure_future(threads_of(memory).read(lambda: began.append(1)))
            await asyncio.sleep(0.05)
            waiting.cancel()
            held.cancel()
            for task in (waiting, held):
                with pytest.raises(asyncio.CancelledError):
                    await task
            blocked.set()
            assert await memory.search("anything") == []
            assert began == []

    asyncio.run(main())


def test_a_chat_that_is_cancelled_in_its_midst_closes_the_stream_and_keeps_what_came(tmp_path):
    async def main(server, settings):
        async with AsyncMemory.open(tmp_path / "home", **settings) as memory:
            reply = await memory.chat("Tell me all.")
            came = []

            async def read():
                async for piece in reply:
                    came.append(piece)  # noqa: PERF401 - each as it comes

            task = asyncio.ensure_future(read())
            await gone(lambda: len(came) >= 3)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            stored = await memory.get(reply.context.id)
            assert stored.state is ExchangeState.INCOMPLETE
            assert stored.answer.text.startswith("word word word")
            assert len(stored.answer.text) < len(LONG) / 2
            assert await asyncio.to_thread(server.wait_for_stop, 20)
            server.script.script = "Yes."
            assert await memory.ask("Are you there?") == "Yes."

    with served(SLOW) as (server, settings):
        asyncio.run(main(server, settings))
    assert own_threads() == []


def test_a_chat_is_cancelled_before_the_server_has_begun_to_answer(tmp_path):
    async def main(settings):
        async with AsyncMemory.open(tmp_path / "home", **settings) as memory:
            for _ in range(2):  # over a new connection, and over one that was used before
                with pytest.raises(TimeoutError):
                    await asyncio.wait_for(memory.ask("Tell me all."), 0.5)
                assert (await memory.conversation("x").history()) == []
                newest = (await memory.sessions())[0].session.id
                (*_, last) = await memory.conversation(newest).history()
                assert last.state is ExchangeState.UNANSWERED

    with served(ScriptedReply("late", delay=30)) as (_, settings):
        began = time.monotonic()
        asyncio.run(main(settings))
        assert time.monotonic() - began < 25, "the thread waited for the server"
    assert own_threads() == []


def test_a_task_group_that_fails_stops_its_chats(tmp_path):
    async def main(settings):
        async with AsyncMemory.open(tmp_path / "home", **settings) as memory:
            replies = [await memory.chat(f"Tell {n}.", session=f"s{n}") for n in range(5)]
            came = [0] * 5

            async def read(n):
                async for _ in replies[n]:
                    came[n] += 1

            async def fail():
                await gone(lambda: min(came) > 1)
                raise ValueError("a sibling failed")

            with pytest.raises(ExceptionGroup):  # noqa: PT012 - the group is the statement
                async with asyncio.TaskGroup() as group:
                    for n in range(5):
                        group.create_task(read(n))
                    group.create_task(fail())
            states = {(await memory.get(r.context.id)).state for r in replies}
            assert states == {ExchangeState.INCOMPLETE}

    with served(SLOW) as (_, settings):
        asyncio.run(main(settings))


@pytest.mark.slow
def test_a_hundred_chats_at_the_same_time(tmp_path):
    async def main(settings):
        async with AsyncMemory.open(tmp_path / "home", **settings) as memory:

            async def one(n):
                reply = await memory.chat(f"I am number {n}.", session=f"s{n}")
                return "".join([piece async for piece in reply])

            answers = await asyncio.gather(*(one(n) for n in range(100)))
            assert set(answers) == {"one two three"}
            assert (await memory.stats()).exchanges == 100
            assert len(await memory.sessions()) == 100

    with served(ScriptedReply("one two three", pause=0.1)) as (_, settings):
        asyncio.run(main(settings))
    assert own_threads() == []


def test_streams_that_wait_leave_the_memory_free(tmp_path):
    async def main(settings):
        async with AsyncMemory.open(tmp_path / "home", threads=1, **settings) as memory:
            replies = [await memory.chat("Tell.", session=f"s{n}") for n in range(4)]
            tasks = [asyncio.ensure_future(anext(reply)) for reply in replies]
            async with asyncio.timeout(10):
                await memory.record(await memory.prepare("I like tea.", session="t"), "Noted.")
                assert await memory.search("tea")
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    with served(ScriptedReply("late", delay=30)) as (_, settings):
        asyncio.run(main(settings))


def test_closing_stops_what_still_streams(tmp_path):
    async def main(settings):
        memory = await AsyncMemory.open(tmp_path / "home", **settings)
        reply = await memory.chat("Tell me all.")
        await anext(reply)
        await memory.close()
        return reply.context.id

    with served(SLOW) as (_, settings):
        name = asyncio.run(main(settings))
        with Memory.open(tmp_path / "home", **settings) as memory:
            assert memory.get(name).state is ExchangeState.INCOMPLETE


def test_a_reply_that_is_left_keeps_what_came(tmp_path):
    async def main(settings):
        async with AsyncMemory.open(tmp_path / "home", **settings) as memory:
            reply = await memory.chat("Tell me all.")
            async for _ in reply:
                break
            await reply.stop()
            assert (await memory.get(reply.context.id)).state is ExchangeState.INCOMPLETE
            assert [piece async for piece in reply] == []

    with served(SLOW) as (_, settings):
        asyncio.run(main(settings))


def test_a_loop_that_is_closed_early_loses_no_write_and_says_nothing(tmp_path, caplog):
    loop = asyncio.new_event_loop()
    memory = loop.run_until_complete(AsyncMemory.open(tmp_path / "home", upstream="quote"))
    context = loop.run_until_complete(memory.prepare("I like tea."))
    task = loop.create_task(memory.record(context, "Noted."))
    loop.run_until_complete(asyncio.sleep(0))
    loop.close()
    end_without_loop(memory, task)
    del task
    gc.collect()
    assert caplog.records == []
    with Memory.open(tmp_path / "home", upstream="quote") as again:
        assert again.get(context.id).state is ExchangeState.COMPLETE


def test_an_opening_that_is_cancelled_leaves_nothing_open(tmp_path):
    async def main():
        task = asyncio.ensure_future(_open(tmp_path / "home"))
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    async def _open(home):
        return await AsyncMemory.open(home, upstream="quote")

    asyncio.run(main())
    assert own_threads() == []
    with Memory.open(tmp_path / "home", upstream="quote") as memory:
        assert memory.sessions() == []


def test_a_server_that_is_away_is_told(tmp_path):
    async def main():
        given = {"upstream": "openai", "openai_url": "http://127.0.0.1:9/v1", "model": "m"}
        async with AsyncMemory.open(tmp_path / "home", window=4096, **given) as memory:
            with pytest.raises(UpstreamAwayError):
                await memory.ask("Hello")

    asyncio.run(main())


def test_maintenance_is_iterated(tmp_path):
    async def main():
        async with AsyncMemory.open(tmp_path / "home", upstream="quote") as memory:
            for n in range(8):
                await memory.record(await memory.prepare(f"Day {n}: island {n}."), "A harbour.")
            stages = {step.stage async for step in memory.maintain(pages=1)}
            assert "condense" in stages

    asyncio.run(main())
