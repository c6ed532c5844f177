"""One-bit flips and truncations of a space: no wrong content served, little undamaged lost.

``python -m tests.faults.long_damage --count 10000`` prints one line of figures as JSON.
"""

import argparse
import json
import random
import re
import shutil
import sys
import tempfile
from dataclasses import replace
from pathlib import Path

import apsw

from unabridged.domain.record import RecordKind
from unabridged.domain.scope import SpaceId
from unabridged.errors import NotFoundError, StoreError
from unabridged.stores import reassemble
from unabridged.stores.sqlite import SqliteStore
from unabridged.stores.sqlite.connection import ConnectionOptions
from unabridged.stores.sqlite.recover_rows import recover_rows
from unabridged.testing.log_writer import LogWriter
from unabridged.testing.stores_writes import make_record

SPACE = SpaceId("ada", "damage")
SESSIONS = ("s1", "s2", "s3")
_NAME = re.compile(rb"s\d-x\d{5}")
_READ = apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI
_LOG_HEAD, _FRAME_HEAD = 32, 24
"""Bytes: https://www.sqlite.org/fileformat2.html#the_write_ahead_log."""
WRITE_EVERY = 25
"""Damages after which what was salvaged is also written to a store and read from it."""


def build(path: Path) -> None:
    """Write a space with short and long exchanges, branches, records, and a log beside it."""
    store = SqliteStore(path, SPACE)
    for name in SESSIONS:
        talk = LogWriter(store, name)
        said = []
        for i in range(25):
            long = "and so on for pages " * (900 if i % 10 == 3 else 0)
            said.append(
                talk.say(
                    f"question {i} about a bicycle {long}" * (1 + i % 3),
                    f"answer {i} " * (1 + i % 7),
                )
            )
        talk.regenerate(said[-1], "another answer")
        store.put(make_record(f"{name}-{i}", said[i].id) for i in range(20))
    store.close()


def add_log(source: Path, folder: Path) -> Path:
    """Copy a space and let a part of it lie in the log, as after a kill."""
    live = folder / "live.db"
    shutil.copy(source, live)
    store = SqliteStore(live, SPACE)
    talk = LogWriter(store, "s4")
    for i in range(4):
        talk.say(f"question {i} that lies in the log " * (1 + 90 * (i % 2)), f"answer {i}")
    copy = folder / "logged.db"
    for end in ("", "-wal"):
        shutil.copy(f"{live}{end}", f"{copy}{end}")
    store.close()
    return copy


def answers(path: Path) -> dict[str, object]:
    """Every answer of a space; one that fails is missing and hides no other."""
    found: dict[str, object] = {}
    try:
        store = SqliteStore(path, SPACE, create=False)
    except (StoreError, NotFoundError):
        return found
    ids = [f"{name}-x{n:05}" for name in SESSIONS for n in range(1, 60)]
    questions = {
        "sessions": store.sessions,
        "scan": store.scan,
        "counts": store.counts,
        "get": lambda: store.get(ids),
        "records": lambda: store.records(RecordKind.FACT),
        "totals": lambda: replace(store.totals(), bytes=0),
        **{f"recent {n}": lambda n=n: store.recent(n, 99) for n in SESSIONS},
    }
    try:
        for name, ask in questions.items():
            try:
                found[name] = ask()
            except StoreError:
                continue
    finally:
        store.close()
    return found


def extents(path: Path) -> dict[str, list[tuple[int, int, int]]]:
    """Return the pages that hold each exchange: file (0) or log (1), from, to.

    A page holds an exchange where its id is on it; the pages that a page continues on count too.
    """
    connection = apsw.Connection(f"file:{path}?mode=ro", flags=_READ)
    listed = connection.execute(
        "SELECT name, path, pageno, pagetype FROM dbstat WHERE name IN ('message', 'exchange')"
    ).fetchall()
    size = connection.pragma("page_size")
    connection.close()
    data, frames = path.read_bytes(), frames_of(path, size)
    logged = Path(f"{path}-wal")
    log = logged.read_bytes() if logged.exists() else b""
    continued: dict[tuple[str, str], list[int]] = {}
    for table, place, number, kind in listed:
        if kind == "overflow":
            continued.setdefault((table, place.rpartition("/")[0]), []).append(number)
    places: dict[str, list[tuple[int, int, int]]] = {}
    for table, place, number, kind in listed:
        if kind == "overflow":
            continue
        used = [
            (1, frames[one], frames[one] + size)
            if one in frames
            else (0, (one - 1) * size, one * size)
            for one in (number, *continued.get((table, place.rstrip("/")), ()))
        ]
        which, begin, end = used[0]
        for name in _NAME.findall((data, log)[which][begin:end]):
            places.setdefault(name.decode(), []).extend(used)
    return places


def frames_of(path: Path, size: int) -> dict[int, int]:
    """Return where the newest version of each page begins in the log of a file."""
    log = Path(f"{path}-wal")
    data = log.read_bytes() if log.exists() else b""
    starts = range(_LOG_HEAD, len(data) - size - _FRAME_HEAD + 1, size + _FRAME_HEAD)
    return {int.from_bytes(data[at : at + 4], "big"): at + _FRAME_HEAD for at in starts}


def damage(rng, data, log, path):
    """Flip a bit or cut the file or its log; give what was touched: which, from, to."""
    which = 1 if log and rng.random() < 0.3 else 0
    target = bytearray((data, log)[which])
    if rng.random() < 0.9:
        at = rng.randrange(len(target))
        target[at] ^= 1 << rng.randrange(8)
        touched = (which, at, at + 1)
    else:
        at = rng.randrange(len(target))
        touched = (which, at, len(target))
        del target[at:]
    for end, content in (("", data), ("-wal", log)):
        part = Path(f"{path}{end}")
        if content or not end:
            part.write_bytes(bytes(target) if (end != "") == which else content)
    return touched


def is_touched(places, touched):
    """Whether a damage hit a byte of an exchange."""
    which, begin, end = touched
    return any(w == which and b < end and begin < e for w, b, e in places)


def said_in(exchange):
    """What was said in an exchange: all that a salvage must not change."""
    return [(m.id, m.role, m.parts, m.at) for m in exchange.messages]


class Round:
    """One space, and the figures of everything done to it."""

    def __init__(self, path: Path, folder: Path) -> None:
        self.path = path
        self.folder = folder
        self.log = Path(f"{path}-wal")
        self.data = path.read_bytes()
        self.logged = self.log.read_bytes() if self.log.exists() else b""
        self.places = extents(path)
        work = folder / "truth.db"
        self._copy(work)
        self.truth = answers(work)
        self.exchanges = {x.id: x for x in self.truth["scan"]}
        assert self.places.keys() >= self.exchanges.keys()
        owners: dict[str, str] = {}
        for x in self.truth["scan"]:  # a sibling needs the message that it shares
            owner = owners.setdefault(x.user.id, x.id)
            if owner != x.id:
                self.places[x.id] = self.places[x.id] + self.places[owner]
        self.served = self.refused = self.wrong = 0
        self.undamaged = self.recovered = self.changed = self.written = 0
        self.examples: list[str] = []

    def _copy(self, work: Path) -> None:
        work.write_bytes(self.data)
        if self.logged:
            Path(f"{work}-wal").write_bytes(self.logged)

    def run(self, rng, number: int) -> None:
        """Damage it once."""
        work = self.folder / "work.db"
        touched = damage(rng, self.data, self.logged, work)
        self._salvage(work, touched, write=number % WRITE_EVERY == 0)
        found = answers(work)
        self.served += len(found)
        self.refused += len(self.truth) - len(found)
        for question, answer in found.items():
            if answer != self.truth[question] and not self._is_earlier(touched, question, answer):
                self.wrong += 1
                self.examples.append(f"{touched}: {question}")
        for left in self.folder.glob("work.db*"):
            shutil.rmtree(left) if left.is_dir() else left.unlink()

    def _is_earlier(self, touched, question, answer) -> bool:
        """Whether it is what the file said before the damaged end of its log was written.

        SQLite takes a log up to its last sound transaction; nothing in the file tells more.
        """
        if touched[0] == 0 or not self.logged:
            return False
        if question == "scan":
            return all(
                x.id in self.exchanges
                and said_in(x) == said_in(self.exchanges[x.id])[: len(x.messages)]
                for x in answer
            )
        return question in ("sessions", "counts", "totals", "get")

    def _salvage(self, work: Path, touched, *, write: bool) -> None:
        found = reassemble.assemble(recover_rows(work, ConnectionOptions()), str(work))
        got = {x.id: x for _, some in found.conversations for x in some}
        lost = {one.exchange for one in found.account.missing}
        for name, exchange in self.exchanges.items():
            if is_touched(self.places[name], touched):
                continue
            self.undamaged += 1
            if name in got and said_in(got[name]) == said_in(exchange):
                self.recovered += 1
            else:
                self.examples.append(f"{touched}: {name} was not salvaged")
        for name, exchange in got.items():
            true = said_in(self.exchanges[name])
            mine = said_in(exchange)
            earlier = touched[0] == 1 and mine == true[: len(mine)]  # before its answer was written
            if any(one not in true for one in mine) or not (
                name in lost or earlier or mine == true
            ):
                self.changed += 1
                self.examples.append(f"{touched}: {name} was changed")
        if write:
            self._write(found, got)

    def _write(self, found, got) -> None:
        fresh = self.folder / "work.db.fresh"
        store = SqliteStore(fresh, SPACE)
        reassemble.write(found, store)
        if store.check() or {x.id: x for x in store.scan(limit=10_000)} != got:
            self.changed += 1
            self.examples.append("what was written is not what was salvaged")
        store.close()
        self.written += 1


def main(count: int, seed: int = 11) -> dict[str, object]:
    """Do so many damages and give the figures."""
    rng = random.Random(seed)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        build(folder / "plain.db")
        rounds = [
            Round(p, folder) for p in (folder / "plain.db", add_log(folder / "plain.db", folder))
        ]
        for number in range(count):
            rounds[number % 2].run(rng, number // 2)
    undamaged = sum(one.undamaged for one in rounds)
    recovered = sum(one.recovered for one in rounds)
    return {
        "damages": count,
        "answers": sum(one.served for one in rounds),
        "refused": sum(one.refused for one in rounds),
        "wrong": sum(one.wrong for one in rounds),
        "undamaged_exchanges": undamaged,
        "salvaged": recovered,
        "share": round(recovered / max(1, undamaged), 6),
        "salvaged_wrong": sum(one.changed for one in rounds),
        "written_and_read": sum(one.written for one in rounds),
        "examples": [text for one in rounds for text in one.examples][:10],
    }


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--count", type=int, default=10_000)
    figures = main(parser.parse_args().count)
    print(json.dumps(figures))
    sys.exit(figures["wrong"] or figures["salvaged_wrong"] or figures["share"] < 0.98)
