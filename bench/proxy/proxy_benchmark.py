"""``python -m bench proxy``: the cost of memory for a stream.

A scripted upstream, a bare relay, the server and the load run in separate processes on one machine,
with one clock. Each figure of the server has the bare relay's next to it, taken in the same run.
"""

import os
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from bench.core.core_benchmark import machine
from bench.core.store_sizes import model
from bench.figures.report import BenchReport, ReportAim, ReportRow, row
from bench.figures.timer import Spread, spread
from bench.generator import TalkGenerator
from bench.proxy import processes, space_memory
from unabridged.domain.settings import Settings
from unabridged.home.api_keys import ApiKeys
from unabridged.memory import Memory

SIZE = 10_000
"""Exchanges that are stored."""
FIRSTS = 60
"""Messages whose time to the first chunk is taken."""
TURNS = 5
"""In how many turns."""
WARM = 12
"""Messages before anything is measured."""
STREAMS, CHUNKS, RATE, APART = 64, 200, 50, 0.05
"""Streams at once, chunks of each, chunks in a second, seconds between two beginnings."""
FAST_STREAMS, FAST_CHUNKS = 8, 10_000
"""The same if they go as fast as they can."""
WARM_SHARE = 0.1
"""The share of a soak after which memory is measured."""
LOOKS = 200
"""How often memory is measured in a soak."""

AIMS: Mapping[str, ReportAim] = {
    "first chunk, added": ReportAim(most=20),
    "chunk delay": ReportAim(most=50, tail=1),
    "throughput": ReportAim(least=0.7),
    "memory growth": ReportAim(most=0.05),
    "errors": ReportAim(most=0),
}
DIALECTS = ("ollama", "openai")

Progress = Callable[[str], None]


class Soak(NamedTuple):
    """A mixed load.

    Attributes:
        minutes: For how long.
        requests: How many.
    """

    minutes: float
    requests: int


def run(
    *,
    size: int = SIZE,
    dialects: tuple[str, ...] = DIALECTS,
    soak: Soak | None = None,
    figures: bool = True,
    spaces: int = 0,
    progress: Progress | None = None,
    seed: int = 7,
) -> BenchReport:
    """Measure the server.

    Args:
        size: Exchanges that are stored.
        dialects: What clients and upstream speak, both the same.
        soak: An additional mixed load; None for none.
        figures: Whether streams are measured.
        spaces: Spaces whose memory is measured; 0 for none.
        progress: Told in a few words what continues.
        seed: Of the conversations that are drawn.
    """
    say = progress or (lambda _: None)
    drawn = TalkGenerator(seed)
    rows: list[ReportRow] = []
    with tempfile.TemporaryDirectory(prefix="unabridged-bench-") as folder:
        home = Path(folder)
        if figures or soak is not None:
            fill(home, drawn, size, say)
        talk = _Talk(drawn)
        with processes.upstream() as asked:
            for dialect in dialects if figures else ():
                with (
                    processes.bare(asked.url) as bare,
                    processes.ours(home, asked.url, dialect) as ours,
                ):
                    pair = _Pair(dialect, bare.url, ours.url, size)
                    rows += _streams(pair, talk, say)
            if soak is not None:
                rows += _soak(home, asked.url, talk, soak, say)
            if spaces:
                say(f"{spaces} spaces of {space_memory.EXCHANGES} exchanges …")
                rows += space_memory.run(home / "users", asked.url, drawn, spaces)
    return BenchReport({**machine(), "load": f"{os.getloadavg()[0]:.1f}"}, tuple(rows))


def fill(home: Path, drawn: TalkGenerator, size: int, say: Progress) -> None:
    """Store conversations."""
    say(f"Storing {size:,} exchanges …")
    with Memory.open(settings=Settings(home=str(home)), upstream=model("bench")) as memory:
        for conversation in drawn.conversations(size):
            memory.space.log.import_transcript(conversation)


class _Talk:
    """Messages that are relevant to what is stored, never the same one."""

    def __init__(self, drawn: TalkGenerator) -> None:
        self._drawn = drawn
        self._count = 0

    def some(self, count: int) -> list[str]:
        """Draw the next messages."""
        topics = self._drawn.topics
        self._count += count
        numbers = range(self._count - count, self._count)
        return [self._drawn.question(topics[(n * 7919) % len(topics)]) for n in numbers]


class _Pair(NamedTuple):
    """What is compared: the bare relay and the server, both in front of one upstream.

    Attributes:
        dialect: What is spoken.
        bare: The relay's address.
        ours: The server's.
        size: Exchanges that the server's memory holds.
    """

    dialect: str
    bare: str
    ours: str
    size: int


def _streams(pair: _Pair, talk: _Talk, say: Progress) -> Iterator[ReportRow]:
    say(f"{pair.dialect}: one stream at a time …")
    yield from _firsts(pair, talk)
    say(f"{pair.dialect}: {STREAMS} streams at their pace …")
    pace: dict[str, Any] = {"chunks": CHUNKS, "rate": RATE, "apart": APART}
    bare, ours = (_load(pair, url, "paced", talk.some(STREAMS), **pace) for url in pair[1:3])
    yield _paced(pair, bare, ours)
    say(f"{pair.dialect}: as fast as they go …")
    for url in pair[1:3]:
        _load(pair, url, "fast", talk.some(1), chunks=200)
    bare, ours = (
        _load(pair, url, "fast", talk.some(FAST_STREAMS), chunks=FAST_CHUNKS) for url in pair[1:3]
    )
    yield _fast(pair, bare, ours)


def _firsts(pair: _Pair, talk: _Talk) -> Iterator[ReportRow]:
    # The time to the first chunk, in turns, so that what else continues is the same for both.
    both = (pair.bare, pair.ours)
    took: dict[str, list[float]] = {url: [] for url in both}
    failed = 0
    for url in both:
        _load(pair, url, "first", talk.some(WARM))
    for _ in range(TURNS):
        for url in both:
            found = _load(pair, url, "first", talk.some(FIRSTS // TURNS))
            took[url] += found["first"]
            failed += found["failed"]
    theirs, mine = spread(took[pair.bare]), spread(took[pair.ours])
    note = f"{failed} failed" if failed else ""
    yield _row(f"first chunk: {pair.dialect}", mine, pair.size, baseline=theirs.p50, note=note)
    added = Spread(round(mine.p50 - theirs.p50, 4), round(mine.p95 - theirs.p95, 4))
    yield _row(f"first chunk, added: {pair.dialect}", added, pair.size)


def _load(pair: _Pair, url: str, kind: str, messages: list[str], **more: Any) -> dict[str, Any]:
    job = {"url": url, "kind": kind, "dialect": pair.dialect, "messages": messages}
    return processes.load({**job, **more})


def _row(name: str, found: Spread | float, size: int, **more: Any) -> ReportRow:
    return row(name, found, size=size, aims=AIMS, **more)


def _paced(pair: _Pair, bare: Mapping[str, Any], ours: Mapping[str, Any]) -> ReportRow:
    note = (
        f"{ours['chunks']:,} chunks of {STREAMS} streams, {ours['failed']} failed, the worst "
        f"{ours['worst']:.1f} ms, first chunks {spread(ours['first']).p50:.0f} ms; bare relay: "
        f"p95 {bare['delay'][1]:.2f} ms, the worst {bare['worst']:.1f} ms"
    )
    found, base = Spread(*ours["delay"]), bare["delay"][0]
    return _row(f"chunk delay: {pair.dialect}", found, pair.size, baseline=base, note=note)


def _fast(pair: _Pair, bare: Mapping[str, Any], ours: Mapping[str, Any]) -> ReportRow:
    per_second = [one["chunks"] / one["seconds"] for one in (bare, ours)]
    note = (
        f"{per_second[1]:,.0f} chunks a second, {ours['failed']} streams failed; the bare relay "
        f"passes {per_second[0]:,.0f}"
    )
    share = round(per_second[1] / per_second[0], 3) if per_second[0] else 0.0
    return _row(f"throughput: {pair.dialect}", share, pair.size, unit="share of bare", note=note)


def _soak(home: Path, asked: str, talk: _Talk, soak: Soak, say: Progress) -> Iterator[ReportRow]:
    say(f"{soak.requests:,} requests of every kind in {soak.minutes:g} minutes …")
    seconds = soak.minutes * 60
    token = ApiKeys(str(home)).token()
    held: list[processes.ProcessUsage] = []
    with processes.ours(home, asked, "ollama") as ours:
        job = {"url": ours.url, "kind": "mixed", "token": token, "requests": soak.requests,
               "seconds": seconds, "messages": talk.some(1_000)}  # fmt: skip
        with processes.loading(job) as load:
            began = time.monotonic()
            while load.poll() is None:
                if time.monotonic() - began > seconds * WARM_SHARE:
                    held += [one] if (one := processes.memory_of(ours.pid)) else []
                time.sleep(seconds / LOOKS)
            found = processes.told(load)
    requests = sum(found["counts"].values())
    kinds = ", ".join(f"{name} {count:,}" for name, count in sorted(found["counts"].items()))
    yield _row("errors", float(len(found["errors"])), requests, unit="requests",
               note=f"{kinds}; {found['seconds'] / 60:.1f} minutes; "
               f"failed: {', '.join(sorted(set(found['errors']))) or 'none'}")  # fmt: skip
    if held:
        yield from _memory(held, requests)


def _memory(held: list[processes.ProcessUsage], requests: int) -> Iterator[ReportRow]:
    tenth = max(1, len(held) // 10)
    for name, which in (("its own", 0), ("with mapped files", 1)):
        sizes = [one[which] for one in held]
        first, last = (sum(some) / tenth for some in (sizes[:tenth], sizes[-tenth:]))
        note = f"{first:.0f} MB to {last:.0f} MB, at most {max(sizes):.0f} MB"
        grown = round(last / first - 1, 4)
        yield _row(f"memory growth: {name}", grown, requests, unit="share", note=note)
