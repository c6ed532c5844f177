"""What readable files look like, and what becomes of those that are not as they were written."""

import gzip
import json
from dataclasses import replace

import pytest
from tests.opened import count_from
from tests.unit.projections.json_files.conftest import SPACE

from unabridged.disk import atomic_write
from unabridged.domain.message import Image, Reasoning, Role, Text, ToolCall, ToolResult
from unabridged.domain.record import Record, RecordKind
from unabridged.errors import StoreEditedError, StoreError, StoreFormatError
from unabridged.projections.json_files import json_document
from unabridged.projections.json_files.layouts import KNOWN
from unabridged.testing.log_writer import START, LogWriter

LAYOUTS = ["model", "agent", "user"]


def load(path):
    return json.loads(path.read_text(encoding="utf-8"))


def told(bench, layout):
    """What the files alone tell, by the order of ids."""
    found = []
    for data in bench.everything().values():
        document = json_document.read(KNOWN[layout], data)
        assert document.faults == []
        for session in document.sessions:
            found += json_document.exchanges_of(KNOWN[layout], session)
    return sorted(found, key=lambda one: one.id)


def one_file(bench, text=b"one"):
    return next(p for p in bench.folder.rglob("[!.]*.json") if text in p.read_bytes())


def context(exchange, complexity=0.25, window=8192):
    ledger = {"complexity": complexity, "window": window}
    body = {"manifest": {"ledger": ledger}, "usage": None}
    return Record(RecordKind.CONTEXT, exchange, START, body)


def test_the_model_layout_is_format_3_of_the_seed(bench):
    store = bench.open()
    old, new = LogWriter(store, "s1"), LogWriter(store, "s2")
    old.say("an older one", "yes")
    new.header = replace(new.header, title="Given")
    begun = new.begin("Hello", records=(context("s2-x00001"),), tokens=5)
    new.answer(begun, "Hi there!")
    count_from(new, 400)
    new.say("again", "once more")
    file = load(bench.folder / "qwen2-5-7b.json")
    assert list(file) == [
        "metadata",
        "current_conversation",
        "recent_conversations",
        "summarized_conversations",
        "unabridged",
    ]
    assert file["metadata"] == {
        "version": "3.0",
        "model": "qwen2.5:7b",
        "created": START.isoformat(),
        "last_updated": store.session("s2").updated.isoformat(),
        "total_exchanges": 3,
        "total_tokens": 18,
        "context_window": 8192,
    }
    first, second = file["current_conversation"]
    assert first == {
        "user": {"content": "Hello", "tokens": 5},
        "assistant": {"content": "Hi there!", "tokens": 3},
        "metadata": {
            "timestamp": begun.at.isoformat(),
            "mode": "chat",
            "total_tokens": 8,
            "complexity_score": 0.25,
            "model": "tester",
        },
    }
    assert second["user"]["content"] == "again"
    day = START.date().isoformat()
    assert file["recent_conversations"] == [
        {
            "summary": "an older one",
            "exchange_count": 1,
            "total_tokens": 5,
            "date_range": f"{day} to {day}",
        }
    ]
    assert file["unabridged"]["about"]["space"]["model"] == "qwen2.5:7b"


def test_the_agent_layout_has_a_file_for_each_session(bench):
    store = bench.open("agent")
    begun = LogWriter(store, "s1").say("What now?", "Wait.")
    LogWriter(store, "s2").say("two", "zwei")
    file = load(bench.folder / "tests_s1_conversation.json")
    turn = {"user_input": "What now?", "agent_response": "Wait.", "timestamp": begun.at.isoformat()}
    assert file["history"] == [turn]
    assert file["metadata"]["agent"] == "tests"
    assert (bench.folder / "tests_s2_conversation.json").exists()


def test_the_user_layout_has_the_sessions_of_a_user(bench):
    store = bench.open("user")
    talk = LogWriter(store, "s1")
    talk.header = replace(talk.header, title="Numbers")
    talk.say("one", "eins")
    talk.begin("two")
    [session] = load(bench.folder / "ada" / "sessions.json")["sessions"]
    assert session == {
        "id": "s1",
        "messages": [
            {"role": "user", "content": "one"},
            {"role": "assistant", "content": "eins"},
            {"role": "user", "content": "two"},
        ],
        "title": "Numbers",
        "created_at": START.isoformat(),
        "model": "tester",
    } | {"model": session["model"]}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_no_text_of_the_path_stands_in_a_file_twice(bench, layout):
    talk = LogWriter(bench.open(layout))
    talk.say("a question like no other", "an answer like no other")
    readable = b"".join(d for n, d in bench.everything().items() if n.endswith(".json"))
    assert readable.count(b"a question like no other") == 1
    assert readable.count(b"an answer like no other") == 1


@pytest.mark.parametrize("layout", LAYOUTS)
def test_what_the_seeds_fields_cannot_hold_comes_back(bench, layout):
    store = bench.open(layout)
    talk = LogWriter(store)
    begun = talk.begin([Text("look"), Image("data:image/png;base64,AA"), Text("here")])
    call = talk.message(
        [Reasoning("hm"), ToolCall("c1", "read", '{"a": 1}')], Role.ASSISTANT, parent=begun.user.id
    )
    result = talk.message([ToolResult("c1", "read", "42", failed=True)], Role.TOOL, parent=call.id)
    talk.write(replace(begun, messages=(call, result)), result.id)
    talk.answer(begun, [Reasoning("so"), Text("It is 42.")])
    half = talk.say("half \ud83d of \ude00 it", "\x00 and \ud800")
    talk.regenerate(half, "once more")
    before = store.scan()
    assert before[0].messages[1] == call
    assert told(bench, layout) == before


@pytest.mark.parametrize("layout", LAYOUTS)
def test_forgetting_leaves_no_byte_in_any_file(bench, layout):
    store = bench.open(layout)
    talk, other = LogWriter(store, "s1"), LogWriter(store, "s2")
    gone = [talk.say("SECRET-one", "SECRET-two"), other.say("SECRET-three", "ok")]
    talk.say("stays", "here")
    said = other.say("archived SECRET-four", "x")
    store.put([Record(RecordKind.FACT, "f", START, {"says": "SECRET-five"}, (gone[0].id,))])
    header = store.session("s2")
    store.set_session(replace(header, archived=START), header.head)
    store.erase([*(exchange.id for exchange in gone), said.id])
    for name, data in bench.everything().items():
        plain = gzip.decompress(data) if name.endswith(".gz") else data
        assert b"SECRET" not in plain, name
    assert [x.user.text for x in store.scan()] == ["stays"]


@pytest.mark.parametrize("layout", LAYOUTS)
def test_compression_is_a_setting_and_either_form_is_read(bench, layout):
    store = bench.open(layout)
    talk = LogWriter(store)
    said = [talk.say("one", "1")]
    store = bench.again(store, compression=True)
    talk.store = store
    said.append(talk.say("two", "2"))
    names = {name for name in bench.everything() if name.endswith((".json", ".json.gz"))}
    assert all(name.endswith(".gz") for name in names), names
    store = bench.again(store)
    talk.store = store
    said.append(talk.say("three", "3"))
    names = {name for name in bench.everything() if name.endswith((".json", ".json.gz"))}
    assert not any(name.endswith(".gz") for name in names), names
    assert store.recent("s1", 9) == said


def test_what_is_unchanged_is_not_written_again(bench):
    store = bench.open()
    LogWriter(store).say("one", "1")
    path = bench.folder / "qwen2-5-7b.json"
    before = path.stat().st_ino, path.stat().st_mtime_ns
    header = store.session("s1")
    store.set_session(header, header.head)
    store.put([])
    store.delete(RecordKind.FACT, ["nothing"])
    assert store.erase(["nothing"]) == 0
    assert store.import_session(header, store.scan()) == 0
    assert (path.stat().st_ino, path.stat().st_mtime_ns) == before


def test_held_files_are_written_once_at_the_end(bench, monkeypatch):
    store = bench.open()
    written = []
    whole = atomic_write.write_whole
    monkeypatch.setattr(
        atomic_write,
        "write_whole",
        lambda path, data: (written.append(path.name), whole(path, data)),
    )
    with store.hold_files():
        for number in range(5):
            LogWriter(store, f"s{number}").say("a question", "its answer")
        assert written == []
    assert written.count("qwen2-5-7b.json") == 1
    assert len(told(bench, "model")) == 5
    LogWriter(store, "s6").say("another", "at once")
    assert written.count("qwen2-5-7b.json") == 3  # begun, and answered


@pytest.mark.parametrize("layout", LAYOUTS)
def test_archived_sessions_leave_the_file_and_come_back(bench, layout):
    store = bench.open(layout)
    talk, other = LogWriter(store, "s1"), LogWriter(store, "s2")
    talk.say("an old story", "told long ago")
    other.say("new", "news")
    before = bench.everything()
    header = store.session("s1")
    store.set_session(replace(header, archived=START), header.head)
    readable = b"".join(bench.everything().values())
    assert b"told long ago" not in readable
    if layout == "model":
        summaries = load(bench.folder / "qwen2-5-7b.json")["summarized_conversations"]
        assert [one["summary"] for one in summaries] == ["an old story"]
    store.set_session(replace(header, archived=None), header.head)
    assert bench.everything() == before


@pytest.mark.parametrize("layout", LAYOUTS)
def test_what_is_written_step_by_step_is_what_the_log_renders(bench, layout):
    """Whatever was done, the files are those that are rendered from the log alone."""
    store = bench.open(layout)
    talk, other = LogWriter(store, "s1"), LogWriter(store, "s2")
    steps = [
        lambda: talk.say("one", "1"),
        lambda: other.say("two", "2"),
        lambda: talk.begin("three", records=(context("s1-x00002"),)),
        lambda: talk.say("four", "4"),
        lambda: talk.regenerate(talk.say("five", "5"), "fünf"),
        lambda: talk.edit(talk.say("six", "6"), "sechs", "6!"),
        lambda: store.erase([store.scan()[0].id]),
        lambda: store.set_session(
            replace(store.session("s1"), title="T"), store.session("s1").head
        ),
        lambda: store.put([Record(RecordKind.FACT, "f", START, {})]),
        lambda: store.set_session(
            replace(store.session("s2"), archived=START), store.session("s2").head
        ),
    ]
    for step in steps:
        step()
        assert store.troubles == []
        now = bench.everything()
        again = bench.open(layout)  # who opens it takes over the cache from the files
        assert bench.everything() == now
        again.put([])
        for path in bench.folder.rglob("*"):
            if path.is_file():
                path.unlink()
        bench.open(layout)
        assert bench.everything() == now


@pytest.mark.parametrize("layout", LAYOUTS)
def test_another_process_goes_on_from_the_files(bench, layout):
    one, two = bench.open(layout), bench.open(layout)
    LogWriter(one).say("one", "1")
    LogWriter(two, "s2").say("two", "2")
    LogWriter(one, "s3").say("three", "3")
    talk = LogWriter(two, "s2")
    talk.header, talk.parent = two.session("s2"), "s2-x00001"
    count_from(talk, 50)
    talk.say("four", "4")
    assert told(bench, layout) == one.scan()


# --- files that are not as they were written -----------------------------------------------------


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("share", [0.0, 0.3, 0.7, 0.99])
def test_a_damaged_file_is_set_aside_and_written_again(bench, layout, share):
    """The seed's corruption test, in our terms: damage is never an empty memory."""
    store = bench.open(layout)
    said = LogWriter(store).say("one", "1")
    path = one_file(bench)
    data = path.read_bytes()
    path.write_bytes(data[: int(len(data) * share)])
    assert bench.spaces(layout, follows=False).open(store.space).check() != []
    store = bench.again(store)
    [note] = store.notes
    assert str(path) in note
    assert "damaged" in note
    assert store.troubles == []
    assert path.read_bytes() == data
    aside = path.with_name(f"{path.name}.damaged-1")
    assert aside.read_bytes() == data[: int(len(data) * share)]
    assert store.scan() == [said]
    assert store.check() == []


@pytest.mark.parametrize("layout", LAYOUTS)
def test_damage_in_one_file_leaves_the_others_alone(bench, layout):
    ann, bob = (
        replace(SPACE, user="ann", agent="a", model="m1"),
        replace(SPACE, user="bob", agent="b", model="m2"),
    )
    stores = [bench.open(layout, space) for space in (ann, bob)]
    for store in stores:
        LogWriter(store).say(f"of {store.space.user}", "yes")
    path, other = one_file(bench, b"of ann"), one_file(bench, b"of bob")
    data, stamp = path.read_bytes(), other.stat()
    path.write_bytes(b"\x00" * 99)
    again = [bench.again(store) for store in stores]
    assert [len(store.notes) for store in again] == [1, 0]
    assert path.read_bytes() == data
    assert (other.stat().st_ino, other.stat().st_mtime_ns) == (stamp.st_ino, stamp.st_mtime_ns)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_missing_file_is_written_again(bench, layout):
    store = bench.open(layout)
    LogWriter(store).say("one", "1")
    before = bench.everything()
    one_file(bench).unlink()
    assert "is missing" in store.check()[0]
    store = bench.again(store)
    assert bench.everything() == before
    assert "was missing" in store.notes[0]


@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_stale_file_is_written_again(bench, layout):
    store = bench.open(layout)
    talk = LogWriter(store)
    talk.say("one", "1")
    path = one_file(bench)
    old = path.read_bytes()
    talk.say("two", "2")
    new = path.read_bytes()
    path.write_bytes(old)
    store = bench.again(store)
    assert path.read_bytes() == new
    assert (store.troubles, store.check()) == ([], [])


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b"the bike", b"the boat"),
        (b'"mode": "chat"', b'"mode": "tools"'),
        (b'"s1-x00001"', b'"s1-x00009"'),
        (b'"title": "Told"', b'"title": "Sold"'),
    ],
)
def test_an_edited_file_is_reported_and_never_overwritten(bench, layout, old, new):
    store = bench.open(layout)
    talk = LogWriter(store)
    talk.header = replace(talk.header, title="Told")
    talk.say("the bike", "is red")
    path = one_file(bench, b"the bike")
    sound = path.read_bytes()
    if old not in sound:
        assert (layout, old) in {(one, b'"mode": "chat"') for one in ("agent", "user")}
        return
    edited = sound.replace(old, new, 1)
    path.write_bytes(edited)
    talk.say("and now", "on")  # the log has it
    for trouble in (store.troubles, bench.again(store).troubles):
        [error] = trouble
        assert isinstance(error, StoreEditedError)
        assert f"unabridged adopt {path}" in error.hint or "--undo" in error.hint
    store = bench.opened[-1]
    assert str(path) in store.check()[0]
    assert path.read_bytes() == edited
    assert len(store.scan()) == 2
    path.write_bytes(sound)  # put back by hand: it is stale, and no longer edited
    store = bench.again(store)
    assert (store.troubles, store.check()) == ([], [])
    assert b"and now" in path.read_bytes()


@pytest.mark.parametrize("layout", LAYOUTS)
def test_nothing_is_forgotten_while_a_file_is_edited(bench, layout):
    store = bench.open(layout)
    said = LogWriter(store).say("SECRET", "1")
    path = one_file(bench, b"SECRET")
    sound = path.read_bytes()
    path.write_bytes(sound.replace(b"SECRET", b"SECRETS"))
    with pytest.raises(StoreEditedError):
        store.erase([said.id])
    assert store.scan() == [said]
    path.write_bytes(sound)
    assert store.erase([said.id]) == 1
    assert b"SECRET" not in b"".join(bench.everything().values())


@pytest.mark.parametrize("layout", LAYOUTS)
def test_blanks_and_line_breaks_may_be_changed(bench, layout):
    store = bench.open(layout)
    LogWriter(store).say("one", "1")
    path = one_file(bench)
    compact = json.dumps(load(path), ensure_ascii=False, separators=(",", ":"))
    path.write_text(compact)
    store = bench.again(store)
    assert (store.troubles, store.check(), path.read_text()) == ([], [], compact)
    talk = LogWriter(store)
    talk.header, talk.parent = store.session("s1"), "s1-x00001"
    count_from(talk, 50)
    talk.say("two", "2")
    assert told(bench, layout) == store.scan()


def test_a_file_of_a_newer_version_is_not_overwritten(bench):
    store = bench.open()
    talk = LogWriter(store)
    talk.say("one", "1")
    path = one_file(bench)
    path.write_bytes(path.read_bytes().replace(b'"format": 1', b'"format": 99'))
    talk.say("two", "2")
    [error] = store.troubles
    assert isinstance(error, StoreFormatError)
    assert b"two" not in path.read_bytes()


def test_a_file_without_our_part_is_not_overwritten(bench):
    bench.folder.mkdir()
    seed = {"metadata": {"version": "3.0", "model": "qwen2.5:7b"}, "current_conversation": []}
    seed |= {"recent_conversations": [], "summarized_conversations": []}
    path = bench.folder / "qwen2-5-7b.json"
    path.write_text(json.dumps(seed))
    store = bench.open()
    LogWriter(store).say("one", "1")
    assert "not written by unabridged" in str(store.troubles[0])
    assert load(path) == seed


@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_file_with_more_than_the_log_holds_is_not_overwritten(bench, layout, tmp_path):
    """A database that was lost, or put back from an older day, takes no file along."""
    store = bench.open(layout)
    LogWriter(store).say("one", "1")
    before = bench.everything()
    store.close()
    for path in bench.databases.iterdir():
        path.unlink()
    store = bench.open(layout)
    assert bench.everything() == before
    assert "1 exchange that memory lacks" in str(store.troubles[0])


def test_a_file_of_another_space_is_not_overwritten(bench, tmp_path):
    custom = tmp_path / "mine.json"
    LogWriter(bench.open(custom=custom)).say("one", "1")
    before = custom.read_bytes()
    other = bench.open(space=replace(SPACE, user="bob"), custom=custom)
    LogWriter(other).say("two", "2")
    assert "belong to another space" in str(other.troubles[0])
    assert custom.read_bytes() == before
    assert len(other.scan()) == 1


@pytest.mark.parametrize("fault", ["write", "fsync", "replace"])
@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_disk_that_fails_costs_no_write_and_is_tried_again(bench, layout, fault, monkeypatch):
    store = bench.open(layout)
    talk = LogWriter(store)
    talk.say("one", "1")
    before = bench.everything()
    for number, code in enumerate((28, 5, 30)):
        with monkeypatch.context() as m:
            m.setattr(
                atomic_write.os,
                fault,
                lambda *_, code=code: (_ for _ in ()).throw(OSError(code, "x")),
            )
            talk.say(f"later {number}", "ok")
            assert isinstance(store.troubles[0], StoreError)
        assert bench.everything() == before
    assert len(store.scan()) == 4
    store.put([])
    talk.say("last", "words")
    assert store.troubles == []
    assert told(bench, layout) == store.scan()


@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_forgetting_that_a_file_withstands_is_not_done(bench, layout, monkeypatch):
    store = bench.open(layout)
    talk = LogWriter(store)
    gone = talk.say("SECRET", "1")
    talk.say("stays", "2")
    with monkeypatch.context() as m:
        m.setattr(atomic_write.os, "replace", lambda *_: (_ for _ in ()).throw(OSError(28, "full")))
        with pytest.raises(StoreError):
            store.erase([gone.id])
    store.erase([gone.id])
    assert b"SECRET" not in b"".join(bench.everything().values())
    scan = store.scan_files([[b"SECRET"], [b"stays"]])
    assert scan.found == (1,)


class Crash(BaseException):
    """The machine stops."""


def at_step(monkeypatch, number):
    """Stop the machine before the n-th change on the disk."""
    left = [number]

    def stopping(call):
        def stop(*args, **kwargs):
            left[0] -= 1
            if left[0] < 0:
                raise Crash
            return call(*args, **kwargs)

        return stop

    for name in ("write", "replace", "unlink", "fsync"):
        monkeypatch.setattr(atomic_write.os, name, stopping(getattr(atomic_write.os, name)))
    return left


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("packed", [False, True])
def test_a_crash_while_writing_is_healed_by_the_next_opening(bench, layout, packed, monkeypatch):
    store = bench.open(layout, compression=packed)
    talk = LogWriter(store)
    talk.say("SECRET", "1")
    step, done = 0, False
    while not done:
        talk.store = store
        with monkeypatch.context() as m:
            left = at_step(m, step)
            try:
                talk.say(f"step {step}", "ok")
            except Crash:
                talk.header, last = store.session("s1"), store.recent("s1", 1)[0]
                talk.parent = last.id
            done = left[0] >= 0
        store = bench.open(layout, compression=packed)
        assert (store.troubles, store.check()) == ([], [])
        step += 1
    plain = {n: gzip.decompress(d) if packed else d for n, d in bench.everything().items()}
    assert all(f"step {n}".encode() in b"".join(plain.values()) for n in range(step))
    assert step > 5
    assert not list(bench.folder.rglob("*.part"))
