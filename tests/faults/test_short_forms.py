"""The fault programs in their short form, and proof that each of them can fail.

The long form is `make faults`; its figures are in docs/reliability.md.
"""

import os
from random import Random
from shutil import rmtree

import pytest
from tests.faults import clocks, crash, crowd, disks, kills, power, run
from tests.faults.bench import quick_folder
from tests.faults.shadow import Entry, Shadow, Sync, SyncFolder, Write
from tests.opened import connection_of

STORES = ("sqlite", pytest.param("files", marks=pytest.mark.long))

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs POSIX processes")


@pytest.mark.slow
@pytest.mark.parametrize("store", STORES)
def test_a_power_cut_at_any_operation_leaves_what_was_acknowledged(store):
    tallies = crash.run(160, 1, store)
    for name, tally in tallies.items():
        assert tally.points
        assert not tally.failed, (name, tally.wrong)
    assert sum(tally.points for tally in tallies.values()) == 160


def on_a_disk_that(store, names, points, spoil):
    """Cut the power of a disk whose events are spoilt; gives what was found wrong."""
    folder, wrong = quick_folder("spoilt"), 0
    for flow in (flow for flow in crash.PATHS if flow.name in names):
        trace = crash.traced(flow, folder / flow.name, store)
        trace.events = [event for event in trace.events if not spoil(event)]
        tally = crash.crash(trace, points, Random(3), folder / "left")
        wrong += tally.corrupt + tally.lost + tally.half
    rmtree(folder)
    return wrong


@pytest.mark.long
@pytest.mark.parametrize("store", STORES)
def test_a_disk_that_does_not_sync_is_found_out(store):
    assert on_a_disk_that(store, ["talk"], 150, lambda event: isinstance(event, Sync))


@pytest.mark.parametrize("store", STORES)
def test_a_folder_that_is_not_synced_is_found_out(store):
    spoil = lambda event: isinstance(event, SyncFolder)  # noqa: E731 - one line, used once
    assert on_a_disk_that(store, ["begin anew"], 60, spoil)


@pytest.mark.slow
@pytest.mark.parametrize("store", STORES)
def test_a_failing_disk_is_told_and_survived(store):
    tally, operations = disks.run(45, 2, store)
    assert tally.struck == tally.runs == 45
    assert operations > 500
    assert not tally.failed, tally.wrong


def test_an_error_that_is_none_of_the_tree_is_found_out():
    def careless(bench):
        (bench.home / "notes.txt").write_text("written with no care")

    tally, way = disks.Tally(), quick_folder("careless")
    flow = disks.Workflow("careless", careless)
    course = disks.course(flow, way / "careless", "sqlite")
    disks.trial(course, disks.Hits(disks.FAULTS[0], 1), way / "trial", tally)
    rmtree(way)
    assert (tally.raw, tally.struck) == (1, 1)


@pytest.mark.slow
@pytest.mark.parametrize("store", STORES)
def test_a_kill_at_any_moment_loses_nothing(store):
    tally = kills.run(18, 4, store)
    assert tally.acknowledged > 10
    assert not tally.failed, tally.wrong


@pytest.mark.slow
@pytest.mark.parametrize("store", STORES)
def test_a_real_file_system_keeps_what_was_acknowledged(store):
    if reason := power.may_not_mount():
        pytest.skip(reason)
    tally = power.run(4, 5, store)
    assert tally.acknowledged > 10
    assert not tally.failed, tally.wrong


@pytest.mark.slow
@pytest.mark.parametrize("store", STORES)
def test_a_crowd_waits_and_loses_nothing(store):
    tally = crowd.run(32, store, sizes=(1, 8))
    assert tally.written == 2 * 32 * 2
    assert not tally.failed, tally.wrong


@pytest.mark.slow
@pytest.mark.parametrize("store", STORES)
def test_a_clock_that_jumps_changes_no_order(store):
    tally = clocks.run(3, 6, store)
    assert tally.jumps > 20
    assert not tally.failed, tally.wrong


class TestTheShadow:
    """What the model of the disk allows, and what it does not."""

    @staticmethod
    def left(shadow, tmp_path, times=40):
        found = set()
        for seed in range(times):
            place = tmp_path / str(seed)
            place.mkdir(parents=True)
            shadow.leave(place, Random(seed))
            found.add(tuple(sorted((p.name, p.read_bytes()) for p in place.iterdir())))
        return found

    def test_what_was_synced_stays(self, tmp_path):
        shadow = Shadow({"a": (1, b"old")}, set())
        shadow.apply(Write(1, 0, b"new"))
        assert self.left(shadow, tmp_path / "x") == {(("a", b"old"),), (("a", b"new"),)}
        shadow.apply(Sync(1))
        assert self.left(shadow, tmp_path / "y") == {(("a", b"new"),)}

    def test_a_write_can_be_torn_between_sectors_only(self, tmp_path):
        shadow = Shadow({"a": (1, bytes(1024))}, set())
        shadow.apply(Write(1, 0, b"x" * 1024))
        sectors = {data for ((_, data),) in self.left(shadow, tmp_path, 80)}
        whole, none = b"x" * 512, bytes(512)
        assert sectors == {a + b for a in (whole, none) for b in (whole, none)}

    def test_a_name_is_durable_with_its_folder(self, tmp_path):
        shadow = Shadow({}, set())
        shadow.apply(Entry(("",), made="a", inode=1))
        shadow.apply(Write(1, 0, b"x"))
        shadow.apply(Sync(1))
        assert self.left(shadow, tmp_path / "x") == {(), (("a", b"x"),)}
        shadow.apply(SyncFolder(""))
        assert self.left(shadow, tmp_path / "y") == {(("a", b"x"),)}

    def test_a_rename_happens_whole_or_not_at_all(self, tmp_path):
        shadow = Shadow({"a": (1, b"old"), "b": (2, b"new")}, set())
        shadow.apply(Entry(("",), made="a", inode=2, gone="b", moves=True))
        assert self.left(shadow, tmp_path) == {
            (("a", b"old"), ("b", b"new")),
            (("a", b"new"),),
        }


def test_every_program_is_described_with_its_figures():
    described = run.DOCS.read_text()
    head, _, figures = described.partition(run.BEGIN)
    for program in run.programs():
        assert f"`{program.module}`" in head
        assert f"| `{program.key}` |" in figures
    assert "FAILED" not in figures


@pytest.mark.long
def test_a_program_that_does_not_sync_loses_on_a_real_file_system(monkeypatch):
    if reason := power.may_not_mount():
        pytest.skip(reason)

    def careless(bench, name, told):
        opened = bench.store

        def unsynced():
            store = opened()
            connection_of(store).pragma("synchronous", "off")
            return store

        bench.store = unsynced  # in the child only
        kills.store(bench, name, told)

    for kind in ("store", "library"):
        monkeypatch.setitem(kills.KINDS, kind, (careless, 1))
    tally = power.run(3, 5, "sqlite")
    assert tally.acknowledged
    assert tally.failed
