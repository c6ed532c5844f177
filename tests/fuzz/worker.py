"""Fuzzes one target in this process: within a limit of memory, and of seconds for each input."""

import faulthandler
import gc
import json
import resource
import signal
import threading
import time
import traceback
from contextlib import suppress
from pathlib import Path
from random import Random
from shutil import rmtree

from tests.faults.bench import quick_folder
from tests.fuzz.mutate import Mutator, name_of
from tests.fuzz.target import open_files, place_of, sign_of

from unabridged.errors import UnabridgedError

GROWTH = 512 << 20
"""Bytes of address space that a run may take in addition to what its seeds took."""
SECONDS = 10
"""Seconds for one input."""
FILES, THREADS = 64, 16
"""How many more files may be open, and threads may run, than after the seeds."""
LOOK_EVERY = 50
MEMBERS = 2_000
"""The most inputs that are kept for a target."""
CRASHES = 20
"""The number of different crashes after which a run ends."""


class HungError(BaseException):
    """An input took too long. No handler of the program catches it."""


def bounded():
    """Bound this process's memory from here on; give its size."""
    size = _size()
    resource.setrlimit(resource.RLIMIT_AS, (size + GROWTH, size + GROWTH))
    return size


def run(target, seconds, seed, folder, *, most=None, bound=bounded):
    """Fuzz a target and give figures; new inputs and crashes are kept in a folder."""
    place = quick_folder("fuzz")
    try:
        with target.opened(place) as subject:
            return _Run(target, subject, folder).run(seconds, seed, most, bound)
    finally:
        rmtree(place, ignore_errors=True)


def judge(subject, data):
    """Read one input: give a sign of what came of it, and the crash, or None."""
    signal.signal(signal.SIGALRM, _hung)
    signal.setitimer(signal.ITIMER_REAL, SECONDS)
    try:
        return subject.attempt(data), None
    except UnabridgedError as error:
        return sign_of(error), None
    except (Exception, HungError) as error:  # noqa: BLE001 - a crash is what is looked for
        lines = "".join(traceback.format_exception(error))[-6000:]
        sign = f"{type(error).__name__} {place_of(error)}"
        traceback.clear_frames(error.__traceback__)
        return sign, lines
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


def kept_in(folder):
    """Return the inputs of a folder, by name."""
    found = sorted(folder.iterdir()) if folder.is_dir() else []
    return [path.read_bytes() for path in found if path.suffix == ".bin"]


class _Run:
    def __init__(self, target, subject, folder):
        self.target, self.subject = target, subject
        self.kept, self.crashes = folder / "corpus" / target.name, folder / "crashes"
        self.current = folder / "current" / target.name
        self.signs, self.found = set(), {}
        for each in (self.kept, self.crashes, self.current.parent):
            each.mkdir(parents=True, exist_ok=True)
        self.corpus = []

    def run(self, seconds, seed, most, bound):
        for data in [*self.subject.seeds, *kept_in(self.kept)]:
            if self._judged(data) or not self.corpus:
                self.corpus.append(data)
        seeds = len(self.corpus)
        size = bound()
        files, threads = open_files(), threading.active_count()
        mutator = Mutator(self.target.shape, self.corpus)
        began, inputs = time.monotonic(), 0
        while time.monotonic() - began < seconds and len(self.found) < CRASHES:
            if inputs == most:
                break
            inputs += 1
            data = mutator.make(Random(f"{seed}:{self.target.name}:{inputs}"))
            new = self._judged(data)
            if new and len(self.corpus) < MEMBERS:
                self.corpus.append(data)
                (self.kept / f"{name_of(data)}.bin").write_bytes(data)
            if inputs % LOOK_EVERY == 0:
                self._look(files, threads, data)
        self.current.unlink(missing_ok=True)
        return {
            "inputs": inputs,
            "seconds": round(time.monotonic() - began),
            "outcomes": len(self.signs),
            "corpus": len(self.corpus),
            "new": len(self.corpus) - seeds,
            "crashes": len(self.found),
            "grown_mib": max(0, _size() - size) >> 20,
        }

    def _judged(self, data):
        """Whether what came of an input is new, and no crash."""
        self.current.write_bytes(data)
        sign, crash = judge(self.subject, data)
        if crash is not None:
            self._crashed(sign, data, crash)
            return False
        fresh = sign not in self.signs
        self.signs.add(sign)
        return fresh

    def _look(self, files, threads, data):
        gc.collect()  # errors and their frames refer to each other
        if open_files() > files + FILES:
            self._crashed("files stay open", data, f"{open_files()} files are open")
        if threading.active_count() > threads + THREADS:
            self._crashed("threads stay", data, f"{threading.active_count()} threads run")

    def _crashed(self, sign, data, told):
        if sign in self.found:
            return
        self.found[sign] = write_crash(self.crashes, self.target.name, data, told)


def write_crash(folder, name, data, told):
    """Keep an input that crashes, with what was told and the command that repeats it."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{name}-{name_of(data)}.bin"
    path.write_bytes(data)
    shown = path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path
    command = f"python -m tests.fuzz --only {name} --input {shown}"
    path.with_suffix(".txt").write_text(f"{command}\n\n{told}\n", "utf-8", "backslashreplace")
    return path


def _size():
    return int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()


def _hung(*_):
    raise HungError(f"more than {SECONDS} s")


def main(target, seconds, seed, folder):
    """Run a target and print its figures as one line of JSON."""
    faulthandler.enable()
    with suppress(KeyboardInterrupt):
        print(json.dumps(run(target, seconds, seed, folder)), flush=True)
