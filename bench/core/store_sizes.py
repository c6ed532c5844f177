"""What is measured at each size of the store: writing, preparing, opening, switching, reading."""

import shutil
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from bench.core import bare_sqlite
from bench.core.bare_sqlite import BareRows, BareSqlite
from bench.figures.report import ReportRow, row
from bench.figures.timer import each, spread, timed
from bench.generator import TalkGenerator
from unabridged.domain.chat import Abilities
from unabridged.domain.context import Context
from unabridged.domain.settings import Settings
from unabridged.memory import Memory
from unabridged.models.scripted import ScriptedModel
from unabridged.testing.clock import ManualClock
from unabridged.turn.conversation import Conversation

WINDOW = 16_384
"""The window: that of most local models by default."""
SPOKEN = 24
"""Exchanges of the session before anything is measured, so that it is in the middle of things."""
PREPARED, WRITTEN, OPENED, READ = 160, 50, 20, 60
"""Calls that are measured of each kind."""


@dataclass(frozen=True, slots=True)
class SizedStore:
    """One store under measurement.

    Attributes:
        home: The home folder.
        drawn: Where its conversations come from.
        size: Exchanges that were stored.
    """

    home: Path
    drawn: TalkGenerator
    size: int

    def open(self) -> Memory:
        """Open the space."""
        settings = Settings(home=str(self.home), window=WINDOW)
        return Memory.open(settings=settings, upstream=model("bench"))

    @property
    def path(self) -> Path:
        """The space's file."""
        files = (path for path in (self.home / "spaces").iterdir() if path.is_file())
        return next(path for path in files if not path.name.endswith(_BESIDE))

    def questions(self, count: int) -> list[str]:
        """Draw messages that are relevant to what is stored."""
        topics = self.drawn.topics
        return [self.drawn.question(topics[(n * 7919) % len(topics)]) for n in range(count)]


_BESIDE = ("-wal", "-shm", ".lock")


def model(name: str, window: int = WINDOW) -> ScriptedModel:
    """An upstream that is never asked."""
    abilities = Abilities(name, trained_window=window, source="server")
    return ScriptedModel(abilities=abilities, model=name)


def in_memory(window: int) -> Memory:
    """Open a space that nothing is kept of, with a window of its own and no other bound."""
    settings = Settings(home="unused", store="memory", window=window, max_prompt_tokens=window)
    return Memory.open(settings=settings, upstream=model("bench", window), clock=ManualClock())


def newest_conversation(memory: Memory) -> Conversation:
    """Continue the session that was updated last; begin one in an empty memory."""
    newest = memory.space.sessions.newest()
    return memory.conversation(newest.id if newest else None)


def measure(bench: SizedStore) -> Iterator[ReportRow]:
    """Measure everything that may depend on the size of the store."""
    copy = bench.home / "bare.db"
    with bench.open() as memory:
        session = hold_conversation(bench, memory)
    shutil.copyfile(bench.path, copy)
    with BareSqlite(copy) as baseline, bench.open() as memory:
        talk = memory.conversation(session)
        yield from _prepare(bench, talk, baseline)
        yield from _write(bench, talk, baseline)
        yield from _read(bench, memory, talk, baseline)
        yield from _switch(bench, memory, talk, baseline)
    yield from _open(bench, copy)
    for path in bench.home.glob("bare.db*"):
        path.unlink()


def hold_conversation(bench: SizedStore, memory: Memory) -> str:
    """Hold a conversation in a new session, and return the session's id."""
    talk = memory.conversation()
    for question in bench.questions(SPOKEN):
        topic = bench.drawn.topics[0]
        talk.record(talk.prepare(question), bench.drawn.answered(topic))
    return talk.session


def _prepare(bench: SizedStore, talk: Conversation, baseline: BareSqlite) -> Iterator[ReportRow]:
    by_intent: dict[str, list[float]] = defaultdict(list)
    bared: list[float] = []
    questions = bench.questions(PREPARED + 5)
    for number, question in enumerate(questions):
        took, context = timed(talk.prepare, question)
        again, _ = timed(baseline.search, question)
        if number >= 5:
            by_intent[context.ledger.intent.value].append(took)
            bared.append(again)
    times = [took for of_intent in by_intent.values() for took in of_intent]
    note = "baseline: one FTS5 query by bm25 and its rows"
    base = spread(bared).p50
    yield row("prepare", spread(times), size=bench.size, baseline=base, note=note)
    for intent, of_intent in sorted(by_intent.items()):
        yield row(f"prepare: {intent}", spread(of_intent), size=bench.size)


def _write(bench: SizedStore, talk: Conversation, baseline: BareSqlite) -> Iterator[ReportRow]:
    rows = BareRows(bench.path)
    took: dict[str, list[float]] = defaultdict(list)
    topic = bench.drawn.topics[0]
    for question in bench.questions(WRITTEN):
        context = talk.prepare(question)
        begun, _ = timed(talk.begin, context)
        bare_begun, _ = timed(baseline.write, _new(rows, context))
        recorded, _ = timed(talk.record, context, bench.drawn.answered(topic))
        bare_recorded, _ = timed(baseline.write, _new(rows, context))
        took["begin"].append(begun)
        took["record"].append(recorded)
        took["both"].append(begun + recorded)
        took["bare begin"].append(bare_begun)
        took["bare record"].append(bare_recorded)
        took["bare"].append(bare_begun + bare_recorded)
    rows.close()
    found = {name: spread(values) for name, values in took.items()}
    note = "baseline: two bare apsw transactions with the same rows, synchronous=FULL"
    size, bared = bench.size, found["bare"].p50
    yield row("begin + record", found["both"], size=size, baseline=bared, note=note)
    yield row("begin", found["begin"], size=size, baseline=found["bare begin"].p50)
    yield row("record", found["record"], size=size, baseline=found["bare record"].p50)


def _new(rows: BareRows, context: Context) -> dict[str, list[tuple[object, ...]]]:
    return rows.new(context.scope.session or "", context.id)


def _read(
    bench: SizedStore, memory: Memory, talk: Conversation, baseline: BareSqlite
) -> Iterator[ReportRow]:
    questions = bench.questions(READ)
    base = each(baseline.search, questions).p50
    yield row("search", each(memory.search, questions), size=bench.size, baseline=base)
    base = each(lambda _: baseline.history(talk.session), range(READ)).p50
    found = each(lambda _: talk.history(), range(READ))
    yield row("load history", found, size=bench.size, baseline=base, note="the newest 50 exchanges")


def _switch(
    bench: SizedStore, memory: Memory, talk: Conversation, baseline: BareSqlite
) -> Iterator[ReportRow]:
    names = [
        talk.session if n % 2 else f"{1 + n % len(bench.drawn.topics):026d}" for n in range(READ)
    ]
    base = each(baseline.session, names).p50
    found = each(memory.space.sessions.find, names)
    yield row("switch session", found, size=bench.size, baseline=base)

    def switch_model(number: int) -> Context:
        return talk.prepare("hi", model=model(f"model-{number % 2}"))

    found = each(switch_model, range(READ))
    note = "until the first context for the new model is made"
    yield row("switch model", found, size=bench.size, note=note)


def _open(bench: SizedStore, copy: Path) -> Iterator[ReportRow]:
    base = each(lambda _: bare_sqlite.opened(copy), range(OPENED)).p50
    times = []
    for _ in range(OPENED):
        took, memory = timed(bench.open)
        memory.close()
        times.append(took)
    note = "baseline: apsw opens the same file and reads a row"
    yield row("open a space", spread(times), size=bench.size, baseline=base, note=note)
