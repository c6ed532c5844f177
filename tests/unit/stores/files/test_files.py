"""What the files of a store look like, and what it does with files that are not as they were."""

import gzip
import json
from dataclasses import replace
from datetime import timedelta

import pytest

from unabridged.domain.message import Image, Reasoning, Role, Text, ToolCall, ToolResult
from unabridged.domain.record import Record, RecordKind
from unabridged.errors import (
    NotFoundError,
    StoreDamagedError,
    StoreEditedError,
    StoreError,
    StoreFormatError,
)
from unabridged.stores.files import log as logs
from unabridged.testing.talk import START, Talk

LAYOUTS = ["model", "agent", "user"]


def load(path):
    return json.loads(path.read_text(encoding="utf-8"))


def context(exchange, complexity=0.25, window=8192):
    ledger = {"complexity": complexity, "window": window}
    body = {"manifest": {"ledger": ledger}, "usage": None}
    return Record(RecordKind.CONTEXT, exchange, START, body)


def test_the_model_layout_is_format_3_of_the_seed(bench):
    store = bench.open()
    old, new = Talk(store, "s1"), Talk(store, "s2")
    old.say("an older one", "yes")
    new.header = replace(new.header, title="Given")
    begun = new.begin("Hello", records=(context("s2-x00001"),), tokens=5)
    new.answer(begun, "Hi there!")
    new._count = 400
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
    begun = Talk(store, "s1").say("What now?", "Wait.")
    Talk(store, "s2").say("two", "zwei")
    file = load(bench.folder / "tests_s1_conversation.json")
    turn = {"user_input": "What now?", "agent_response": "Wait.", "timestamp": begun.at.isoformat()}
    assert file["history"] == [turn]
    assert file["metadata"]["agent"] == "tests"
    assert (bench.folder / "tests_s2_conversation.json").exists()


def test_the_user_layout_has_the_sessions_of_a_user(bench):
    store = bench.open("user")
    talk = Talk(store, "s1")
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
    talk = Talk(bench.open(layout))
    talk.say("a question like no other", "an answer like no other")
    readable = b"".join(d for n, d in bench.everything().items() if n.endswith(".json"))
    assert readable.count(b"a question like no other") == 1
    assert readable.count(b"an answer like no other") == 1


@pytest.mark.parametrize("layout", LAYOUTS)
def test_what_the_seeds_fields_cannot_hold_comes_back(bench, layout):
    store = bench.open(layout)
    talk = Talk(store)
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
    assert bench.again(store).scan() == before
    assert before[0].messages[1] == call


@pytest.mark.parametrize("layout", LAYOUTS)
def test_the_companion_alone_tells_what_was_said(bench, layout):
    store = bench.open(layout)
    talk, other = Talk(store), Talk(store, "s2")
    old = talk.say("one", "1")
    talk.regenerate(old, "eins")
    gone = other.say("gone", "gone")
    other.say("stays", "stays")
    store.forget([gone.id])
    talk.header = replace(store.session("s1"), title="By hand")
    store.amend(talk.header, talk.header.head)
    [path] = bench.folder.rglob("*.jsonl")
    told = logs.replay(logs.lines(path, 0, path.stat().st_size))
    engine = store._current()
    assert told.sessions == engine.content.sessions
    assert told.entries == engine.content.entries


@pytest.mark.parametrize("layout", LAYOUTS)
def test_archived_sessions_move_into_a_packed_companion_and_back(bench, layout):
    store = bench.open(layout)
    talk, other = Talk(store, "s1"), Talk(store, "s2")
    said = talk.say("an old story", "told long ago")
    other.say("new", "news")
    header = store.session("s1")
    store.amend(replace(header, archived=START), header.head)
    readable = b"".join(d for n, d in bench.everything().items() if n.endswith("n.json"))
    assert b"an old story" not in readable
    [packed] = bench.folder.rglob("*.archive-1.json.gz")
    assert b"an old story" in gzip.decompress(packed.read_bytes())
    store = bench.again(store)
    assert store.recent("s1", 5) == [said]
    assert store.session("s1").archived == START
    if layout == "model":
        summaries = load(bench.folder / "qwen2-5-7b.json")["summarized_conversations"]
        assert [one["summary"] for one in summaries] == ["an old story"]
    store.amend(replace(header, archived=None), header.head)
    assert not list(bench.folder.rglob("*.archive-*"))
    assert bench.again(store).recent("s1", 5) == [said]


@pytest.mark.parametrize("layout", LAYOUTS)
def test_forgetting_leaves_no_byte_in_any_file(bench, layout):
    store = bench.open(layout)
    talk, other = Talk(store, "s1"), Talk(store, "s2")
    gone = [talk.say("SECRET-one", "SECRET-two"), other.say("SECRET-three", "ok")]
    talk.say("stays", "here")
    said = other.say("archived SECRET-four", "x")
    store.put([Record(RecordKind.FACT, "f", START, {"says": "SECRET-five"}, (gone[0].id,))])
    header = store.session("s2")
    store.amend(replace(header, archived=START), header.head)
    store.forget([*(exchange.id for exchange in gone), said.id])
    for name, data in bench.everything().items():
        plain = gzip.decompress(data) if name.endswith(".gz") else data
        assert b"SECRET" not in plain, name
    assert [x.user.text for x in store.scan()] == ["stays"]


@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_dropped_record_leaves_no_byte(bench, layout):
    store = bench.open(layout)
    store.put([Record(RecordKind.FACT, name, START, {"says": f"SECRET {name}"}) for name in "ab"])
    store.drop(RecordKind.FACT, ["a"])
    data = b"".join(bench.everything().values())
    assert b"SECRET a" not in data
    assert b"SECRET b" in data


@pytest.mark.parametrize("layout", LAYOUTS)
def test_compression_is_a_setting_and_either_form_is_read(bench, layout):
    store = bench.open(layout)
    talk = Talk(store)
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
    Talk(store).say("one", "1")
    path = bench.folder / "qwen2-5-7b.json"
    before = path.stat().st_ino, path.stat().st_mtime_ns
    header = store.session("s1")
    store.amend(header, header.head)
    store.put([])
    store.drop(RecordKind.FACT, ["nothing"])
    assert store.forget(["nothing"]) == 0
    assert store.admit(header, store.scan()) == 0
    assert (path.stat().st_ino, path.stat().st_mtime_ns) == before


def test_the_companion_is_written_anew_when_half_of_it_is_dead(bench, monkeypatch):
    monkeypatch.setattr(logs, "LEAST_DEAD", 1000)
    store = bench.open()
    for number in range(40):
        body = {"says": f"{number} " * 40}
        store.put([Record(RecordKind.PROGRESS, "p", START + timedelta(number), body)])
    [path] = bench.folder.glob("*.jsonl")
    assert path.name != "qwen2-5-7b.log-1.jsonl"
    assert path.stat().st_size < 3000
    assert bench.again(store).records(RecordKind.PROGRESS)[0].body == body


# --- files that are not as they were written -----------------------------------------------------


def test_a_damaged_file_is_an_error_and_never_an_empty_memory(bench):
    """The seed's corruption test, in our terms."""
    store = bench.open()
    Talk(store).say("one", "1")
    path = bench.folder / "qwen2-5-7b.json"
    path.write_text("invalid json content {")
    for read in (store.sessions, store.scan, lambda: store.recent("s1", 1)):
        with pytest.raises(StoreDamagedError, match="line 1, column 1"):
            read()
    with pytest.raises(StoreDamagedError) as caught:
        bench.again(store)
    assert "adopt --undo" in caught.value.hint
    assert path.read_text() == "invalid json content {"


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("share", [0.0, 0.3, 0.7, 0.99])
def test_a_file_that_is_cut_off_is_damaged(bench, layout, share):
    store = bench.open(layout)
    Talk(store).say("one", "1")
    path = next(p for p in bench.folder.rglob("*.json") if b"one" in p.read_bytes())
    data = path.read_bytes()
    path.write_bytes(data[: int(len(data) * share)])
    with pytest.raises(StoreDamagedError):
        store.scan()


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b"the bike", b"the boat"),
        (b'"mode": "chat"', b'"mode": "tools"'),
        (b'"s1-x00001"', b'"s1-x00009"'),
        (b'"write": ', b'"write": 1'),
        (b'"title": "Told"', b'"title": "Sold"'),
    ],
)
def test_an_edit_is_noticed_wherever_it_is(bench, layout, old, new):
    store = bench.open(layout)
    talk = Talk(store)
    talk.header = replace(talk.header, title="Told")
    talk.say("the bike", "is red")
    found = False
    for path in bench.folder.rglob("*.json"):
        data = path.read_bytes()
        if old in data:
            found = True
            path.write_bytes(data.replace(old, new, 1))
            with pytest.raises(StoreEditedError, match=r"by hand|laid out") as caught:
                store.scan()
            assert f"unabridged adopt {path}" in caught.value.hint
            path.write_bytes(data)
            assert len(store.scan()) == 1
    assert found or old == b'"mode": "chat"'


@pytest.mark.parametrize("layout", LAYOUTS)
def test_blanks_and_line_breaks_may_be_changed(bench, layout):
    store = bench.open(layout)
    Talk(store).say("one", "1")
    for path in bench.folder.rglob("*.json"):
        path.write_text(json.dumps(load(path), ensure_ascii=False, separators=(",", ":")))
    said = store.scan()
    assert [x.user.text for x in said] == ["one"]
    Talk(store, "s2").say("two", "2")
    assert len(bench.again(store).scan()) == 2


def test_a_companion_that_is_missing_cut_or_flipped_is_damage(bench):
    store = bench.open()
    Talk(store).say("one", "1")
    [path] = bench.folder.glob("*.jsonl")
    data = path.read_bytes()
    for wrong in (data[:-10], data[:50] + b"X" + data[51:], b""):
        path.write_bytes(wrong)
        with pytest.raises(StoreDamagedError):
            bench.again(store)
    path.unlink()
    with pytest.raises(StoreDamagedError, match="missing"):
        bench.again(store)
    path.write_bytes(data)
    assert len(bench.open().scan()) == 1


def test_what_stands_behind_the_committed_part_of_the_companion_does_not_count(bench):
    store = bench.open()
    talk = Talk(store)
    talk.say("one", "1")
    [path] = bench.folder.glob("*.jsonl")
    with path.open("ab") as stream:
        stream.write(b'{"digest":"half a li')
    store = bench.again(store)
    talk.store = store
    talk.say("two", "2")
    assert len(bench.again(store).scan()) == 2


def test_a_main_file_that_is_gone_is_not_begun_anew(bench):
    store = bench.open()
    Talk(store).say("one", "1")
    (bench.folder / "qwen2-5-7b.json").unlink()
    with pytest.raises(StoreDamagedError, match="missing"):
        bench.again(store)


def test_a_session_file_that_is_gone_is_missed(bench):
    store = bench.open("agent")
    Talk(store).say("one", "1")
    (bench.folder / "tests_s1_conversation.json").unlink()
    with pytest.raises(StoreDamagedError, match=r"tests_s1_conversation\.json is missing"):
        store.scan()


def test_an_archive_that_was_changed_is_damage(bench):
    store = bench.open()
    Talk(store).say("one", "1")
    header = store.session("s1")
    store.amend(replace(header, archived=START), header.head)
    [path] = bench.folder.glob("*.archive-*")
    path.write_bytes(gzip.compress(gzip.decompress(path.read_bytes()).replace(b"one", b"two")))
    with pytest.raises(StoreDamagedError):
        bench.again(store)


def test_a_file_of_a_newer_version_is_refused(bench):
    store = bench.open()
    path = bench.folder / "qwen2-5-7b.json"
    path.write_bytes(path.read_bytes().replace(b'"format": 1', b'"format": 99'))
    with pytest.raises(StoreFormatError, match="99"):
        bench.again(store)


def test_a_file_without_our_part_is_not_overwritten(bench):
    bench.folder.mkdir()
    seed = {"metadata": {"version": "3.0", "model": "qwen2.5:7b"}, "current_conversation": []}
    seed |= {"recent_conversations": [], "summarized_conversations": []}
    path = bench.folder / "qwen2-5-7b.json"
    path.write_text(json.dumps(seed))
    with pytest.raises(StoreEditedError, match="not written by unabridged"):
        bench.open()
    assert load(path) == seed


def test_a_store_that_is_not_there_is_not_made_where_none_was_to_be(bench):
    with pytest.raises(NotFoundError):
        bench.open(create=False)
    assert not bench.folder.exists()


def test_a_file_of_another_space_is_refused(bench):
    store = bench.open()
    with pytest.raises(StoreError, match="holds the space"):
        type(store)(store.place, replace(store.space, user="bob"))


def test_another_writer_is_seen_at_once(bench):
    one, two = bench.open(), bench.open()
    first = Talk(one).say("one", "1")
    assert two.scan() == [first]
    talk = Talk(two, "s2")
    second = talk.say("two", "2")
    assert one.scan() == [first, second]
    one.put([Record(RecordKind.FACT, "f", START, {})])
    assert [r.id for r in two.records(RecordKind.FACT)] == ["f"]
