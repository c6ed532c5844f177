from dataclasses import replace

import apsw
import pytest
from tests.helpers.talker import Talker
from tests.opened import count_from

from unabridged.domain.scope import SpaceId
from unabridged.maintenance.archive_sessions import ArchiveLimits, SessionArchiver
from unabridged.stores.in_memory import InMemoryStore
from unabridged.stores.sqlite import SqliteStore
from unabridged.testing.clock import ManualClock
from unabridged.testing.log_writer import LogWriter

SPACE = SpaceId("ada", "tests")


@pytest.fixture(params=["memory", "sqlite"])
def store(request, tmp_path):
    made = InMemoryStore(SPACE) if request.param == "memory" else None
    store = made or SqliteStore(tmp_path / "space.db", SPACE)
    for n in range(6):
        talk = LogWriter(store, f"s{n}")
        count_from(talk, 100 * n)  # one after the other
        talk.say("a question " * 30, "an answer " * 20)
    yield store
    store.close()


def session_archiver(store, sessions=None, size=None):
    return SessionArchiver(store, ManualClock(), ArchiveLimits(sessions, size))


def active(store):
    return sorted(one.id for one in store.sessions() if one.archived is None)


def test_without_limits_nothing_is_due(store):
    assert session_archiver(store).due() == []
    assert list(session_archiver(store, 6).run()) == []


def test_the_oldest_beyond_the_limit_go_first(store):
    steps = list(session_archiver(store, 4).run())
    assert [(s.stage, s.done, s.left) for s in steps] == [("archive", 1, 1), ("archive", 2, 0)]
    assert active(store) == ["s2", "s3", "s4", "s5"]
    assert list(session_archiver(store, 4).run()) == []
    use = session_archiver(store, 4).use()
    assert (use.sessions, use.archived, use.max_sessions) == (4, 2, 4)


def test_the_session_being_talked_in_stays(store):
    list(session_archiver(store, 2).run("s0"))
    assert active(store) == ["s0", "s5"]
    list(session_archiver(store, 1).run("s0"))
    assert active(store) == ["s0"]


def test_bytes_of_content_count(store):
    each = session_archiver(store).use().bytes // 6
    assert 500 < each < 800
    assert [s.id for s in session_archiver(store, None, 3 * each + 10).due()] == ["s0", "s1", "s2"]
    list(session_archiver(store, None, 10).run())
    assert active(store) == ["s5"]  # the newest stays, whatever it takes
    assert session_archiver(store).use().bytes == pytest.approx(each, rel=0.1)


def test_nothing_is_lost_and_the_order_stays(store):
    before = store.scan()
    order = [one.id for one in store.sessions()]
    list(session_archiver(store, 1).run())
    assert store.scan() == before
    assert [one.id for one in store.sessions()] == order
    keeper = session_archiver(store)
    assert all(keeper.restore(one) for one in store.sessions() if one.archived)
    assert not keeper.restore(store.session("s0"))
    assert len(active(store)) == 6


def test_who_wrote_meanwhile_wins(store):
    old = store.session("s0")
    moved = replace(old, head=store.recent("s0", 1)[0].user.id)
    store.set_session(moved, old.head)
    assert session_archiver(store).archive(old) is False
    assert store.session("s0") == moved


def test_rows_of_an_archived_session_are_smaller(tmp_path):
    path = tmp_path / "space.db"
    store = SqliteStore(path, SPACE)
    LogWriter(store, "s1").say("the same words again " * 500, "and again " * 500)
    sizes = [store.sizes()["s1"]]
    session = store.session("s1")
    session_archiver(store).archive(session)
    sizes.append(store.sizes()["s1"])
    assert sizes[1] < sizes[0] / 10
    assert store.check() == []
    store.rebuild()
    assert store.check() == []
    session_archiver(store).restore(store.session("s1"))
    assert store.sizes()["s1"] == sizes[0]
    assert store.check() == []
    store.close()
    connection = apsw.Connection(str(path))
    (parts,) = connection.execute("SELECT parts FROM message WHERE seq = 1").fetchone()
    assert parts.startswith(b"[")
    connection.close()


def test_talking_archives_and_takes_up_again(tmp_path):
    with Talker.open(tmp_path, upstream="quote", max_sessions=2) as memory:
        for n in range(4):
            memory.new_session()
            memory.record(memory.prepare(f"my pet number {n} is a cat called Ada{n}"), "noted")
            list(memory.maintain())
        lines = memory.sessions()
        assert [line.session.archived is None for line in lines] == [True, True, False, False]
        assert {"Ada0", "Ada3"} <= {
            f.exchange.user.text[-4:] for f in memory.space.search("cat", 9)
        }
        memory.switch(lines[-1].session.id)
        assert memory.header.archived is not None
        assert "Ada0" in memory.exchanges()[0].user.text
        memory.record(memory.prepare("and it is black"), "noted")
        assert memory.header.archived is None
        list(memory.maintain())
        assert memory.header.archived is None
        use = memory.stats().use
        assert (use.sessions, use.archived, use.max_sessions) == (2, 2, 2)
