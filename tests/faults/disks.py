"""A disk that fails: full, read-only, broken, unable to sync, a limit of size, at every n-th operation.

Each workflow runs again and again over a layer that lets one operation fail, once or from then on.
What must hold: the workflow is done, or ends with an error of the tree; the store then holds what it
held after one of the workflow's steps, all of them where it said that it is done; it is sound; and
once the fault is over, reading and writing go on.

    python -m tests.faults.disks --count 5000 [--seed 0] [--store sqlite|files]
"""

import errno
import shutil
import sys
import traceback
from collections import Counter
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import wraps
from itertools import cycle
from pathlib import Path
from random import Random
from time import perf_counter
from unittest import mock

from tests.faults.bench import Bench, halves, quick_folder, say, shape_of
from tests.faults.crash import CALLS, LATER, LAYOUTS
from tests.faults.figures import arguments, tell
from tests.faults.layers import Layer
from tests.faults.workflows import WORKFLOWS, CommandFailedError, Workflow

from unabridged.errors import UnabridgedError
from unabridged.factory.home import Home
from unabridged.stores.sqlite import SqliteStore

GROWING = frozenset({"write", "create", "make folder", "link"})
CHANGING = GROWING | {"truncate", "rename", "delete", "remove folder"}
SYNCING = frozenset({"sync", "sync folder"})


@dataclass(frozen=True)
class Fault:
    """What fails, and how.

    Attributes:
        name: What it is called in the figures.
        number: The errno.
        kinds: The operations that can fail so; empty for all.
    """

    name: str
    number: int
    kinds: frozenset[str] = frozenset()

    def hits(self, kind: str) -> bool:
        """Whether an operation of a kind can fail so."""
        return not self.kinds or kind in self.kinds


FAULTS = (
    Fault("full", errno.ENOSPC, GROWING),
    Fault("limit", errno.EFBIG, frozenset({"write"})),
    Fault("read-only", errno.EROFS, CHANGING),
    Fault("broken", errno.EIO),
    Fault("unsynced", errno.EIO, SYNCING),
)


@dataclass
class Hits:
    """A hook for ``Layer``: fails the n-th operation that a fault can hit, or all from there on."""

    fault: Fault
    nth: int
    lasting: bool = False
    seen: int = 0
    struck: int = 0

    def __call__(self, kind: str, _name: str) -> int:
        """Say whether this one fails."""
        if not self.fault.hits(kind):
            return 0
        self.seen += 1
        if self.seen == self.nth or (self.lasting and self.seen > self.nth):
            self.struck += 1
            return self.fault.number
        return 0


@dataclass
class Course:
    """How a workflow goes when nothing fails."""

    flow: Workflow
    template: Bench
    states: list[str]
    operations: dict[str, int]
    outside: dict[str, bytes]


@dataclass
class Tally:
    """What came of the faults."""

    runs: int = 0
    struck: int = 0
    refused: int = 0
    borne: int = 0
    raw: int = 0
    false: int = 0
    damaged: int = 0
    stuck: int = 0
    wrong: Counter[str] = field(default_factory=Counter)

    @property
    def failed(self) -> bool:
        """Whether a must was missed."""
        return bool(self.raw or self.false or self.damaged or self.stuck)


def course(flow: Workflow, folder: Path, store: str, layout: str = "model") -> Course:
    """Run a workflow undisturbed, once, and note its steps and operations."""
    template = Bench(folder / "template" / "home", store, json_files=layout)
    template.home.mkdir(parents=True)
    flow.prepare(template)
    shutil.copytree(folder / "template", folder / "trial")
    trial = template.at(folder / "trial" / "home")
    states = [_state(trial)]
    counted: Counter[str] = Counter()

    def count(kind: str, _name: str) -> int:
        counted[kind] += 1
        return 0

    with ExitStack() as stack:
        for call in CALLS:
            stack.enter_context(_noted(call, states))
        flow.work(trial)
    shutil.rmtree(folder / "trial")
    shutil.copytree(folder / "template", folder / "trial")
    with Layer(folder / "trial", count, keep=False, sqlite=not flow.shared):
        flow.work(trial)
    operations = {f.name: sum(n for k, n in counted.items() if f.hits(k)) for f in FAULTS}
    states.append(_state(trial))
    shutil.rmtree(folder / "trial")
    before = {n: p.read_bytes() for n, _ in flow.whole if (p := folder / "template" / n).exists()}
    return Course(flow, template, states, operations, before)


def _noted(call: str, states: list[str]):
    real = getattr(SqliteStore, call)

    @wraps(real)
    def noted(self, *args, **kwargs):
        done = real(self, *args, **kwargs)
        states.append(shape_of(self))
        return done

    return mock.patch.object(SqliteStore, call, noted)


def _state(bench: Bench) -> str:
    store = bench.store()
    try:
        return shape_of(store)
    finally:
        store.close()


def trial(way: Course, hits: Hits, folder: Path, tally: Tally) -> None:
    """Let one operation of a workflow fail, and judge what came of it."""
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(way.template.home.parent, folder)
    bench = way.template.at(folder / "home")
    case = f"{way.flow.name}, {hits.fault.name}{' on and on' if hits.lasting else ''}"
    tally.runs += 1
    done = False
    with Layer(folder, hits, keep=False, sqlite=not way.flow.shared):
        try:
            way.flow.work(bench)
            done = True
        except UnabridgedError as error:
            if not error.hint:
                tally.raw += 1
                tally.wrong[f"{case}: no hint: {type(error).__name__}"] += 1
        except CommandFailedError as error:
            if error.unexpected:
                tally.raw += 1
                tally.wrong[f"{case}: {' '.join(str(error).split())[-160:]}"] += 1
        except BaseException as error:  # noqa: BLE001 - whatever it is, it is not of the tree
            tally.raw += 1
            tally.wrong[f"{case}: {error!r} in {_place(error)}"] += 1
    tally.struck += bool(hits.struck)
    tally.refused += not done
    tally.borne += done and bool(hits.struck)
    _judge(way, bench, done, case, tally)


def _place(error: BaseException) -> str:
    """Where in the program it was not caught."""
    frames = traceback.extract_tb(error.__traceback__)
    ours = [f for f in frames if "/src/unabridged/" in f.filename] or frames
    return f"{Path(ours[-1].filename).name}:{ours[-1].lineno} {ours[-1].name}"


def _judge(way: Course, bench: Bench, done: bool, case: str, tally: Tally) -> None:
    """Look at what is left with a disk that works again, and go on in it."""
    try:
        store = bench.store()
        try:
            damage = store.check() or halves(store)
            state = shape_of(store)
        finally:
            store.close()
    except UnabridgedError as error:
        tally.damaged += 1
        tally.wrong[f"{case}: then {type(error).__name__}: {str(error)[-120:]}"] += 1
        return
    if way.flow.spaces:
        damage = damage or [info.damaged for info in Home(bench.settings).spaces() if info.damaged]
    if damage and not any(said in damage[0] for said in LATER):
        tally.damaged += 1
        tally.wrong[f"{case}: {damage[0][-120:]}"] += 1
    if state != way.states[-1] if done else state not in way.states:
        tally.false += 1
        tally.wrong[f"{case}: {'not done' if done else 'half done'}"] += 1
    for name, is_whole in way.flow.whole:
        path = bench.home.parent / name
        left = path.read_bytes() if path.exists() else None
        if left != way.outside.get(name) and not is_whole(left or b""):
            tally.false += 1
            tally.wrong[f"{case}: {name} is half written"] += 1
        if done and left is None:
            tally.false += 1
            tally.wrong[f"{case}: {name} is not there"] += 1
    try:
        with bench.open(200) as memory:
            memory.space.search("boxes")
            said = say(memory, "And now?", "Now it works again.")
            assert memory.get(said).answer
    except Exception as error:  # noqa: BLE001 - whatever it is, writing did not go on
        tally.stuck += 1
        tally.wrong[f"{case}: cannot go on: {error!r}"[:200]] += 1


def plan(ways: list[Course], count: int, rng: Random) -> list[tuple[Course, Hits]]:
    """Every operation where there is room for all, else each workflow, fault and part of it alike."""
    every = [
        (way, Hits(fault, nth, lasting))
        for way in ways
        for fault in FAULTS
        for nth in range(1, way.operations[fault.name] + 1)
        for lasting in (False, True)
    ]
    if len(every) <= count:
        return every
    cells: dict[tuple[str, str, bool], list[tuple[Course, Hits]]] = {}
    for way, hits in every:
        cells.setdefault((way.flow.name, hits.fault.name, hits.lasting), []).append((way, hits))
    chosen: list[tuple[Course, Hits]] = []
    pools = [rng.sample(cell, len(cell)) for cell in cells.values()]
    while len(chosen) < count:
        chosen += [pool.pop() for pool in pools if pool]
    return chosen[:count]


def run(count: int, seed: int, store: str, names: set[str] | None = None) -> tuple[Tally, int]:
    """Try them; gives the figures, and how many operations there are to fail."""
    folder, tally = quick_folder("disks"), Tally()
    try:
        flows = [f for f in WORKFLOWS if store in f.stores and (not names or f.name in names)]
        layouts = cycle(LAYOUTS[store])
        ways = [course(flow, folder / flow.name, store, next(layouts)) for flow in flows]
        for way, hits in plan(ways, count, Random(seed)):
            trial(way, hits, folder / "trial", tally)
    finally:
        shutil.rmtree(folder)
    return tally, sum(sum(way.operations.values()) for way in ways)


def main() -> int:
    """Print the figures."""
    chosen = arguments(__doc__, count=5000, only="")
    begun = perf_counter()
    tally, operations = run(
        chosen.count, chosen.seed, chosen.store, set(filter(None, chosen.only.split(",")))
    )
    return tell(
        "disks", chosen, begun,
        failed=tally.failed, wrong=dict(tally.wrong.most_common(30)), runs=tally.runs,
        operations=operations, struck=tally.struck, refused=tally.refused, borne=tally.borne,
        raw_errors=tally.raw, false=tally.false, damaged=tally.damaged, stuck=tally.stuck,
    )  # fmt: skip


if __name__ == "__main__":
    sys.exit(main())
