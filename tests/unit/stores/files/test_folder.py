"""The spaces of a home in files: listed, renamed, merged, set aside and wiped."""

import json
from dataclasses import replace

import pytest
from tests.opened import count_from

from unabridged.disk import durable
from unabridged.domain.record import Record, RecordKind
from unabridged.domain.scope import Space
from unabridged.errors import NameRefusedError, NotFoundError, StoreDamagedError, StoreError
from unabridged.testing.talk import START, Talk

LAYOUTS = ["model", "agent", "user"]
ANN, BOB = Space("ann", "helper", "qwen2.5:7b"), Space("bob", "writer", "qwen2.5:3b")


@pytest.fixture(params=LAYOUTS)
def spaces(bench, request):
    return bench.spaces(request.param)


def fill(spaces, space, *texts):
    store = spaces.open(space)
    talks = [Talk(store, name) for name in ("s1", "s2")]
    said = [talk.say(text, f"{text}!") for talk in talks for text in texts]
    store.put([Record(RecordKind.FACT, f"f-{space.user}", START, {"says": texts})])
    store.close()
    return said


def held(spaces, space):
    store = spaces.open(space, create=False)
    try:
        return store.scan()
    finally:
        store.close()


def test_spaces_are_listed_with_their_sizes(spaces):
    fill(spaces, ANN, "one", "two")
    fill(spaces, BOB, "three")
    assert {(i.space, i.sessions, i.exchanges, i.damaged) for i in spaces.list()} == {
        (ANN, 2, 4, ""),
        (BOB, 2, 2, ""),
    }
    assert all(info.bytes > 1000 and info.path.exists() for info in spaces.list())


def test_a_damaged_space_hides_no_other(spaces):
    fill(spaces, ANN, "one")
    fill(spaces, BOB, "two")
    spaces.path_of(ANN).write_bytes(b"{")
    found = {info.path: info for info in spaces.list()}
    assert found[spaces.path_of(ANN)].damaged
    assert found[spaces.path_of(BOB)].space == BOB
    assert len(held(spaces, BOB)) == 2
    with pytest.raises(StoreDamagedError):
        spaces.open(ANN)


def test_spaces_whose_names_meet_are_kept_apart(bench):
    spaces = bench.spaces("model")
    one, two = (Space("ann", "a", model) for model in ("m:1", "m.1"))
    fill(spaces, one, "eins")
    fill(spaces, two, "zwei")
    assert spaces.path_of(one) != spaces.path_of(two)
    assert {x.user.text for x in held(spaces, one)} == {"eins"}
    assert {x.user.text for x in held(spaces, two)} == {"zwei"}


def test_users_who_share_an_agent_are_kept_apart(bench):
    spaces = bench.spaces("agent")
    one, two = Space("ann", "helper"), Space("bob", "helper")
    fill(spaces, one, "of ann")
    fill(spaces, two, "of bob")
    assert {x.user.text for x in held(spaces, one)} == {"of ann"}
    assert {info.space for info in spaces.list()} == {one, two}


def test_a_space_is_renamed_whole(spaces, bench):
    said = fill(spaces, ANN, "one", "two")
    new = Space("ann", "other", "llama3.1:8b")
    spaces.rename(ANN, new)
    assert [info.space for info in spaces.list()] == [new]
    assert held(spaces, new) == sorted(said, key=lambda x: x.id)
    with pytest.raises(NotFoundError):
        spaces.rename(ANN, BOB)
    assert not any("qwen2-5-7b" in name for name in bench.everything() if not name.endswith("lock"))


def test_a_name_that_is_taken_is_refused(spaces):
    fill(spaces, ANN, "one")
    fill(spaces, BOB, "two")
    with pytest.raises(NameRefusedError):
        spaces.rename(ANN, BOB)
    assert len(held(spaces, ANN)) == len(held(spaces, BOB)) == 2


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

    for name in ("write", "replace", "unlink", "fsync", "ftruncate"):
        monkeypatch.setattr(durable.os, name, stopping(getattr(durable.os, name)))
    return left


@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_crash_while_renaming_leaves_the_space_under_one_name(bench, layout, monkeypatch):
    spaces = bench.spaces(layout)
    new = Space("ann", "other", "llama3.1:8b")
    said = sorted(fill(spaces, ANN, "one"), key=lambda x: x.id)
    step, names = 0, (ANN, new)
    while True:
        with monkeypatch.context() as m:
            left = at_step(m, step)
            try:
                spaces.rename(*names)
            except Crash:
                done = False
            else:
                done = left[0] >= 0
        found = [info.space for info in spaces.list()]
        assert len(found) == 1, (step, found)
        assert held(spaces, found[0]) == said
        if done:
            break
        if found[0] == names[1]:
            names = names[::-1]
        step += 1
    assert step > 10


def append(store, header):
    talk = Talk(store)
    talk.header, talk.parent = header, store.recent("s1", 1)[0].id
    count_from(talk, 50)
    talk.begin("new", records=(Record(RecordKind.FACT, "n", START, {}),))


def admit(store, _):
    other = Talk(None, "s9")
    said = other.say("from", "elsewhere")
    store.admit(other.header, [said])


VERBS = {
    "append": append,
    "amend": lambda store, header: store.amend(replace(header, title="New"), header.head),
    "put": lambda store, _: store.put([Record(RecordKind.FACT, "n", START, {"says": "new"})]),
    "admit": admit,
    "archive": lambda store, header: store.amend(replace(header, archived=START), header.head),
    "forget": lambda store, _: store.forget(x.id for x in store.scan() if x.user.text == "one"),
}


def state(store):
    facts = store.records(RecordKind.FACT)
    return (store.scan(), store.sessions(), [(r.id, r.body) for r in facts])


def crashed(spaces, verb, monkeypatch, step):
    """Let a verb run until the n-th change on the disk; tell whether it came to its end."""
    with monkeypatch.context() as m:
        left = at_step(m, step)
        store = spaces.open(ANN)
        try:
            verb(store, store.session("s1"))
        except Crash:
            return False
        finally:
            store.close()
        return left[0] >= 0


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("verb", VERBS.values(), ids=VERBS)
def test_a_crash_while_writing_leaves_the_old_or_the_new(bench, layout, verb, monkeypatch):
    spaces = bench.spaces(layout)
    fill(spaces, ANN, "one", "two")
    original = bench.everything()
    store = spaces.open(ANN)
    before = state(store)
    verb(store, store.session("s1"))
    after = state(store)
    store.close()
    assert before != after
    step, seen, done = 0, set(), False
    while not done:
        restore(bench, original)
        done = crashed(spaces, verb, monkeypatch, step)
        store = spaces.open(ANN)
        now = state(store)
        assert now in (before, after), step
        seen.add(now == after)
        assert store.check() == []
        Talk(store, "later").say("goes", "on")
        store.close()
        step += 1
    assert seen == {True, False}


def restore(bench, original):
    for name in bench.everything():
        if name not in original:
            (bench.folder / name).unlink()
    for name, data in original.items():
        (bench.folder / name).write_bytes(data)


@pytest.mark.parametrize("fault", ["write", "fsync", "replace"])
@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_disk_that_fails_leaves_what_was_and_reading_goes_on(bench, layout, fault, monkeypatch):
    spaces = bench.spaces(layout)
    fill(spaces, ANN, "one")
    store = spaces.open(ANN)
    before = (store.scan(), store.sessions())
    for code in (28, 5, 30):
        with monkeypatch.context() as m:
            m.setattr(
                durable.os, fault, lambda *_, code=code: (_ for _ in ()).throw(OSError(code, "x"))
            )
            with pytest.raises(StoreError):
                Talk(store, "s3").begin("new")
            assert (store.scan(), store.sessions()) == before
    assert (store.scan(), store.sessions()) == before
    Talk(store, "s3").say("new", "news")
    assert len(store.scan()) == 3
    store.close()


def test_merging_adds_what_is_missing_and_nothing_twice(spaces):
    said = fill(spaces, ANN, "one")
    fill(spaces, BOB)
    assert spaces.merge(ANN, BOB) == 2
    assert spaces.merge(ANN, BOB) == 0
    assert held(spaces, BOB) == sorted(said, key=lambda x: x.id)
    store = spaces.open(BOB)
    assert {r.id for r in store.records(RecordKind.FACT)} == {"f-ann", "f-bob"}
    store.close()


def test_a_damaged_space_is_set_aside_and_another_begun(spaces, bench):
    fill(spaces, ANN, "one")
    spaces.path_of(ANN).write_bytes(b"{")
    aside = spaces.set_aside(ANN)
    assert aside.read_bytes() == b"{"
    assert aside.name.endswith(".damaged-1")
    assert spaces.list() == []
    fill(spaces, ANN, "new")
    assert {x.user.text for x in held(spaces, ANN)} == {"new"}
    assert spaces.set_aside(ANN).name.endswith(".damaged-2")
    with pytest.raises(NotFoundError):
        spaces.set_aside(BOB)


def test_a_space_that_is_wiped_leaves_no_byte(spaces, bench, tmp_path):
    fill(spaces, ANN, "SECRET")
    spaces.path_of(ANN).write_bytes(spaces.path_of(ANN).read_bytes()[:-5])
    spaces.set_aside(ANN)
    fill(spaces, ANN, "SECRET")
    fill(spaces, BOB, "stays")
    assert spaces.wipe(ANN, tmp_path / "receipt.json", {"id": "r"}) > 0
    assert b"SECRET" not in b"".join(bench.everything().values())
    assert [info.space for info in spaces.list()] == [BOB]
    assert json.loads((tmp_path / "receipt.json").read_text()) == {"id": "r"}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_file_of_ones_own_choice_holds_the_space(bench, tmp_path, layout):
    custom = tmp_path / "mine" / "my memory.json"
    spaces = bench.spaces(layout, custom=custom)
    said = fill(spaces, ANN, "one")
    assert spaces.path_of(ANN) == custom
    assert held(spaces, ANN) == sorted(said, key=lambda x: x.id)
    assert [info.space for info in spaces.list()] == [ANN]
    assert not bench.folder.exists()
    with pytest.raises(StoreError, match="holds the space"):
        spaces.open(BOB)
    with pytest.raises(NameRefusedError):
        spaces.rename(ANN, BOB)
