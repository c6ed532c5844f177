"""What a memory leaves behind when it is closed: files of what was said, and nothing else."""

import pytest

from unabridged.testing.log_writer import LogWriter

LAYOUTS = ["model", "agent", "user"]


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("auto_save", [True, False])
def test_a_space_in_which_nothing_was_said_has_no_file(bench, layout, auto_save):
    store = bench.open(layout, auto_save=auto_save)
    assert store.sessions() == []
    store.close()
    assert not bench.folder.exists()


@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_session_in_which_nothing_was_said_has_no_file(bench, layout):
    store = bench.open(layout)
    LogWriter(store, "talked").say("one", "1")
    before = bench.everything()
    store.session("silent")
    store.close()
    assert bench.everything() == before


@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_space_in_which_everything_was_forgotten_has_no_file(bench, layout):
    store = bench.open(layout)
    said = LogWriter(store).say("one", "1")
    store.erase([said.id])
    assert bench.everything() == {}
