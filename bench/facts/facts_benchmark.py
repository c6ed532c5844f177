"""``python -m bench facts``: what the rules draw from conversations, and what facts answer.

How many facts per 100 exchanges, of which kinds, in what time; a sample of them for people to
label, since no data set says what is right; how long ``bearing`` takes over as many; and where the
data is PrecisionMemBench, what must and must not be returned (``precisionmembench``).
"""

import random
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from bench.facts import precisionmembench
from bench.formats import locomo, longmemeval
from bench.recall.default_embedder import default_embedder
from unabridged.clock import SystemClock
from unabridged.domain.exchange import Exchange
from unabridged.domain.scope import SpaceId
from unabridged.errors import TransferError
from unabridged.knowledge.fact_rules import VERSION, extract
from unabridged.knowledge.facts import Facts
from unabridged.knowledge.statements import Statement, to_record
from unabridged.stores.in_memory import InMemoryStore

HELD = 3_000
"""Facts over which the time of ``bearing`` is measured, if there are that many."""
ASKED = 200
"""Messages that are asked for it."""
KINDS = 20
"""Attributes that are counted one by one; the others are counted together."""

Progress = Callable[[str], None]


def run(data: str | Path, *, progress: Progress, sample: int = 0, seed: int = 1) -> dict[str, Any]:
    """Measure on what lies at a path: LongMemEval, LoCoMo, PrecisionMemBench, or folders of them.

    Args:
        data: A file or folder.
        progress: Told in a few words what continues.
        sample: So many drawn facts to be labelled; no fact is given twice.
        seed: Which sample.

    Returns:
        The figures, and the sample.

    Raises:
        TransferError: Nothing of the kind lies there.
    """
    found: dict[str, Any] = {"benchmark": "facts", "rules": VERSION, "drawn": [], "sample": []}
    drawn: list[Statement] = []
    asked: list[str] = []
    for name, place in _places(Path(data)):
        progress(f"{name} …")
        if name == "precisionmembench":
            found["precisionmembench"] = precisionmembench.run(
                place, SystemClock(), default_embedder()
            )
            continue
        exchanges = list(_exchanges(name, place))
        figures, statements = _drawn(name, exchanges)
        found["drawn"].append(figures)
        drawn += statements
        asked += [exchange.user.text for exchange in exchanges[: 10 * ASKED : 10]]
    if drawn:
        progress("bearing …")
        found["bearing"] = _bearing(drawn, asked)
    found["sample"] = _sample(drawn, sample, seed)
    return found


def _places(data: Path) -> list[tuple[str, Path]]:
    folders = [data, *sorted(data.iterdir())] if data.is_dir() else [data]
    found = [(name, place) for place in folders if (name := _kind(place))]
    if not found:
        raise TransferError(
            f"{str(data)!r} holds no conversations and no beliefs.",
            hint="Use the folder of LongMemEval, LoCoMo or PrecisionMemBench, or the one above.",
        )
    return found[:1] if found[0][1] == data else found


def _kind(place: Path) -> str:
    if place.is_dir():
        names = [each.name for each in place.iterdir() if each.is_file()]
        if precisionmembench.BELIEFS in names:
            return "precisionmembench"
        if "questions.jsonl" in names or any(n.startswith("longmemeval") for n in names):
            return "longmemeval"
        return "locomo" if any(n.startswith("locomo") and ".json" in n for n in names) else ""
    if place.name.startswith("locomo"):
        return "locomo"
    return "longmemeval" if place.suffix in {".json", ".jsonl", ".xz", ".gz"} else ""


def _exchanges(name: str, place: Path) -> Iterator[Exchange]:
    if name == "locomo":
        for talk in locomo.load(place):
            for session in talk.sessions:
                yield from session.exchanges
        return
    for conversation in longmemeval.LongMemEvalCorpus.at(place).pooled():
        yield from conversation.exchanges


def _drawn(name: str, exchanges: Sequence[Exchange]) -> tuple[dict[str, Any], list[Statement]]:
    for exchange in exchanges[:20]:
        extract(exchange)  # the first reads the tables
    began = time.perf_counter()
    found = [extract(exchange) for exchange in exchanges]
    seconds = time.perf_counter() - began
    drawn = [statement for each in found for statement in each]
    kinds = Counter(statement.attribute for statement in drawn)
    common = dict(kinds.most_common(KINDS))
    figures = {
        "data": name,
        "exchanges": len(exchanges),
        "facts": len(drawn),
        "per_100": 100 * len(drawn) / max(len(exchanges), 1),
        "exchanges_with_facts": sum(map(bool, found)),
        "milliseconds": 1000 * seconds / max(len(exchanges), 1),
        "kinds": {**common, "others": len(drawn) - sum(common.values())},
    }
    return figures, drawn


def _bearing(drawn: Iterable[Statement], asked: Sequence[str]) -> dict[str, Any]:
    store = InMemoryStore(SpaceId())
    held = list({statement.id: statement for statement in drawn}.values())[:HELD]
    # The store holds no exchanges, and keeps nothing that was drawn from what it does not hold.
    store.put([to_record(replace(statement, exchange=None)) for statement in held])
    book = Facts(store, SystemClock(), default_embedder())
    facts = len(book.all())
    book.bearing("The first lays the facts out.")
    times, given = [], []
    for message in asked[:ASKED]:
        began = time.perf_counter()
        found = book.bearing(message)
        times.append(1000 * (time.perf_counter() - began))
        given.append(len(found))
    times.sort()
    return {
        "facts": facts,
        "messages": len(times),
        "milliseconds_p50": times[len(times) // 2],
        "milliseconds_p95": times[int(len(times) * 0.95)],
        "given": sum(given) / max(len(given), 1),
    }


def _sample(drawn: Sequence[Statement], size: int, seed: int) -> list[dict[str, str]]:
    unique = list({(s.subject, s.text.lower()): s for s in drawn}.values())
    chosen = random.Random(seed).sample(unique, min(size, len(unique)))  # noqa: S311 - a sample
    return [
        {
            "id": statement.id,
            "subject": statement.subject,
            "attribute": statement.attribute,
            "value": statement.value,
            "quote": statement.quote,
        }
        for statement in chosen
    ]
