"""What was acknowledged survives a kill; processes that write at once lose nothing."""

import os
import random
import signal
import subprocess
import time

import pytest
from tests.helpers import program

from unabridged.domain.exchange import ExchangeState
from unabridged.domain.scope import SpaceId
from unabridged.stores.sqlite import SqliteStore

WRITER = "from tests.faults.writer import main; main()"
SPACE = SpaceId("ada", "kill")


def start(path, session, count, name):
    pipe = subprocess.PIPE
    return program.python(WRITER, path, session, count, name, stdout=pipe, stderr=pipe, text=True)


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="POSIX signals")
@pytest.mark.slow
def test_the_acknowledged_survives_sigkill(tmp_path):
    path = tmp_path / "space.db"
    SqliteStore(path, SPACE).close()
    rng = random.Random(7)
    begun, done = set(), set()
    for turn in range(12):
        process = start(path, "s1", 10_000, f"pair{turn:02}")
        first = process.stdout.readline()
        began = time.perf_counter()
        lines = [process.stdout.readline() for _ in range(rng.randrange(2, 60))]
        time.sleep(rng.random() * 2 * (time.perf_counter() - began) / len(lines))
        os.kill(process.pid, signal.SIGKILL)
        out, _ = process.communicate()
        # A last line may be cut short by the kill: it was then not acknowledged to anyone.
        for said in (first + "".join(lines) + out).split("\n")[:-1]:
            word, ident = said.split(" ")
            (begun if word == "begun" else done).add(ident)
        store = SqliteStore(path, SPACE, create=False)
        found = {exchange.id: exchange for exchange in store.scan(limit=1_000_000)}
        assert begun <= found.keys()
        for ident in done:
            assert found[ident].state is ExchangeState.COMPLETE
        for exchange in found.values():
            complete = exchange.state is ExchangeState.COMPLETE
            assert len(exchange.messages) == (2 if complete else 1)
        path_ids = [exchange.id for exchange in store.recent("s1", 1_000_000)]
        assert path_ids == sorted(found)
        store.close()
    assert len(done) > 30
    store = SqliteStore(path, SPACE, create=False)
    assert store.check() == []
    store.close()


@pytest.mark.parametrize(("processes", "count"), [(2, 60), (8, 20)])
@pytest.mark.slow
def test_processes_that_write_at_once_lose_nothing(tmp_path, processes, count):
    path = tmp_path / "space.db"
    SqliteStore(path, SPACE).close()
    running = [start(path, "s1", count, f"p{number}") for number in range(processes)]
    outs = [process.communicate(timeout=100) for process in running]
    assert [err for _, err in outs if err] == []
    store = SqliteStore(path, SPACE, create=False)
    said = store.recent("s1", 10_000)
    assert len(said) == processes * count
    assert {x.id for x in said} == {
        f"p{number}-{turn:06}" for number in range(processes) for turn in range(count)
    }
    assert [x.parent for x in said] == [None, *[x.id for x in said[:-1]]]
    assert store.check() == []
    store.close()


@pytest.mark.slow
def test_processes_that_create_at_once_make_one_store(tmp_path):
    path = tmp_path / "space.db"
    code = (
        "import sys, pathlib; from unabridged.domain.scope import SpaceId;"
        "from unabridged.stores.sqlite import SqliteStore;"
        "from unabridged.testing.log_writer import LogWriter;"
        "store = SqliteStore(pathlib.Path(sys.argv[1]), SpaceId('ada', 'kill'));"
        "LogWriter(store, sys.argv[2]).say('a', 'b'); store.close()"
    )
    running = [program.python(code, path, f"s{n}", stderr=subprocess.PIPE) for n in range(6)]
    assert [process.communicate()[1] for process in running] == [b""] * 6
    store = SqliteStore(path, SPACE, create=False)
    assert len(store.scan()) == 6
    assert [entry.name for entry in tmp_path.iterdir() if entry.name.endswith(".new")] == []
    store.close()
