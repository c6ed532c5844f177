"""Facts as text: lists, and cards with all fields."""

import sys
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from unabridged.cli.format import count, day
from unabridged.cli.paint import Column, paint, table, width
from unabridged.cli.terminal_text import one_line, pad, wrap
from unabridged.domain.fact import Fact

if TYPE_CHECKING:
    from unabridged.operations.call import Call

_SOURCES = {"user": "you", "rules-1": "your words"}
CORRECTED, UNPINNED = "Corrected", "Unpinned"
STAYS = "It stays a fact, for prompts that it is relevant to. Remove it: unabridged facts forget"
"""What becomes of an unpinned text, also one that was a question."""
_NAMES = 17
"""Width in cells of the names of a fact's fields."""


def fact_lines(
    facts: Sequence[Fact], *, first: int | None = 1, numbers: Mapping[str, int] | None = None
) -> list[str]:
    """List facts; ● is pinned, ≠ contradicted.

    Args:
        facts: In the order of their numbers.
        first: The number of the first; None if they have no numbers.
        numbers: The number of each by its id, if they are in another order.
    """
    ended = any(fact.until for fact in facts)
    columns = [
        Column("", right=True, style="dim"),
        Column("", style="accent"),
        Column("fact", flexible=True),
        Column("noted", style="dim"),
        *([Column("until", style="dim")] if ended else []),
        Column("from", style="dim"),
    ]
    rows = [
        (
            "" if first is None else str(numbers[fact.id] if numbers else number),
            ("●" if fact.pinned else "") + ("≠" if fact.disputed_by else ""),
            fact.text or "(withdrawn)",
            day(fact.since),
            *([day(fact.until)] if ended else []),
            fact.origin.space if fact.origin else _SOURCES.get(fact.by, fact.by),
        )
        for number, fact in enumerate(facts, first or 0)
    ]
    return table(columns, rows, width())


def facts_lines(facts: Sequence[Fact], call: "Call") -> list[str]:
    """List facts in any order, with the numbers that name them if all are current."""
    numbers = {fact.id: place for place, fact in enumerate(call.space.facts.all(), 1)}
    named = all(fact.id in numbers for fact in facts)
    lines = fact_lines(facts, numbers=numbers) if named else fact_lines(facts, first=None)
    groups = call.space.facts.disputes()
    if groups and sys.stdout.isatty():
        said = f"{count(len(groups), 'contradiction')}, marked ≠. Settle one: unabridged facts edit"
        lines += ["", paint(said, "warn")]
    return lines


def told_fact(fact: Fact, what: str = "", call: "Call | None" = None) -> list[str]:
    """Show a change of a fact, and what contradicts it; without ``what``, all fields."""
    if not what or call is None:
        return [*fact_card(fact), paint("With ids: --json", "dim")]
    others = {other.id: other for other in call.space.facts.all()} if fact.disputed_by else {}
    against = (others[name] for name in fact.disputed_by if name in others)
    return [
        f"{what}: {_shown_change(fact, what, call)}",
        *([paint(STAYS, "dim")] if what == UNPINNED else []),
        *(paint(f"Contradicted by: {one_line(one.text)}", "warn") for one in against),
    ]


def _shown_change(fact: Fact, what: str, call: "Call") -> str:
    new = one_line(fact.text)
    if what != CORRECTED or fact.supersedes is None:
        return new
    return f"“{one_line(call.space.facts.get(fact.supersedes).text)}” → “{new}”"


def withdrawn_fact(gone: Fact, call: "Call") -> Iterator[str]:
    """Show a withdrawn fact, the fact that is current again, and spaces with copies."""
    yield f"Withdrawn: {one_line(gone.text)}"
    for fact in call.space.facts.all():
        if fact.id == gone.supersedes:
            yield paint(f"Current again: {one_line(fact.text)}", "dim")
    for other in call.space.sharing.copies([gone.id]):
        yield paint(f"Still in {other}. Share again to withdraw it there.", "warn")


def fact_card(fact: Fact, *, verbose: bool = False) -> list[str]:
    """Show a fact with the words that it comes from.

    Args:
        fact: The fact.
        verbose: Whether to show every field, with ids.
    """
    source = _SOURCES.get(fact.by, fact.by)
    rows = [
        ("you said", f"“{fact.quote}”" if fact.quote else ""),
        ("noted", day(fact.since)),
        ("until", day(fact.until)),
        ("from", fact.origin.space if fact.origin else source),
        ("pinned", "every prompt has it" if fact.pinned else ""),
        ("contradicted by", count(len(fact.disputed_by), "fact") if fact.disputed_by else ""),
    ]
    if verbose:
        rows += [
            ("id", fact.id),
            ("exchange", fact.exchange or ""),
            ("about", fact.subject),
            (fact.attribute or "value", fact.value),
            ("found by", fact.by),
            ("supersedes", fact.supersedes or ""),
            ("its exchange", (fact.origin.exchange or "") if fact.origin else ""),
            ("arrived", day(fact.origin.arrived) if fact.origin else ""),
            ("contradicted by", ", ".join(fact.disputed_by)),
        ]
    lines = [*wrap(fact.text, width()), ""]
    for name, text in rows:
        for place, part in enumerate(wrap(text, width() - _NAMES) if text else []):
            lines.append(paint(pad("" if place else name, _NAMES), "dim") + part)
    return lines
