"""Kills in the midst of sharing and revoking: doing it again completes it, on both sides.

Usage: python -m tests.faults.share_kills --count 500 [--seed 0] [--store sqlite|files]

A child process shares, hands off or revokes between two spaces of a copied home, and ends itself by
SIGKILL at a random trace that it leaves on the disk. Then both spaces are opened as anybody opens
them, and it is done again, or taken back; the end is compared with that of a run nobody disturbs.
"""

import os
import random
import shutil
import signal
import sys
import tempfile
import time
from datetime import timedelta
from pathlib import Path

from tests.faults.bench import kept_in
from tests.faults.figures import arguments, skip, tell
from tests.faults.forget_kills import child, killed_at
from tests.helpers.talker import Talker
from tests.opened import store_of

from unabridged.domain.scope import SpaceId
from unabridged.domain.settings import Settings
from unabridged.domain.share import ShareState
from unabridged.errors import SettingError
from unabridged.factory.sharing import SpaceShares
from unabridged.forgetting.forget_journal import begun
from unabridged.home.open_spaces import settings_for
from unabridged.testing.clock import ManualClock

WAYS = ("share", "handoff", "revoke")
GIVER, TAKER = SpaceId("ann", "work"), SpaceId("ann", "coder")
SECRET = "Xylophonia"
TELLING = f"My cousin {SECRET} lives behind the old brewery, where the goats are."


class Home:
    """Two spaces, and what is shared between them.

    Args:
        path: The home.
        store: The store.
    """

    def __init__(self, path, store):
        self.path, self.clock = path, ManualClock(step=timedelta(seconds=7))
        self.settings = Settings(home=str(path), upstream="quote", **kept_in(store))

    def open(self, space):
        return Talker.open(settings=settings_for(self.settings, space), clock=self.clock)

    def shares(self):
        return SpaceShares(settings_for(self.settings, GIVER), clock=self.clock)

    def say(self, space, *texts):
        with self.open(space) as memory:
            for text in texts:
                memory.record(memory.prepare(text), f"You said: {text}")
            list(memory.maintain())

    def fill(self):
        """What each side says by itself."""
        self.say(GIVER, TELLING, "I live in Zurich.", "My dog is called Rex.")
        self.say(TAKER, "I live in Basel.", "I keep boats on the river.")

    def do(self, way):
        """Share, hand off, or revoke what was shared."""
        shares = self.shares()
        if way == "share":
            shares.share(TAKER, sessions=[self.told()], all_facts=True)
        elif way == "handoff":
            shares.handoff(TAKER, session=self.told())
        else:
            for share in shares.listing():
                shares.revoke(share.id)

    def told(self):
        """The session of the giver."""
        with self.open(GIVER) as memory:
            return next(
                s.id for s in memory.space.sessions.all() if s.title.startswith("My cousin")
            )

    def state(self):
        """What both spaces hold, without ids of their own and times."""
        found = []
        for space in (GIVER, TAKER):
            with self.open(space) as memory:
                held = [
                    s for s in memory.space.sharing.listing() if s.state is not ShareState.REVOKED
                ]
                found.append(
                    (
                        sorted(x.id for c in memory.space.log.transcripts() for x in c.exchanges),
                        sorted((f.text, len(f.disputed_by)) for f in memory.facts.all()),
                        [
                            (s.kind, s.state, sorted(s.exchange_ids), sorted(s.fact_ids))
                            for s in held
                        ],
                    )
                )
        return found

    def faults(self):
        """What is wrong in the spaces themselves."""
        wrong = []
        for space in (GIVER, TAKER):
            with self.open(space) as memory:
                wrong += memory.space.log.check()
                if begun(store_of(memory)):
                    wrong.append("a forgetting is still under way")
        return wrong

    def telling(self):
        """How many files tell what was said to the giver only."""
        files = (path for path in self.path.rglob("*") if path.is_file())
        return sum(SECRET.encode() in path.read_bytes() for path in files)


def shared(home, way, step):
    """Do it in a process of its own, which ends at the step-th trace."""

    def work():
        seen = killed_at(step)
        home.do(way)
        return seen[0]

    return child(work)


class Bench:
    """Homes to be copied, and the ends that they come to when nobody disturbs.

    Args:
        base: Where they lie.
        store: The store.
    """

    def __init__(self, base, store):
        self.base, self.store = base, store
        first = Home(base / "before", store)
        first.fill()
        self.secret = first.telling()
        self.ends = {"revoke": first.state()}
        self.traces = {}
        for way in ("share", "handoff"):
            made = self.copy("before", way)
            made.do(way)
            self.ends[way] = made.state()

    def copy(self, source, name):
        shutil.copytree(self.base / source, self.base / name)
        home = Home(self.base / name, self.store)
        home.clock.time += timedelta(days=1)
        return home

    def trial(self, name, way, rng):
        """Kill once, complete it in one of two ways; give what is wrong, and whether it was killed."""
        source = "share" if way == "revoke" else "before"
        if way not in self.traces:
            _, self.traces[way] = shared(self.copy(source, f"{way}-count"), way, 0)
        home = self.copy(source, name)
        killed, _ = shared(home, way, rng.randrange(1, self.traces[way] + 1))
        wrong = home.faults()
        back = rng.random() < 0.5
        then = ("share" if way == "revoke" else "revoke") if back else way
        home.clock.time += timedelta(days=1)
        home.do(then)
        if home.state() != self.ends[then]:
            wrong.append(f"{way}, killed, then {then}: {home.state()} and not {self.ends[then]}")
        if then == "revoke" and home.telling() != self.secret:
            wrong.append("its words are left")
        shutil.rmtree(home.path)
        return wrong, killed, then


def run(times, seed=0, store="sqlite"):
    """Kill so many times; give the figures."""
    report = {"trials": 0, "killed": 0, "again": 0, "taken_back": 0, "wrong": []}
    base = Path(tempfile.mkdtemp(prefix="share-kills-"))
    try:
        rng = random.Random(seed)
        bench = Bench(base, store)
        for number in range(times):
            way = WAYS[number % len(WAYS)]
            wrong, killed, then = bench.trial(f"trial{number}", way, rng)
            report["trials"] += 1
            report["killed"] += killed
            report["again" if then == way else "taken_back"] += 1
            report["wrong"] += wrong
    finally:
        shutil.rmtree(base)
    return report


def main():
    chosen = arguments(__doc__, 500)
    started = time.perf_counter()
    if not hasattr(os, "fork") or not hasattr(signal, "SIGKILL"):
        return skip("share_kills", chosen, "this system has no fork")
    try:
        report = run(chosen.count, chosen.seed, chosen.store)
    except SettingError as error:
        return skip("share_kills", chosen, str(error))
    return tell("share_kills", chosen, started, failed=bool(report["wrong"]), **report)


if __name__ == "__main__":
    sys.exit(main())
