"""Dates and times in parameters."""

from contextlib import suppress
from datetime import datetime, timedelta
from typing import Annotated

from msgspec import Meta

from unabridged.errors import InputError

_DATE_LENGTH = len("2026-05-31")
When = Annotated[str, Meta(max_length=40, pattern=r"^\d{4}-\d\d-\d\d")]
"""A date or a date and time (ISO 8601). Without a time zone, that of the machine is meant."""


def period_of(since: str | None, until: str | None) -> tuple[datetime | None, datetime | None]:
    """Return the first moment of a period, and the first moment after it.

    Raises:
        InputError: There is no such date or time, or the period ends before it begins.
    """
    start, end = _moment(since), _moment(until)
    if end is not None and until is not None and len(until) <= _DATE_LENGTH:
        with suppress(OverflowError):
            end += timedelta(days=1)
    if start and end and start >= end:
        raise InputError("`until` is before `since`.", hint="Swap the two.")
    return start, end


def _moment(when: str | None) -> datetime | None:
    try:
        return None if when is None else datetime.fromisoformat(when).astimezone()
    except (ValueError, OverflowError):
        raise InputError(
            f"{when!r} is not a date or time.",
            hint="Write it like 2026-05-31 or 2026-05-31T18:00Z.",
        ) from None
