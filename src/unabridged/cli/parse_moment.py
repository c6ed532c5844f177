"""Times as people write them on a command line, in the reader's time zone."""

import re
from datetime import date, datetime, timedelta
from typing import Any

import click

from unabridged.clock import SystemClock
from unabridged.errors import InputError

_UNITS = {"m": "minutes", "h": "hours", "d": "days", "w": "weeks"}
_NAMED = {"today": 0, "yesterday": 1}
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


class Day(click.ParamType[str]):
    """A day: a date, ``today``, ``yesterday``, or how long ago, such as 7d or 2w."""

    name = "day"

    def convert(  # type: ignore[explicit-override]  # typing.override came with 3.12
        self,
        value: Any,
        param: click.Parameter | None,  # noqa: ARG002 - click's signature
        ctx: click.Context | None,  # noqa: ARG002 - click's signature
    ) -> str:
        """Return the date in the reader's time zone, in ISO 8601."""
        text, now = str(value).strip().lower(), SystemClock().now().astimezone()
        try:
            span = parse_span(text) if text.endswith(("d", "w")) else None
            span = timedelta(days=_NAMED[text]) if text in _NAMED else span
            return (
                (now - span).date() if span is not None else date.fromisoformat(text)
            ).isoformat()
        except (ValueError, OverflowError):
            raise InputError(
                f"{value!r} is not a day.",
                hint="Write a date such as 2026-05-01, today, yesterday, or 7d for a week ago.",
            ) from None


DAY = Day()
