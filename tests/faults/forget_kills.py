"""Kills in the midst of forgetting: afterwards it is not begun, or it is finished; never half.

Usage: python -m tests.faults.forget_kills --count 500 [--seed 0] [--store sqlite|files]

A child process forgets in a copy of a home, and ends itself by SIGKILL at a random trace that it
leaves on the disk. Then the home is opened as anybody opens it, and every file is looked through.
"""

import itertools
import os
import random
import shutil
import signal
import sys
import tempfile
import time
import traceback
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

from tests.faults.figures import arguments, skip, tell
from tests.faults.forgetting import Said, count, fill, opened, remnants
from tests.opened import store_of

from unabridged.disk import atomic_write
from unabridged.domain.record import RecordKind
from unabridged.errors import SettingError
from unabridged.factory.home import Home
from unabridged.forgetting.forget_journal import begun
from unabridged.projections.search_index import segment_files
from unabridged.stores.sqlite import wipe_free_pages
from unabridged.stores.sqlite.database import SqliteConnection
from unabridged.testing.clock import ManualClock

WAYS = ("one", "session", "repeats", "fact", "space")
_SYSTEM = ("open", "write", "fsync", "replace", "link", "unlink", "ftruncate")


class _Counting:
    """Stands in for ``os`` in one module: every call that changes something is a trace."""

    def __init__(self, trace):
        self._trace = trace

    def __getattr__(self, name):
        found = getattr(os, name)
        return self._trace(found) if name in _SYSTEM else found


def killed_at(step):
    """End this process at the step-th trace; give what tells how many there were."""
    traces = itertools.count(1)
    seen = [0]

    def counted(function):
        def call(*args, **kwargs):
            seen[0] = next(traces)
            if seen[0] == step:
                os.kill(os.getpid(), signal.SIGKILL)
            return function(*args, **kwargs)

        return call

    traced = {
        SqliteConnection: ("run", "_empty_log", "_wipe_gaps"),
        wipe_free_pages: ("scrub",),
        segment_files: ("_write_file", "sync_folder", "remove"),
    }
    for owner, names in traced.items():
        for name in names:
            setattr(owner, name, counted(getattr(owner, name)))
    atomic_write.os = _Counting(counted)
    return seen


@dataclass
class Trial:
    """One copy of a home, and what is forgotten in it."""

    home: Path
    clock: ManualClock
    store: str
    way: str
    said: Said

    def open(self):
        return opened(self.home, self.clock, self.store)

    @property
    def listed(self):
        return self.home.parent / "going"


def forget(trial, seen_from):
    """Forget in one way; the counting begins when it is planned."""
    ids = sorted(trial.said.secrets)
    if trial.way == "space":
        with trial.open() as memory:
            space, settings = store_of(memory).space, memory.space.settings
        trial.listed.write_text("\n".join(ids))
        (plan,) = Home(settings).plan_forgetting([space])
        seen = seen_from()
        Home(settings).forget(plan, trial.clock)
        return seen[0]
    with trial.open() as memory:
        asked = {
            "one": lambda: memory.space.forgetting.plan([ids[3]]),
            "session": lambda: memory.space.forgetting.plan(session="1"),
            "repeats": lambda: memory.space.forgetting.plan(ids[5:7], with_repeats=True),
            "fact": lambda: memory.space.forgetting.plan(
                fact=next(
                    f.id for f in memory.facts.all() if memory.space.forgetting.sources_of(f.id)
                ),
                with_sources=True,
            ),
        }
        plan = asked[trial.way]()
        trial.listed.write_text("\n".join(e.id for e in plan.exchanges))
        seen = seen_from()
        memory.space.forgetting.execute(plan)
        return seen[0]


def child(work):
    """Do something in a process of its own; give how it ended, and how many traces it left.

    Args:
        work: Does it, and gives how many traces it left.
    """
    reading, writing = os.pipe()
    pid = os.fork()
    if not pid:
        try:
            os.write(writing, str(work()).encode())
        except BaseException:  # noqa: BLE001 - whatever it is, the parent must see it
            traceback.print_exc()
        finally:
            os._exit(0)
    os.close(writing)
    _, status = os.waitpid(pid, 0)
    told = os.read(reading, 64)
    os.close(reading)
    return os.WIFSIGNALED(status), int(told or 0)


def forgotten(trial, step):
    """Forget in a process of its own, which ends at the step-th trace."""
    return child(lambda: forget(trial, lambda: killed_at(step)))


def faults_after(trial):
    """Open the home as anybody does; give what is wrong, and whether it was forgotten."""
    gone, secrets = trial.listed.read_text().split(), trial.said.secrets
    names = set().union(*(secrets[name] for name in gone), set())
    kept = set().union(*(n for name, n in secrets.items() if name not in gone), set())
    wrong = []
    with trial.open() as memory:
        left = set(store_of(memory).get(secrets))
        done = not left & set(gone)
        if left not in (set(secrets), set(secrets) - set(gone)):
            wrong.append("half of it is gone")
        if begun(store_of(memory)):
            wrong.append("it is still under way")
        if trial.way == "space":
            receipts, stones = Home(memory.space.settings).receipts(), done
        else:
            receipts = memory.space.forgetting.receipts()
            stones = bool(store_of(memory).records(RecordKind.TOMBSTONE))
        if len(receipts) != done:
            wrong.append(f"{len(receipts)} receipts")
        if stones != done:
            wrong.append("a tombstone without a grave, or the other way round")
        wrong += memory.space.log.check()
        list(memory.maintain())
        if done:
            wrong += remnants(trial.home, names - kept)
    return wrong, done


def run(times, seed=0, store="sqlite"):
    """Kill so many times; give the figures."""
    report = {"forgettings": 0, "kinds": {}, "killed": 0, "finished": 0, "not_begun": 0}
    report["wrong"] = []
    base = Path(tempfile.mkdtemp(prefix="forget-kills-"))
    try:
        rng = random.Random(seed)
        said, clock = Said(seed, base / "home", rng), ManualClock(step=timedelta(hours=3))
        with opened(base / "home", clock, store) as memory:
            fill(memory, said, 12)
        traces = {}
        for number in range(times):
            way = WAYS[number % len(WAYS)]
            trial = Trial(base / f"trial{number}" / "home", clock, store, way, said)
            shutil.copytree(base / "home", trial.home)
            if way not in traces:
                _, traces[way] = forgotten(trial, 0)
                shutil.rmtree(trial.home)
                shutil.copytree(base / "home", trial.home)
            step = rng.randrange(1, traces[way] + 1)
            killed, _ = forgotten(trial, step)
            wrong, done = faults_after(trial)
            count(report, way)
            report["killed"] += killed
            report["finished" if done else "not_begun"] += 1
            report["wrong"] += [[way, step, one] for one in wrong]
            shutil.rmtree(trial.home.parent)
        report["traces"] = traces
    finally:
        shutil.rmtree(base)
    return report


def main():
    chosen = arguments(__doc__, 500)
    if not hasattr(os, "fork"):
        return skip("forget_kills", chosen, "this system has no fork")
    started = time.perf_counter()
    try:
        report = run(chosen.count, chosen.seed, chosen.store)
    except SettingError as error:
        return skip("forget_kills", chosen, str(error))
    return tell("forget_kills", chosen, started, failed=bool(report["wrong"]), **report)


if __name__ == "__main__":
    sys.exit(main())
