"""The spaces of a home with readable files: listed, renamed, merged, set aside and wiped."""

import json

import pytest
from tests.helpers.spaces import merge

from unabridged.domain.record import Record, RecordKind
from unabridged.domain.scope import SpaceId
from unabridged.errors import NameRefusedError, NotFoundError, StoreEditedError
from unabridged.testing.log_writer import START, LogWriter

LAYOUTS = ["model", "agent", "user"]
ANN, BOB = SpaceId("ann", "helper", "qwen2.5:7b"), SpaceId("bob", "writer", "qwen2.5:3b")


@pytest.fixture(params=LAYOUTS)
def spaces(bench, request):
    return bench.spaces(request.param)


def fill(spaces, space, *texts):
    store = spaces.open(space)
    talks = [LogWriter(store, name) for name in ("s1", "s2")]
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


def test_spaces_whose_names_meet_are_kept_apart(bench):
    spaces = bench.spaces("model")
    one, two = (SpaceId("ann", "a", model) for model in ("m:1", "m.1"))
    fill(spaces, one, "eins")
    fill(spaces, two, "zwei")
    assert sorted(path.name[:4] for path in bench.folder.glob("*.json")) == ["m-1-", "m-1."]
    assert {x.user.text for x in held(spaces, one)} == {"eins"}
    assert {x.user.text for x in held(spaces, two)} == {"zwei"}


def test_users_who_share_an_agent_are_kept_apart(bench):
    spaces = bench.spaces("agent")
    one, two = SpaceId("ann", "helper"), SpaceId("bob", "helper")
    fill(spaces, one, "of ann")
    fill(spaces, two, "of bob")
    assert {x.user.text for x in held(spaces, one)} == {"of ann"}
    assert {info.space for info in spaces.list()} == {one, two}


def test_a_space_is_renamed_whole(spaces, bench):
    said = fill(spaces, ANN, "one", "two")
    new = SpaceId("ann", "other", "llama3.1:8b")
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


def test_an_edited_file_keeps_its_space_from_being_renamed(spaces, bench):
    fill(spaces, ANN, "one")
    path = next(p for p in bench.folder.rglob("[!.]*.json") if b"one" in p.read_bytes())
    path.write_bytes(path.read_bytes().replace(b"one", b"eins"))
    with pytest.raises(StoreEditedError):
        spaces.rename(ANN, BOB)
    assert [info.space for info in spaces.list()] == [ANN]


def test_merging_adds_what_is_missing_and_nothing_twice(spaces):
    said = fill(spaces, ANN, "one")
    fill(spaces, BOB)
    assert merge(spaces, ANN, BOB) == 2
    assert merge(spaces, ANN, BOB) == 0
    assert held(spaces, BOB) == sorted(said, key=lambda x: x.id)
    store = spaces.open(BOB)
    assert {r.id for r in store.records(RecordKind.FACT)} == {"f-ann", "f-bob"}
    store.close()


def test_files_are_set_aside_with_their_space(spaces, bench):
    fill(spaces, ANN, "one")
    spaces.path_of(ANN).write_bytes(b"{")
    assert spaces.quarantine(ANN).name.endswith(".damaged-1")
    assert all(name.endswith(".damaged-1") for name in bench.everything())
    assert b"one" in b"".join(bench.everything().values())
    assert spaces.list() == []
    fill(spaces, ANN, "new")
    assert {x.user.text for x in held(spaces, ANN)} == {"new"}


def test_a_space_that_is_wiped_leaves_no_byte(spaces, bench, tmp_path):
    fill(spaces, ANN, "SECRET")
    path = next(p for p in bench.folder.rglob("[!.]*.json") if b"SECRET" in p.read_bytes())
    path.write_bytes(path.read_bytes()[:-5])  # it is set aside by the next opening
    spaces.open(ANN).close()
    fill(spaces, BOB, "stays")
    assert spaces.wipe(ANN, tmp_path / "receipt.json", {"id": "r"}) > 0
    assert b"SECRET" not in b"".join(bench.everything().values())
    assert [info.space for info in spaces.list()] == [BOB]
    assert json.loads((tmp_path / "receipt.json").read_text()) == {"id": "r"}


def test_a_file_of_ones_own_choice_shows_the_space(bench, tmp_path):
    custom = tmp_path / "mine" / "my memory.json"
    spaces = bench.spaces("model", custom=custom)
    fill(spaces, ANN, "one")
    assert b"one" in custom.read_bytes()
    assert not bench.folder.exists()
    with pytest.raises(NameRefusedError):
        spaces.rename(ANN, BOB)


def test_two_spaces_that_are_new_at_once_do_not_meet(bench):
    """Both chose the same name, since none had a file yet."""
    spaces = bench.spaces("model")
    stores = [spaces.open(SpaceId("ann", "a", model)) for model in ("m:1", "m.1")]
    for store in stores:
        LogWriter(store).say(f"of {store.space.model}", "yes")
    assert [store.troubles for store in stores] == [[], []]
    assert len(bench.everything()) == 2
    for store in stores:
        store.close()


def test_files_are_rendered_from_another_log(spaces, bench):
    """As restoring a backup does: what the log does not hold leaves the files."""
    fill(spaces, ANN, "one")
    kept = spaces.path_of(ANN).read_bytes()
    store = spaces.open(ANN)
    LogWriter(store, "s3").say("two", "2")
    store.close()
    for path in bench.databases.glob("*"):
        path.unlink() if path.is_file() else None
    spaces.path_of(ANN).write_bytes(kept)
    spaces.render(ANN)
    data = b"".join(bench.everything().values())
    assert b"one" in data
    assert b"two" not in data
