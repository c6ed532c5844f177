"""Times as people write them on a command line, in the reader's time zone."""

import re
from datetime import datetime, timedelta

from unabridged.errors import InputError

_UNITS = {"m": "minutes", "h": "hours", "d": "days", "w": "weeks"}
_SPAN = re.compile(r"([1-9][0-9]{0,5})([mhdw])")


def parse_span(text: str) -> timedelta | None:
    """Read a span such as 12h, 30d or 8w; return None for anything else."""
    span = _SPAN.fullmatch(text.strip().lower())
    return timedelta(**{_UNITS[span[2]]: int(span[1])}) if span else None


def parse_time(text: str, *, is_end: bool = False) -> datetime:
    """Read a date, or a date with a time.

    Args:
        text: In ISO 8601; without a time zone it is the reader's.
        is_end: Whether a date without a time means the end of that day, not its beginning.

    Raises:
        InputError: It is not a time.
    """
    try:
        found = datetime.fromisoformat(text.strip())
    except ValueError:
        hint = "Write a date (2027-01-31), a date and a time (2027-01-31T18:00), or a span (30d)."
        raise InputError(f"{text!r} is not a time.", hint=hint) from None
    if is_end and len(text.strip()) <= len("2027-01-31"):
        found += timedelta(days=1, microseconds=-1)
    return found.astimezone()


def parse_end(text: str, now: datetime) -> datetime:
    """Read when something ends: a span from now, or a date (its first moment).

    Raises:
        InputError: It is neither.
    """
    span = parse_span(text)
    return now + span if span else parse_time(text)


def parse_past(text: str, now: datetime) -> datetime:
    """Read a time, or how long ago it was.

    Raises:
        InputError: It is neither.
    """
    span = parse_span(text)
    return now - span if span else parse_time(text)
