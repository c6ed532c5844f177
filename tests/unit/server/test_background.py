import asyncio

import pytest

from unabridged.clock import SystemClock
from unabridged.domain.exchange import ExchangeState
from unabridged.domain.scope import Scope
from unabridged.errors import StoreBusyError
from unabridged.server import background as module
from unabridged.server.background import Background
from unabridged.server.log import RequestLog
from unabridged.server.metrics import Metrics
from unabridged.server.observability import Watch


class Fake:
    """Stands for the memories: what is due in each, and who was there when."""

    def __init__(self, **due):
        self.due = due
        self.seen = []
        self.loop = None

    async def run(self, scope, work):
        self.seen.append(scope.user)
        await asyncio.sleep(0)
        return work(self.memory(scope.user))

    def memory(self, user):
        return self.__dict__.setdefault(f"memory_{user}", Space(self.due, user))


class Empty:
    """What a space has beside its maintenance: no session, and no context."""

    def newest(self):
        return None

    def last_memory(self):
        return None


class Space:
    sessions = contexts = Empty()

    def __init__(self, due, user):
        self.due, self.user = due, user
        self.maintenance = self

    def embed(self):
        return iter(())

    def run(self, session, *, pages, page_size, threshold):
        assert (pages, page_size) == (module.PAGES, module.PAGE_SIZE)
        while self.due.get(self.user, 0) > 0:
            self.due[self.user] -= 1
            if self.due[self.user] == 13:
                raise StoreBusyError("locked")
            yield module.MaintenanceProgress("condense", 1)


@pytest.fixture
def watch():
    return Watch(Metrics(), RequestLog(SystemClock(), "none"))


def value(watch, name, **labels):
    return watch.metrics.registry.get_sample_value(name, labels) or 0


async def until(true):
    for _ in range(12_000):
        if true():
            return
        await asyncio.sleep(0.005)
    raise AssertionError("it did not come to that in 60 s")


def test_everything_due_is_done_one_step_at_a_time_and_a_space_waits_once(watch):
    async def go():
        fake = Fake(ann=5, bob=2)
        work = Background(fake.run, watch)
        for session in ("s1", "s2", None):
            work.soon(Scope("ann", session=session))
        work.soon(Scope("bob"))
        assert len(work) == 2
        work.start()
        await until(lambda: value(watch, "unabridged_background_slices_total", outcome="done") == 2)
        await work.stop()
        assert fake.due == {"ann": 0, "bob": 0}
        assert fake.seen == ["ann"] * 6 + ["bob"] * 3
        assert len(work) == 0

    asyncio.run(go())


def test_a_space_that_fails_keeps_no_other_from_its_turn(watch):
    async def go():
        fake = Fake(ann=15, bob=1)
        work = Background(fake.run, watch)
        work.start()
        work.soon(Scope("ann"))
        work.soon(Scope("bob"))
        await until(lambda: fake.due["bob"] == 0)
        await work.stop()
        assert fake.due["ann"] == 13
        assert value(watch, "unabridged_background_slices_total", outcome="failed") == 1

    asyncio.run(go())


def test_requests_come_first(watch):
    async def go():
        fake = Fake(ann=2)
        work = Background(fake.run, watch)
        watch.enter()
        work.start()
        work.soon(Scope("ann"))
        await asyncio.sleep(0.1)
        assert fake.seen == []
        watch.leave()
        await until(lambda: fake.due["ann"] == 0)
        await work.stop()

    asyncio.run(go())


def test_a_request_that_follows_at_once_comes_first_too(watch, monkeypatch):
    monkeypatch.setattr(module, "QUIET", 0.2)
    monkeypatch.setattr(module, "PATIENCE", 60)

    async def go():
        fake = Fake(ann=2)
        work = Background(fake.run, watch)
        work.start()
        watch.enter()
        work.soon(Scope("ann"))
        for _ in range(6):
            watch.leave()
            await asyncio.sleep(0.05)
            watch.enter()
        assert fake.seen == []
        watch.leave()
        await until(lambda: fake.due["ann"] == 0)
        await work.stop()

    asyncio.run(go())


def test_they_do_not_hold_it_up_for_ever(watch, monkeypatch):
    monkeypatch.setattr(module, "PATIENCE", 0.02)

    async def go():
        fake = Fake(ann=2)
        work = Background(fake.run, watch)
        watch.enter()
        work.start()
        work.soon(Scope("ann"))
        await until(lambda: fake.due["ann"] == 0)
        await work.stop()

    asyncio.run(go())


def test_a_full_queue_says_so_and_takes_no_more(watch, monkeypatch):
    monkeypatch.setattr(module, "MOST", 3)
    work = Background(Fake().run, watch)
    for number in range(5):
        work.soon(Scope(f"u{number}"))
    work.soon(Scope("u0"))
    assert len(work) == 3
    assert value(watch, "unabridged_background_dropped_total") == 2


def test_a_memory_that_is_closed_after_each_step_is_tended_to_the_end_too(watch):
    """Steps that begin anew each time, as looking at sessions does, must come to their end."""

    class Anew(Space):
        def __init__(self):
            super().__init__({}, "ann")

        def run(self, session, *, pages, page_size, threshold):
            yield from (module.MaintenanceProgress("condense", number) for number in range(1, 5))

    async def go():
        async def run(scope, work):
            return work(Anew())

        work = Background(run, watch)
        work.start()
        work.soon(Scope("ann"))
        await until(lambda: value(watch, "unabridged_background_slices_total", outcome="done") == 1)
        await work.stop()
        assert value(watch, "unabridged_background_slices_total", outcome="more") == 1

    asyncio.run(go())


def test_a_real_memory_is_tended_to_the_end_while_others_use_it(tmp_path):
    """Steps go on where they were, whoever used the memory, or closed it, between them."""
    from unabridged import config
    from unabridged.factory.space_pool import SpacePool
    from unabridged.server.state import Service
    from unabridged.turn.conversation import Conversation

    settings = config.load(home=tmp_path, environ={}, upstream="quote", log="none")

    def talk(space):
        memory = Conversation(space)
        for number in range(30):
            memory.record(memory.prepare(f"My name is Zoe{number} and I live in Lisbon."), "Fine.")

    async def go():
        service = Service(settings, SpacePool(settings, most=1))
        scope, other = Scope("ann"), Scope("bob")
        await service.run(scope, talk)
        service.background.start()
        service.background.soon(scope)
        while (
            len(service.background)
            or value(service.watch, "unabridged_background_slices_total", outcome="done") < 1
        ):
            await service.run(scope, lambda s: Conversation(s).prepare("What is my dog called?"))
            await service.run(
                other, lambda s: s.sessions.all()
            )  # closes the first: one may be open
            await asyncio.sleep(0)
        facts = await service.run(scope, lambda s: s.facts.all())
        states = await service.run(
            scope, lambda s: {e.state for c in s.log.transcripts() for e in c.exchanges}
        )
        await service.end()
        assert states == {ExchangeState.COMPLETE}
        assert value(service.watch, "unabridged_background_slices_total", outcome="failed") == 0
        assert any("Lisbon" in fact.text for fact in facts)

    asyncio.run(go())
