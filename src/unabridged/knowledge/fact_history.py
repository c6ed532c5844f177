"""How facts hang together over time: what took whose place, what a person edited, what is gone."""

from collections.abc import Sequence
from dataclasses import replace

from unabridged.domain.fact import Fact, FactChange, FactState
from unabridged.errors import EmptyMessageError, InputError
from unabridged.knowledge.resolve_facts import Settled
from unabridged.knowledge.statements import Statement


def gone_fact(statement: Statement) -> Fact:
    """A withdrawn statement, as a fact without words."""
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
    """Whether one took the other's place."""
    return any(
        a.fact.supersedes in {s.id for s in b.members} for a, b in ((one, other), (other, one))
    )


def is_edit(settled: Settled, gone: dict[str, Statement]) -> bool:
    """Whether a person edited one of these statements into this fact, or the other way round."""
    edited = {s.replaces for s in gone.values()}
    return any(s.replaces in gone or s.id in edited for s in settled.members)


def steps_of(settled: Settled) -> list[FactChange]:
    """What happened to one fact."""
    first = settled.members[0]
    steps = [FactChange(first.since, first.by, "edited" if first.replaces else "added", first.text)]
    for statement in settled.members:
        steps += [replace(change, text=statement.text) for change in statement.changes]
    return steps


def ends_of(settled: Settled, related: Sequence[Settled]) -> list[FactChange]:
    """That another fact took this one's place, unless a person edited it: that says so itself."""
    fact = settled.fact
    names = {s.id for s in settled.members}
    edited = any(m.replaces in names for other in related for m in other.members)
    if fact.until is None or edited:
        return []
    taker = next((r.fact.by for r in related if r.fact.supersedes == fact.id), fact.by)
    return [FactChange(fact.until, taker, "superseded", fact.text)]


def sources_of(old: Settled) -> tuple[str, ...]:
    """The exchanges whose words an edit of a fact may hold: forgetting them forgets it too."""
    face = next(s for s in old.members if s.id == old.fact.id)
    return (*((face.exchange,) if face.exchange else ()), *face.sources)


def with_value(fact: Fact, value: str) -> str:
    """The fact's text with another value in it.

    Raises:
        EmptyMessageError: There is no value.
        InputError: The old value is not in the text.
    """
    if not value:
        raise EmptyMessageError("There is nothing to change.", hint="Give a text or a value.")
    if not fact.value or fact.value not in fact.text:
        raise InputError(
            f"The text {fact.text!r} does not hold the old value.", hint="Give the whole text."
        )
    return fact.text.replace(fact.value, value)
