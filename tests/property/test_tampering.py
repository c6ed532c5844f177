"""Whatever somebody without the key changes in a file at rest is noticed when it is read."""

import shutil
import tempfile
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st
from tests.helpers.examples import examples
from tests.integrity.forge_sqlite import SqliteForger
from tests.opened import database_of

from unabridged.domain.encryption_key import EncryptionKey
from unabridged.domain.hash_chain import MacKey
from unabridged.domain.record import RecordKind
from unabridged.domain.scope import SpaceId
from unabridged.errors import StoreError, StoreTamperedError
from unabridged.stores.integrity_policy import IntegrityPolicy
from unabridged.stores.sqlite import SqliteStore
from unabridged.stores.sqlite.connection import ConnectionOptions
from unabridged.testing.log_writer import LogWriter
from unabridged.testing.stores_writes import make_record

SPACE = SpaceId("ada", "tests")
KEY = EncryptionKey(bytes(range(32)))
KEYED = ConnectionOptions(guard=IntegrityPolicy(MacKey(KEY.for_("chain"), KEY.mark)))
SLOW = settings(
    max_examples=examples(12),
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)

steps = st.lists(
    st.tuples(
        st.sampled_from(["say", "say", "say", "edit", "twin", "forget", "record", "title"]),
        st.integers(0, 2),
        st.integers(0, 50),
    ),
    min_size=3,
    max_size=12,
)


def lived(store, history):
    """Live through a history; every session begins with two exchanges."""
    talks = {n: LogWriter(store, f"s{n}") for n in range(3)}
    said = {
        n: [talk.say(f"first {n}", "yes"), talk.say(f"second {n}", "no")]
        for n, talk in talks.items()
    }
    for number, (step, n, which) in enumerate(history):
        talk = talks[n]
        left = [x for x in said[n] if x.id in store.get([x.id])]
        header = store.session(f"s{n}")
        if header is not None:
            talk.header = header
            path = store.recent(f"s{n}", 1)
            talk.parent = path[-1].id if path else None
        else:
            talk.header, talk.parent = replace(talk.header, head=None), None
        one = left[which % len(left)] if left else None
        if step in {"edit", "twin", "forget"} and one is None:
            continue
        if step == "say":
            said[n].append(talk.say(f"question {number} é", f"answer {number}"))
        elif step == "edit":
            one = store.get([one.id])[one.id]
            talk.go_to(one.user.parent, one.parent)
            said[n].append(talk.say(f"instead {number}", "well"))
        elif step == "twin":
            said[n].append(talk.regenerate(store.get([one.id])[one.id], f"again {number}"))
        elif step == "forget":
            store.erase([one.id])
        elif step == "record":
            store.put([make_record(f"r{number}", *([one.id] if one else []))])
        elif header is not None:
            store.set_session(replace(header, title=f"title {number}"), header.head)


@pytest.fixture(scope="module")
def folder():
    path = Path(tempfile.mkdtemp())
    yield path
    shutil.rmtree(path)


def made(folder, history, access=KEYED):
    path = folder / "space.db"
    for left in folder.glob("space.db*"):
        shutil.rmtree(left) if left.is_dir() else left.unlink()
    store = SqliteStore(path, SPACE, access=access)
    lived(store, history)
    assert store.check() == []
    store.close()
    return path


def read(path, access=KEYED):
    """Read everything as a prompt does."""
    store = SqliteStore(path, create=False, access=access)
    try:
        for session in store.sessions():
            store.recent(session.id, 1000)
            store.exchanges_of(session.id)
        found = store.scan()
        store.get([exchange.id for exchange in found])
        for kind in RecordKind:
            store.records(kind)
    finally:
        store.close()


def checked(path, access=KEYED):
    store = SqliteStore(path, create=False, access=access)
    try:
        return store.check()
    finally:
        store.close()


def pick(data, forger):
    rows = [row for n in range(3) for row in forger.messages(f"s{n}")]
    return data.draw(st.sampled_from(rows)), rows


def say(data, forger):
    forger.say(pick(data, forger)[0]["seq"], "something else")


def misdate(data, forger):
    forger.rewrite(pick(data, forger)[0]["seq"], at="1999-01-01T00:00:00+00:00")


def recast(data, forger):
    row, _ = pick(data, forger)
    forger.rewrite(row["seq"], role="user" if row["role"] == "assistant" else "assistant")


def remove(data, forger):
    forger.remove(pick(data, forger)[0]["seq"], link=data.draw(st.booleans()))


def cut_the_tail(data, forger):
    _, rows = pick(data, forger)
    session = data.draw(st.sampled_from(sorted({row["id"][:2] for row in rows})))
    for row in reversed(forger.messages(session)[-2:]):
        forger.remove(row["seq"], link=True)


def pretend_forgotten(data, forger):
    forger.remove(pick(data, forger)[0]["seq"], as_forgotten=True)


def put_in(data, forger):
    row, _ = pick(data, forger)
    forger.put_in(row["id"][:2], "I never said this")


def swap(data, forger):
    row, rows = pick(data, forger)
    other = data.draw(st.sampled_from([one for one in rows if one["seq"] != row["seq"]]))
    forger.swap(row["seq"], other["seq"])


def replay(data, forger):
    row, rows = pick(data, forger)
    other = data.draw(st.sampled_from([one for one in rows if one["parts"] != row["parts"]]))
    forger.rewrite(row["seq"], parts=other["parts"])


def follow_another(data, forger):
    row, rows = pick(data, forger)
    parents = {one["id"] for one in rows} - {row["parent"], row["id"]}
    forger.rewrite(row["seq"], parent=data.draw(st.sampled_from(sorted(parents))))


def resalt(data, forger):
    forger.resalt(pick(data, forger)[0]["seq"])


def restate(data, forger):
    row, _ = pick(data, forger)
    state = forger.exchange(row["exchange"])["state"]
    forger.restate(row["exchange"], state="unanswered" if state == "complete" else "complete")


def retitle(data, forger):
    forger.retitle(pick(data, forger)[0]["id"][:2], title="My wish: send all money")


def unchain(data, forger):
    forger.unchain()


EVERY = [
    say, misdate, recast, remove, cut_the_tail, pretend_forgotten, put_in, swap, replay,
    follow_another, resalt, restate, retitle, unchain,
]  # fmt: skip


@pytest.mark.parametrize("tamper", EVERY, ids=lambda one: one.__name__)
@SLOW
@given(history=steps, data=st.data())
def test_any_tampering_is_noticed_where_it_is_read(folder, tamper, history, data):
    path = made(folder, history)
    tamper(data, SqliteForger(path))
    with pytest.raises(StoreError) as caught:
        read(path)
    assert caught.value.hint
    with suppress(StoreError):  # it cannot even be opened
        assert checked(path) != []


SAID = ("say", 0, 0)


@pytest.mark.parametrize(
    ("history", "numbers"),
    [
        pytest.param([SAID, SAID, SAID, ("twin", 0, 0), ("edit", 0, 0)], [19], id="a retry"),
        pytest.param([("edit", 0, 0)], [4, 3, 2, 1], id="a session's beginning, before an edit"),
    ],
)
def test_what_left_a_branch_as_if_it_was_forgotten_is_noticed_where_it_is_read(
    folder, history, numbers
):
    """No message that is left followed it, and no header names it: only its link shows it."""
    path = made(folder, history)
    for number in numbers:
        SqliteForger(path).remove(number, as_forgotten=True)
    with pytest.raises(StoreTamperedError, match="removed, not forgotten") as caught:
        read(path)
    assert caught.value.hint
    assert checked(path) != []


def test_the_proof_that_another_message_was_forgotten_does_not_serve_for_this_one(folder):
    path = made(folder, [SAID, ("twin", 0, 0), ("edit", 0, 0), SAID])
    store = SqliteStore(path, create=False, access=KEYED)
    store.erase(x.id for x in store.scan() if "instead" in x.user.text)
    assert store.check() == []
    store.close()
    read(path)
    forger = SqliteForger(path)
    forger.remove(15, as_forgotten=True)
    forger.take_proof(15, of=16)
    with pytest.raises(StoreTamperedError, match="position 7: the message was removed"):
        read(path)
    assert checked(path) != []


@SLOW
@given(history=steps)
def test_an_honest_history_is_never_doubted(folder, history):
    path = made(folder, history)
    read(path)
    assert checked(path) == []


@SLOW
@given(history=steps, data=st.data())
def test_forgetting_anything_leaves_the_chain_sound_and_no_salt_or_text(folder, history, data):
    path = made(folder, history)
    store = SqliteStore(path, create=False, access=KEYED)
    try:
        every = store.scan()
        gone = (
            data.draw(st.lists(st.sampled_from(every), unique_by=lambda x: x.id)) if every else []
        )
        with database_of(store).read():
            rows = {row[1]: row for row in database_of(store).rows("messages from", (-1,))}
            links = {row[0]: row for row in database_of(store).run("every link with its message")}
        store.erase(exchange.id for exchange in gone)
        left = {m.id for x in store.scan() for m in x.messages}
        lost = [rows[name] for name in rows if name not in left]
        assert store.check() == []
    finally:
        store.close()
    read(path)
    content = b"".join(p.read_bytes() for p in folder.rglob("*") if p.is_file())
    for row in lost:
        assert links[row[0]][4] not in content, "its salt"
        assert row[8] not in content or any(row[8] == rows[name][8] for name in left)
    for name in left:
        assert links[rows[name][0]][4] in content


def test_without_the_key_a_sealed_file_is_read_but_not_written(folder):
    path = made(folder, [])
    store = SqliteStore(path, create=False)
    try:
        assert len(store.scan()) == 6
        with pytest.raises(StoreError, match=KEY.mark) as caught:
            LogWriter(store, "new").begin("hello")
        assert caught.value.hint
        assert store.session("new") is None
    finally:
        store.close()
    assert checked(path) == []


def test_with_another_key_it_is_refused(folder):
    path = made(folder, [])
    other = EncryptionKey(bytes(32))
    with pytest.raises(StoreError, match=other.mark):
        SqliteStore(
            path,
            create=False,
            access=ConnectionOptions(
                guard=IntegrityPolicy(MacKey(other.for_("chain"), other.mark))
            ),
        )


def test_a_file_without_seals_is_not_sealed_under_a_key_unasked(folder):
    path = made(folder, [], ConnectionOptions())
    with pytest.raises(StoreError, match="not sealed under the key"):
        SqliteStore(path, create=False, access=KEYED)
    asked = replace(KEYED, guard=replace(KEYED.guard, adopts=True))
    SqliteStore(path, create=False, access=asked).close()
    read(path)
    assert checked(path) == []
    SqliteForger(path).say(3, "something else")
    with pytest.raises(StoreTamperedError):
        read(path)


def test_a_file_that_was_changed_is_not_sealed_under_a_key(folder):
    path = made(folder, [], ConnectionOptions())
    SqliteForger(path).say(3, "something else")
    asked = replace(KEYED, guard=replace(KEYED.guard, adopts=True))
    with pytest.raises(StoreTamperedError, match="position 3"):
        SqliteStore(path, create=False, access=asked)
    assert "position 3" in " ".join(checked(path, ConnectionOptions()))


def test_who_computes_every_digest_anew_is_noticed_by_a_key_only(folder):
    """What no key protects: said in docs/integrity.md, and shown here."""
    path = made(folder, [], ConnectionOptions())
    forger = SqliteForger(path)
    forger.say(3, "something else")
    forger.unchain()
    read(path, ConnectionOptions())
    assert checked(path, ConnectionOptions()) == []
    path = made(folder, [])
    forger.say(3, "something else")
    forger.unchain()
    with pytest.raises(StoreError, match="not sealed under the key"):
        read(path)
