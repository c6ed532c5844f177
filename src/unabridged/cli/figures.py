"""The figures of a memory: what it holds, what is known, judged and condensed of it."""

from typing import Any

from unabridged.cli.condensed import run_rows
from unabridged.cli.judged import judged_rows
from unabridged.cli.lists import stats_lines
from unabridged.cli.output import plain
from unabridged.cli.words import count
from unabridged.domain.condensation import Level
from unabridged.wiring import Memory


def figures_data(memory: Memory) -> dict[str, Any]:
    """Give the figures for JSON."""
    return {
        **plain(memory.stats()),
        "unsaved": memory.unsaved,
        "facts": _facts(memory),
        "condensing": {**plain(memory.upkeep.stats()), "wholes": _wholes(memory)},
        "readings": plain(memory.readings.stats()),
    }


def figures_lines(memory: Memory) -> list[str]:
    """Show the figures to people."""
    facts = _facts(memory)
    said = count(facts["current"], "fact")
    said += "".join(f", {facts[name]:,} {name}" for name in ("pinned", "disputed") if facts[name])
    more = [("known", said), *judged_rows(memory), *run_rows(memory.upkeep.stats())]
    if memory.unsaved:
        more.append(("unsaved", count(memory.unsaved, "write")))
    if wholes := _wholes(memory):
        more.append(("as wholes", f"{count(wholes, 'condensation')} of conversations and months"))
    return stats_lines(memory.stats(), more)


def _wholes(memory: Memory) -> int:
    """How many conversations and months are condensed as wholes."""
    return sum(one.level is not Level.EXCHANGES for one in memory.upkeep.condensations())


def _facts(memory: Memory) -> dict[str, int]:
    facts = memory.facts.all()
    return {
        "current": len(facts),
        "pinned": sum(fact.pinned for fact in facts),
        "disputed": sum(bool(fact.disputed_by) for fact in facts),
    }
