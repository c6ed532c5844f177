"""How long condensing takes, next to splitting and counting alone and next to TextRank.

Everything is measured on generated talk (``bench.generator``), with nothing remembered of the texts.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from statistics import median
from time import process_time
from typing import Any, NamedTuple

from bench.condense.condense_baselines import TEXTRANK, same_size
from bench.condense.condense_findings import OURS
from bench.condense.condense_text import CondenseMethod, SplitTexts, sources_of
from bench.figures.timer import timed
from bench.generator import TalkGenerator
from unabridged.domain.condensation import CondenseSource

SIZES = (10_000, 25_000, 100_000, 1_000_000)
"""Tokens of the talk."""
REPEATS: Mapping[int, int] = {10_000: 7, 25_000: 7, 100_000: 3, 1_000_000: 1}
SHARE = 0.25
SPLIT = "splitting and counting"
LINEAR = (100_000, 1_000_000)
"""Sizes whose time per token is compared."""

Say = Callable[[str], None]
Count = Callable[[str], int]


def measure(
    counter: Callable[[], Count],
    ours: Callable[[Count], CondenseMethod] | None,
    say: Say,
    sizes: Sequence[int] = SIZES,
) -> list[dict[str, Any]]:
    """Time each method at each size.

    Args:
        counter: Makes what counts tokens, again, so that no text was counted before.
        ours: Makes what is measured, of what counts; None to time the baselines only.
        say: Told in a few words what continues.
        sizes: Tokens of the talk.

    Returns:
        A row for each size and method: ``method``, ``tokens``, ``ms`` by the clock, ``cpu ms`` of the
        processor, ``cpu us per token``, and what that is ``of splitting`` and ``of textrank``;
        then, for each method, ``1M : 100k``. Ratios are of the processor's time, so that they hold
        on a busy machine.
    """
    rows: list[dict[str, Any]] = []
    for size in sizes:
        say(f"Condensing {size:,} tokens of generated talk …")
        sources, total = talk(size, counter())
        limit = int(total * SHARE)
        made: dict[str, Callable[[], object]] = {
            SPLIT: partial(_split, sources, counter),
            TEXTRANK: partial(_condensed, _textrank, counter, sources, limit),
        }
        if ours is not None:
            made[OURS] = partial(_condensed, ours, counter, sources, limit)
        took = {name: _took(call, REPEATS.get(size, 1)) for name, call in made.items()}
        rows += [
            {
                "method": name,
                "tokens": total,
                "ms": round(each.ms, 2),
                "cpu ms": round(each.cpu, 2),
                "cpu us per token": round(1000 * each.cpu / total, 3),
                "of splitting": round(each.cpu / took[SPLIT].cpu, 2),
                "of textrank": round(each.cpu / took[TEXTRANK].cpu, 2),
            }
            for name, each in took.items()
        ]
    return [*rows, *_linear(rows, sizes)]


def talk(size: int, count: Count) -> tuple[list[CondenseSource], int]:
    """Draw talk of at least this many tokens, as one conversation, and say how many it takes."""
    drawn = TalkGenerator()
    sources: list[CondenseSource] = []
    total = 0
    while total < size:
        held = sources_of(drawn.conversation())
        for source in held:
            if total < size:
                sources.append(source)
                total += count(source.text)
    return sources, total


def _textrank(count: Count) -> CondenseMethod:
    return same_size(SplitTexts(count))[TEXTRANK]


def _condensed(
    make: Callable[[Count], CondenseMethod],
    counter: Callable[[], Count],
    sources: Sequence[CondenseSource],
    limit: int,
) -> object:
    return make(counter()).condense(sources, limit)


def _split(sources: Sequence[CondenseSource], counter: Callable[[], Count]) -> int:
    texts = SplitTexts(counter())
    return sum(texts.count(piece) for s in sources for piece in texts.sentences(s.text))


class _Took(NamedTuple):
    """How long a call takes by the clock, and how much of the processor, in milliseconds."""

    ms: float
    cpu: float


def _took(call: Callable[[], object], repeats: int) -> _Took:
    if repeats > 1:
        call()  # what is read once a process is read
    held = []
    for _ in range(repeats):
        began = process_time()
        ms, _made = timed(call)
        held.append(_Took(ms, (process_time() - began) * 1000))
    return _Took(median(each.ms for each in held), median(each.cpu for each in held))


def _linear(rows: Sequence[Mapping[str, Any]], sizes: Sequence[int]) -> Iterator[dict[str, Any]]:
    if not set(LINEAR) <= set(sizes):
        return
    methods = list(dict.fromkeys(row["method"] for row in rows))
    places = [list(sizes).index(size) for size in LINEAR]
    for name in methods:
        each = [row["cpu us per token"] for row in rows if row["method"] == name]
        small, large = (each[place] for place in places)
        yield {"method": name, "1M : 100k": round(large / small, 2) if small else None}
