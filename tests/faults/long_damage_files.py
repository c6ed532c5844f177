"""One-bit flips and truncations of a space in files: no wrong content served, nothing lost.

``python -m tests.faults.long_damage_files --count 10000`` prints one line of figures as JSON.
Everything that was said lies in two files, so that no single damage can cost an exchange.
"""

import argparse
import json
import random
import shutil
import sys
import tempfile
from dataclasses import replace
from pathlib import Path

from unabridged.domain.record import RecordKind
from unabridged.domain.scope import Space
from unabridged.errors import NotFoundError, StoreError
from unabridged.stores.files.folder import FilesFolder, files_of
from unabridged.stores.files.names import LAYOUTS
from unabridged.stores.files.salvaging import salvage
from unabridged.stores.salvaging import assemble
from unabridged.testing.stores_writing import make_record
from unabridged.testing.talk import START, Talk

SPACE = Space("ada", "damage", "m")
SESSIONS = ("s1", "s2", "s3")


def build(folder: Path, layout: str) -> FilesFolder:
    """Write a space with branches, an open exchange, an archived session, and records."""
    spaces = FilesFolder(folder, layout=layout)
    store = spaces.open(SPACE)
    for name in SESSIONS:
        talk = Talk(store, name)
        said = [talk.say(f'question {i} about a "bicycle"', f"answer {i} " * 3) for i in range(8)]
        talk.regenerate(said[-1], "another answer")
        store.put(make_record(f"{name}-{i}", said[i].id) for i in range(3))
    store.amend(replace(talk.header, archived=START), talk.header.head)
    Talk(store, "s4").begin("a question that awaits its answer")
    store.close()
    return spaces


def answers(spaces: FilesFolder) -> dict[str, object]:
    """Every answer of a space; one that fails is missing and hides no other."""
    try:
        store = spaces.open(SPACE, create=False)
    except (StoreError, NotFoundError):
        return {}
    try:
        found = {
            "sessions": store.sessions(),
            "scan": store.scan(limit=10_000),
            "counts": store.counts(),
            "records": store.records(RecordKind.FACT),
            **{f"recent {name}": store.recent(name, 99) for name in SESSIONS},
        }
    except StoreError:
        found = {}
    store.close()
    return found


class Round:
    """One layout, and the figures of everything done to it."""

    def __init__(self, folder: Path, layout: str) -> None:
        self.layout = layout
        self.spaces = build(folder / layout, layout)
        self.place = self.spaces.place_of(SPACE)
        self.files = {path: path.read_bytes() for path in files_of(self.place)}
        self.truth = answers(self.spaces)
        self.exchanges = {x.id: x for x in self.truth["scan"]}
        self.served = self.refused = self.wrong = self.changed = 0
        self.all = self.salvaged = 0
        self.examples: list[str] = []

    def run(self, rng: random.Random) -> None:
        """Damage one file once."""
        path = rng.choice(sorted(self.files))
        data = bytearray(self.files[path])
        at = rng.randrange(len(data))
        if rng.random() < 0.9:
            data[at] ^= 1 << rng.randrange(8)
        else:
            del data[at:]
        path.write_bytes(data)
        what = f"{path.name} {at} of {len(self.files[path])}"
        self._salvage(what)
        found = answers(self.spaces)
        self.served += len(found)
        self.refused += len(self.truth) - len(found)
        for question, answer in found.items():
            if answer != self.truth[question]:
                self.wrong += 1
                self.examples.append(f"{what}: {question}")
        for left in [*files_of(self.place), *self.place.folder.glob("*.damaged-*")]:
            left.unlink()
        for file, whole in self.files.items():
            file.write_bytes(whole)

    def _salvage(self, what: str) -> None:
        found = assemble(salvage(self.place, self.layout), "x")
        got = {x.id: x for _, some in found.conversations for x in some}
        self.all += len(self.exchanges)
        right = sum(got.get(name) == one for name, one in self.exchanges.items())
        self.salvaged += right
        if right < len(self.exchanges):
            self.examples.append(f"{what}: {len(self.exchanges) - right} not salvaged")
        for name, exchange in got.items():
            true = self.exchanges.get(name)
            said = [m.parts for m in exchange.messages]
            if true is None or said != [m.parts for m in true.messages][: len(said)]:
                self.changed += 1
                self.examples.append(f"{what}: {name} was changed")


def main(count: int, seed: int = 7) -> dict[str, object]:
    """Do so many damages and give the figures."""
    rng = random.Random(seed)
    folder = Path(tempfile.mkdtemp())
    try:
        rounds = [Round(folder, layout) for layout in LAYOUTS]
        for number in range(count):
            rounds[number % len(rounds)].run(rng)
    finally:
        shutil.rmtree(folder)
    total, salvaged = sum(one.all for one in rounds), sum(one.salvaged for one in rounds)
    return {
        "damages": count,
        "answers": sum(one.served for one in rounds),
        "refused": sum(one.refused for one in rounds),
        "wrong": sum(one.wrong for one in rounds),
        "undamaged_exchanges": total,
        "salvaged": salvaged,
        "share": round(salvaged / max(1, total), 6),
        "salvaged_wrong": sum(one.changed for one in rounds),
        "examples": [text for one in rounds for text in one.examples][:10],
    }


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--count", type=int, default=10_000)
    figures = main(parser.parse_args().count)
    print(json.dumps(figures))
    sys.exit(figures["wrong"] or figures["salvaged_wrong"] or figures["share"] < 0.99)
