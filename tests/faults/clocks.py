"""A clock that is set back and forward, by up to ten years, in the middle of a session.

The order of what was said is the log's, whatever the clock says: in the history, after opening
again, and in the prompt. A context stays whole and its ledger exact; what was said in the past's
future is judged, and facts are drawn of it; and what a server said about its models is asked anew
only when the clock really moved by the time that it is kept.

    python -m tests.faults.clocks --count 60 [--seed 0] [--store sqlite|files]
"""

import shutil
import sys
from collections import Counter
from dataclasses import dataclass, field
from datetime import timedelta
from random import Random
from time import perf_counter

from tests.faults.bench import BEGUN, Bench, quick_folder, say
from tests.faults.figures import arguments, tell
from tests.helpers.talker import Talker
from tests.opened import store_of

from unabridged.domain.chat import Abilities
from unabridged.domain.record import RecordKind
from unabridged.models.abilities import AbilityCache
from unabridged.models.scripted import ScriptedModel
from unabridged.testing.clock import ManualClock

YEARS = timedelta(days=3652)
JUMPS = (YEARS, -YEARS, 2 * YEARS, -2 * YEARS, timedelta(hours=1), timedelta(hours=-1))
TTL = 3600.0
TOWNS = "Oslo Lima Quito Accra Turin Bergen Porto Cairo Delhi Kyoto".split()


@dataclass
class Tally:
    """What came of the jumps."""

    jumps: int = 0
    disordered: int = 0
    unsound: int = 0
    unlearned: int = 0
    early: int = 0
    wrong: Counter[str] = field(default_factory=Counter)

    @property
    def failed(self) -> bool:
        """Whether a must was missed."""
        return bool(self.disordered or self.unsound or self.unlearned or self.early)

    def note(self, kind: str, what: str) -> None:
        """Count something that is wrong."""
        setattr(self, kind, getattr(self, kind) + 1)
        self.wrong[what[:150]] += 1


def talk(bench: Bench, rng: Random, tally: Tally) -> None:
    """Talk while the clock jumps, and compare the order of what was said."""
    clock = ManualClock(BEGUN + YEARS * 3)
    said: list[str] = []
    for part in range(3):
        with Talker.open(
            settings=bench.settings, upstream=ScriptedModel(["Yes."]), clock=clock
        ) as memory:
            if part:
                memory.switch("the one")
            else:
                memory.new_session("the one")
            for _ in range(4):
                number = len(said)
                words = f"{number}. My dog number {number} lives in {TOWNS[number % len(TOWNS)]}."
                context = memory.prepare(words)
                _sound(memory, context, said, tally)
                memory.begin(context)
                said.append(memory.record(context, f"So dog {number} lives there.").id)
                if rng.random() < 0.6:
                    clock.time += rng.choice(JUMPS)
                    tally.jumps += 1
            if [x.id for x in memory.exchanges(1000)] != said:
                tally.note("disordered", "the history is not in the order of the log")
            for _ in memory.maintain():
                pass
            _learned(memory, tally)
    store = bench.store()
    try:
        (one,) = [session for session in store.sessions() if session.title == "the one"]
        if [x.id for x in store.recent(one.id, 1000)] != said:
            tally.note("disordered", "opened again, it is not in the order of the log")
        if damage := store.check():
            tally.note("unsound", damage[0])
    finally:
        store.close()


def _sound(memory: Talker, context, said: list[str], tally: Tally) -> None:
    """The ledger adds up to the window, and the session's words come in order."""
    if sum(context.ledger.parts.values()) != context.ledger.window:
        tally.note("unsound", "the ledger does not add up")
    spoken = [
        int(message["content"].split(".")[0])
        for message in context.messages[:-1]
        if message["role"] == "user" and message["content"].split(".")[0].isdigit()
    ]
    if spoken != sorted(spoken):
        tally.note("disordered", f"the prompt is out of order: {spoken}")
    shown = memory.exchanges(1)
    if said and (not shown or shown[0].id != said[-1]):
        tally.note("disordered", "the newest is not the newest")


def _learned(memory: Talker, tally: Tally) -> None:
    """Every exchange was judged, also one whose id sorts before those that were judged earlier."""
    kept = store_of(memory).scan(limit=1000)
    judged = {record.id for record in store_of(memory).records(RecordKind.READING)}
    missing = [exchange.id for exchange in kept if exchange.id not in judged]
    if missing:
        tally.note("unlearned", f"{len(missing)} exchanges are not judged")


def cached(rng: Random, tally: Tally) -> None:
    """Ask for a model's abilities while the clock goes and jumps; count who was asked too early."""
    clock = ManualClock(BEGUN, step=timedelta(0))
    book, asked = AbilityCache(clock, None, TTL), []

    def ask() -> Abilities:
        asked.append(clock.time)
        return Abilities("m", trained_window=8192)

    for _ in range(40):
        before = asked[-1] if asked else None
        book.get("server m", "m", ask)
        if before is not None and asked[-1] != before:
            passed = (asked[-1] - before).total_seconds()
            if 0 <= passed < TTL:
                tally.note("early", f"asked anew after {passed:.0f} s")
        clock.time += timedelta(seconds=rng.uniform(0, 1200))
        if rng.random() < 0.2:
            clock.time += rng.choice(JUMPS)
            tally.jumps += 1


def run(count: int, seed: int, store: str) -> Tally:
    """Do so many conversations and caches."""
    tally, folder = Tally(), quick_folder("clocks")
    try:
        for number in range(count):
            rng = Random(f"{seed} {number}")
            bench = Bench(folder / str(number) / "home", store)
            bench.home.mkdir(parents=True)
            with bench.open(0) as memory:
                say(memory, "This was before.")
            talk(bench, rng, tally)
            cached(rng, tally)
    finally:
        shutil.rmtree(folder)
    return tally


def main() -> int:
    """Print the figures."""
    chosen = arguments(__doc__, count=60)
    begun = perf_counter()
    tally = run(chosen.count, chosen.seed, chosen.store)
    return tell(
        "clocks", chosen, begun,
        failed=tally.failed, wrong=dict(tally.wrong.most_common(8)), jumps=tally.jumps,
        disordered=tally.disordered, unsound=tally.unsound, unlearned=tally.unlearned,
        early=tally.early,
    )  # fmt: skip


if __name__ == "__main__":
    sys.exit(main())
