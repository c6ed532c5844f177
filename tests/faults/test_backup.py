"""Backups while others write, and kills while one is made or restored."""

import importlib.util
import os
import signal
import subprocess
import time
from datetime import UTC, datetime
from pathlib import Path

import pytest
from tests.helpers import program
from tests.helpers.examples import examples

from unabridged.domain.scope import SpaceId
from unabridged.home.backups import BackupsFolder
from unabridged.home.restore_backup import restore
from unabridged.home.spaces import SpacesFolder
from unabridged.testing.log_writer import LogWriter

SPACE = SpaceId("ada", "kept")
AT = datetime(2026, 3, 1, tzinfo=UTC)


def silent(*_):
    pass


def fault_program(name):
    spec = importlib.util.spec_from_file_location(name, Path(__file__).with_name(f"{name}.py"))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.slow
def test_a_backup_under_eight_writers_restores_to_one_moment():
    found = fault_program("long_backup").main(3)
    assert found["wrong"] == []
    assert found["acknowledged_before"] > 24


def filled(home, count=120):
    spaces = SpacesFolder(home / "spaces")
    store = spaces.open(SPACE)
    talk = LogWriter(store)
    for number in range(count):
        talk.say(f"question {number} " * 30, f"answer {number} " * 30)
    return spaces, store


CODE = """
import sys, pathlib
from datetime import UTC, datetime
from unabridged.domain.scope import SpaceId
from unabridged.home.backups import BackupsFolder
from unabridged.home.restore_backup import restore
from unabridged.home.spaces import SpacesFolder
home, what = pathlib.Path(sys.argv[1]), sys.argv[2]
space = SpaceId("ada", "kept")
spaces = SpacesFolder(home / "spaces")
backups = BackupsFolder(home / "backups")
def moved(stage, done, of):
    print(stage, flush=True)
if what == "backup":
    backups.make(spaces, [space], datetime(2026, 3, 2, tzinfo=UTC), moved)
else:
    restore(backups.unpacked(backups.find("kept"), moved, spaces.folder), spaces, moved, replace=True)
"""


def start(home, what):
    """Run it in a process; returns when its first stage was told."""
    process = program.python(CODE, home, what, stdout=subprocess.PIPE, text=True)
    assert process.stdout.readline()
    return process


def seconds_of(home, what):
    """Return how long it takes here when nothing stops it, so that the kills fall into it."""
    with start(home, what) as process:
        began = time.perf_counter()
        process.stdout.read()
        took = time.perf_counter() - began
    assert process.returncode == 0
    return took


def killed(home, what, after):
    """Run it in a process and kill it after so many seconds."""
    with start(home, what) as process:
        time.sleep(after)
        os.kill(process.pid, signal.SIGKILL)


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="POSIX signals")
@pytest.mark.slow
def test_a_killed_backup_leaves_no_backup_and_no_harm(tmp_path):
    spaces, store = filled(tmp_path)
    truth = store.scan()
    backups = BackupsFolder(tmp_path / "backups")
    whole = seconds_of(tmp_path, "backup")
    (undisturbed,) = backups.folder.glob("*.zip")
    undisturbed.unlink()
    for turn in range(8):
        killed(tmp_path, "backup", whole * turn / 7)
        for path in backups.folder.glob("*.zip"):
            backups.verify(path, silent)
            path.unlink()
    assert store.scan() == truth
    assert store.check() == []
    store.close()
    made = backups.make(spaces, [SPACE], AT, silent)
    assert sorted(p.name for p in backups.folder.iterdir()) == [".lock", Path(made.path).name]


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="POSIX signals")
@pytest.mark.slow
def test_a_killed_restore_leaves_the_old_or_the_new(tmp_path):
    spaces, store = filled(tmp_path)
    old = [x.id for x in store.scan()]
    store.close()
    backups = BackupsFolder(tmp_path / "backups")
    made = backups.make(spaces, [SPACE], AT, silent)
    Path(made.path).rename(backups.folder / "kept.zip")
    outcomes, times = set(), examples(48)
    whole = seconds_of(tmp_path, "restore")
    for turn in range(times):
        store = spaces.open(SPACE)
        LogWriter(store, f"later{turn}").say("one more", "yes")
        new = [x.id for x in store.scan()]
        store.close()
        if turn < times - 1:
            killed(tmp_path, "restore", whole * turn / times)
        else:
            seconds_of(tmp_path, "restore")
        store = spaces.open(SPACE, create=False)
        found = [x.id for x in store.scan()]
        assert found in (old, new)
        outcomes.add(found == old)
        store.rebuild()
        assert store.check() == []
        store.close()
        asides = list(spaces.folder.glob("*.replaced-*"))
        assert all(path.stat().st_size for path in asides if path.is_file())
    assert outcomes == {True, False}
    restore(
        backups.unpacked(backups.find("kept"), silent, spaces.folder), spaces, silent, replace=True
    )
    assert not list(spaces.folder.glob(".*.part"))
    assert not list(spaces.folder.glob("*.restored"))
