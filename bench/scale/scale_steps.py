"""What ``bench scale`` does in separate processes: each step opens a home and measures one thing.

Run as ``python -m bench.scale.scale_steps STEP ARGUMENTS`` with the arguments as JSON; the
figures come as JSON on standard output. Where the system can bind a process to a core, it is bound
to one before anything that counts cores is imported, so that every figure is one core's.
"""

import importlib
import json
import os
import shutil
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from time import perf_counter
from typing import Any

WARMING = 20
"""Calls before those that are measured."""
SEARCHES, PREPARES, RECORDS = 200, 60, 100
"""Calls that are measured."""
QUESTIONS = SEARCHES + PREPARES + RECORDS + 3 * WARMING
COMPARED, TOP = 40, 10
"""Questions whose best results are compared with those of the exact index, and how many results."""
SHORTCUTS = (
    ("vector_search", "EXACT"),
    ("term_search", "MOST_POSTINGS"),
    ("term_search", "SURVIVORS"),
)
"""Bounds under which the index is exact: module and name."""


def build(home: str, exchanges: int, lengthy: bool = False, seed: int = 7) -> dict[str, Any]:  # noqa: FBT001, FBT002 - JSON from our own parent
    """Draw conversations and import them; drawing is not counted.

    Args:
        home: An empty folder.
        exchanges: How many.
        lengthy: As long as LongMemEval's, else as short as LoCoMo's.
        seed: Of the generator.
    """
    from bench import generator  # noqa: PLC0415 - after the process is bound to a core

    drawn = generator.TalkGenerator(seed, generator.LENGTHY if lengthy else generator.SHORT)
    words = done = 0
    took = 0.0
    with _opened(home) as memory:
        for conversation in drawn.conversations(exchanges):
            began = perf_counter()
            memory.space.log.import_transcript(conversation)
            took += perf_counter() - began
            words += sum(len(e.text.split()) for e in conversation.exchanges)
            done += len(conversation.exchanges)
            if done % 5_000 < len(conversation.exchanges):
                print(f"Stored {done:,} of {exchanges:,} exchanges …", file=sys.stderr)
        began = perf_counter()
    took += perf_counter() - began  # closing counts: what was put off is done then
    step = max(1, len(drawn.topics) // QUESTIONS)
    topics = (drawn.topics[::step] * (1 + QUESTIONS // len(drawn.topics[::step])))[:QUESTIONS]
    questions = [drawn.asked(topic) for topic in topics]
    mixed = [drawn.question(topic) for topic in topics]
    Path(home, "questions.json").write_text(json.dumps([questions, mixed]), encoding="utf-8")
    return {
        "rate": exchanges / took,
        "words": words / exchanges,
        "bytes": size(Path(home, "spaces")) / exchanges,
    }


def cold(home: str, number: int) -> dict[str, Any]:
    """Open and search once, with the files removed from the system's cache if possible.

    Args:
        home: The home.
        number: Which question is asked.
    """
    question = _questions(home)[0][number]
    _put_out_of_cache(Path(home, "spaces"))
    began = perf_counter()
    with _opened(home) as memory:
        opened = perf_counter()
        memory.search(question)
        ended = perf_counter()
    return {"open": (opened - began) * 1000, "search": (ended - opened) * 1000}


def warm(home: str) -> dict[str, Any]:
    """Search many times, and measure the memory.

    Args:
        home: The home.
    """
    questions = _questions(home)[0]
    before = resident()
    with _opened(home) as memory:
        for question in questions[:WARMING]:
            memory.search(question)
        took = []
        for question in questions[WARMING : WARMING + SEARCHES]:
            began = perf_counter()
            memory.search(question)
            took.append((perf_counter() - began) * 1000)
        return {"search": took, "resident": resident(), "resident_before": before}


def talk(home: str) -> dict[str, Any]:
    """Hold a session: prepare each message, begin it, record its answer; then prepare more.

    Next to it the same rows, those of the index left out, are written to a copy of the file with
    nothing around.

    Args:
        home: The home.
    """
    from bench.core.bare_sqlite import KEPT, BareRows, BareSqlite  # noqa: PLC0415 - after the process is bound

    questions, mixed = _questions(home)
    copy = Path(home, "bare.db")
    took: dict[str, list[float]] = {name: [] for name in ("begin", "record", "bare", "prepare")}
    with _opened(home) as memory:
        talk = memory.conversation()
        for question in questions[:WARMING]:
            talk.record(talk.prepare(question), f"About that: {question}")
    path = next(p for p in Path(home, "spaces").iterdir() if p.is_file() and _is_store(p))
    shutil.copyfile(path, copy)
    rows = BareRows(path)
    with BareSqlite(copy, searched=False) as bare, _opened(home) as memory:
        talk = memory.conversation(talk.session)
        for question in questions[WARMING : WARMING + RECORDS]:
            context = talk.prepare(question)
            took["begin"].append(_timed(talk.begin, context))
            beginning = rows.new(talk.session, context.id, KEPT)
            answer = f"As far as I recall: {question} That is what was said about it, and no more."
            took["record"].append(_timed(talk.record, context, answer))
            both = _timed(bare.write, beginning) + _timed(
                bare.write, rows.new(talk.session, context.id, KEPT)
            )
            took["bare"].append(both)
        for question in mixed[-PREPARES:]:
            took["prepare"].append(_timed(talk.prepare, question))
    rows.close()
    for each in Path(home).glob("bare.db*"):
        each.unlink()
    return took


def exact(home: str) -> dict[str, Any]:
    """Search as always, and then without any shortcut of the index.

    Args:
        home: The home.
    """
    questions = _questions(home)[0][:COMPARED]
    with _opened(home) as memory:
        fast = [[each.exchange.id for each in memory.search(q, limit=TOP)] for q in questions]
        for module, name in SHORTCUTS:
            held: Any = importlib.import_module(f"unabridged.index.{module}")
            assert isinstance(getattr(held, name), int)  # noqa: S101 - a slip in our own table
            setattr(held, name, sys.maxsize // 8)
        true = [[each.exchange.id for each in memory.search(q, limit=TOP)] for q in questions]
    pairs = [(set(a), set(b)) for a, b in zip(fast, true, strict=True) if b]
    return {"recall": sum(len(a & b) / len(b) for a, b in pairs) / max(1, len(pairs))}


def _opened(home: str) -> Any:
    from bench.core.store_sizes import WINDOW, model  # noqa: PLC0415 - likewise
    from unabridged.domain.settings import Settings  # noqa: PLC0415 - after the process is bound
    from unabridged.memory import Memory  # noqa: PLC0415 - likewise

    return Memory.open(settings=Settings(home=home, window=WINDOW), upstream=model("bench"))


def _timed(call: Callable[..., Any], *given: Any) -> float:
    began = perf_counter()
    call(*given)
    return (perf_counter() - began) * 1000


def _questions(home: str) -> list[list[str]]:
    found: list[list[str]] = json.loads(Path(home, "questions.json").read_text(encoding="utf-8"))
    return found


def _is_store(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(15) == b"SQLite format 3"


def size(folder: Path) -> int:
    """Bytes of the files under a folder."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def _put_out_of_cache(folder: Path) -> None:
    if not hasattr(os, "posix_fadvise"):
        return
    for path in folder.rglob("*"):
        if path.is_file():
            with path.open("rb") as file:
                os.fsync(file.fileno())
                os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


def resident() -> dict[str, int]:
    """Bytes of this process in memory, those of no file apart (Linux; nothing elsewhere).

    Source: ``/proc/PID/smaps_rollup``, kernel.org/doc/html/latest/filesystems/proc.html.
    """
    rollup = Path("/proc/self/smaps_rollup")
    if not rollup.exists():
        return {}
    lines = (line.split() for line in rollup.read_text(encoding="utf-8").splitlines()[1:])
    held = {parts[0].rstrip(":"): 1024 * int(parts[1]) for parts in lines}
    return {"all": held["Rss"], "anonymous": held["Anonymous"]}


STEPS: Mapping[str, Callable[..., dict[str, Any]]] = {
    "build": build,
    "cold": cold,
    "warm": warm,
    "talk": talk,
    "exact": exact,
}
"""Every step by its name."""


def main() -> None:
    """Run the step of the command line."""
    name, given = sys.argv[1:]
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    importlib.import_module("bench.core.store_sizes")  # no step is to wait for it
    try:
        found = STEPS[name](**json.loads(given))
    except KeyboardInterrupt:
        sys.exit(130)  # the parent was interrupted too, and says so
    json.dump(found, sys.stdout)


if __name__ == "__main__":
    main()
