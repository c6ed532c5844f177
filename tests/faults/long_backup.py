"""Backups under eight writers: each restores to one moment, and nothing acknowledged is missing.

``python -m tests.faults.long_backup --count 200`` prints one line of figures as JSON.
"""

import argparse
import json
import subprocess
import sys
import tempfile
import threading
from datetime import UTC, datetime, timedelta
from pathlib import Path

from unabridged.domain.exchange import ExchangeState
from unabridged.domain.scope import SpaceId
from unabridged.home.backups import BackupsFolder
from unabridged.home.restore_backup import restore
from unabridged.home.spaces import SpacesFolder

WRITER = Path(__file__).with_name("writer.py")
WRITERS = 8
ROUND = 10
"""Cycles on one space, which grows all the while."""
SPACE = SpaceId("ada", "backup")
AT = datetime(2026, 3, 1, tzinfo=UTC)


class Writers:
    """Processes that append for as long as they may, and what they were told is stored."""

    def __init__(self, path: Path) -> None:
        self.begun: set[str] = set()
        self.done: set[str] = set()
        self.processes = [
            subprocess.Popen(
                [sys.executable, str(WRITER), str(path), f"s{n}", "1000000", f"pair{n}"],
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                text=True,
            )
            for n in range(WRITERS)
        ]
        self.readers = [threading.Thread(target=self._read, args=[p]) for p in self.processes]
        for reader in self.readers:
            reader.start()

    def _read(self, process: subprocess.Popen[str]) -> None:
        for line in process.stdout or ():
            if line.endswith("\n"):
                word, ident = line.split()
                (self.begun if word == "begun" else self.done).add(ident)

    def stop(self) -> None:
        for process in self.processes:
            process.kill()
        for reader in self.readers:
            reader.join()
        for process in self.processes:
            process.wait()
            process.stdout.close()


def faults_of(store, begun, done):
    """What is wrong with a restored space, in words."""
    said = list(store.check())
    found = {exchange.id: exchange for exchange in store.scan(limit=10**9)}
    if lost := begun - found.keys():
        said.append(f"{len(lost)} that were acknowledged are missing")
    answered = (found[ident] for ident in done & found.keys())
    said += [f"{x.id} lacks its answer" for x in answered if x.state is not ExchangeState.COMPLETE]
    for session in store.sessions():
        path = store.recent(session.id, 10**9)
        if [x.parent for x in path] != [None, *[x.id for x in path[:-1]]]:
            said.append(f"the chain of {session.id} has gaps")
        name = f"pair{session.id[1:]}"
        if [x.id for x in path] != [f"{name}-{n:06}" for n in range(len(path))]:
            said.append(f"session {session.id} is no beginning of what was written")
        for exchange in path:
            complete = exchange.state is ExchangeState.COMPLETE
            if len(exchange.messages) != (2 if complete else 1):
                said.append(f"{exchange.id} is half")
    return said


def cycle(spaces, backups, writers, number, home):
    """One backup under writers, restored elsewhere; gives what is wrong."""
    while len(writers.done) < WRITERS * (number + 1):
        threading.Event().wait(0.01)
    begun, done = set(writers.begun), set(writers.done)
    at = AT + timedelta(seconds=number)
    made = backups.make(spaces, [SPACE], at, lambda *_: None)
    other = SpacesFolder(home / f"restored-{number}")
    restore(
        backups.unpacked(Path(made.path), lambda *_: None, other.folder), other, lambda *_: None
    )
    store = other.open(SPACE, create=False)
    try:
        return faults_of(store, begun, done), len(begun)
    finally:
        store.close()
        Path(made.path).unlink()


def main(count: int) -> dict[str, object]:
    """Run so many cycles and give the figures."""
    wrong: list[str] = []
    acknowledged = 0
    for begin in range(0, count, ROUND):
        with tempfile.TemporaryDirectory() as folder:
            home = Path(folder)
            spaces = SpacesFolder(home / "spaces")
            spaces.open(SPACE).close()
            backups = BackupsFolder(home / "backups")
            writers = Writers(spaces.path_of(SPACE))
            try:
                for number in range(min(ROUND, count - begin)):
                    said, seen = cycle(spaces, backups, writers, number, home)
                    wrong += said
                    acknowledged += seen
            finally:
                writers.stop()
            wrong += [f"{p.name} was left" for p in backups.folder.iterdir() if p.name != ".lock"]
    return {
        "cycles": count,
        "writers": WRITERS,
        "acknowledged_before": acknowledged,
        "wrong": wrong[:20],
        "faults": len(wrong),
    }


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--count", type=int, default=200)
    figures = main(parser.parse_args().count)
    print(json.dumps(figures))
    sys.exit(bool(figures["faults"]))
