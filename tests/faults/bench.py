"""A home to spoil: filled with a little conversation, copied for each trial, and compared afterwards."""

import shutil
import tempfile
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from hashlib import blake2b
from pathlib import Path

from tests.helpers.talker import Talker

from unabridged.domain.exchange import ExchangeState
from unabridged.domain.record import RecordKind
from unabridged.domain.scope import Scope
from unabridged.domain.settings import Settings
from unabridged.factory.adapters import store_for
from unabridged.home.open_spaces import space_from, spaces_of
from unabridged.index import merge_policy
from unabridged.models.scripted import ScriptedModel
from unabridged.testing.clock import ManualClock

BEGUN = datetime(2026, 3, 1, 9, 0, tzinfo=UTC)
SECRET = "xylographer"
"""A word that only what is going to be forgotten holds."""
PLACES = ("Oslo", "Lima", "Quito", "Accra", "Turin")


def kept_in(store: str, layout: str = "model") -> dict[str, str]:
    """The settings behind a name of a store: ``files`` is SQLite with readable files."""
    if store == "files":
        return {"store": "sqlite", "json_files": layout}
    return {"store": store, "json_files": "none"}


class Bench:
    """One home.

    Args:
        home: The folder.
        store: ``sqlite``, ``files`` (the same with readable files) or ``memory``.
        **changes: Settings that differ.
    """

    def __init__(self, home: Path, store: str = "sqlite", **changes: object) -> None:
        self.home = home
        kept = kept_in(store, str(changes.pop("json_files", "model")))
        plain = Settings(home=str(home), condense_tokens=400, **kept)
        self.settings = replace(plain, **changes)

    def open(self, day: int = 100, **changes: object) -> Talker:
        """A memory of this home, on a day after the beginning."""
        return Talker.open(
            settings=replace(self.settings, **changes),
            upstream=ScriptedModel(["It is as you say, and Ida knows it."]),
            clock=ManualClock(BEGUN + timedelta(days=day)),
        )

    def store(self):
        """The store alone."""
        return store_for(
            self.settings,
            Scope(self.settings.user, self.settings.agent, self.settings.model or None),
        )

    def is_here(self, store) -> bool:
        """Whether a store is that of the home's first space, and no copy of it."""
        chosen = self.settings
        space = space_from(Scope(chosen.user, chosen.agent, chosen.model or None), chosen)
        return store.path == spaces_of(chosen).path_of(space)

    def copy(self, home: Path) -> "Bench":
        """The same in another place."""
        shutil.copytree(self.home, home, dirs_exist_ok=True)
        return self.at(home)

    def at(self, home: Path) -> "Bench":
        """The same choices for another home."""
        other = Bench.__new__(Bench)
        other.home, other.settings = home, replace(self.settings, home=str(home))
        return other


def say(memory: Talker, words: str, answer: str = "It was wise of Ida, and far away.") -> str:
    """A whole exchange; gives its id."""
    context = memory.prepare(words)
    memory.begin(context)
    return memory.record(context, answer).id


def fill(bench: Bench, exchanges: int = 6) -> None:
    """Let two sessions, a fact, a pin and a secret be there."""
    with bench.open(0) as memory:
        for number in range(exchanges):
            if number == exchanges - 2:
                memory.new_session("The second")
            place = PLACES[number % len(PLACES)]
            say(memory, f"My cousin Ida went to {place} with {number + 3} boxes. Was it wise?")
        say(memory, f"My cousin is a {SECRET} and likes it.", f"A {SECRET} works with wood.")
        say(memory, "My name is Ada and I live in Bergen.", "Hello Ada.")
        memory.space.pins.add("Ada never eats fish.")
        list(memory.maintain())


def fill_long(bench: Bench) -> None:
    """Let one session be long enough to be condensed."""
    with bench.open(0) as memory:
        for number in range(24):
            boxes = f"{number + 3} boxes on May {number + 1}"
            words = f"My cousin Ida went to Oslo with {boxes}. Was it wise?"
            say(memory, words, "It was wise of Ida. Oslo is far, and the boxes are heavy. " * 3)


@contextmanager
def little_is_much():
    """Let the index seal and merge all the time."""
    names = ("SEALED_EXCHANGES", "SEALED_PASSAGES", "FANOUT", "LARGEST")
    kept = {name: getattr(merge_policy, name) for name in names}
    for name, value in zip(names, (5, 10, 2, 24), strict=True):
        setattr(merge_policy, name, value)
    try:
        yield
    finally:
        for name, value in kept.items():
            setattr(merge_policy, name, value)


def state_of(store) -> str:
    """A digest of everything that a store says, its index excepted."""
    sessions = sorted(store.sessions(), key=lambda session: session.id)
    paths = [[x.id for x in store.recent(session.id, 10_000)] for session in sessions]
    records = [store.records(kind) for kind in RecordKind]
    said = repr([sessions, paths, store.scan(limit=100_000), records])
    return blake2b(said.encode("utf-8", "surrogatepass"), digest_size=12).hexdigest()


def shape_of(store) -> str:
    """The same without ids and times: for what gets others in each run."""
    titles = {session.id: session.title for session in store.sessions()}
    said = [
        [titles.get(x.session), x.state, [repr(m.parts) for m in x.messages]]
        for x in store.scan(limit=100_000)
    ]
    facts = [[r.body.get(k) for k in ("text", "state")] for r in store.records(RecordKind.FACT)]
    kinds = [len(store.records(kind)) for kind in RecordKind if kind is not RecordKind.PROGRESS]
    shape = repr(
        [sorted(titles.values()), sorted(map(repr, said)), sorted(map(repr, facts)), kinds]
    )
    return blake2b(shape.encode("utf-8", "surrogatepass"), digest_size=12).hexdigest()


def halves(store) -> list[str]:
    """The ids of exchanges whose messages do not fit their state."""
    wrong = []
    for exchange in store.scan(limit=100_000):
        complete = exchange.state is ExchangeState.COMPLETE
        if not exchange.messages or (complete and len(exchange.messages) < 2):
            wrong.append(exchange.id)
    return wrong


def quick_folder(name: str) -> Path:
    """A fresh folder in memory where there is such a thing, since nothing in it shall last."""
    memory = Path("/dev/shm")
    where = memory if memory.is_dir() else None
    return Path(tempfile.mkdtemp(prefix=f"unabridged-{name}-", dir=where))


def forgotten_in(folder: Path, word: str = SECRET) -> list[str]:
    """Files that hold a word."""
    wanted = word.encode()
    return [p.name for p in folder.rglob("*") if p.is_file() and wanted in p.read_bytes()]
