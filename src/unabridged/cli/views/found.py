"""Search results as text, with the matching words marked."""

from collections.abc import Sequence
from typing import Any

from unabridged.cli.format import day
from unabridged.cli.paint import paint, width
from unabridged.cli.terminal_text import Safe, cells, clip, one_line, safe
from unabridged.domain.results import SearchResult

NEAREST = 3
"""Exchanges that are shown where none matches."""
LEAST_SHOWN = 0.005
"""The least relevance of what is shown: less is written as 0.00."""
BEFORE = 0.3
"""The share of a line that is shown before the first match."""


def by_score(found: Sequence[SearchResult]) -> list[SearchResult]:
    """Return what was found in the order of the relevance that is shown."""
    return sorted(found, key=lambda one: -round(one.score, 2))


def titled(head: str, title: str) -> Safe:
    """Return a head and, if there is one, the title after it."""
    return paint(head, "dim") + (safe("  ") + paint(title, "accent") if title else "")


def found_lines(found: SearchResult, query: str) -> list[str]:
    """Show a found exchange: its date, id, relevance and the words around the match."""
    exchange, room = found.exchange, width()
    head = f"{day(exchange.at)}  {exchange.id}  {found.score:.2f}"
    title = clip(one_line(found.session_title), max(0, room - len(head) - 2))
    lines: list[str] = [titled(head, title)]
    lines.append("  › " + excerpt(exchange.user.text, query, room - 4))
    if exchange.answer:
        lines.append("    " + excerpt(exchange.answer.text, query, room - 4))
    return [*lines, ""]


def nothing_lines(query: str, nearest: Sequence[SearchResult]) -> list[str]:
    """Report that nothing matches, and show the nearest exchanges."""
    said = one_line(query)
    lines = [f"Nothing matches {said}." if '"' in said else f'Nothing matches "{said}".']
    matched = [one for one in nearest if one.matched]
    what = "without the exact words" if matched else "not a match"
    near = matched or [one for one in nearest if one.score >= LEAST_SHOWN]
    shown = [line for one in by_score(near) for line in found_lines(one, query)]
    lines += [paint(f"Nearest, {what}:", "dim"), "", *shown] if shown else []
    return lines


def loosely(query: str) -> dict[str, Any]:
    """Return the parameters of a search for what comes nearest to a query that nothing matches."""
    from unabridged.space.search import split_phrases  # noqa: PLC0415 - slow, and help needs none of it

    phrases, rest = split_phrases(query)
    words = " ".join([*phrases, rest])
    return {"query": words, "limit": NEAREST, "min_relevance": 0, "exact": False}


def excerpt(text: str, query: str, room: int) -> str:
    """Return the part of a text around the first match in at most ``room`` cells."""
    from unabridged.space.search import matching_words  # noqa: PLC0415 - as above

    line: str = one_line(text)
    spans = matching_words(query, line)
    if spans and cells(line) > room and (start := _start(line, spans[0][0], room)):
        line = "…" + line[start:]
        spans = [(a - start + 1, b - start + 1) for a, b in spans if a >= start]
    shown = clip(line, room)
    end = len(shown) - (shown != line)  # the last is an ellipsis
    pieces, place = [], 0
    for a, b in spans:
        if b > end:
            break
        pieces += [shown[place:a], paint(shown[a:b], "match")]
        place = b
    return safe("").join([*pieces, shown[place:]])


def _start(line: str, first: int, room: int) -> int:
    before = int(BEFORE * room)
    if first < room - before:
        return 0
    space = line.find(" ", first - before, first)
    return space + 1 if space >= 0 else first
