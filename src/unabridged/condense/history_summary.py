"""The condensation that replaces the start of a session once it is no longer shown whole.

It is stored as a record that names the exchanges whose words it contains, so forgetting one of them
removes it.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Any

from unabridged.condense.session_view import condensation_id, line_from_data, line_to_data
from unabridged.domain.condensation import CondensationDraft, CondenseSource, Level, Line
from unabridged.domain.exchange import Exchange


@dataclass(frozen=True)  # without slots: its id is cached in it
class HistorySummary:
    """The condensation of the part of a session that is no longer shown.

    Attributes:
        dates: The date of the exchange of each line.
        tokens: What these take whole, as counted when stored.
        inner: Those of them after the beginning of the shown history.
        before: The first exchange of the session that is shown; empty if none is.
        of: The source exchanges of a model's words in it.
        since: The time of the first of them; None if they begin with the session.
    """

    lines: tuple[Line, ...]
    dates: tuple[datetime, ...]
    count: int
    tokens: int
    inner: tuple[str, ...]
    before: str
    by: str
    of: tuple[str, ...] = ()
    since: datetime | None = None

    @cached_property
    def id(self) -> str:
        """Computed from everything in it: two sessions may say the same on other days."""
        return condensation_id(Level.EXCHANGES, "", [earlier_to_data(self)], ())

    def replaces(self, at: datetime) -> bool:
        """Return whether it replaces an exchange of that time before the shown history."""
        return self.since is None or at >= self.since

    @property
    def drawn(self) -> tuple[str, ...]:
        """The ids of the exchanges whose words it contains, and of those that it skips."""
        named = [line.exchange for line in self.lines if line.exchange]
        return tuple(dict.fromkeys([*named, *self.inner, *self.of]))


def earlier_to_data(earlier: HistorySummary) -> dict[str, Any]:
    """Return a block as plain data: the body of its record."""
    return {
        "lines": [line_to_data(line) for line in earlier.lines],
        "dates": [at.isoformat() for at in earlier.dates],
        "count": earlier.count,
        "tokens": earlier.tokens,
        "inner": list(earlier.inner),
        "before": earlier.before,
        "by": earlier.by,
        "of": list(earlier.of),
        "since": earlier.since.isoformat() if earlier.since else None,
    }


def earlier_from_data(data: Mapping[str, Any]) -> HistorySummary:
    """Read the data that ``earlier_to_data`` made."""
    return HistorySummary(
        lines=tuple(map(line_from_data, data["lines"])),
        dates=tuple(map(datetime.fromisoformat, data["dates"])),
        count=data["count"],
        tokens=data["tokens"],
        inner=tuple(data["inner"]),
        before=data["before"],
        by=data["by"],
        of=tuple(data["of"]),
        since=datetime.fromisoformat(data["since"]) if data["since"] else None,
    )


def sources_again(earlier: HistorySummary) -> list[CondenseSource]:
    """Return the lines of a block as sources, to condense them again with what follows."""
    return [
        CondenseSource(line.exchange, line.index, line.role, line.text, at, importance=0.6)
        for line, at in zip(earlier.lines, earlier.dates, strict=True)
    ]


def sources_of(
    exchange: Exchange,
    sentences: Mapping[tuple[str, int], tuple[int, ...]],
    importance: Mapping[str, float],
) -> list[CondenseSource]:
    """Return the messages of an exchange as sources.

    Args:
        exchange: The exchange.
        sentences: Message to the sentences of it in a stored condensation; a missing message is
            whole.
        importance: Message id to its importance, 0 to 1.
    """
    found = []
    for index, message in exchange.spoken:
        kept = sentences.get((exchange.id, index))
        if kept != ():
            weight = importance.get(message.id, 0.5)
            found.append(
                CondenseSource(
                    exchange=exchange.id,
                    index=index,
                    role=message.role,
                    text=message.text,
                    at=exchange.at,
                    importance=weight,
                    sentences=kept,
                )
            )
    return found


@dataclass(frozen=True, slots=True)
class Stands:
    """The exchanges that a block replaces; as in ``HistorySummary``."""

    count: int
    tokens: int
    inner: Sequence[str]
    before: str
    of: Sequence[str] = ()
    since: datetime | None = None


def drafted(
    draft: CondensationDraft, sources: Iterable[CondenseSource], stands: Stands
) -> HistorySummary:
    """Return a draft as the block that replaces exchanges."""
    dates = {(source.exchange, source.index): source.at for source in sources}
    last = max(dates.values())
    return HistorySummary(
        lines=draft.lines,
        dates=tuple(dates.get((line.exchange, line.index), last) for line in draft.lines),
        count=stands.count,
        tokens=stands.tokens,
        inner=tuple(stands.inner),
        before=stands.before,
        by=draft.by,
        of=tuple(stands.of) if any(line.role is None for line in draft.lines) else (),
        since=stands.since,
    )
