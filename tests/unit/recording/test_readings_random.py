"""The book against whatever can happen to a space, in any order."""

import random

import pytest

from unabridged.annotations import annotate as book
from unabridged.annotations.annotate import Annotations
from unabridged.annotations.annotation_records import statement_record
from unabridged.annotations.classify import RuleClassifier
from unabridged.annotations.schemes import SCHEMES
from unabridged.domain.annotation import FILE, USER, Stated
from unabridged.domain.record import RecordKind
from unabridged.domain.scope import SpaceId
from unabridged.log.cursor import pass_over
from unabridged.sharing.copy_sessions import take
from unabridged.stores.in_memory import InMemoryStore
from unabridged.testing.clock import ManualClock
from unabridged.testing.log_writer import LogWriter

SAYINGS = ("We decided to go.", "I live in Graz.", "Thanks!", "Why is the sky blue?", "Hm.")


class Life:
    """Lets a space grow, shrink and be read at random."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.store = InMemoryStore(SpaceId("ann", "assistant"))
        self.talks = []
        self.open = []
        self.corrected = {}
        self.given = {}
        self.number = 500

    def book(self):
        scheme = self.random.choice(["assistant"] * 4 + ["companion"])
        return Annotations(self.store, RuleClassifier(SCHEMES[scheme]), ManualClock())

    def step(self):
        chosen = self.random.choice(
            [self.begin, self.begin, self.answer, self.answer, self.session, self.bring_older,
             self.forget, self.correct, self.give, self.read, self.read]
        )  # fmt: skip
        chosen()

    def session(self):
        self.number += 1
        self.talks.append(LogWriter(self.store, f"s{self.number}"))

    def begin(self):
        if not self.talks:
            self.session()
        talk = self.random.choice(self.talks)
        self.open.append((talk, talk.begin(self.random.choice(SAYINGS))))

    def answer(self):
        if not self.open:
            return
        talk, exchange = self.open.pop(self.random.randrange(len(self.open)))
        if exchange.id in self.store.get([exchange.id]) and talk.parent == exchange.id:
            talk.answer(exchange, self.random.choice(SAYINGS))

    def bring_older(self):
        talk = LogWriter(self.store, f"s{self.random.randrange(100, 500)}")
        if self.store.session(talk.header.id) is None:
            talk.answer(talk.begin(self.random.choice(SAYINGS)), "Fine.")

    def forget(self):
        held = self.store.scan()
        leaves = {e.id for e in held} - {e.parent for e in held}
        closed = sorted(leaves - {exchange.id for _, exchange in self.open})
        current = {talk.parent for talk in self.talks}
        if found := [each for each in closed if each not in current]:
            gone = self.random.choice(found)
            erased = self.store.get([gone]).values()
            self.store.erase([gone])
            pass_over(self.store, ManualClock(), list(erased))
            self.corrected.pop(gone, None)
            self.given.pop(gone, None)

    def correct(self):
        if held := self.store.scan():
            exchange = self.random.choice(held)
            self.book().correct(exchange, "user", importance=0.123)
            self.corrected[exchange.id] = exchange.user.id

    def give(self):
        if held := self.store.scan():
            exchange = self.random.choice(held)
            category = self.random.choice(["decision", "everyday", "from_elsewhere"])
            stated = {exchange.user.id: Stated(category, 0.321)}
            take(self.store, [statement_record(FILE, exchange.id, stated, exchange.at)])
            self.given.setdefault(exchange.id, (exchange.user.id, category))

    def read(self):
        run = self.book().read_pending(self.random.choice([None, 1, 3]))
        for _ in range(self.random.randrange(4)):
            next(run, None)
        run.close()


@pytest.mark.parametrize("seed", range(150))
def test_whatever_happens_everything_is_read_and_nothing_corrected_is_lost(seed, monkeypatch):
    monkeypatch.setattr(book, "PAGE", 3)
    life = Life(seed)
    for _ in range(60):
        life.step()
    annotations = Annotations(life.store, RuleClassifier(SCHEMES["assistant"]), ManualClock())
    for _ in annotations.read_pending():
        pass
    held = life.store.scan()
    stored = {r.id: r for r in life.store.records(RecordKind.READING)}
    for exchange in held:
        assert stored[exchange.id].body["scheme"] == "assistant"
        assert set(stored[exchange.id].body["messages"]) == {m.id for m in exchange.messages}
    names = {name.removeprefix("user-").removeprefix("file-") for name in stored}
    assert names == {exchange.id for exchange in held}
    shown = annotations.of(held)
    for exchange, message in life.corrected.items():
        reading = shown[exchange].messages[message]
        assert (reading.importance, reading.by) == (0.123, USER)
    for exchange, (message, category) in life.given.items():
        reading = shown[exchange].messages[message]
        assert reading.category == category
        if exchange not in life.corrected:
            assert (reading.importance, reading.by) == (0.321, FILE)
    assert annotations.stats().pending == 0
    assert [each.done for each in annotations.read_pending()][-1:] in ([], [0])
