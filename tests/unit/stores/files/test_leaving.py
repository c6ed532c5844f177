"""What a memory leaves behind when it is closed: what was said, and nothing else."""

import pytest

from unabridged.domain.record import Record, RecordKind
from unabridged.domain.scope import Space
from unabridged.errors import StoreDamagedError, StoreError
from unabridged.testing.talk import START, Talk

LAYOUTS = ["model", "agent", "user"]


def kept(bench):
    return [name for name in bench.everything() if not name.endswith(".lock")]


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("auto_save", [True, False])
def test_a_space_in_which_nothing_was_said_is_gone_when_it_is_closed(bench, layout, auto_save):
    store = bench.open(layout, auto_save=auto_save)
    assert len(kept(bench)) == 1
    assert store.sessions() == []
    store.close()
    assert kept(bench) == []
    store.close()
    again = bench.open(layout)
    Talk(again).say("one", "1")
    again.close()
    there = bench.everything()
    bench.open(layout).close()
    assert bench.everything() == there


@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_session_in_which_nothing_was_said_has_no_file(bench, layout):
    store = bench.open(layout)
    Talk(store, "talked").say("one", "1")
    before = kept(bench)
    store.session("silent")
    store.close()
    assert kept(bench) == before


def test_what_holds_a_record_or_a_session_is_never_removed(bench):
    store = bench.open()
    store.put([Record(RecordKind.FACT, "f", START, {})])
    store.drop(RecordKind.FACT, ["f"])
    there = kept(bench)
    store.close()
    assert kept(bench) == there


def test_who_has_it_open_goes_on_when_the_one_that_made_it_leaves(bench):
    maker = bench.open()
    other, idle = bench.open(), bench.open(auto_save=False)
    held = Talk(idle, "s2").say("held", "back")
    maker.close()
    assert kept(bench) == []
    assert other.scan() == []
    said = Talk(other).say("one", "1")
    idle.save()
    for store in (other, idle):
        store.close()
    assert bench.open().scan() == [said, held]


def test_what_another_said_meanwhile_stays_though_its_maker_said_nothing(bench):
    maker = bench.open()
    said = Talk(bench.open()).say("one", "1")
    maker.close()
    assert bench.open().scan() == [said]


def test_a_file_that_held_something_and_is_gone_is_damage_and_never_begun_anew(bench):
    store = bench.open()
    Talk(store).say("one", "1")
    for path in bench.folder.glob("*.json"):
        path.unlink()
    with pytest.raises(StoreDamagedError):
        store.scan()


def test_a_name_that_another_space_took_meanwhile_is_not_taken_back(bench):
    folder = bench.spaces("model")
    first = folder.open(Space("ada", "tests", "a:b"))
    beside = folder.open(Space("ada", "tests", "a:b"))
    first.close()
    other = folder.open(Space("ada", "tests", "a.b"))
    said = Talk(other).say("one", "1")
    with pytest.raises(StoreError, match="holds the space"):
        beside.scan()
    beside.close()
    assert other.scan() == [said]
    other.close()
    third = folder.open(Space("ada", "tests", "a:b"))
    assert third.scan() == []
    third.close()
