"""How long condensing takes, beside splitting and counting alone and beside TextRank.

Everything is measured on generated talk (``evals.generator``), with nothing remembered of the texts.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from statistics import median
from typing import Any

from unabridged.domain.condensation import Source
from unabridged.evals.condense_baselines import TEXTRANK, same_size
from unabridged.evals.condense_findings import OURS
from unabridged.evals.condense_text import Method, Texts, sources_of
from unabridged.evals.generator import Generator
from unabridged.evals.timing import timed

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
    ours: Callable[[Count], Method] | None,
    say: Say,
    sizes: Sequence[int] = SIZES,
) -> list[dict[str, Any]]:
    """Time each method at each size.

    Args:
        counter: Makes what counts tokens, anew, so that no text was counted before.
        ours: Makes what is measured, of what counts; None to time the baselines only.
        say: Told in a few words what goes on.
        sizes: Tokens of the talk.

    Returns:
        A row for each size and method: ``method``, ``tokens``, ``ms``, ``us per token``, and what
        it is ``of splitting`` and ``of textrank``; then, for each method, ``1M : 100k``.
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
                "ms": round(each, 2),
                "us per token": round(1000 * each / total, 3),
                "of splitting": round(each / took[SPLIT], 2),
                "of textrank": round(each / took[TEXTRANK], 2),
            }
            for name, each in took.items()
        ]
    return [*rows, *_linear(rows, sizes)]


def talk(size: int, count: Count) -> tuple[list[Source], int]:
    """Draw talk of at least so many tokens, as one conversation, and say how many it takes."""
    drawn = Generator()
    sources: list[Source] = []
    total = 0
    while total < size:
        held = sources_of(drawn.conversation())
        for source in held:
            if total < size:
                sources.append(source)
                total += count(source.text)
    return sources, total


def _textrank(count: Count) -> Method:
    return same_size(Texts(count))[TEXTRANK]


def _condensed(
    make: Callable[[Count], Method],
    counter: Callable[[], Count],
    sources: Sequence[Source],
    limit: int,
) -> object:
    return make(counter()).condense(sources, limit)


def _split(sources: Sequence[Source], counter: Callable[[], Count]) -> int:
    texts = Texts(counter())
    return sum(texts.count(piece) for s in sources for piece in texts.sentences(s.text))


def _took(call: Callable[[], object], repeats: int) -> float:
    if repeats > 1:
        call()  # what is read once a process is read
    return median(timed(call)[0] for _ in range(repeats))


def _linear(rows: Sequence[Mapping[str, Any]], sizes: Sequence[int]) -> Iterator[dict[str, Any]]:
    """How much a token costs in large talk beside one in small; 1 is linear."""
    if not set(LINEAR) <= set(sizes):
        return
    methods = list(dict.fromkeys(row["method"] for row in rows))
    places = [list(sizes).index(size) for size in LINEAR]
    for name in methods:
        each = [row["us per token"] for row in rows if row["method"] == name]
        small, large = (each[place] for place in places)
        yield {"method": name, "1M : 100k": round(large / small, 2) if small else None}
