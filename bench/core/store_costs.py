"""What it costs to keep a conversation: every kind of store side by side, in one run."""

import gc
import tempfile
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from statistics import median
from time import perf_counter

from bench import generator
from bench.core.store_sizes import model, newest_conversation
from bench.scale.scale_steps import size
from unabridged.domain.settings import Settings
from unabridged.home.key_source import new_key
from unabridged.memory import Memory
from unabridged.stores.sqlite.connection import can_encrypt
from unabridged.testing.clock import ManualClock
from unabridged.turn.conversation import Conversation

BASELINE = "sqlite"
WAYS: dict[str, dict[str, object]] = {
    BASELINE: {},
    "sqlite, encrypted": {"encrypt": True},
    "files, a model": {"json_files": "model"},
    "files, an agent and session": {"json_files": "agent"},
    "files, a user": {"json_files": "user"},
    "files, a model, packed": {"json_files": "model", "json_compression": True},
}
"""What is measured: its name and settings."""
WARMING, ROUNDS = 3, 15
"""Exchanges before those that are measured, and these."""
SEED = 7
WINDOW = 8192
"""Tokens of the window that prompts are prepared for."""
Row = dict[str, object]


def run(sizes: Sequence[int], ways: Iterable[str], told: Callable[[str], None]) -> list[Row]:
    """Measure each way at each size; a way that is not available here is left out and told.

    Args:
        sizes: How many exchanges are stored before.
        ways: Names from ``WAYS``; the baseline is always measured first.
        told: Told what continues.

    Returns:
        For each: milliseconds of ``begin`` and ``record`` (median and the slowest), to open, bytes an
        exchange, and how many times the baseline's record it takes.
    """
    chosen = [BASELINE, *(way for way in ways if way != BASELINE)]
    rows: list[Row] = []
    for exchanges in sizes:
        base = 0.0
        for way in chosen:
            if WAYS[way].get("encrypt") and not can_encrypt():
                told(f"{way}: left out, this SQLite cannot encrypt")
                continue
            told(f"{way}: {exchanges:,} exchanges …")
            row = _measure(way, exchanges)
            base = base or float(str(row["record_ms"]))
            rows.append({**row, "times": round(float(str(row["record_ms"])) / base, 1)})
    return rows


def _measure(way: str, exchanges: int) -> Row:
    with tempfile.TemporaryDirectory() as folder:
        settings = _settings(Path(folder), way)
        drawn = generator.TalkGenerator(SEED, generator.SHORT)
        with _opened(settings) as memory:
            for conversation in drawn.conversations(exchanges):
                memory.space.log.import_transcript(conversation)
        began = perf_counter()
        with _opened(settings) as memory:
            held = memory.stats().exchanges
            opened = perf_counter() - began
            talk = newest_conversation(memory)
            figures = [_one(talk, number) for number in range(WARMING + ROUNDS)][WARMING:]
        begins, records = zip(*figures, strict=True)
        return {
            "way": way,
            "exchanges": held,
            "begin_ms": round(median(begins) * 1000, 2),
            "record_ms": round(median(records) * 1000, 2),
            "slowest_ms": round(max(records) * 1000, 2),
            "open_ms": round(opened * 1000, 1),
            "bytes": round(size(Path(settings.home)) / held),
        }


def _one(talk: Conversation, number: int) -> tuple[float, float]:
    context = talk.prepare(f"Where did I put the {number}th key of the shed in the garden?")
    gc.collect()
    began = perf_counter()
    talk.begin(context)
    begun = perf_counter()
    talk.record(context, "You said that it hangs on the hook behind the green door.")
    return begun - began, perf_counter() - begun


def _settings(folder: Path, way: str) -> Settings:
    chosen = WAYS[way]
    key = ""
    if chosen.get("encrypt"):
        new_key(str(folder / "key"))
        key = f"file:{folder / 'key'}"
    return Settings(home=str(folder / "home"), window=WINDOW, key=key, **chosen)  # type: ignore[arg-type]  # a table of settings


def _opened(settings: Settings) -> Memory:
    return Memory.open(settings=settings, upstream=model("bench"), clock=ManualClock())
