"""What was said earlier in a session and is shown whole no more: the condensation that stands for it.

It is stored as a record that names the exchanges it has words of, so forgetting one of them takes
it along.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Any

from unabridged.condense.session_view import condensation_id, line_from_data, line_to_data
from unabridged.domain.condensation import CondensationDraft, CondenseSource, Level, Line
from unabridged.domain.exchange import Exchange


@dataclass(frozen=True)  # without slots: its id is kept with it
class HistorySummary:
    """The condensation of what a session shows no more.

    Attributes:
        dates: The date of the exchange of each line.
        tokens: What these take whole, as counted when stored.
        inner: Those of them that stand behind the beginning of the shown history.
        before: The first exchange of the session that is shown; empty where none is.
        of: The exchanges that a model's words in it are of.
    """

    lines: tuple[Line, ...]
    dates: tuple[datetime, ...]
    count: int
    tokens: int
    inner: tuple[str, ...]
    before: str
    by: str
    of: tuple[str, ...] = ()

    @cached_property
    def id(self) -> str:
        """Drawn from everything that it holds: two sessions may say the same on other days."""
        return condensation_id(Level.EXCHANGES, "", [earlier_to_data(self)], ())

    @property
    def drawn(self) -> tuple[str, ...]:
        """The ids of the exchanges that it has words of, and of those that it passes over."""
        named = [line.exchange for line in self.lines if line.exchange]
        return tuple(dict.fromkeys([*named, *self.inner, *self.of]))


def earlier_to_data(earlier: HistorySummary) -> dict[str, Any]:
    """A block as plain data: the body of its record."""
    return {
        "lines": [line_to_data(line) for line in earlier.lines],
        "dates": [at.isoformat() for at in earlier.dates],
        "count": earlier.count,
        "tokens": earlier.tokens,
        "inner": list(earlier.inner),
        "before": earlier.before,
        "by": earlier.by,
        "of": list(earlier.of),
    }


def earlier_from_data(data: Mapping[str, Any]) -> HistorySummary:
    """Read what ``earlier_to_data`` gave."""
    return HistorySummary(
        lines=tuple(map(line_from_data, data["lines"])),
        dates=tuple(map(datetime.fromisoformat, data["dates"])),
        count=data["count"],
        tokens=data["tokens"],
        inner=tuple(data["inner"]),
        before=data["before"],
        by=data["by"],
        of=tuple(data["of"]),
    )


def sources_again(earlier: HistorySummary) -> list[CondenseSource]:
    """The lines of a block as sources, to be condensed once more with what follows them."""
    return [
        CondenseSource(line.exchange, line.index, line.role, line.text, at, importance=0.6)
        for line, at in zip(earlier.lines, earlier.dates, strict=True)
    ]


def sources_of(
    exchange: Exchange,
    sentences: Mapping[tuple[str, int], tuple[int, ...]],
    importance: Mapping[str, float],
) -> list[CondenseSource]:
    """The words of an exchange as sources.

    Args:
        exchange: The exchange.
        sentences: Message to the sentences that a stored condensation kept of it; a message that
            is missing is whole.
        importance: Message id to how much it matters, 0 to 1.
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
    """What a block stands for; as in ``HistorySummary``."""

    count: int
    tokens: int
    inner: Sequence[str]
    before: str
    of: Sequence[str] = ()


def drafted(
    draft: CondensationDraft, sources: Iterable[CondenseSource], stands: Stands
) -> HistorySummary:
    """A draft as the block that stands for exchanges."""
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
    )
