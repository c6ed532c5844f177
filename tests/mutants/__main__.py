"""Puts faults into the packages that hold the promises; a test must notice each.

    python -m tests.mutants budget|ledger|forgetting|fence [--sample N] [--seed N] [--jobs 2]
                            [--only TEXT] [--fresh] [--show]

A mutant is killed if a test fails, crashes or takes too long. Only tests that run its lines are
tried, those that killed most first. Survivors that cannot be noticed are in ``equivalent.toml``, each with
the reason. Results are kept in ``build/mutants``: a further run tries only what is new and what
survived. A mutant of a function is put into a process that has collected the tests already: its code is
replaced. What runs at import gets a new collection.
"""

import argparse
import ast
import contextlib
import gc
import json
import math
import os
import random
import resource
import signal
import sys
import time
import tomllib
import types
from collections import Counter, deque
from importlib import import_module
from importlib.machinery import SourceFileLoader
from pathlib import Path

import pytest
from tests.mutants.changes import mutants_of

HERE = Path(__file__).parent
CHECKOUT = HERE.parents[1]
STATE = CHECKOUT / "build" / "mutants"
SOURCE = "src/unabridged"
CONTEXT = f"{SOURCE}/context"
PACKAGES = {  # sources, tests
    "budget": ([f"{SOURCE}/budget"], ["tests/unit/budget", "tests/property/test_budget.py"]),
    "ledger": (
        [f"{CONTEXT}/ledger.py"],
        [
            "tests/unit/context/test_ledger_rows.py",
            "tests/unit/context/test_ledger_parts.py",
            "tests/unit/space/test_figures_agree.py",
        ],
    ),
    "forgetting": (
        [f"{SOURCE}/forgetting"],
        ["tests/unit/forgetting"],
    ),
    "fence": (
        [f"{CONTEXT}/{name}.py" for name in ("recall_block", "strip_markup", "turn_markers")],
        [f"tests/unit/context/test_{name}.py" for name in ("injections", "forgery", "render")]
        + ["tests/unit/context/test_turn_markers.py"],
    ),
}
OPTIONS = [
    "-q",
    "-x",
    "-s",
    "-p",
    "no:cacheprovider",
    "-p",
    "no:xdist",
    "--timeout=0",
    "-W",
    "ignore",
]
HEAVY = "numpy apsw msgspec hypothesis hypothesis.strategies httpx regex asyncio xml.dom uuid email"
EXAMPLES = 40
"""Random examples that a property test tries for each mutant; always the same ones."""
LEAST_SECONDS, FACTOR, MOST_SECONDS = 10, 3, 60
"""A mutant may take the first, and so many times what its tests take while they are measured."""
MEMORY = 6 << 30
KILLED, SURVIVED, TIMEOUT, BROKEN = "killed", "survived", "timeout", "no import"
_VERDICTS = {0: SURVIVED, 1: KILLED, 3: BROKEN}


class Plugin:
    """Run chosen tests of a collection, up to the first failure."""

    def __init__(self, loop):
        self.loop = loop
        self.failed = False

    def pytest_runtestloop(self, session):
        if session.testsfailed:
            os._exit(3)
        self.loop({item.nodeid: item for item in session.items}, self)
        return True

    def pytest_runtest_logreport(self, report):
        self.failed |= report.failed

    def run(self, items):
        for item in items:
            item.ihook.pytest_runtest_protocol(item=item, nextitem=None)
            if self.failed:
                (STATE / f"{os.getpid()}.killer").write_text(item.nodeid)
                return 1
        return 0


def collected(tests, loop):
    """Collect tests in this process and hand them to a function."""
    from hypothesis import settings

    os.chdir(CHECKOUT)
    os.environ["TEST_EXAMPLES"] = str(EXAMPLES)
    fixed = {"derandomize": True, "database": None, "deadline": None}
    settings.register_profile("mutants", max_examples=EXAMPLES, **fixed)
    settings.load_profile("mutants")
    return pytest.main([*OPTIONS, *sorted(tests)], plugins=[Plugin(loop)])


def forked(work, *args):
    """Run a function in a child, silently; its result is the exit code."""
    pid = os.fork()
    if pid:
        return pid
    os.setpgrp()
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    null = os.open(os.devnull, os.O_RDWR)
    for number in (1, 2):
        os.dup2(null, number)
    code = 1
    gc.disable()
    try:
        code = work(*args)
    finally:
        os._exit(code)


def measure(files, items, plugin, path):
    """Write the lines of the files that each test runs, and its seconds."""
    found = {}
    for name, item in items.items():
        lines = set()

        def local(frame, event, _, lines=lines):
            if event == "line":
                lines.add((frame.f_code.co_filename, frame.f_lineno))
            return local

        began = time.perf_counter()
        sys.settrace(
            lambda frame, *_, local=local: local if frame.f_code.co_filename in files else None
        )
        failed = plugin.run([item])
        sys.settrace(None)
        if failed:
            return 1
        found[name] = [time.perf_counter() - began, sorted(lines)]
    path.write_text(json.dumps(found), "utf-8")
    return 0


class Run:
    """The mutants of a package, and what became of them."""

    def __init__(self, package, args):
        self.jobs = args.jobs
        sources, self.tests = PACKAGES[package]
        self.tests = [test for test in self.tests if (CHECKOUT / test).exists()]
        files = [f for s in sources for f in sorted((CHECKOUT / s).rglob("*.py")) or [CHECKOUT / s]]
        every = [
            m for f in files for m in mutants_of(f.relative_to(CHECKOUT / SOURCE), f.read_text())
        ]
        self.files = {str(file) for file in files}
        data = tomllib.loads((HERE / "equivalent.toml").read_text())
        every = [m for m in every if not m.name.startswith(tuple(data["tables"]))]
        self.every = len(every)
        random.Random(args.seed).shuffle(every)
        self.mutants = [m for m in every[: args.sample] if args.only in m.name]
        self.equivalent = data.get(package, {})
        STATE.mkdir(parents=True, exist_ok=True)
        self.state = STATE / f"{package}.jsonl"
        if args.fresh:
            self.state.unlink(missing_ok=True)
        lines = self.state.read_text().splitlines() if self.state.exists() else []
        self.verdicts = dict(map(json.loads, lines))
        self.measured = STATE / f"{package}.lines.json"
        self.kills = Counter()
        self.done = 0

    def go(self):
        ended = (KILLED, TIMEOUT, BROKEN)
        waiting = [m for m in self.mutants if self.verdicts.get(m.name) not in ended]
        waiting = [mutant for mutant in waiting if mutant.name not in self.equivalent]
        self.total = len(waiting)
        for module in HEAVY.split():  # not the package: a mutant may be in what it imports
            with contextlib.suppress(ImportError):
                import_module(module)
        self.measured.unlink(missing_ok=True)
        warm = os.fork()
        if not warm:
            collected(self.tests, lambda items, plugin: self.warm(waiting, items, plugin))
            os._exit(0)
        os.waitpid(warm, 0)
        if not self.measured.exists():
            failed = [path.read_text() for path in STATE.glob("*.killer")]
            sys.exit(f"the tests fail without a mutant: {failed}")
        self.read_measures()
        self.verdicts |= dict(map(json.loads, self.state.read_text().splitlines()))
        rest = [mutant for mutant in waiting if not self.reaching(mutant)]
        self.done = self.total - len(rest)
        self.each(rest, self.imported)

    def warm(self, mutants, items, plugin):
        pid = forked(measure, self.files, items, plugin, self.measured)
        if os.waitpid(pid, 0)[1]:
            return
        self.read_measures()
        self.state.touch()
        self.functions = {
            (f.__code__.co_filename, f.__code__.co_qualname): f
            for f in gc.get_objects()
            if isinstance(f, types.FunctionType) and f.__code__.co_filename in self.files
        }
        gc.freeze()  # a child that collects would copy every page
        inside = [mutant for mutant in mutants if self.reaching(mutant)]
        self.each(inside, lambda m: self.replaced(m, items, plugin))

    def reaching(self, mutant):
        """Return the tests that run a mutant's lines once it is in; none if only the import does."""
        path = str(CHECKOUT / SOURCE / mutant.path)
        lines = mutant.lines if mutant.function else ()
        return set().union(*(self.running.get((path, line), ()) for line in lines))

    def tests_of(self, mutant):
        """Return the ids of the tests that may notice a mutant, and their seconds."""
        found = self.reaching(mutant) or self.seconds
        names = sorted(found, key=lambda name: (-self.kills[name], self.seconds[name]))
        return names, sum(self.seconds[name] for name in found)

    def read_measures(self):
        measures = json.loads(self.measured.read_text())
        self.seconds = {name: seconds for name, (seconds, _) in measures.items()}
        self.running = {}
        for name, (_, lines) in measures.items():
            for path, line in lines:
                self.running.setdefault((path, line), set()).add(name)

    def replaced(self, mutant, items, plugin):
        path = str(CHECKOUT / SOURCE / mutant.path)
        function = self.functions[path, mutant.function]
        function.__code__ = _code(compiled(mutant, path), mutant.function)
        return plugin.run([items[name] for name in self.tests_of(mutant)[0]])

    def imported(self, mutant):
        path = str(CHECKOUT / SOURCE / mutant.path)
        code, real = compiled(mutant, path), SourceFileLoader.get_code
        SourceFileLoader.get_code = lambda s, name: code if s.path == path else real(s, name)
        names = self.tests_of(mutant)[0]
        files = {name.partition("::")[0] for name in names}

        def loop(items, plugin):
            os._exit(plugin.run([items[name] for name in names if name in items]))

        collected(files, loop)
        return 3

    def each(self, mutants, work):
        waiting, running = deque(mutants), {}
        with self.state.open("a") as state:
            while waiting or running:
                while waiting and len(running) < self.jobs:
                    mutant = waiting.popleft()
                    seconds = LEAST_SECONDS + FACTOR * self.tests_of(mutant)[1]
                    limit = time.monotonic() + min(seconds, MOST_SECONDS)
                    running[forked(work, mutant)] = (mutant, limit)
                for pid, (mutant, limit) in list(running.items()):
                    verdict = _ended(pid, limit)
                    if verdict:
                        del running[pid]
                        self.kills[_killer(pid)] += 1
                        self.verdicts[mutant.name] = verdict
                        state.write(json.dumps([mutant.name, verdict]) + "\n")
                        state.flush()
                        self.done += 1
                        if sys.stderr.isatty() or not self.done % 100:
                            print(f"\r{self.done}/{self.total} ", end="", file=sys.stderr)
                time.sleep(0.005)


def _ended(pid, limit):
    got, status = os.waitpid(pid, os.WNOHANG)
    if got:
        return _VERDICTS.get(os.waitstatus_to_exitcode(status), KILLED)
    if time.monotonic() < limit:
        return None
    os.killpg(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    return TIMEOUT


def _killer(pid):
    path = STATE / f"{pid}.killer"
    name = path.read_text() if path.exists() else ""
    path.unlink(missing_ok=True)
    return name


def compiled(mutant, path):
    mutant.apply()
    return compile(ast.fix_missing_locations(mutant.tree), path, "exec")


def _code(code, name):
    inner = [one for one in code.co_consts if isinstance(one, types.CodeType)]
    found = [one for one in inner if one.co_qualname == name]
    return found[0] if found else next(filter(None, (_code(one, name) for one in inner)), None)


def summary(run, package, *, show):
    by_file = {}
    for mutant in run.mutants:
        verdict = "equivalent" if mutant.name in run.equivalent else run.verdicts.get(mutant.name)
        by_file.setdefault(mutant.path, Counter())[verdict] += 1
        if show and verdict == SURVIVED:
            print(mutant.name)
    for name, found in [*by_file.items(), (package, sum(by_file.values(), Counter()))]:
        killed = found[KILLED] + found[TIMEOUT]
        of = killed + found[SURVIVED]
        share = math.floor(1000 * killed / of) / 10 if of else 100.0
        apart = ", ".join(f"{found[v]} {v}" for v in ("equivalent", BROKEN, TIMEOUT) if found[v])
        print(f"{name}: {killed} of {of} killed ({share} %)" + (f"; {apart}" if apart else ""))
    print(f"{len(run.mutants)} of {run.every} mutants")
    return share


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("package", choices=PACKAGES)
    parser.add_argument("--sample", type=int, help="mutants drawn from all (all)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--only", default="", help="mutants whose name contains a text")
    parser.add_argument("--fresh", action="store_true", help="forget earlier results")
    parser.add_argument("--show", action="store_true", help="list the survivors")
    args = parser.parse_args()
    run = Run(args.package, args)
    run.go()
    print()
    share = summary(run, args.package, show=args.show)
    sys.exit(share < 90)


if __name__ == "__main__":
    main()
