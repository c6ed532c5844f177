"""A power cut at every single operation on the disk, with what was not synced kept, lost or torn.

The write paths run once over a layer that notes every operation; then, for each of them, states of
the disk are made that a power cut at that moment may leave (see ``shadow``), and each is opened with
the real layers. It must be sound, and hold exactly what was acknowledged, or that and the one write
that was under way.

    python -m tests.faults.crash --count 50000 [--seed 0] [--store sqlite|files]
"""

import shutil
import sys
from collections import Counter
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from functools import wraps
from pathlib import Path
from random import Random
from time import perf_counter
from unittest import mock

from tests.faults.bench import (
    SECRET,
    Bench,
    fill_long,
    forgotten_in,
    halves,
    little_is_much,
    quick_folder,
    say,
    state_of,
)
from tests.faults.figures import arguments, tell
from tests.faults.layers import Layer
from tests.faults.shadow import Event, Mark, Shadow
from tests.faults.workflows import WORKFLOWS, Workflow, condense
from tests.opened import store_of

from unabridged.errors import UnabridgedError
from unabridged.factory.home import Home
from unabridged.stores.sqlite import SqliteStore
from unabridged.testing.stores_lookup import looked_up

CALLS = (
    "append import_session import_sessions set_session put delete erase put_vectors activate_vectors"
    " rebuild"
).split()
"""What changes a store; each is one transaction."""


@dataclass(frozen=True)
class Known:
    """What the program knew: the state after the last call that returned, and what was forgotten."""

    state: str
    forgotten: bool = False


@dataclass
class Trace:
    """One run of a write path."""

    flow: Workflow
    bench: Bench
    shadow: Shadow
    events: list[Event]
    known: list[Known]
    outside: dict[str, bytes]

    @property
    def name(self) -> str:
        """The write path's name."""
        return self.flow.name


@dataclass
class Tally:
    """What came of the crashes."""

    points: int = 0
    operations: int = 0
    corrupt: int = 0
    lost: int = 0
    half: int = 0
    remains: int = 0
    slowest: float = 0.0
    wrong: Counter[str] = field(default_factory=Counter)

    def add(self, other: "Tally") -> None:
        """Put another one to this."""
        for name in ("points", "operations", "corrupt", "lost", "half", "remains"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        self.slowest = max(self.slowest, other.slowest)
        self.wrong += other.wrong

    @property
    def failed(self) -> bool:
        """Whether a must was missed."""
        return bool(self.corrupt or self.lost or self.half or self.remains)


def talk(bench: Bench) -> None:
    """Begin, step, record, regenerate, edit, retitle, pin."""
    with bench.open() as memory:
        first = say(memory, "Where did Ida go first? " * 20, "To Oslo, with three boxes. " * 30)
        context = memory.prepare("Once more, please.", retry_of=first)
        memory.begin(context)
        memory.record(context, "To Oslo.")
        memory.undo()
        say(memory, "And then, after Oslo?", "Lima, and nobody knows why.")
        memory.rename("Where Ida went")
        memory.pin(exchange=first)
        memory.new_session("The third")
        context = memory.prepare("This stays open.")
        memory.begin(context)


def grow(bench: Bench) -> None:
    """Record while the index is sealed and merged, and again made anew."""
    with little_is_much(), bench.open() as memory:
        for number in range(8):
            say(memory, f"Ida speaks of word{number} now.", f"So word{number} it is.")
        if hasattr(store_of(memory), "rebuild"):
            store_of(memory).rebuild()


def enrich(bench: Bench) -> None:
    """Put other vectors in the place of those that are there."""
    import numpy as np

    from unabridged.maintenance.embed import reembed

    class Other:
        identity, dimension, instant = "other-64", 64, False

        def embed(self, texts):
            draw = np.random.default_rng(len(texts))
            made = draw.standard_normal((len(texts), self.dimension)).astype(np.float32)
            return made / np.linalg.norm(made, axis=1, keepdims=True)

    with little_is_much(), bench.open() as memory:
        for _ in reembed(store_of(memory), Other()):
            pass


def erase(bench: Bench) -> None:
    """Remove what holds the secret, bytes and all, and go on."""
    with bench.open() as memory:
        store = store_of(memory)
        store.erase([x.id for x in store.scan() if SECRET in x.text])
        say(memory, "What did my cousin do?", "She went to Oslo.")


def begin_anew(bench: Bench) -> None:
    """Make a home and a space where there is none."""
    with bench.open() as memory:
        say(memory, "Hello for the first time.", "Hello.")


LATER = ("not entered the index yet", "missing from the index")
"""What a check says of an index that the first search makes whole, by design: after a backup
was restored, which holds none."""
ALSO = frozenset("forget import backup restore copy rename export archive".split()) | {"config set"}
"""Workflows whose files are cut, too."""
PATHS = (
    Workflow("talk", talk),
    Workflow("grow", grow),
    Workflow("enrich", enrich, stores=("sqlite",)),
    Workflow("condense", condense, fill_long),
    Workflow("erase", erase),
    Workflow("begin anew", begin_anew, lambda _: None),
    *[flow for flow in WORKFLOWS if flow.name in ALSO],
)


LAYOUTS = {"sqlite": ("model",), "files": ("model", "agent", "user")}
"""The layouts of a store that are tried."""


def bench_for(name: str, home: Path, store: str, layout: str) -> Bench:
    """A home as a write path finds it."""
    return Bench(home, store, json_files=layout)


def traced(flow: Workflow, folder: Path, store: str, layout: str = "model") -> Trace:
    """Run a write path once, noting everything."""
    bench = bench_for(flow.name, folder / "here" / "home", store, layout)
    bench.home.mkdir(parents=True)
    flow.prepare(bench)
    known = [Known("")]
    if holds_files(bench):
        known = [Known(_state(bench.copy(folder / "before" / "home")))]
    layer = Layer(bench.home.parent, sqlite=not flow.shared)
    with ExitStack() as stack:
        for call in CALLS:
            stack.enter_context(_noted(call, layer, known, bench))
        stack.enter_context(layer)
        flow.work(bench)
        layer.mark("done")
    known.append(Known(_state(bench)))
    before = {name: path for name, path in layer.shadow.names.items() if path}
    outside = {
        name: bytes(layer.shadow.files[inode].durable)
        for name, inode in before.items()
        if name in dict(flow.whole)
    }
    return Trace(flow, bench, layer.shadow, layer.events, known, outside)


def _state(bench: Bench) -> str:
    store = bench.store()
    try:
        return state_of(store)
    finally:
        store.close()


def holds_files(bench: Bench) -> bool:
    """Whether anything lies there yet."""
    return any(path.is_file() for path in bench.home.rglob("*"))


def holds_data(home: Path) -> bool:
    """Whether a space was begun there."""
    return any(path.suffix in {".db", ".json"} for path in home.rglob("*"))


def _noted(call: str, layer: Layer, known: list[Known], bench: Bench):
    """Let a call of a store leave a mark: what the store says after it."""
    real = getattr(SqliteStore, call)

    @wraps(real)
    def noted(self, *args, **kwargs):
        done = real(self, *args, **kwargs)
        if bench.is_here(self):
            known.append(Known(state_of(self), forgotten=call == "erase"))
            layer.mark(len(known) - 1)
        return done

    return mock.patch.object(SqliteStore, call, noted)


def crash(trace: Trace, count: int, rng: Random, workplace: Path) -> Tally:
    """Cut the power at each operation, ``count`` times in all, evenly; judge what is left."""
    tally = Tally()
    tally.operations = sum(not isinstance(event, Mark) for event in trace.events)
    done = reached = acknowledged = 0
    gone = False
    for event in trace.events:
        if isinstance(event, Mark):
            if isinstance(event.said, int):
                acknowledged = event.said
                gone = gone or (trace.known[acknowledged].forgotten and not trace.flow.forgets)
            else:
                acknowledged, gone = len(trace.known) - 1, gone or trace.flow.forgets
            continue
        trace.shadow.apply(event)
        done += 1
        while reached * tally.operations < done * count:
            reached += 1
            _one(trace, (acknowledged, gone), Random(rng.getrandbits(64)), workplace, tally)
    return tally


def _one(trace: Trace, told: tuple[int, bool], rng: Random, home: Path, tally: Tally) -> None:
    shutil.rmtree(home, ignore_errors=True)
    home.mkdir()
    trace.shadow.leave(home, rng)
    acknowledged, gone = told
    legal = {known.state for known in trace.known[acknowledged : acknowledged + 2]}
    tally.points += 1
    bench = trace.bench.at(home / "home")
    for name, is_whole in trace.flow.whole:
        left = (home / name).read_bytes() if (home / name).exists() else None
        if left != trace.outside.get(name) and not is_whole(left or b""):
            tally.half += 1
            tally.wrong[f"{trace.name}: {name} is half written"] += 1
    before = perf_counter()
    if acknowledged == 0 and "" in legal and not holds_data(home):
        return  # nothing was acknowledged, and nothing is there
    store = None
    try:
        store = bench.store()
        tally.slowest = max(tally.slowest, perf_counter() - before)
        _judge(trace, store, legal, tally)
        if trace.flow.spaces:
            _look_at_all(trace, bench, tally)
    except UnabridgedError as error:
        tally.corrupt += 1
        tally.wrong[f"{trace.name}: {type(error).__name__}: {_plain(error, home)}"] += 1
    finally:
        if store is not None:
            with suppress(UnabridgedError):
                store.close()
    if gone and (left := forgotten_in(home)):
        tally.remains += 1
        tally.wrong[f"{trace.name}: the forgotten lies in {[name[-12:] for name in left]}"] += 1


def _judge(trace: Trace, store, legal: set[str], tally: Tally) -> None:
    damage = store.check()
    if damage and "the index" in damage[0] and any(said in damage[0] for said in LATER):
        looked_up(store, "Ida")
        damage = store.check()
    if damage:
        tally.corrupt += 1
        tally.wrong[f"{trace.name}: {damage[0][:100]}"] += 1
    elif halves(store):
        tally.half += 1
        tally.wrong[f"{trace.name}: half exchanges"] += 1
    else:
        state = state_of(store)
        fresh = "" in legal and not store.sessions()
        if state not in legal and not fresh:
            tally.lost += 1
            tally.wrong[f"{trace.name}: not what was acknowledged"] += 1


def _look_at_all(trace: Trace, bench: Bench, tally: Tally) -> None:
    """No other space of the home may be damaged either."""
    for info in Home(bench.settings).spaces():
        if info.damaged:
            tally.corrupt += 1
            tally.wrong[f"{trace.name}: {info.damaged[-120:]}"] += 1


def _plain(error: UnabridgedError, home: Path) -> str:
    return str(error).replace(str(home), "")[-140:]


def run(count: int, seed: int, store: str, names: list[str] | None = None) -> dict[str, Tally]:
    """Crash every write path; the points are shared out evenly."""
    folder = quick_folder("crash")
    chosen = [
        (flow, layout)
        for layout in LAYOUTS[store]
        for flow in PATHS
        if store in flow.stores and (not names or flow.name in names)
    ]
    tallies: dict[str, Tally] = {}
    try:
        for number, (flow, layout) in enumerate(chosen):
            trace = traced(flow, folder / str(number), store, layout)
            share = count * (number + 1) // len(chosen) - count * number // len(chosen)
            rng = Random(f"{seed} {flow.name} {layout}")
            tally = crash(trace, share, rng, folder / "left")
            tallies[flow.name if store == "sqlite" else f"{flow.name}, {layout}"] = tally
    finally:
        shutil.rmtree(folder)
    return tallies


def main() -> int:
    """Print the figures."""
    chosen = arguments(__doc__, count=50_000, only="")
    begun = perf_counter()
    tallies = run(
        chosen.count, chosen.seed, chosen.store, list(filter(None, chosen.only.split(",")))
    )
    total = Tally()
    for tally in tallies.values():
        total.add(tally)
    return tell(
        "crash", chosen, begun,
        failed=total.failed, wrong=dict(total.wrong.most_common(12)),
        points=total.points, operations={name: t.operations for name, t in tallies.items()},
        corrupt=total.corrupt, lost=total.lost, half=total.half, remains=total.remains,
        slowest_opening_s=round(total.slowest, 3),
    )  # fmt: skip


if __name__ == "__main__":
    sys.exit(main())
