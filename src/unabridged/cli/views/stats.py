"""The figures of a memory: messages, facts, annotations and condensations."""

from typing import Any

from unabridged.cli.format import count
from unabridged.cli.output import plain
from unabridged.cli.views.annotations import judged_rows
from unabridged.cli.views.condensations import run_rows
from unabridged.cli.views.lists import stats_lines
from unabridged.domain.condensation import Level
from unabridged.space.space import Space


def figures_data(space: Space) -> dict[str, Any]:
    """Return the figures for JSON."""
    return {
        **plain(space.stats()),
        "unsaved": space.log.unsaved,
        "facts": _facts(space),
        "condensing": {**plain(space.condensations.stats()), "wholes": _wholes(space)},
        "readings": plain(space.annotations.stats()),
    }


def figures_lines(space: Space) -> list[str]:
    """Show the figures to people."""
    facts = _facts(space)
    said = count(facts["current"], "fact")
    said += "".join(f", {facts[name]:,} {name}" for name in ("pinned", "disputed") if facts[name])
    wholes, runs = _wholes(space), run_rows(space.condensations.stats())
    whole = f"{count(wholes, 'summary')} of whole conversations and months"
    if wholes:
        runs = [*runs, ("", whole)] if space.condensations.stats().runs else [("condensed", whole)]
    more = [("known", said), *judged_rows(space), *runs]
    if space.log.unsaved:
        more.append(("unsaved", count(space.log.unsaved, "write")))
    return stats_lines(space.stats(), more)


def _wholes(space: Space) -> int:
    return sum(one.level is not Level.EXCHANGES for one in space.condensations.condensations())


def _facts(space: Space) -> dict[str, int]:
    facts = space.facts.all()
    return {
        "current": len(facts),
        "pinned": sum(fact.pinned for fact in facts),
        "disputed": sum(bool(fact.disputed_by) for fact in facts),
    }
