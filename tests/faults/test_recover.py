"""Damaged files: many at random, found by several at once, and kills while one is set aside."""

import importlib.util
import os
import shutil
import signal
import subprocess
import time
from pathlib import Path

import apsw
import pytest
from tests.faults.damage import damage_index
from tests.helpers import program

from unabridged.domain.scope import SpaceId
from unabridged.home.recover import open_or_rescue
from unabridged.home.spaces import SpacesFolder
from unabridged.testing.log_writer import LogWriter

SPACE = SpaceId("ada", "kept")
CODE = """
import sys, pathlib
from unabridged.domain.scope import SpaceId
from unabridged.home.recover import open_or_rescue
from unabridged.home.spaces import SpacesFolder
from unabridged.testing.log_writer import LogWriter
spaces = SpacesFolder(pathlib.Path(sys.argv[1]))
print("ready", flush=True)
sys.stdin.readline()
store, account = open_or_rescue(spaces, SpaceId("ada", "kept"), lambda *_: print("on", flush=True))
LogWriter(store, sys.argv[2]).say("hello", "yes")
print("told" if account else "silent", len(store.scan()), flush=True)
store.close()
"""


def fault_program(name):
    spec = importlib.util.spec_from_file_location(name, Path(__file__).with_name(f"{name}.py"))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.slow
def test_no_damage_is_served_as_truth_and_little_undamaged_is_lost():
    found = fault_program("long_damage").main(240)
    assert (found["wrong"], found["salvaged_wrong"]) == (0, 0)
    assert found["share"] >= 0.98
    assert found["refused"] > 100


@pytest.fixture
def damaged(tmp_path):
    spaces = SpacesFolder(tmp_path / "spaces")
    store = spaces.open(SPACE)
    talk = LogWriter(store)
    for number in range(60):
        talk.say(f"question {number} " * 40, f"answer {number} " * 40)
    store.close()
    damage_index(spaces.path_of(SPACE))
    return spaces


def start(spaces, name):
    pipe = subprocess.PIPE
    process = program.python(
        CODE, spaces.folder, name, stdin=pipe, stdout=pipe, stderr=pipe, text=True
    )
    assert process.stdout.readline() == "ready\n"
    return process


def seconds_of_a_rescue(damaged, folder):
    """Return how long it takes here when nothing stops it, so that the kills fall into it."""
    shutil.copytree(damaged.folder, folder)
    process = start(SpacesFolder(folder), "whole")
    began = time.perf_counter()
    process.stdin.write("\n")
    process.stdin.flush()
    out = [process.stdout.readline() for _ in range(2)]
    took = time.perf_counter() - began
    process.communicate()
    assert any(line.startswith("told") for line in out), out
    return took


@pytest.mark.slow
def test_several_that_find_it_at_once_set_it_aside_once(damaged):
    running = [start(damaged, f"later{n}") for n in range(4)]
    for process in running:
        process.stdin.write("\n")
        process.stdin.flush()
    outs = [process.communicate(timeout=120) for process in running]
    assert [err for _, err in outs if err] == []
    last = [out.splitlines()[-1].split() for out, _ in outs]
    assert [word for word, _ in last].count("told") == 1
    store = damaged.open(SPACE)
    assert len(store.scan()) == 64
    assert store.check() == []
    store.close()
    asides = [p for p in damaged.folder.glob("*.damaged-*") if p.suffix != ".account"]
    assert len(asides) == 1


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="POSIX signals")
@pytest.mark.slow
def test_a_kill_at_any_step_is_gone_on_with(damaged, tmp_path):
    harmed = damaged.path_of(SPACE).read_bytes()
    whole = seconds_of_a_rescue(damaged, tmp_path / "whole")
    told = 0
    for turn in range(16):
        folder = tmp_path / f"turn{turn}"
        shutil.copytree(damaged.folder, folder)
        spaces = SpacesFolder(folder)
        process = start(spaces, "later")
        process.stdin.write("\n")
        process.stdin.flush()
        time.sleep(whole * turn / 16)
        os.kill(process.pid, signal.SIGKILL)
        out, _ = process.communicate()
        store, account = open_or_rescue(spaces, SPACE, lambda *_: None)
        was_told = "told" in out
        assert was_told or account is not None or list(folder.glob("*.damaged-1.account"))
        told += account is not None
        assert len(store.scan()) >= 60
        assert store.check() == []
        store.close()
        (aside,) = (p for p in folder.glob("*.damaged-*") if p.suffix != ".account")
        assert aside.read_bytes() == harmed
        assert not list(folder.glob("*.salvaged"))
    assert told


def test_no_flip_in_a_page_of_exchanges_makes_an_answer_shorter(tmp_path):
    """Neither a smaller count of rows nor a name of another type lets any be passed over."""
    damage = fault_program("long_damage")
    path = tmp_path / "sound.db"
    damage.build(path)
    truth, data = damage.answers(path), path.read_bytes()
    connection = apsw.Connection(str(path))
    listed = "SELECT pageno FROM dbstat WHERE name = 'exchange' AND pagetype = 'leaf'"
    pages = [(number - 1) * 4096 for (number,) in connection.execute(listed)]
    connection.close()
    harmed = tmp_path / "harmed.db"
    places = [*range(8), *range(300, 4096, 61)]
    places += [data.index(b",s2-x00025s2") - pages[0] - n for n in range(12)]
    for place in places:
        for bit in (1, 4):
            flipped = bytearray(data)
            flipped[pages[0] + place] ^= bit
            harmed.write_bytes(flipped)
            found = damage.answers(harmed)
            assert all(found[name] == truth[name] for name in found), (place, bit)
            for left in tmp_path.glob("harmed.db-*"):
                shutil.rmtree(left) if left.is_dir() else left.unlink()
