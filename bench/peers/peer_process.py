"""One peer in a process of its own: ``python -m bench.peers.peer_process`` with JSON as argument.

It may reach nothing outside of this machine, whatever the peer would send home.
"""

import contextlib
import importlib
import ipaddress
import json
import os
import socket
import sys
from pathlib import Path
from time import perf_counter
from typing import Any

TURNS = 20
"""Turns that a search is asked for: ten exchanges."""
WARMING = 20
"""Searches before those that are measured."""


def measure(name: str, data: str, folder: str) -> dict[str, Any]:
    """Fill a peer, ask it every question of categories 1 to 4, and look at what it took.

    Args:
        name: The peer.
        data: LoCoMo.
        folder: An empty folder.
    """
    from bench.formats.locomo import load  # noqa: PLC0415 - likewise
    from bench.peers.peer import open_peer, turns  # noqa: PLC0415 - likewise
    from bench.recall import locomo_benchmark  # noqa: PLC0415 - after the process is bound
    from bench.recall.default_embedder import default_embedder  # noqa: PLC0415 - likewise
    from bench.recall.ranking_measures import distinct, ranked  # noqa: PLC0415 - likewise
    from bench.scale import scale_steps  # noqa: PLC0415 - after the process is bound

    talks = load(data)
    embedder = default_embedder()
    embedder.embed_query("warm up")
    before = scale_steps.resident()
    began = perf_counter()
    peer = open_peer(name, Path(folder), embedder)
    opened = perf_counter()
    for talk in talks:
        peer.add(talk)
    filled = perf_counter()
    took: list[float] = []
    by_unit: dict[str, list[dict[str, float]]] = {"turn": [], "exchange": []}
    for talk in talks:
        now = talk.sessions[-1].session.updated
        exchange_of = {talk.message_of[p]: talk.exchange_of[p] for p in talk.message_of}
        for number, question in enumerate(talk.questions, 1):
            case = locomo_benchmark.case_of(talk, number, question, now)
            if not (case.counted and case.gold):
                continue
            asked = perf_counter()
            found = peer.search(talk, case.question, TURNS)
            took.append(1000 * (perf_counter() - asked))
            by_unit["turn"].append(ranked(found, case.gold["turn"]))
            order = distinct([exchange_of[turn] for turn in found])
            by_unit["exchange"].append(ranked(order, case.gold["exchange"]))
    after = scale_steps.resident()
    peer.close()
    count = sum(len(turns(talk)) for talk in talks)
    return {
        "open_s": opened - began,
        "turns": count,
        "ingest": count / (filled - opened),
        "search_ms": took[WARMING:] or took,
        "recall": {
            f"{unit} frac@{k}": sum(row[f"frac@{k}"] for row in rows) / len(rows)
            for unit, rows in by_unit.items()
            for k in (5, 10)
        },
        "questions": len(took),
        "resident": (after["all"] - before["all"]) if after else None,
        "disk": scale_steps.size(Path(folder)) / count,
    }


def stay_inside() -> None:
    """Refuse every connection that leaves this machine."""
    plain = socket.socket.connect

    def connect(self: socket.socket, address: Any) -> None:
        host = address[0] if isinstance(address, tuple) else ""
        inside = not host or host == "localhost"
        with contextlib.suppress(ValueError):  # a name, which would have to be looked up
            inside = inside or ipaddress.ip_address(host).is_loopback
        if not inside:
            raise OSError(f"a benchmark may not reach {host!r}")
        plain(self, address)

    socket.socket.connect = connect  # type: ignore[method-assign, assignment] # to guard what others call


def main() -> None:
    """Measure the peer that the command line names."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    importlib.import_module("bench.core.store_sizes")
    stay_inside()
    said = os.dup(sys.stdout.fileno())  # peers print; the figures go out alone
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    try:
        found = measure(**json.loads(sys.argv[1]))
    except KeyboardInterrupt:
        sys.exit(130)
    os.write(said, json.dumps(found).encode())


if __name__ == "__main__":
    main()
