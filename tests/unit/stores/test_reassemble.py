import random
from dataclasses import replace
from datetime import UTC, datetime

import apsw
import msgspec
import pytest
from tests.faults.damage import damage_index
from tests.opened import count_from

from unabridged.domain.backup_results import Recovery
from unabridged.domain.exchange import Exchange, ExchangeState
from unabridged.domain.message import Role
from unabridged.domain.record import RecordKind
from unabridged.domain.scope import SpaceId
from unabridged.errors import (
    StoreBusyError,
    StoreDamagedError,
    StoreFormatError,
    StoreReadOnlyError,
    StoreTamperedError,
)
from unabridged.home.recover import ACCOUNT, open_or_rescue, rescue
from unabridged.home.spaces import SpacesFolder
from unabridged.stores import reassemble
from unabridged.stores.reassemble import Finds, Header, assemble, time_of
from unabridged.stores.sqlite import SqliteStore
from unabridged.stores.sqlite.connection import ConnectionOptions, can_encrypt, is_encrypted
from unabridged.stores.sqlite.recover_rows import recover_rows
from unabridged.testing.log_writer import LogWriter
from unabridged.testing.stores_blobs import BLOBS, ORIGINAL
from unabridged.testing.stores_lookup import looked_up
from unabridged.testing.stores_writes import make_record

SPACE = SpaceId("ada", "kept")


def silent(*_):
    pass


@pytest.fixture
def spaces(tmp_path):
    return SpacesFolder(tmp_path / "spaces", access=ConnectionOptions(0.2))


def fill(spaces, count=30, space=SPACE):
    store = spaces.open(space)
    talk = LogWriter(store)
    said = [
        talk.answer(
            talk.begin(f"question {n} about a bicycle", original=None if n % 3 else ORIGINAL),
            f"answer {n} " * 40,
        )
        for n in range(count)
    ]
    talk.regenerate(said[-1], "another")
    records = [make_record(f"fact-{n}", x.id) for n, x in enumerate(said)]
    store.put(replace(one, blobs=BLOBS[: n % 4]) for n, one in enumerate(records))
    return store


def everything(store):
    ids = [message.id for exchange in store.scan() for message in exchange.messages]
    found = store.scan(), store.sessions(), store.records(RecordKind.FACT), store.originals(ids)
    return (*found, store.blobs(blob.digest for blob in BLOBS))


def cut(path, page):
    """Zero a page of a file."""
    data = bytearray(path.read_bytes())
    data[(page - 1) * 4096 : page * 4096] = bytes(4096)
    path.write_bytes(data)


def leaves(path, table):
    """The pages that hold the rows of a table."""
    connection = apsw.Connection(str(path))
    found = connection.execute(
        "SELECT pageno FROM dbstat WHERE name = ? AND pagetype = 'leaf' ORDER BY path", (table,)
    ).fetchall()
    connection.close()
    return [number for (number,) in found]


def recovered(path):
    return assemble(recover_rows(path, ConnectionOptions()), "x")


def exchanges_of(found):
    return sorted((x for _, some in found.conversations for x in some), key=lambda x: x.id)


def test_every_row_of_a_damaged_index_is_read(spaces):
    store = fill(spaces)
    truth = everything(store)
    store.close()
    path = spaces.path_of(SPACE)
    damage_index(path)
    before = path.read_bytes()
    found = recovered(path)
    assert exchanges_of(found) == truth[0]
    assert [session for session, _ in found.conversations] == truth[1]
    assert sorted(found.records, key=lambda r: r.id) == truth[2]
    assert (found.account.lost, found.account.unsure) == (0, False)
    assert path.read_bytes() == before
    assert [p.name for p in path.parent.glob(f"{path.name}-*") if p.is_file()] == []


@pytest.mark.parametrize("table", ["message", "exchange", "session", "record", "numbered"])
@pytest.mark.parametrize("place", [0, 0.5, -1])
def test_a_damaged_page_takes_only_its_own_rows(spaces, table, place):
    store = fill(spaces, 120)
    truth = {x.id: x for x in store.scan(limit=1000)}
    store.close()
    path = spaces.path_of(SPACE)
    pages = leaves(path, table)
    cut(path, pages[int(place * len(pages)) if place == 0.5 else place])
    found = recovered(path)
    got = exchanges_of(found)
    kept = [x for x in got if x == truth[x.id]]
    assert len(got) >= 100
    assert len(kept) >= (60 if table == "exchange" else 110)
    assert found.account.lost == len(truth) - found.account.exchanges
    assert not found.account.unsure
    assert (found.account.records_missing > 0) >= (table == "record")


@pytest.mark.parametrize(("harm", "left"), [
    ("no header", True), ("no schema", True), ("empty", False), ("text", False),
])  # fmt: skip
def test_without_header_or_schema_the_rows_are_read_from_their_pages(spaces, harm, left):
    store = fill(spaces)
    truth = {x.id: x for x in store.scan(limit=1000)}
    store.close()
    path = spaces.path_of(SPACE)
    data = path.read_bytes()
    path.write_bytes(
        {
            "no header": bytes(100) + data[100:],
            "no schema": b"\xff" * 4096 + data[4096:],
            "empty": b"",
            "text": b"no database" * 900,
        }[harm]
    )
    found = recovered(path)
    got = exchanges_of(found)
    assert {x.id: x for x in got} == (truth if left else {})
    assert found.account.unsure is not left


def test_a_file_that_ends_early_gives_what_is_in_front_of_its_end(spaces):
    store = fill(spaces, 120)
    truth = {x.id: x for x in store.scan(limit=1000)}
    store.close()
    path = spaces.path_of(SPACE)
    data = path.read_bytes()
    path.write_bytes(data[: len(data) * 3 // 4])
    found = recovered(path)
    assert any(truth[x.id] == x for x in exchanges_of(found))
    assert found.account.lost == 121 - found.account.exchanges


def test_the_log_is_read_and_what_it_replaced_is_not(spaces):
    store = fill(spaces)
    store.erase([store.scan()[3].id])
    LogWriter(store, "s2").say("in the log", "only")
    truth = everything(store)
    path = spaces.path_of(SPACE)
    copy = path.with_name("copy.db")
    for end in ("", "-wal"):
        copy.with_name(copy.name + end).write_bytes(path.with_name(path.name + end).read_bytes())
    logged = copy.with_name("copy.db-wal").read_bytes()
    found = recovered(copy)
    assert exchanges_of(found) == truth[0]
    assert found.account.lost == 0
    assert copy.with_name("copy.db-wal").read_bytes() == logged
    store.close()


def test_what_was_forgotten_does_not_come_back(spaces):
    store = fill(spaces, 60)
    gone = [x.id for x in store.scan()[::3]]
    store.erase(gone)
    store.close()
    path = spaces.path_of(SPACE)
    damage_index(path)
    found = recovered(path)
    assert not {x.id for _, some in found.conversations for x in some} & set(gone)


def header(number, *, session="s1", parent=None, own=2, opened_by=None):
    talk = LogWriter(None, session)
    count_from(talk, number * 10)
    message = talk.message("hi")
    exchange = Exchange(
        f"x{number}", session, parent, ExchangeState.COMPLETE, (), message.at, model="m"
    )
    return Header(exchange, opened_by, own)


def message(number, role=Role.USER, parent=None, session="s1"):
    talk = LogWriter(None, session)
    count_from(talk, number - 1)
    return talk.message(f"words {number}", role, parent=parent)


def linear(count=4):
    """A path of exchanges as a file would give it."""
    finds, last = Finds(space=SPACE, exchanges=count), None
    for n in range(count):
        user = message(2 * n + 1, parent=last)
        answer = message(2 * n + 2, Role.ASSISTANT, user.id)
        finds.headers[f"x{n}"] = header(n, parent=f"x{n - 1}" if n else None)
        for seq, one in ((2 * n, user), (2 * n + 1, answer)):
            finds.messages[one.id] = (seq, f"x{n}", one)
        last = answer.id
    finds.sessions["s1"] = replace(LogWriter(None).header, head=last, title="Talk")
    return finds


def path_of(found):
    ((_, exchanges),) = found.conversations
    return [(x.id, x.parent, x.state.value, len(x.messages)) for x in exchanges]


def test_a_lost_answer_leaves_an_incomplete_exchange():
    finds = linear()
    del finds.messages["s1-m00004"]
    found = assemble(finds, "x")
    assert path_of(found)[1] == ("x1", "x0", "unanswered", 1)
    assert (found.account.exchanges, found.account.incomplete, found.account.lost) == (3, 1, 1)
    (missing,) = found.account.missing
    assert (missing.exchange, missing.session, missing.title) == ("x1", "s1", "Talk")
    assert missing.kept
    assert "1 of 2" in missing.what


def test_a_lost_question_takes_the_exchange_and_what_followed_moves_up():
    finds = linear()
    del finds.messages["s1-m00003"]
    found = assemble(finds, "x")
    assert path_of(found) == [
        ("x0", None, "complete", 2), ("x2", "x0", "complete", 2), ("x3", "x2", "complete", 2),
    ]  # fmt: skip
    ((_, exchanges),) = found.conversations
    assert exchanges[1].user.parent == exchanges[0].messages[-1].id
    assert [(m.exchange, m.kept) for m in found.account.missing] == [("x1", False)]


def test_a_lost_header_is_made_of_what_hangs_together():
    finds = linear()
    del finds.headers["x2"], finds.sessions["s1"]
    found = assemble(finds, "x")
    assert path_of(found)[2] == ("x2", "x1", "incomplete", 2)
    ((session, exchanges),) = found.conversations
    assert (session.id, session.head) == ("s1", exchanges[-1].messages[-1].id)
    assert session.title == "words 1"
    assert [m.exchange for m in found.account.missing] == ["x2"]


def test_exchanges_of_no_known_session_stay_together():
    finds = linear()
    finds.headers.clear()
    finds.sessions.clear()
    found = assemble(finds, "x")
    ((session, exchanges),) = found.conversations
    assert session.id.startswith("salvaged-")
    assert [x.parent for x in exchanges] == [None, "x0", "x1", "x2"]


def test_what_is_only_named_or_counted_is_said():
    finds = linear()
    finds.exchanges = 9
    at = datetime(2026, 1, 1, tzinfo=UTC)
    finds.named = {"gone": at, "x1": None}
    finds.counted = {"fact": 3}
    account = assemble(finds, "x").account
    assert [(m.exchange, m.at, m.what) for m in account.missing] == [("gone", at, "everything")]
    assert (account.unknown, account.lost, account.records_missing) == (4, 5, 3)


def test_siblings_share_their_message_whatever_was_lost_before():
    finds = linear()
    del finds.messages["s1-m00005"]  # the question of x2
    twin = message(9, Role.ASSISTANT, "s1-m00007")
    finds.messages[twin.id] = (8, "y", twin)
    finds.headers["y"] = Header(
        replace(finds.headers["x3"].exchange, id="y"), opened_by="s1-m00007", own=1
    )
    found = assemble(finds, "x")
    by_id = {x.id: x for _, some in found.conversations for x in some}
    assert by_id["y"].user == by_id["x3"].user
    assert by_id["y"].parent == by_id["x3"].parent == "x1"


def test_what_follows_itself_round_is_cut_open():
    finds = linear(2)
    finds.headers["x0"] = header(0, parent="x1")
    found = assemble(finds, "x")
    assert {x.id for _, some in found.conversations for x in some} == {"x0", "x1"}


def test_the_time_of_an_id():
    assert time_of("01KBZX5W00SWZXW0XVHN6EPJ59").year == 2025
    assert time_of("s1-x00001") is None
    assert time_of("Z" * 26) is None


def test_damage_on_opening_is_set_aside_and_gone_on_with(spaces):
    other = SpaceId("bob", "fine")
    fill(spaces, 3, other).close()
    store = fill(spaces)
    truth = everything(store)
    store.close()
    path = spaces.path_of(SPACE)
    damage_index(path)
    harmed = path.read_bytes()
    before = spaces.path_of(other).read_bytes()
    store, account = open_or_rescue(spaces, SPACE, silent)
    assert everything(store) == truth
    assert store.check() == []
    assert len(looked_up(store, "bicycl")) == 31
    store.close()
    aside = path.with_name(path.name + ".damaged-1")
    assert account.path == str(aside)
    assert account.exchanges == 31
    assert aside.read_bytes() == harmed
    laid = aside.with_name(aside.name + ACCOUNT).read_bytes()
    assert msgspec.json.decode(laid, type=Recovery) == account
    assert spaces.path_of(other).read_bytes() == before
    store, again = open_or_rescue(spaces, SPACE, silent)
    assert again is None
    store.close()
    path.write_bytes(b"")
    store, account = open_or_rescue(spaces, SPACE, silent)
    assert account.path.endswith(".damaged-2")
    assert aside.read_bytes() == harmed
    store.close()


def test_a_damaged_index_loses_nothing(spaces):
    store = fill(spaces)
    truth = everything(store)
    store.close()
    connection = apsw.Connection(str(spaces.path_of(SPACE)))
    connection.execute("INSERT INTO embedder VALUES (9, 'y', 4, 0, 1, x'00')")
    connection.close()
    spaces = SpacesFolder(spaces.folder, ready=SqliteStore.embedded_by)
    with pytest.raises(StoreDamagedError):
        spaces.open(SPACE)
    store, _ = open_or_rescue(spaces, SPACE, silent)
    assert everything(store) == truth
    assert store.check() == []
    store.close()


def test_nothing_is_set_aside_for_other_reasons(spaces):
    fill(spaces).close()
    path = spaces.path_of(SPACE)
    connection = apsw.Connection(str(path))
    connection.pragma("user_version", 999)
    connection.close()
    before = path.read_bytes()
    with pytest.raises(StoreFormatError):
        open_or_rescue(spaces, SPACE, silent)
    assert path.read_bytes() == before
    assert sorted(p.name for p in spaces.folder.iterdir()) == [path.name]


def test_who_tampered_is_reported_and_not_salvaged(spaces):
    fill(spaces).close()
    path = spaces.path_of(SPACE)
    connection = apsw.Connection(str(path))
    connection.execute("DELETE FROM seal")
    connection.close()
    with pytest.raises(StoreTamperedError):
        open_or_rescue(spaces, SPACE, silent)
    assert not list(spaces.folder.glob("*.damaged-*"))
    account = rescue(spaces, SPACE, silent, look=True)
    assert account.exchanges == 31


def test_what_others_have_open_is_not_set_aside(spaces):
    store = fill(spaces)
    store.erase([])  # empties the log
    path = spaces.path_of(SPACE)
    flags = [apsw.SQLITE_OPEN_MAIN_DB | apsw.SQLITE_OPEN_READWRITE, 0]
    file = apsw.VFSFile("", str(path), flags)  # closing it otherwise drops the store's locks
    head = file.xRead(100, 0)
    file.xWrite(bytes(100), 0)  # behind the back of who has it open
    with pytest.raises(StoreBusyError):
        rescue(spaces, SPACE, silent, look=True)
    assert not list(spaces.folder.glob("*.damaged-*"))
    file.xWrite(head, 0)
    file.xClose()
    assert len(store.scan()) == 31
    store.close()


def test_a_sound_space_is_left_alone(spaces):
    fill(spaces).close()
    assert rescue(spaces, SPACE, silent, look=True) is None
    assert not list(spaces.folder.glob("*.damaged-*"))


def test_damage_deeper_in_is_salvaged_when_asked(spaces):
    fill(spaces).close()
    path = spaces.path_of(SPACE)
    data = bytearray(path.read_bytes())
    data[data.index(b"question 7 about")] ^= 1
    path.write_bytes(data)
    store, account = open_or_rescue(spaces, SPACE, silent)
    assert account is None
    store.close()
    account = rescue(spaces, SPACE, silent, look=True)
    assert (account.exchanges, len(account.missing)) == (30, 1)
    store = spaces.open(SPACE)
    assert store.check() == []
    store.close()


def test_a_full_disk_leaves_the_damaged_file_where_it_is(spaces, monkeypatch):
    fill(spaces).close()
    path = spaces.path_of(SPACE)
    damage_index(path)
    before = path.read_bytes()

    def full(*_):
        raise StoreReadOnlyError("no", hint="x")

    with monkeypatch.context() as patch:
        patch.setattr(reassemble, "write", full)
        with pytest.raises(StoreReadOnlyError):
            open_or_rescue(spaces, SPACE, silent)
    assert path.read_bytes() == before
    assert sorted(p.name for p in spaces.folder.iterdir()) == [".lock", path.name]


@pytest.mark.slow
def test_random_damage_never_gives_anything_false(spaces, tmp_path):
    store = fill(spaces)
    truth = {x.id: {m.id: m.parts for m in x.messages} for x in store.scan()}
    store.close()
    data, rng = spaces.path_of(SPACE).read_bytes(), random.Random(5)
    for _ in range(40):
        harmed = bytearray(data)
        for _ in range(rng.randrange(1, 200)):
            at = rng.randrange(len(data))
            harmed[at : at + 40] = rng.randbytes(40)
        path = tmp_path / "harmed.db"
        path.write_bytes(harmed[: rng.randrange(1, len(data))])
        found = recovered(path)
        for _, some in found.conversations:
            for exchange in some:
                said = truth[exchange.id]
                assert all(said[m.id] == m.parts for m in exchange.messages)
        fresh = SqliteStore(tmp_path / "fresh.db", SPACE)
        reassemble.write(found, fresh)
        assert fresh.check() == []
        fresh.close()
        for left in tmp_path.glob("fresh.db*"):
            if left.is_file():
                left.unlink()


@pytest.mark.skipif(not can_encrypt(), reason="this SQLite cannot encrypt")
def test_an_encrypted_file_gives_its_intact_rows_and_stays_encrypted(tmp_path):
    access = ConnectionOptions(0.2, key=b"k" * 32)
    spaces = SpacesFolder(tmp_path / "spaces", access=access)
    store = fill(spaces, 120)
    truth = {x.id: x for x in store.scan(limit=1000)}
    store.close()
    path = spaces.path_of(SPACE)
    data = bytearray(path.read_bytes())
    data[len(data) - 4096 * 20] ^= 1
    path.write_bytes(data)
    account = rescue(spaces, SPACE, silent, look=True)
    assert 100 < account.exchanges < 121
    assert account.lost == 121 - account.exchanges
    assert is_encrypted(path)
    store = spaces.open(SPACE)
    kept = store.scan(limit=1000)
    assert sum(x == truth[x.id] for x in kept) >= 100
    assert store.check() == []
    store.close()
