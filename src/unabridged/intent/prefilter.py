"""What a pattern cannot do without, so that most patterns need not be tried on a message.

Reads the parse tree of ``re``: a sequence needs what any one of its parts needs, alternatives need
one of theirs all together, and what may be absent needs nothing.
"""

import re
from collections.abc import Iterable
from typing import Any

SHORTEST = 3
"""Letters of the shortest piece that is worth looking for, in Latin script."""


def needs(pattern: str) -> frozenset[str]:
    """Give pieces of text of which at least one is in whatever the pattern matches.

    Empty where nothing can be said; then the pattern must always be tried.
    """
    parser: Any = re._parser  # type: ignore[attr-defined]  # private; a test compares the outcome
    return _of_sequence(parser.parse(pattern)) or frozenset()


def _of_sequence(items: Iterable[Any]) -> frozenset[str] | None:
    found: list[frozenset[str]] = []
    run = ""
    for kind, value in items:
        if str(kind) == "LITERAL":
            run += chr(value)
            continue
        found += [frozenset({run})] if _telling(run) else []
        run = ""
        inner = _of_item(str(kind), value)
        if inner:
            found.append(inner)
    found += [frozenset({run})] if _telling(run) else []
    return max(found, key=lambda need: (min(map(len, need)), -len(need)), default=None)


def _of_item(kind: str, value: Any) -> frozenset[str] | None:
    if kind == "SUBPATTERN":
        return _of_sequence(value[-1])
    if kind in {"MAX_REPEAT", "MIN_REPEAT"}:
        least, _, inner = value
        return _of_sequence(inner) if least else None
    if kind == "BRANCH":
        branches = [_of_sequence(branch) for branch in value[1]]
        return frozenset().union(*[b for b in branches if b]) if all(branches) else None
    return None


def _telling(run: str) -> bool:
    word = max(run.split(), key=len, default="")
    return len(word) >= SHORTEST or (word != "" and not word.isascii())
