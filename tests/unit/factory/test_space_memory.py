"""What an open space takes, and that closing it gives most back before the garbage collector runs."""

import gc
import tracemalloc

import pytest

from unabridged import config
from unabridged.domain.message import Role, Text
from unabridged.domain.scope import Scope
from unabridged.factory.space_pool import SpacePool
from unabridged.turn.conversation import Conversation, sync
from unabridged.wire.incoming_message import IncomingMessage

SPACES, EXCHANGES = 3, 15
MOST_OPEN, MOST_CLOSED, MOST_COLLECTED = 1_000_000, 500_000, 200_000


@pytest.fixture
def pool(tmp_path):
    made = SpacePool(config.load(home=tmp_path, environ={}, upstream="quote"))
    yield made
    made.close()


def use(pool, user):
    with pool.use(Scope(user, "default")) as space:
        talk = Conversation(space)
        for n in range(EXCHANGES):
            context = talk.prepare(f"What grows in garden {n}, next to the wall of house {n}?")
            talk.record(context, f"Tulips grow in garden {n}, and roses at the wall. " * 5)
        sync(space, [IncomingMessage(Role.USER, (Text("What grows there?"),))], None, store=False)
        space.search("roses at the wall of house 7")
        for _ in space.maintenance.run(None):
            pass


def test_an_open_space_takes_little_and_a_closed_one_hardly_any(pool):
    use(pool, "first")  # what all spaces share, and the words of these texts
    gc.collect()
    gc.disable()
    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        for n in range(SPACES):
            use(pool, f"user{n}")
        taken = (tracemalloc.get_traced_memory()[0] - before) / SPACES
        pool.close()
        left = (tracemalloc.get_traced_memory()[0] - before) / SPACES
        gc.collect()
        collected = (tracemalloc.get_traced_memory()[0] - before) / SPACES
    finally:
        tracemalloc.stop()
        gc.enable()
    assert taken < MOST_OPEN
    assert left < MOST_CLOSED
    assert collected < MOST_COLLECTED
