"""Eight threads do everything that a memory can do, in random order; it stays whole.

The threads stop after each round, so that the memory can be compared with what was acknowledged.
"""

import random
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from threading import Lock

import pytest
from tests.helpers.examples import examples

from unabridged import Memory
from unabridged.domain.exchange import ExchangeState
from unabridged.models.scripted import ScriptedModel

THREADS, STEPS, ROUNDS = 8, 5, 3
SESSIONS = ["boats", "kitchen", "travel"]
TOPICS = ["the kestrel", "a cheese of Azeitão", "my sister Marta", "the train to Porto"]


class Crowd:
    """The threads, and what the memory acknowledged to each of them."""

    def __init__(self, memory, seed):
        self.memory = memory
        self.dice = [random.Random(f"{seed} {n}") for n in range(THREADS)]
        self.lock = Lock()
        self.said = {}  # id to (thread, session, text, answer)
        self.order = defaultdict(list)  # (thread, session) to ids
        self.gone = set()
        self.pins = set()
        self.contexts = []
        self.count = 0

    def round(self):
        with ThreadPoolExecutor(THREADS) as pool:
            list(pool.map(self.steps, range(THREADS)))
        self.check()

    def steps(self, thread):
        for _ in range(STEPS):
            name = self.dice[thread].choices(
                ["talk", "look", "pin", "unpin", "forget", "maintain"], [8, 4, 1, 1, 2, 1]
            )[0]
            getattr(self, name)(thread, self.dice[thread])

    def talk(self, thread, dice):
        session = dice.choice([*SESSIONS, f"own-{thread}"])
        with self.lock:
            self.count += 1
            text = f"Thread {thread} says {self.count} about {dice.choice(TOPICS)}."
        context = self.memory.prepare(text, session=session)
        stored = self.memory.record(context, f"Yes to: {text}")
        with self.lock:
            self.contexts.append(context)
            self.said[stored.id] = (session, text)
            self.order[thread, session].append(stored.id)

    def look(self, _thread, dice):
        for found in self.memory.search(dice.choice(TOPICS), limit=5):
            assert found.exchange.messages[0].text.startswith("Thread ")
        for line in self.memory.sessions():
            assert line.exchanges > 0
        self.memory.history(dice.choice(SESSIONS))

    def pin(self, thread, _dice):
        with self.lock:
            self.count += 1
            text = f"Pin {self.count} of thread {thread}."
        pinned = self.memory.pin(text)
        with self.lock:
            self.pins.add((pinned.id, text))

    def unpin(self, _thread, _dice):
        with self.lock:
            if not self.pins:
                return
            name, _ = self.pins.pop()
        self.memory.facts.withdraw(name)

    def forget(self, _thread, dice):
        with self.lock:
            left = sorted(self.said.keys() - self.gone)
            if len(left) < THREADS:
                return
            name = dice.choice(left)
            self.gone.add(name)
        self.memory.forget(name)

    def maintain(self, _thread, _dice):
        list(self.memory.maintain(pages=1))

    def check(self):
        left = self.said.keys() - self.gone
        stored = {one.id: one for one in self.memory.space.log.scan(limit=10_000)}
        assert stored.keys() == left
        assert self.memory.stats().exchanges == len(left)
        for name, one in stored.items():
            session, text = self.said[name]
            assert (one.session, one.user.text, one.state) == (
                session, text, ExchangeState.COMPLETE
            )  # fmt: skip
            assert one.answer.text == f"Yes to: {text}"
        paths = {}
        for session in {one.session for one in stored.values()}:
            path = self.memory.space.log.history(session, 10_000)
            assert all(later.parent == earlier.id for earlier, later in pairwise(path))
            paths[session] = [one.id for one in path]
        assert sorted(name for path in paths.values() for name in path) == sorted(left)
        for (_, session), ids in self.order.items():
            kept = [name for name in ids if name in left]
            assert [name for name in paths.get(session, []) if name in kept] == kept
        assert self.memory.space.log.check() == []
        assert self.memory.space.log.file_notes == []
        for context in self.contexts:
            assert sum(context.ledger.parts.values()) == context.ledger.window
            assert min(context.ledger.parts.values()) >= 0
        pinned = {(fact.id, fact.text) for fact in self.memory.space.pins.all()}
        assert pinned == self.pins


@pytest.mark.slow
@pytest.mark.parametrize("files", ["", "agent"], ids=["sqlite", "readable"])
@pytest.mark.parametrize("seed", range(examples(4)))
def test_eight_threads_leave_a_memory_whole(tmp_path, files, seed):
    settings = {"json_files": files} if files else {}
    with Memory.open(tmp_path, upstream=ScriptedModel(["Yes."]), **settings) as memory:
        crowd = Crowd(memory, seed)
        for _ in range(ROUNDS):
            crowd.round()
    with Memory.open(tmp_path, upstream=ScriptedModel(["Yes."]), **settings) as memory:
        crowd.memory = memory
        crowd.check()
