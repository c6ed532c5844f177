"""A power cut of a real file system: what lies on the device at that moment is mounted again.

A writer runs on an ext4 image behind a loop device. It is stopped, the image is copied (what the
kernel still holds in memory is not in it, as after a power cut), and the copy is mounted elsewhere:
ext4 replays its journal, the store its log. What had been acknowledged before must be there, whole.
The writers share the file as they do in life (SQLite's WAL in shared memory).

    python -m tests.faults.power --count 150 [--seed 0] [--store sqlite|files]
"""

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from tests.faults.bench import Bench, halves
from tests.faults.figures import arguments, skip, tell
from tests.faults.kills import KINDS, forked

from unabridged.errors import UnabridgedError

SIZE = "48M"
FRESH = 10
"""Cuts after which another image is made."""


@dataclass
class Tally:
    """What came of the cuts."""

    cuts: int = 0
    acknowledged: int = 0
    lost: int = 0
    unreadable: int = 0
    half: int = 0
    wrong: Counter[str] = field(default_factory=Counter)

    @property
    def failed(self) -> bool:
        """Whether a must was missed."""
        return bool(self.lost or self.unreadable or self.half)


def quiet(*words: object) -> bool:
    """Run a program and say whether it went well."""
    done = subprocess.run([str(word) for word in words], capture_output=True, check=False)
    return done.returncode == 0


def may_not_mount() -> str:
    """Why this user cannot mount an image; empty where it can."""
    if not (shutil.which("mount") and shutil.which("mkfs.ext4")):
        return "mount or mkfs.ext4 is not installed"
    with tempfile.TemporaryDirectory() as folder:
        image, place = Path(folder, "image"), Path(folder, "place")
        place.mkdir()
        _make(image)
        if not quiet("mount", "-o", "loop", image, place):
            return "this user may not mount an image"
        quiet("umount", place)
    return ""


def _make(image: Path) -> None:
    quiet("truncate", "-s", SIZE, image)
    quiet("mkfs.ext4", "-q", "-F", image)


@contextmanager
def mounted(image: Path, place: Path):
    """An image, mounted."""
    place.mkdir(exist_ok=True)
    if not quiet("mount", "-o", "loop", image, place):
        raise OSError(f"{image} cannot be mounted")
    try:
        yield place
    finally:
        _unmount(place)


def _unmount(place: Path) -> None:
    for _ in range(50):
        if quiet("umount", place):
            return
        time.sleep(0.1)
    raise OSError(f"{place} stays mounted")


def cut(bench: Bench, image: Path, number: int, rng: Random) -> tuple[Path, list[str]]:
    """Let a writer run, and cut the power; gives a copy of the image, and what was acknowledged."""
    kind = "library" if number % 3 == 2 else "store"
    many = 2 if number % 4 == 3 else 1
    children = [forked(KINDS[kind][0], bench, f"c{number:04}{n}") for n in range(many)]
    source = children[0][1]
    heard, begun = os.read(source, 1 << 20), time.perf_counter()  # until the first acknowledgement
    wanted = rng.randrange(4, 40)
    while heard.count(b"\n") < wanted and (more := os.read(source, 1 << 20)):
        heard += more
    took = time.perf_counter() - begun
    time.sleep(rng.uniform(0, 2) * took / wanted)
    for child, _ in children:
        os.kill(child, signal.SIGSTOP)
    copy = image.with_suffix(".cut")
    shutil.copyfile(image, copy)
    said = []
    for child, source in children:
        os.kill(child, signal.SIGKILL)
        with os.fdopen(source, "rb") as pipe:
            said += (heard + pipe.read()).decode().split("\n")[:-1]
        heard = b""
        os.waitpid(child, 0)
    return copy, said


def judge(bench: Bench, said: list[str], tally: Tally) -> None:
    """Look for what was acknowledged in what the cut left."""
    store = bench.store()
    try:
        damage = [line for line in store.check() if "not entered the index yet" not in line]
        if damage:
            tally.unreadable += 1
            tally.wrong[damage[0][-150:]] += 1
        found = {exchange.id: exchange for exchange in store.scan(limit=1_000_000)}
        for line in said:
            word, _, what = line.partition(" ")
            if word == "failed":
                if "no room" not in what:
                    tally.wrong[what[-150:]] += 1
                    tally.unreadable += 1
                continue
            tally.acknowledged += 1
            there = what in found and (word == "begun" or len(found[what].messages) > 1)
            tally.lost += not there
        tally.half += len(halves(store))
    finally:
        store.close()


def run(count: int, seed: int, store: str) -> Tally:
    """Cut the power so many times."""
    tally, rng = Tally(), Random(seed)
    folder = Path(tempfile.mkdtemp(prefix="unabridged-power-"))
    image = folder / "disk.image"
    try:
        for begun in range(0, count, FRESH):
            with suppress(FileNotFoundError):
                image.unlink()
            _make(image)
            with mounted(image, folder / "live") as live:
                bench = Bench(live / "home", store)
                bench.home.mkdir()
                held = []
                for number in range(begun, min(count, begun + FRESH)):
                    copy, said = cut(bench, image, number, rng)
                    held += said
                    tally.cuts += 1
                    with mounted(copy, folder / "after") as after:
                        try:
                            judge(bench.at(after / "home"), held, tally)
                        except UnabridgedError as error:
                            tally.unreadable += 1
                            tally.wrong[f"{type(error).__name__}: {str(error)[-150:]}"] += 1
    finally:
        shutil.rmtree(folder)
    return tally


def main() -> int:
    """Print the figures."""
    chosen = arguments(__doc__, count=150)
    begun = time.perf_counter()
    reason = may_not_mount()
    if reason:
        return skip("power", chosen, reason)
    tally = run(chosen.count, chosen.seed, chosen.store)
    return tell(
        "power", chosen, begun,
        failed=tally.failed, wrong=dict(tally.wrong.most_common(8)), cuts=tally.cuts,
        acknowledged=tally.acknowledged, lost=tally.lost, unreadable=tally.unreadable,
        half=tally.half,
    )  # fmt: skip


if __name__ == "__main__":
    sys.exit(main())
