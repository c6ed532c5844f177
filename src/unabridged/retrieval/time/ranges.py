"""Ranges of time: the readings of time expressions."""

import re
from calendar import monthrange
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from functools import cache

FIRST_YEAR, LAST_YEAR = 2, 9_990
"""The bounds of arithmetic on dates."""


@dataclass(frozen=True, slots=True)
class TimeRange:
    """A range of time that words at a place mean.

    Attributes:
        slack: Days of tolerance.
        certainty: 0 to 1.
        yearless: Whether the words named a month or day, and the year was guessed.
        anchor: Whether other words can refer to it ("before …", "between … and …").
    """

    start: int
    end: int
    since: datetime
    until: datetime
    slack: float
    certainty: float = 0.95
    yearless: bool = False
    anchor: bool = True


Rule = Callable[[re.Match[str], str, datetime], Iterator[TimeRange]]
"""Returns the readings of a match, from the written text and ``now``."""
Group = tuple[str, tuple[tuple[str, Rule], ...]]
"""Patterns with their rules, after a pattern that all need."""


@cache
def compiled(pattern: str) -> re.Pattern[str]:
    """Return a compiled pattern; it is cached, since most questions need few."""
    return re.compile(pattern)


def searcher(pattern: str) -> Callable[[str], re.Match[str] | None]:
    """Return a search for a pattern, which is compiled on first use."""
    return lambda text: compiled(pattern).search(text)


def midnight(day: date, now: datetime) -> datetime:
    """Return the beginning of a day in the zone of ``now``."""
    return datetime.combine(day, time.min, now.tzinfo)


def shifted(moment: datetime, days: float) -> datetime:
    """Return a moment the given days later, within the range of dates."""
    days = max(-3_000_000.0, min(3_000_000.0, days))
    limit = moment.toordinal() + days
    if not 366 * FIRST_YEAR < limit < 365 * LAST_YEAR:
        return moment
    return moment + timedelta(days=days)


def month_span(year: int, month: int, length: int = 1) -> tuple[date, date]:
    """Return the first day of a month, and the first day after ``length`` months."""
    year = max(FIRST_YEAR, min(LAST_YEAR, year))
    after = month - 1 + length
    return date(year, month, 1), date(year + after // 12, after % 12 + 1, 1)


def a_date(year: int, month: int, day: int) -> date | None:
    """Return a date, or None if the calendar has no such day."""
    if not (FIRST_YEAR <= year <= LAST_YEAR and 1 <= month <= 12):
        return None
    return date(year, month, day) if 1 <= day <= monthrange(year, month)[1] else None


def nth_weekday(year: int, month: int, weekday: int, nth: int) -> date | None:
    """Return the nth such weekday of a month, from 0; the last for −1."""
    length = monthrange(year, month)[1]
    if nth >= 0:
        ahead = (weekday - date(year, month, 1).weekday()) % 7
        return a_date(year, month, 1 + ahead + 7 * nth)
    return a_date(year, month, length - (date(year, month, length).weekday() - weekday) % 7)


def easter(year: int) -> date:
    """Return Easter Sunday by the anonymous Gregorian algorithm (Meeus, Astronomical Algorithms, ch. 8)."""
    a, (b, c) = year % 19, divmod(year, 100)
    (d, e), g = divmod(b, 4), (8 * b + 13) // 25
    h = (19 * a + b - d - g + 15) % 30
    i, k = divmod(c, 4)
    ell = (32 + 2 * e + 2 * i - h - k) % 7
    m = (a + 11 * h + 19 * ell) // 433
    month = (h + ell - 7 * m + 90) // 25
    return date(year, month, (h + ell - 7 * m + 33 * month + 19) % 32)
