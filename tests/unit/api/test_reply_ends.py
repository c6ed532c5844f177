"""However an answer ends, what came is stored; whatever the tools are, they are run or refused."""

import asyncio
import gc
import threading
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import pytest

from unabridged import AsyncMemory, Memory
from unabridged.domain.exchange import ExchangeState
from unabridged.domain.message import ToolCall
from unabridged.errors import HeadMovedError, InputError, ToolError, UpstreamBrokenError
from unabridged.models.scripted import ScriptedModel
from unabridged.turn.run import MOST_ROUNDS

WORDS = "one two three four"


def opened(home, *script):
    return Memory.open(home, upstream=ScriptedModel(list(script) or [WORDS]))


def stored(home):
    """Return the state and the words of the only exchange, as another process finds them."""
    with Memory.open(home, upstream="quote") as memory:
        (exchange,) = memory.space.log.scan()
        return exchange.state, exchange.answer.text if exchange.answer else ""


def break_off(memory):
    reply = memory.chat("Count.")
    for _ in reply:
        break


def raise_in_the_body(memory):
    for _ in memory.chat("Count."):
        raise ValueError("the body failed")


def raise_with_the_reply_held(memory):
    reply = memory.chat("Count.")
    for _ in reply:
        raise ValueError("the body failed")


def close_in_the_body(memory):
    for _ in memory.chat("Count."):
        memory.close()


def close_in_another_thread(memory):
    pieces = iter(memory.chat("Count."))
    next(pieces)
    closer = threading.Thread(target=memory.close)
    closer.start()
    closer.join()
    assert list(pieces) == []


def drop(memory):
    next(iter(memory.chat("Count.")))
    gc.collect()


def stop(memory):
    reply = memory.chat("Count.")
    next(iter(reply))
    reply.stop()


def leave_a_block(memory):
    with memory.chat("Count.") as reply:
        next(iter(reply))


def read_events(memory):
    for event in memory.chat("Count.").events():
        if getattr(event, "text", ""):
            break


ENDS = [
    break_off,
    raise_in_the_body,
    raise_with_the_reply_held,
    close_in_the_body,
    close_in_another_thread,
    drop,
    stop,
    leave_a_block,
    read_events,
]


@pytest.mark.parametrize("end", ENDS)
def test_what_came_is_stored_as_incomplete(tmp_path, end):
    def use():
        with opened(tmp_path) as memory:
            end(memory)

    if end.__name__.startswith("raise"):
        with pytest.raises(ValueError, match="the body failed"):
            use()
    else:
        use()
    assert stored(tmp_path) == (ExchangeState.INCOMPLETE, "one ")


def test_an_answer_that_ended_or_failed_or_never_began_stays_as_it_was(tmp_path):
    with opened(tmp_path / "whole") as memory:
        whole = memory.chat("Count.")
        assert whole.text() == WORDS
    assert stored(tmp_path / "whole") == (ExchangeState.COMPLETE, WORDS)
    broken = UpstreamBrokenError("It broke.", hint="Ask again.")
    with opened(tmp_path / "failed", broken) as memory, pytest.raises(UpstreamBrokenError):
        memory.ask("Count.")
    assert stored(tmp_path / "failed") == (ExchangeState.UNANSWERED, "")
    with opened(tmp_path / "never") as memory:
        reply = memory.chat("Count.")
    assert reply.text() == ""
    with Memory.open(tmp_path / "never", upstream="quote") as memory:
        assert memory.stats().exchanges == 0


@pytest.mark.parametrize("end", ["return", "raise", "cancel"])
def test_an_async_answer_that_a_block_holds_ends_with_it(tmp_path, end):
    async def use(memory, began):
        async with await memory.chat("Count.") as reply:
            async for _ in reply:
                began.set()
                if end == "raise":
                    raise ValueError("the body failed")
                if end == "return":
                    return
                await asyncio.sleep(60)

    async def main():
        async with AsyncMemory.open(tmp_path, upstream=ScriptedModel([WORDS])) as memory:
            began = asyncio.Event()
            task = asyncio.create_task(use(memory, began))
            await began.wait()
            if end == "cancel":
                task.cancel()
            await asyncio.wait([task])
            return [one.state for one in await asyncio.to_thread(memory.space.log.scan)]

    states = asyncio.run(main())
    assert states == [ExchangeState.INCOMPLETE]
    assert stored(tmp_path) == (ExchangeState.INCOMPLETE, "one ")


def test_threads_and_tasks_ask_in_one_session(tmp_path):
    with Memory.open(tmp_path, upstream=ScriptedModel(["Yes."]), session="one") as memory:
        with ThreadPoolExecutor(8) as pool:
            answers = list(pool.map(memory.ask, [f"Question {n}" for n in range(30)]))
        assert answers == ["Yes."] * 30
        assert memory.stats().exchanges == 30
        assert len(memory.history(limit=100)) == 60, "one path, no branches"

    async def main():
        async with AsyncMemory.open(
            tmp_path, upstream=ScriptedModel(["Yes."]), session="one"
        ) as memory:
            asked = [memory.ask(f"Another {n}") for n in range(20)]
            answers = await asyncio.gather(*asked)
            return answers, await memory.history(limit=100)

    answers, history = asyncio.run(main())
    assert answers == ["Yes."] * 20
    assert len(history) == 100
    assert {one["content"] for one in history if one["role"] == "assistant"} == {"Yes."}


def test_tools_and_memories_that_write_between_are_stored_behind_too(tmp_path):
    call = ToolCall("c", "lucky", "{}")

    def lucky() -> str:
        """Return a number."""
        return "7"

    with Memory.open(tmp_path, upstream=ScriptedModel([call, "It is 7."]), session="one") as memory:
        reply = memory.chat("Number?", tools=[lucky])
        with Memory.open(tmp_path, upstream=ScriptedModel(["Hi."]), session="one") as other:
            other.ask("Hello")
            assert reply.text() == "It is 7."
        said = [one["content"] for one in memory.history() if one["role"] == "user"]
        assert said == ["Hello", "Number?"]


def test_a_conversation_says_that_another_was_faster(tmp_path):
    with opened(tmp_path) as memory:
        talk = memory.conversation("one")
        reply = talk.chat("First")
        memory.ask("Between", session="one")
        with pytest.raises(HeadMovedError):
            reply.text()


async def later(place: str) -> str:
    """Return the weather of a place."""
    return place


class Weather:
    """Weather of places."""

    def __init__(self, place: str) -> None:
        self.place = place


def lucky(person: str) -> str:
    """Return a number."""
    return person


def again(person: str) -> str:
    """Return another number."""
    return person


again.__name__ = "lucky"


@pytest.mark.parametrize(
    ("tools", "found"),
    [
        ([later], "async"),
        ([Weather], "class"),
        ([lucky, again], "Two tools"),
        ([lucky, lucky], "Two tools"),
    ],
)
def test_tools_that_could_not_be_run_are_refused(tmp_path, tools, found):
    with opened(tmp_path) as memory:
        with pytest.raises(ToolError, match=found) as refusal:
            memory.ask("Weather?", tools=tools)
        assert refusal.value.hint
        assert memory.stats().exchanges == 0

    async def ask():
        async with AsyncMemory.open(tmp_path, upstream=ScriptedModel()) as memory:
            await memory.ask("Weather?", tools=tools)

    with pytest.raises(ToolError, match=found):
        asyncio.run(ask())


def test_an_async_function_is_described_where_the_caller_runs_it(tmp_path):
    with opened(tmp_path) as memory:
        context = memory.prepare("Weather?", tools=[later])
        assert [tool.name for tool in context.tools] == ["later"]
        for tools in ([Weather], [lucky, again]):
            with pytest.raises(ToolError):
                memory.prepare("Weather?", tools=tools)


def test_a_model_that_only_calls_tools_is_ended_with_a_note(tmp_path):
    with opened(tmp_path, ToolCall("c", "lucky", '{"person": "Ann"}')) as memory:
        reply = memory.chat("Number?", tools=[lucky])
        assert reply.text() == ""
        assert len(memory.space.model.requests) == MOST_ROUNDS + 1
        assert any("gave no answer" in note for note in reply.notes)
        assert reply.exchange.state is ExchangeState.INCOMPLETE


def test_a_context_is_recorded_in_its_own_session(tmp_path):
    with opened(tmp_path) as memory:
        context = memory.prepare("Hello", session="s1")
        other = memory.conversation("s2")
        for write in (other.begin, partial(other.record, reply="Hi")):
            with pytest.raises(InputError, match="'s1', not of 's2'"):
                write(context)
        assert memory.stats().exchanges == 0
        assert memory.conversation("s1").record(context, "Hi").session == "s1"
        again = other.prepare(retry_of=context.id)
        assert other.record(again, "Hi again").session == "s1"
