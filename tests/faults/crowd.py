"""Many processes on one space: 1 to 64 write into the same session and into one of their own.

Nobody may be told that it is locked; nothing may be lost, there twice, or out of order.

    python -m tests.faults.crowd --count 1280 [--seed 0] [--store sqlite|files]
"""

import os
import shutil
import sys
from collections import Counter
from dataclasses import dataclass, field
from time import perf_counter

from tests.faults.bench import Bench, halves, quick_folder
from tests.faults.figures import arguments, tell
from tests.faults.kills import Say, forked

from unabridged.domain.exchange import Exchange, ExchangeState
from unabridged.domain.message import Message, Role, Text
from unabridged.domain.session import Session
from unabridged.domain.write import Batch
from unabridged.errors import HeadMovedError, StoreBusyError
from unabridged.testing.log_writer import START, LogWriter

SIZES = {"sqlite": (1, 2, 4, 8, 16, 32, 64), "files": (1, 2, 8)}
SHARED = "shared"


@dataclass
class Tally:
    """What came of the crowds."""

    processes: list[int] = field(default_factory=list)
    written: int = 0
    locked: int = 0
    failed_otherwise: int = 0
    lost: int = 0
    twice: int = 0
    disordered: int = 0
    damaged: int = 0
    rates: dict[int, int] = field(default_factory=dict)
    slowest: float = 0.0
    wrong: Counter[str] = field(default_factory=Counter)

    @property
    def failed(self) -> bool:
        """Whether a must was missed."""
        return any(
            (
                self.locked,
                self.failed_otherwise,
                self.lost,
                self.twice,
                self.disordered,
                self.damaged,
            )
        )


def write_shared(store, name: str) -> None:
    """Say something in the session that all share, behind whatever was said last."""
    user = Message(f"{name}-u", Role.USER, (Text(f"{name} asks"),), START)
    answer = Message(f"{name}-a", Role.ASSISTANT, (Text(f"{name} says"),), START, user.id)
    while True:
        header = store.session(SHARED) or Session(SHARED, "", START, START)
        last = store.recent(SHARED, 1)
        said = Message(user.id, user.role, user.parts, user.at, header.head)
        parent = last[0].id if last else None
        news = Exchange(name, SHARED, parent, ExchangeState.COMPLETE, (said, answer), START)
        moved = Session(SHARED, "", START, START, answer.id)
        try:
            store.append(Batch(moved, news), header.head)
        except HeadMovedError:
            continue
        return


def member(each: int):
    """One of the crowd."""

    def work(bench: Bench, name: str, told: Say) -> None:
        try:
            store = bench.store()
            own = LogWriter(store, name)
            for number in range(each):
                before = perf_counter()
                write_shared(store, f"{name}-{number:04}")
                told(f"shared {perf_counter() - before:.4f}")
                own.say("alone", "so it is")
            store.close()
        except StoreBusyError as error:
            told(f"locked {error}")
        except Exception as error:  # noqa: BLE001 - told to the parent
            told(f"error {error!r}")

    return work


def crowd(bench: Bench, size: int, each: int, tally: Tally) -> None:
    """Let so many write so often at once, and look at what is there."""
    begun = perf_counter()
    children = [forked(member(each), bench, f"p{number:02}") for number in range(size)]
    said = []
    for child, source in children:
        with os.fdopen(source, "rb") as pipe:
            said += pipe.read().decode().splitlines()
        os.waitpid(child, 0)
    tally.rates[size] = round(2 * each * size / (perf_counter() - begun))
    for line in said:
        word, _, what = line.partition(" ")
        if word == "shared":
            tally.slowest = max(tally.slowest, float(what))
        else:
            tally.locked += word == "locked"
            tally.failed_otherwise += word == "error"
            tally.wrong[what[-150:]] += 1
    tally.processes.append(size)
    _look(bench, size, each, tally)


def _look(bench: Bench, size: int, each: int, tally: Tally) -> None:
    store = bench.store()
    try:
        path = [x.id for x in store.recent(SHARED, 1_000_000)]
        wanted = [[f"p{n:02}-{k:04}" for k in range(each)] for n in range(size)]
        tally.written += len(path)
        tally.twice += len(path) - len(set(path))
        tally.lost += len({name for names in wanted for name in names} - set(path))
        for number, names in enumerate(wanted):
            tally.disordered += [x for x in path if x[:3] == f"p{number:02}"] != names
            own = store.recent(f"p{number:02}", 1_000_000)
            tally.lost += each - len(own)
            tally.written += len(own)
        tally.damaged += len(store.check()) + len(halves(store))
    finally:
        store.close()


def run(count: int, store: str, sizes: tuple[int, ...] | None = None) -> Tally:
    """Let crowds of each size write ``count`` exchanges into one session each."""
    tally, folder = Tally(), quick_folder("crowd")
    try:
        for size in sizes or SIZES[store]:
            bench = Bench(folder / str(size) / "home", store)
            bench.home.mkdir(parents=True)
            crowd(bench, size, max(2, count // size), tally)
    finally:
        shutil.rmtree(folder)
    return tally


def main() -> int:
    """Print the figures."""
    chosen = arguments(__doc__, count=640)
    begun = perf_counter()
    tally = run(chosen.count, chosen.store)
    return tell(
        "crowd", chosen, begun,
        failed=tally.failed, wrong=dict(tally.wrong.most_common(8)), processes=tally.processes,
        written=tally.written, locked=tally.locked, errors=tally.failed_otherwise, lost=tally.lost,
        twice=tally.twice, disordered=tally.disordered, damaged=tally.damaged,
        per_second=tally.rates, slowest_write_s=round(tally.slowest, 3),
    )  # fmt: skip


if __name__ == "__main__":
    sys.exit(main())
