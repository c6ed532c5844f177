"""The program that kills migrations in its short form, and proof that it can fail."""

import os

import msgspec
import pytest
from tests.faults import migrating

from unabridged.home.migration_journal import MigrationJournal
from unabridged.migration import old_folder_archive

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs POSIX processes")


@pytest.mark.slow
@pytest.mark.parametrize("store", ["sqlite", "files"])
def test_old_or_new_works_wherever_it_is_killed(store):
    tally = migrating.run(12, store)
    assert tally.kills >= 11
    assert not tally.failed, tally.wrong


@pytest.mark.long
def test_spaces_that_are_switched_to_one_by_one_are_found_out(monkeypatch):
    def careless(shelf, moves):
        shelf.move(moves.pairs)
        shelf.save(msgspec.structs.replace(shelf.load(moves.id), phase=moves.phase))

    monkeypatch.setattr(MigrationJournal, "decide", careless)
    tally = migrating.Tally()
    kill_at_the_end(tally)
    assert tally.neither


@pytest.mark.long
def test_a_folder_that_is_written_to_is_found_out(monkeypatch):
    real = old_folder_archive.make

    def careless(wanted, target):
        (wanted.folder / "memory.json").write_text("{}")
        return real(wanted, target)

    monkeypatch.setattr(old_folder_archive, "make", careless)
    tally = migrating.Tally()
    kill_at_the_end(tally, kills=3, every=20)
    assert tally.old_changed


def kill_at_the_end(tally, kills=60, every=1):
    root = migrating.quick_folder("careless")
    fresh = migrating.Trial(root / "fresh", "sqlite")
    migrating.old_folder(fresh.old)
    fresh.home.mkdir()
    done = fresh.copy(root / "done")
    steps = migrating.operations(done, lambda: done.migrations().migrate(done.old))
    expected = done.spaces()
    for number in range(kills):
        migrating.forward(fresh, steps - number * every - 2, root / f"t{number}", expected, tally)
        if tally.neither or tally.old_changed:
            break
    migrating.shutil.rmtree(root)
