"""What was read before is not read again, and is no less proved for it."""

import apsw
import pytest
from tests.opened import database_of

from unabridged.domain.message import Text
from unabridged.domain.scope import SpaceId
from unabridged.errors import StoreDamagedError, StoreTamperedError
from unabridged.stores.sqlite import SqliteStore
from unabridged.stores.sqlite.read_cache import CacheBound, CachedRows, ReadCache
from unabridged.stores.sqlite.rows import digest
from unabridged.testing.log_writer import LogWriter

SPACE = SpaceId("ada", "unit")
CHANGES = (
    'UPDATE message SET parts = \'[{"type":"text","text":"no"}]\' WHERE role = \'assistant\'',
    "UPDATE message SET tokens = 7 WHERE role = 'user'",
    "UPDATE message SET parent = NULL WHERE role = 'assistant'",
    "UPDATE link SET salt = randomblob(16)",
    "UPDATE link SET held = randomblob(16)",
    "UPDATE exchange SET state = 'incomplete'",
    "UPDATE exchange SET digest = randomblob(16)",
    "DELETE FROM message WHERE role = 'assistant'",
    "DELETE FROM link",
)


@pytest.fixture
def store(tmp_path):
    store = SqliteStore(tmp_path / "space.db", SPACE)
    yield store
    store.close()


def past_the_program(store, *statements):
    other = apsw.Connection(str(store.path))
    for sql in statements:
        other.execute(sql)
    other.close()


def test_the_same_rows_give_the_same_exchange(store):
    said = LogWriter(store).say("yes?", "yes")
    first = store.get([said.id])[said.id]
    assert store.get([said.id])[said.id] is first
    assert store.recent("s1", 1)[0] is first


@pytest.mark.parametrize("change", CHANGES)
def test_what_is_changed_after_it_was_read_is_noticed(store, change):
    said = LogWriter(store).say("yes?", "yes")
    assert store.get([said.id])[said.id].answer.text == "yes"
    past_the_program(store, change)
    with pytest.raises((StoreDamagedError, StoreTamperedError)):
        store.get([said.id])


def test_a_change_with_a_fitting_digest_is_noticed_too(store):
    said = LogWriter(store).say("yes?", "yes")
    assert store.get([said.id])
    other = apsw.Connection(str(store.path))
    row = other.execute("SELECT * FROM message WHERE role = 'user'").fetchone()
    columns = (*row[:8], b'[{"type":"text","text":"no?"}]')
    other.execute("UPDATE message SET parts = ?, digest = ? WHERE seq = ?",
                  (columns[8], digest("message", columns), row[0]))  # fmt: skip
    other.close()
    with pytest.raises(StoreTamperedError):
        store.get([said.id])


def test_what_another_program_adds_is_seen(store):
    talk = LogWriter(store)
    open_one = talk.begin("how?")
    assert store.get([open_one.id])[open_one.id].answer is None
    other = SqliteStore(store.path, SPACE)
    talk.store = other
    talk.answer(open_one, "so")
    other.close()
    assert store.get([open_one.id])[open_one.id].answer.text == "so"


def test_siblings_that_share_a_message_are_told_apart(store):
    talk = LogWriter(store)
    first = talk.say("which?", "this")
    second = talk.regenerate(first, "that")
    for _ in range(2):
        found = store.get([first.id, second.id])
        assert [e.answer.parts for e in found.values()] == [(Text("this"),), (Text("that"),)]


def test_what_is_forgotten_is_let_go(store):
    talk = LogWriter(store)
    gone, stays = talk.say("gone?", "gone"), talk.say("here?", "here")
    assert len(store.get([gone.id, stays.id])) == len(database_of(store).known) == 2
    store.erase([gone.id])
    assert len(database_of(store).known) == 0
    assert store.get([gone.id]) == {}


def test_closing_lets_go(store):
    held = LogWriter(store).say("a", "b")
    known = database_of(store).known
    store.get([held.id])
    assert len(known) == 1
    store.close()
    assert len(known) == 0


def rows_of(name, content):
    message = (1, f"{name}-u", name, None, "user", "2026", 1, "t", content, b"")
    return CachedRows((name, "s1"), (message,), None, (None,))


def test_no_more_is_held_than_allowed(store):
    said = LogWriter(store).say("a", "b")
    size = rows_of("x", b"12345").size
    known = ReadCache(CacheBound(2 * size))
    for name in ("x", "y", "z"):
        known.keep(rows_of(name, b"12345"), said)
        assert known.of(rows_of("x", b"12345")) is said  # asked for, so that it stays
    assert known.of(rows_of("y", b"12345")) is None
    assert known.of(rows_of("z", b"12345")) is said
    long = b"x" * 2 * size
    known.keep(rows_of("z", long), said)
    assert known.of(rows_of("z", long)) is None


def test_files_share_the_bound_and_none_sees_the_others(store):
    said = LogWriter(store).say("a", "b")
    rows = rows_of("x", b"12345")
    bound = CacheBound(2 * rows.size)
    one, other = ReadCache(bound), ReadCache(bound)
    one.keep(rows, said)
    assert other.of(rows) is None
    other.keep(rows, said)
    other.keep(rows_of("y", b"12345"), said)  # in place of the oldest, whose it is does not matter
    assert (len(one), len(other)) == (0, 2)
    one.keep(rows, said, evict=False)
    assert one.of(rows) is None
    other.clear()
    one.keep(rows, said, evict=False)
    assert one.of(rows) is said
