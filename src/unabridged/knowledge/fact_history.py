"""The history of facts: replacements, edits and withdrawals."""

from collections.abc import Sequence
from dataclasses import replace

from unabridged.domain.fact import Fact, FactChange, FactState
from unabridged.errors import EmptyMessageError, InputError
from unabridged.knowledge.resolve_facts import Settled
from unabridged.knowledge.statements import Statement


def gone_fact(statement: Statement) -> Fact:
    """Return a withdrawn statement as a fact without text."""
    return Fact(
        id=statement.id,
        text="",
        since=statement.since,
        exchange=statement.exchange,
        until=statement.withdrawn,
        by=statement.by,
        state=FactState.WITHDRAWN,
    )


def are_linked(one: Settled, other: Settled) -> bool:
    """Return whether one replaced the other."""
    return any(
        a.fact.supersedes in {s.id for s in b.members} for a, b in ((one, other), (other, one))
    )


def is_edit(settled: Settled, gone: dict[str, Statement]) -> bool:
    """Return whether a person edited one of these statements into this fact, or the reverse."""
    edited = {s.replaces for s in gone.values()}
    return any(s.replaces in gone or s.id in edited for s in settled.members)


def steps_of(settled: Settled) -> list[FactChange]:
    """Return the history of one fact."""
    first = settled.members[0]
    steps = [FactChange(first.since, first.by, "edited" if first.replaces else "added", first.text)]
    for statement in settled.members:
        steps += [replace(change, text=statement.text) for change in statement.changes]
    return steps


def ends_of(settled: Settled, related: Sequence[Settled]) -> list[FactChange]:
    """Return the step in which another fact replaced this one; edits have their own step."""
    fact = settled.fact
    names = {s.id for s in settled.members}
    edited = any(m.replaces in names for other in related for m in other.members)
    if fact.until is None or edited:
        return []
    taker = next((r.fact.by for r in related if r.fact.supersedes == fact.id), fact.by)
    return [FactChange(fact.until, taker, "superseded", fact.text)]


def sources_of(old: Settled) -> tuple[str, ...]:
    """Return the exchanges whose words an edited fact may contain; it is forgotten with them."""
    face = next(s for s in old.members if s.id == old.fact.id)
    return (*((face.exchange,) if face.exchange else ()), *face.sources)


def with_value(fact: Fact, value: str) -> str:
    """Return the fact's text with another value in it.

    Raises:
        EmptyMessageError: There is no value.
        InputError: The old value is not in the text.
    """
    if not value:
        raise EmptyMessageError("There is nothing to change.", hint="Write a text or a value.")
    if not fact.value or fact.value not in fact.text:
        raise InputError(
            f"The text {fact.text!r} does not contain the old value.", hint="Write the whole text."
        )
    return fact.text.replace(fact.value, value)
