"""SIGKILL at any moment: the command line, a program over the library, a store, two writers at once.

Each child is forked from a warm process, so that the kill meets its work and not its start; every
tenth command line is a process of its own. What a child acknowledged (it says so through a pipe after
the call returned) must be there afterwards, whole; an exchange is open or complete, never half; and
opening the home again must take less than a second of work.

    python -m tests.faults.kills --count 1000 [--seed 0] [--store sqlite|files]
"""

import os
import shutil
import signal
import subprocess
import sys
import time
import warnings
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from random import Random

from tests.faults.bench import Bench, fill, halves, quick_folder, say
from tests.faults.figures import arguments, tell
from tests.faults.workflows import run_command
from tests.helpers.talker import Talker

from unabridged.errors import HeadMovedError, UnabridgedError
from unabridged.testing.log_writer import LogWriter

PROGRAM = [sys.executable, "-c", "from unabridged.cli.main import main; main()"]
FRESH = 40
"""Kills after which another home is begun."""
MOST_WORK = 1.0
"""Seconds of a processor that opening again may take."""
Say = Callable[[str], None]


@dataclass
class Tally:
    """What came of the kills."""

    kills: int = 0
    acknowledged: int = 0
    lost: int = 0
    half: int = 0
    damaged: int = 0
    disordered: int = 0
    slowest: float = 0.0
    work: float = 0.0
    kinds: Counter[str] = field(default_factory=Counter)
    wrong: Counter[str] = field(default_factory=Counter)

    @property
    def failed(self) -> bool:
        """Whether a must was missed."""
        return bool(
            self.lost or self.half or self.damaged or self.disordered or self.work >= MOST_WORK
        )


def library(bench: Bench, name: str, told: Say) -> None:
    """A program that talks through the facade."""
    with Talker.open(settings=bench.settings, upstream="quote") as memory:
        number = 0
        while True:
            try:
                context = memory.prepare(f"{name} says number {number} of boxes")
                told(f"begun {memory.begin(context).id}")
                told(f"done {memory.record(context, 'So it is. ' * 50).id}")
            except HeadMovedError:
                continue
            number += 1


def store(bench: Bench, name: str, told: Say) -> None:
    """A program that writes to the store as fast as it goes."""
    talk = LogWriter(bench.store(), name)
    while True:
        begun = talk.begin("asks for boxes " * 30)
        told(f"begun {begun.id}")
        talk.answer(begun, "says where they are " * 60)
        told(f"done {begun.id}")


def tending(bench: Bench, name: str, told: Say) -> None:
    """A program that judges, draws facts and condenses, and says things meanwhile."""
    day = 100 + int(
        "".join(filter(str.isdigit, name))
    )  # ids of the bench's clock begin anew each day
    with bench.open(day) as memory:
        while True:
            for _ in memory.maintain():
                pass
            told(f"done {say(memory, f'{name}: my brother moved to Turin.')}")


def command(bench: Bench, name: str, told: Say) -> None:
    """The command line, one question after the other."""
    number = 0
    while True:
        words = f"{name} asks number {number} of boxes"
        run_command(bench, "ask", "--upstream", "quote", words)
        told(f"said {words}")
        number += 1


KINDS: dict[str, tuple[Callable[[Bench, str, Say], None], int]] = {
    "command line": (command, 1),
    "library": (library, 1),
    "store": (store, 1),
    "tending": (tending, 1),
    "two writers": (library, 2),
    "two stores": (store, 2),
}


def forked(work: Callable[[Bench, str, Say], None], bench: Bench, name: str) -> tuple[int, int]:
    """Begin a child; gives its number and the end of the pipe that it speaks through."""
    source, sink = os.pipe()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # forking beside threads
        child = os.fork()
    if child:
        os.close(sink)
        return child, source
    os.close(source)
    code = 1
    try:
        work(bench, name, lambda said: os.write(sink, f"{said}\n".encode()) and None)
    except UnabridgedError as error:
        os.write(sink, f"failed {error}\n".encode())
    finally:
        os._exit(code)


def killed(kind: str, bench: Bench, name: str, rng: Random, firsts: dict[str, float]) -> list[str]:
    """Let children work for a while, kill them, and give what they said.

    Every other time they are waited for until the first of them has said something. ``firsts`` holds
    for each kind how many seconds that took last: all other waits are measured by it.
    """
    work, many = KINDS[kind]
    begun = time.perf_counter()
    children = [forked(work, bench, f"{name}{letter}") for letter in "ab"[:many]]
    heard = b""
    if rng.random() < 0.5 or kind not in firsts:
        heard = os.read(children[0][1], 1 << 20)
        firsts[kind] = time.perf_counter() - begun
    time.sleep(firsts[kind] * (rng.random() if rng.random() < 0.7 else rng.uniform(1, 3)))
    for child, _ in children:
        os.kill(child, signal.SIGKILL)
    said = []
    for child, source in children:
        with os.fdopen(source, "rb") as pipe:
            said += (heard + pipe.read()).decode().split("\n")[:-1]
        heard = b""
        os.waitpid(child, 0)
    return said


def killed_process(bench: Bench, name: str, rng: Random) -> list[str]:
    """The same for the command line as a process of its own."""
    words = f"{name} asks for boxes"
    kept = {name: getattr(bench.settings, name) for name in ("store", "layout")}
    environ = {**os.environ, **{f"UNABRIDGED_{k.upper()}": v for k, v in kept.items()}}
    argv = [*PROGRAM, "ask", "--upstream", "quote", "--home", str(bench.home), words]
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    with subprocess.Popen(argv, env=environ, **quiet) as process:
        with suppress(subprocess.TimeoutExpired):
            process.wait(rng.uniform(0.2, 1.2))
        process.kill()
        return [f"said {words}"] if process.wait() == 0 else []


def judge(bench: Bench, said: list[str], kind: str, tally: Tally, *, whole: bool) -> None:
    """Open it again and look for what was acknowledged."""
    before, worked = time.perf_counter(), time.process_time()
    opened = bench.store()
    try:
        newest = opened.sessions(newest=1)
        if newest:
            opened.recent(newest[0].id, 5)
        tally.slowest = max(tally.slowest, time.perf_counter() - before)
        tally.work = max(tally.work, time.process_time() - worked)
        found = {exchange.id: exchange for exchange in opened.scan(limit=1_000_000)}
        complete = {x.user.text for x in found.values() if len(x.messages) > 1}
        for line in said:
            word, _, what = line.partition(" ")
            if word == "failed":
                tally.damaged += 1
                tally.wrong[f"{kind}: {what[-150:]}"] += 1
                continue
            tally.acknowledged += 1
            there = what in complete if word == "said" else what in found
            if word == "done" and there:
                there = len(found[what].messages) > 1
            if not there:
                tally.lost += 1
                tally.wrong[f"{kind}: {word} but not there"] += 1
        tally.half += len(halves(opened))
        for session in opened.sessions():
            path = opened.recent(session.id, 1_000_000)
            if [x.parent for x in path] != [None, *[x.id for x in path]][: len(path)]:
                tally.disordered += 1
        if whole and (damage := _damage(opened)):
            tally.damaged += 1
            tally.wrong[f"{kind}: {damage[0][-150:]}"] += 1
    finally:
        opened.close()


def _damage(opened) -> list[str]:
    return [line for line in opened.check() if "not entered the index yet" not in line]


def run(count: int, seed: int, store_name: str) -> Tally:
    """Kill so many times."""
    tally, rng, folder = Tally(), Random(seed), quick_folder("kills")
    names, bench, firsts = list(KINDS), None, {}
    try:
        for number in range(count):
            if number % FRESH == 0:
                bench = Bench(folder / str(number) / "home", store_name)
                bench.home.mkdir(parents=True)
                fill(bench)
            kind, name = names[number % len(names)], f"k{number:05}"
            if kind == "command line" and number // len(names) % 10 == 9:
                said = killed_process(bench, name, rng)
                kind = "process"
            else:
                said = killed(kind, bench, name, rng, firsts)
            tally.kills += KINDS.get(kind, (None, 1))[1]
            tally.kinds[kind] += 1
            try:
                judge(bench, said, kind, tally, whole=number % 5 == 4)
            except UnabridgedError as error:
                tally.damaged += 1
                tally.wrong[f"{kind}: {type(error).__name__} {str(error)[-150:]}"] += 1
            if number % FRESH == FRESH - 1:
                shutil.rmtree(bench.home.parent)
    finally:
        shutil.rmtree(folder)
    return tally


def main() -> int:
    """Print the figures."""
    chosen = arguments(__doc__, count=1000)
    begun = time.perf_counter()
    tally = run(chosen.count, chosen.seed, chosen.store)
    return tell(
        "kills", chosen, begun,
        failed=tally.failed, wrong=dict(tally.wrong.most_common(12)), kills=tally.kills,
        kinds=tally.kinds, acknowledged=tally.acknowledged, lost=tally.lost, half=tally.half,
        damaged=tally.damaged, disordered=tally.disordered,
        slowest_opening_s=round(tally.slowest, 3),
    )  # fmt: skip


if __name__ == "__main__":
    sys.exit(main())
