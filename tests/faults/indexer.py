"""A process that works on a store with tiny segments, and says what was acknowledged.

Usage: indexer.py PATH WORK NAME COUNT [STEP]

WORK is what it does: ``write`` (and seal, merge, forget now and then), ``search``, ``rebuild``,
``switch`` (change the vectors over, again and again). STEP ends it by SIGKILL at the STEP-th call
that leaves a trace on the disk.
"""

import itertools
import os
import random
import signal
import sys
from pathlib import Path

import numpy as np
from tests.helpers.indexed import open_indexed

from unabridged.domain.index_query import IndexQuery
from unabridged.embeddings.static import StaticEmbedder
from unabridged.embeddings.word_pieces import StaticLexicon
from unabridged.errors import HeadMovedError
from unabridged.index import merge_policy
from unabridged.language.words import query_terms
from unabridged.maintenance.embed import reembed
from unabridged.projections.search_index import index_manifest, segment_files as segments
from unabridged.stores.sqlite.database import SqliteConnection
from unabridged.testing.log_writer import LogWriter
from unabridged.testing.stores_lookup import index_of

SEALED, FANOUT = 5, 2


def small_segments():
    """Let little be much, so that sealing and merging happen all the time."""
    merge_policy.SEALED_EXCHANGES, merge_policy.SEALED_PASSAGES = SEALED, 2 * SEALED
    merge_policy.FANOUT, merge_policy.LARGEST = FANOUT, 24


def opened(path, space=None):
    return open_indexed(path, space, embedder=StaticEmbedder(), lexicon=StaticLexicon())


def killed_at(step):
    """End this process at the step-th trace: a file written or removed, a statement run."""
    traces = itertools.count(1)

    def counted(function):
        def call(*args, **kwargs):
            if next(traces) == step:
                os.kill(os.getpid(), signal.SIGKILL)
            done = function(*args, **kwargs)
            if next(traces) == step:
                os.kill(os.getpid(), signal.SIGKILL)
            return done

        return call

    traced = {
        segments: ("_write_file", "sync_folder", "remove"),
        index_manifest: ("write_whole",),
        SqliteConnection: ("run",),
    }
    for owner, names in traced.items():
        for name in names:
            setattr(owner, name, counted(getattr(owner, name)))


def write(store, name, count):
    """Say things in a session of its own; every seventh time, forget one of them."""
    talk, rng, said = LogWriter(store, name), random.Random(name), []
    for number in range(count):
        word = f"word{name}n{number}"
        while True:
            try:
                exchange = talk.begin(f"I speak of {word} and of nothing else")
                break
            except HeadMovedError:
                continue
        print("said", exchange.id, word, flush=True)
        talk.answer(exchange, f"So {word} it is")
        index_of(store).follow()
        said.append((exchange.id, word))
        if number % 7 == 6:
            gone, word = said.pop(rng.randrange(len(said) - 1))
            print("forgetting", gone, word, flush=True)
            store.erase([gone])
            print("forgot", gone, word, flush=True)


def search(store, name, count):
    """Look for what others wrote, until the flag is there; whatever is wrong is printed."""
    flag, seen = Path(name), set()
    rounds = 0
    while not flag.exists() or rounds < count:
        rounds += 1
        rows = index_of(store).search(index_query("speak of nothing"))
        places = rows.places.tolist()
        if len(set(places)) != len(places):
            print("twice", places, flush=True)
        found = store.get(rows.exchanges_of(range(len(places)))).keys()  # without what just went
        lost = (seen - found) & store.get(seen).keys()
        if lost:
            print("lost", sorted(lost), flush=True)
        seen = found
        if rounds % 5 == 0:
            for said in store.check():
                print("check", said, flush=True)
            store.totals()
    print("rounds", rounds, flush=True)


def index_query(text):
    return IndexQuery(tuple(query_terms(text)), StaticEmbedder().embed_query(text), limit=10_000)


class Other:
    """Another embedder, that takes its time."""

    dimension, instant = 64, False

    def __init__(self, identity):
        self.identity = identity

    def embed(self, texts):
        rng = np.random.default_rng(len(texts))
        return rng.standard_normal((len(texts), self.dimension)).astype(np.float32)


def switch(store, name, count):
    """Change over to other vectors and again to others."""
    for number in range(count):
        identity = f"{name}-{number % 2}"
        for _ in reembed(store, Other(identity)):
            pass
        print("switched", identity, flush=True)


def rebuild(store, _name, count):
    for _ in range(count):
        store.rebuild()
        print("rebuilt", flush=True)


def main():
    path, work, name, count = Path(sys.argv[1]), sys.argv[2], sys.argv[3], int(sys.argv[4])
    small_segments()
    store = opened(path)
    if len(sys.argv) > 5:
        killed_at(int(sys.argv[5]))
    {"write": write, "search": search, "switch": switch, "rebuild": rebuild}[work](
        store, name, count
    )
    store.close()


if __name__ == "__main__":
    main()
