"""Many threads over one memory: nothing is lost, nothing is torn, and readers go on."""

from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from threading import Barrier

import pytest

from unabridged import Memory
from unabridged.domain.exchange import ExchangeState
from unabridged.models.scripted import ScriptedModel


def opened(tmp_path, store):
    kind = {"store": "sqlite", "json_files": "agent"} if store == "readable" else {"store": store}
    return Memory.open(tmp_path, upstream=ScriptedModel(["Yes."]), **kind)


def together(threads, work):
    """Let so many threads work at once; give what each gave."""
    begin = Barrier(threads, timeout=60)

    def one(number):
        begin.wait()
        return work(number)

    with ThreadPoolExecutor(threads) as pool:
        return list(pool.map(one, range(threads)))


def talk(memory, number, turns, session):
    """Have turns, and give the ids of what was stored."""
    stored = []
    for turn in range(turns):
        context = memory.prepare(f"Thread {number} says {turn}.", session=session)
        stored.append(memory.record(context, f"Answer {number} to {turn}.").id)
    return stored


def check_whole(memory, ids):
    """Everything that was stored is there, once, with its answer, on the path of its session."""
    assert len(ids) == len(set(ids)) == memory.stats().exchanges
    found = [memory.get(one) for one in ids]
    assert {one.state for one in found} == {ExchangeState.COMPLETE}
    for one in found:
        said = one.user.text.removeprefix("Thread ").removesuffix(".").split(" says ")
        assert one.answer.text == f"Answer {said[0]} to {said[1]}."
    assert memory.space.log.check() == []


@pytest.mark.parametrize(
    ("store", "threads", "turns"),
    [
        pytest.param("memory", 8, 5),
        pytest.param("sqlite", 8, 5, marks=pytest.mark.slow),
        pytest.param("readable", 8, 5, marks=pytest.mark.slow),
        pytest.param("memory", 32, 40, marks=pytest.mark.long),
        pytest.param("sqlite", 32, 40, marks=pytest.mark.long),
    ],
)
def test_no_turn_of_many_threads_is_lost(tmp_path, store, threads, turns):
    with opened(tmp_path, store) as memory:
        ids = together(threads, lambda n: talk(memory, n, turns, f"session-{n}"))
        check_whole(memory, [one for own in ids for one in own])
        for number, own in enumerate(ids):
            path = memory.space.log.history(f"session-{number}", turns)
            assert [one.id for one in path] == own


@pytest.mark.parametrize("store", ["memory", "sqlite", "readable"])
@pytest.mark.slow
def test_threads_in_one_session_stand_behind_each_other(tmp_path, store):
    with opened(tmp_path, store) as memory:
        ids = together(16, lambda n: talk(memory, n, 3, "together"))
        check_whole(memory, [one for own in ids for one in own])
        path = memory.space.log.history("together", 99)
        assert len(path) == 48  # one path: each stands behind the one that was there
        assert all(later.parent == earlier.id for earlier, later in pairwise(path))


@pytest.mark.parametrize("store", ["memory", "sqlite"])
def test_readers_see_the_same_while_others_write(tmp_path, store):
    with opened(tmp_path, store) as memory:
        boats = memory.conversation("boats")
        for n in range(6):
            boats.record(boats.prepare(f"Boat {n} is called Kestrel {n}."), "A fine name.")
        wanted = [one.exchange.id for one in memory.search("Kestrel 3")]
        alone = memory.prepare("Remember what boat 3 is called?", session="boats").messages

        def work(number):
            if number % 4 == 0:
                return talk(memory, number, 3, f"other-{number}")
            seen = [
                [one.exchange.id for one in memory.search("Kestrel 3", session="boats")][:1],
                memory.history("boats")[0]["content"],
                [e.user.text for e in boats.history()][-1],
                memory.prepare("Remember what boat 3 is called?", session="boats").messages[:-1],
            ]
            assert seen == [
                wanted[:1],
                "Boat 0 is called Kestrel 0.",
                "Boat 5 is called Kestrel 5.",
                alone[:-1],
            ]
            return []

        together(8, work)
        assert memory.stats().exchanges == 6 + 2 * 3


def test_maintenance_of_several_threads_does_everything_once(tmp_path):
    with opened(tmp_path, "sqlite") as memory:
        talk(memory, 0, 3, "facts")
        memory.record(memory.prepare("My sister Marta keeps three goats in Porto."), "I see.")
        together(4, lambda _: list(memory.maintain()))
        facts = [fact.text for fact in memory.facts.all()]
        assert len(facts) == len(set(facts)) > 0
        assert list(memory.space.annotations.read_pending()) == []
