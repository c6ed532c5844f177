"""A memory that is closed is gone: no file but what was said, no handle, no thread, no object."""

import gc
import threading
import weakref
from pathlib import Path

import pytest
from tests.helpers.talker import Talker
from tests.opened import store_of

STORES = [
    {"store": "sqlite"},
    {"json_files": "agent", "recall_scope": "session"},
    {"json_files": "user", "json_compression": True},
    {"store": "memory"},
]
HANDLES = Path("/proc/self/fd")


def used(folder, settings):
    """Use a memory for everything that holds something, and leave it."""
    with Talker.open(folder, upstream="quote", **settings) as memory:
        memory.chat("My sister is called Ottilie.").finish()
        memory.chat("What is my sister called?", mode="tools").finish()
        list(memory.maintain())
        assert memory.space.search("sister")
        assert memory.space.maintenance.topics()
        assert memory.why().intact
        assert memory.facts.all()
        return weakref.ref(memory), weakref.ref(store_of(memory))


def open_files(folder):
    found = (str(one.readlink()) for one in HANDLES.iterdir() if one.is_symlink())
    return [name for name in found if name.startswith(str(folder))]


@pytest.mark.slow
@pytest.mark.parametrize("settings", STORES, ids=lambda s: "-".join(map(str, s.values())))
def test_a_closed_memory_leaves_no_object_no_thread_and_no_handle(tmp_path, settings):
    threads = set(threading.enumerate())
    memory, store = used(tmp_path, settings)
    gc.collect()
    assert memory() is None
    assert store() is None
    assert set(threading.enumerate()) == threads
    if HANDLES.is_dir():
        assert open_files(tmp_path) == []


@pytest.mark.parametrize("settings", STORES, ids=lambda s: "-".join(map(str, s.values())))
def test_what_is_left_on_disk_is_the_memory_and_its_locks(tmp_path, settings):
    used(tmp_path, settings)
    left = [path for path in tmp_path.rglob("*") if path.is_file()]
    hidden = [path for path in left if path.name.startswith(".")]
    assert all(path.suffix in {".lock", ".state"} for path in hidden)
    shown = {path.name.partition(".")[2] for path in left if path not in hidden}
    kinds = {"json", "json.gz"} if "json_files" in settings else set()
    stored = {"db", "db.seen"}  # the log, and what was last seen of it
    assert shown - kinds == (set() if settings.get("store") == "memory" else stored)
    assert bool(shown & kinds) == ("json_files" in settings)


def test_a_session_of_an_agent_in_which_nothing_was_said_leaves_no_file(tmp_path):
    settings = {"json_files": "agent", "upstream": "quote"}
    for agent in ("alpha", "beta"):
        with Talker.open(tmp_path, agent=agent, **settings) as memory:
            memory.new_session("Nothing is said here")
            memory.prepare("Hello")
    assert [path.name for path in tmp_path.rglob("*.json*")] == []
    with Talker.open(tmp_path, agent="alpha", **settings) as memory:
        memory.chat("My sister is called Ottilie.").finish()
        talked = memory.header.id
        memory.new_session()
        memory.prepare("Hello")
    names = {path.name for path in tmp_path.rglob("*.json*")}
    assert names == {f"alpha_{talked}_conversation.json"}


def test_what_was_held_back_and_never_saved_leaves_nothing_either(tmp_path):
    settings = {"json_files": "model", "upstream": "quote", "auto_save": False}
    with Talker.open(tmp_path, **settings) as memory:
        memory.chat("My sister is called Ottilie.").finish()
        assert memory.space.log.unsaved
    assert [path.name for path in tmp_path.rglob("*.json*")] == []
