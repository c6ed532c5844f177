"""A fork leaves what its parent opened alone, and may open it again."""

import asyncio
import json
import os
import signal
import threading
from contextlib import closing

import pytest
from tests.opened import database_of

from unabridged import AsyncMemory, Memory
from unabridged.domain.scope import SpaceId
from unabridged.errors import StoreForkedError
from unabridged.models.scripted import ScriptedModel
from unabridged.stores.sqlite import SqliteStore
from unabridged.testing.log_writer import LogWriter

pytestmark = [
    pytest.mark.skipif(not hasattr(os, "fork"), reason="this system cannot fork"),
    pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning"),
]

USES = {
    "prepare": lambda memory: memory.prepare("Which boat?"),
    "search": lambda memory: memory.search("boat"),
    "history": lambda memory: memory.history(),
    "stats": lambda memory: memory.stats(),
    "pin": lambda memory: memory.pin("Ann sails."),
    "forget": lambda memory: memory.forget(search="boat"),
    "maintain": lambda memory: list(memory.maintain()),
    "export": lambda memory: memory.export("never.jsonl"),
}


def in_fork(work):
    """Run something in a forked child, and return what it returned, as JSON."""
    reads, writes = os.pipe()
    child = os.fork()
    if not child:
        said = '"nothing"'
        try:
            said = json.dumps(work())
        except BaseException as error:  # noqa: BLE001 - the parent gets it
            said = json.dumps(f"{type(error).__name__}: {error} {getattr(error, 'hint', '')}")
        finally:
            os.write(writes, said.encode())
            os._exit(0)
    os.close(writes)
    with os.fdopen(reads, "rb") as pipe:
        answer = json.loads(pipe.read())
    os.waitpid(child, 0)
    return answer


def refused(work):
    """Return whether something is refused for the fork, with the advice."""
    try:
        work()
    except StoreForkedError as error:
        return "before this process was forked" in str(error) and "Open it again" in error.hint
    return False


def opened(home, **more):
    return Memory.open(home, user="ann", upstream=ScriptedModel(["Yes."]), **more)


def say(memory, text):
    return memory.record(memory.prepare(text), "Noted.").id


@pytest.mark.parametrize("more", [{}, {"json_files": "agent"}], ids=["sqlite", "readable"])
def test_a_fork_is_refused_and_its_parent_goes_on(tmp_path, more):
    with opened(tmp_path, **more) as memory:
        say(memory, "My boat is called Kestrel.")
        talk, log = memory.conversation("boats"), memory.space.log

        def use_and_close():
            seen = {name: refused(lambda use=use: use(memory)) for name, use in USES.items()}
            seen["conversation"] = refused(lambda: talk.prepare("Which boat?"))
            seen["log"] = refused(log.scan)
            memory.close()
            return seen

        seen = in_fork(use_and_close)
        assert [name for name, was_refused in seen.items() if not was_refused] == []
        say(memory, "And the other one Heron.")
        assert log.check() == []
        assert len(log.scan()) == 2
    with opened(tmp_path, **more) as memory:
        assert memory.stats().exchanges == 2
        assert memory.space.log.check() == []


def test_a_fork_opens_it_again_and_loses_nothing_when_its_parent_closes(tmp_path):
    memory = opened(tmp_path)
    say(memory, "My boat is called Kestrel.")
    to_child, from_child = os.pipe(), os.pipe()
    child = os.fork()
    if not child:
        ids = []
        try:
            with opened(tmp_path) as own:
                ids.append(say(own, "From the fork, before."))
                os.write(from_child[1], b"x")
                os.read(to_child[0], 1)  # the parent has closed: the last one, for all it knows
                ids += [say(own, f"From the fork, {n}.") for n in range(5)]
        finally:
            os.write(from_child[1], json.dumps(ids).encode())
            os._exit(0)
    os.read(from_child[0], 1)
    memory.close()
    os.write(to_child[1], b"x")
    ids = json.loads(os.read(from_child[0], 10_000))
    os.waitpid(child, 0)
    with opened(tmp_path) as memory:
        assert len(ids) == 6
        assert {one.id for one in memory.space.log.scan()} >= set(ids)
        assert memory.stats().exchanges == 7
        assert memory.space.log.check() == []


def test_a_file_that_a_thread_is_writing_is_refused_in_a_fork(tmp_path):
    path, space = tmp_path / "space.db", SpaceId("ann")
    with closing(SqliteStore(path, space)) as store:
        LogWriter(store, "talk").say("One.", "Yes.")
        inside, go = threading.Event(), threading.Event()

        def write():
            with database_of(store).write():
                inside.set()
                go.wait(60)

        writer = threading.Thread(target=write)
        writer.start()
        assert inside.wait(60)

        def try_to_open():
            kept = refused(store.scan)
            store.close()
            SqliteStore(path, space).close()
            return kept

        said = in_fork(try_to_open)
        assert said.startswith("StoreForkedError: ")
        assert "in use by another thread" in said
        assert "'spawn'" in said
        go.set()
        writer.join()
        assert len(store.scan()) == 1
        assert store.check() == []
        assert in_fork(lambda: SqliteStore(path, space).totals().exchanges) == 1


@pytest.mark.slow
def test_forks_of_a_busy_memory_end_and_lose_nothing(tmp_path):
    said, answers, stop = [], [], threading.Event()
    with opened(tmp_path) as memory:

        def work(number):
            while not stop.is_set():
                context = memory.prepare(f"Boats of {number}.", session=f"s{number}")
                said.append(memory.record(context, "Noted.").id)
                stop.wait(0.02 * number)

        def open_again():
            signal.alarm(30)  # a fork that hangs ends without an answer
            memory.close()
            assert refused(lambda: memory.search("boats"))
            with opened(tmp_path) as own:
                return say(own, "From a fork.")

        threads = [threading.Thread(target=work, args=(number,)) for number in (1, 2, 3)]
        for thread in threads:
            thread.start()
        try:
            answers += [in_fork(open_again) for _ in range(25)]
        finally:
            stop.set()
            for thread in threads:
                thread.join()
        busy = [one for one in answers if one.startswith("StoreForkedError: ")]
        said += [one for one in answers if one not in busy]
        assert {one.id for one in memory.space.log.scan(limit=10_000)} == set(said)
        assert memory.space.log.check() == []


def test_an_async_memory_is_refused_too(tmp_path):
    async def main():
        memory = await AsyncMemory.open(tmp_path, user="ann", upstream=ScriptedModel(["Yes."]))
        await memory.search("boat")  # a thread that a fork does not have

        async def inside():
            with pytest.raises(StoreForkedError):
                await memory.search("boat")
            await memory.close()
            return "refused"

        assert await asyncio.to_thread(in_fork, lambda: asyncio.run(inside())) == "refused"
        await memory.search("boat")
        await memory.close()

    asyncio.run(main())
