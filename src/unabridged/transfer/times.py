"""Reads times of foreign files as UTC. Nothing here reads a clock."""

import re
from datetime import UTC, datetime, timedelta
from typing import Any

UNDATED = datetime(1970, 1, 1, tzinfo=UTC)
"""The date of a conversation without one: recognisable, and the same at every import."""

STEP = timedelta(seconds=1)
"""The assumed time between a message without a time and the one before it."""

_LONGMEMEVAL = re.compile(r"(\d{4})/(\d\d)/(\d\d) \(\w{3}\) (\d\d):(\d\d)")
_SAID = re.compile(
    r"([A-Z][a-z]{2})[a-z]*\.? (\d{1,2}), (\d{4}) (\d{1,2}):(\d{2})(?::(\d{2}))? ?([ap])m",
    re.IGNORECASE,
)
_HUMANIZED = re.compile(
    r"(\d{4})-(\d{1,2})-(\d{1,2}) ?@(\d{1,2})h ?(\d{1,2})m ?(\d{1,2})s(?: ?(\d{1,3})ms)?"
)
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_EPOCH_UNITS = ((1e17, 1e9), (1e14, 1e6), (1e11, 1e3), (0.0, 1.0))
"""The least numbers that count nanoseconds, microseconds, milliseconds, seconds."""


def parse_time(value: Any) -> datetime | None:
    """Read a time of any of the known forms; one without a zone is taken as UTC.

    The forms: ISO 8601; seconds (or milli-, micro-, nanoseconds) since 1970; LongMemEval's
    ``2023/05/20 (Sat) 06:37``; SillyTavern's ``June 19, 2023 2:20pm``, ``2024-07-12@01h31m37s``,
    ``2024-07-12@01h31m37s123ms`` and ``2024-6-5 @14h 56m 50s 682ms``.

    Returns:
        The time in UTC, or None if the value is None or empty.

    Raises:
        ValueError: The form is unknown.
    """
    if value is None or value == "":
        return None
    try:
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            return _from_epoch(float(value))
        if isinstance(value, str):
            return _from_text(value.strip())
    except (OverflowError, OSError) as error:
        raise ValueError("the time is outside of the calendar") from error
    raise ValueError(f"not a time: a {type(value).__name__}")


def written_time(text: str) -> datetime:
    """Read a time that we wrote.

    Raises:
        ValueError: It is not a time, or has no zone.
    """
    at = datetime.fromisoformat(text)
    if at.tzinfo is None:
        raise ValueError("a time without a zone")
    return at


def after(at: datetime) -> datetime:
    """Return the time a moment later; the end of the calendar stays the same."""
    try:
        return at + STEP
    except OverflowError:
        return at


def _from_epoch(number: float) -> datetime:
    unit = next(unit for least, unit in _EPOCH_UNITS if abs(number) >= least)
    return datetime.fromtimestamp(number / unit, UTC)


def _from_text(text: str) -> datetime:
    match = _LONGMEMEVAL.fullmatch(text)
    if match:
        year, month, day, hour, minute = map(int, match.groups())
        return datetime(year, month, day, hour, minute, tzinfo=UTC)
    match = _HUMANIZED.fullmatch(text)
    if match:
        year, month, day, hour, minute, second = map(int, match.groups()[:6])
        thousandths = int(match.group(7) or 0)
        return datetime(year, month, day, hour, minute, second, thousandths * 1000, UTC)
    match = _SAID.fullmatch(text)
    if match:
        return _from_said(match)
    if re.fullmatch(r"-?\d{9,19}(\.\d+)?", text):
        return _from_epoch(float(text))
    at = datetime.fromisoformat(text)
    return at.replace(tzinfo=UTC) if at.tzinfo is None else at.astimezone(UTC)


def _from_said(match: re.Match[str]) -> datetime:
    month, day, year, hour, minute, second, half = match.groups()
    if month.lower() not in _MONTHS or not 1 <= int(hour) <= 12:
        raise ValueError("not a known month or hour")
    return datetime(
        int(year),
        _MONTHS.index(month.lower()) + 1,
        int(day),
        int(hour) % 12 + (12 if half.lower() == "p" else 0),
        int(minute),
        int(second or 0),
        tzinfo=UTC,
    )


def in_words(at: datetime) -> str:
    """Write a date as in 3 May 2024."""
    return f"{at.day} {at:%B %Y}"
