"""Dates and times in parameters."""

from datetime import datetime, timedelta
from typing import Annotated

from msgspec import Meta

from unabridged.errors import InputError

_DATE_LENGTH = len("2026-05-31")
When = Annotated[str, Meta(max_length=40, pattern=r"^\d{4}-\d\d-\d\d")]
"""A date or a date and time (ISO 8601). Without a time zone, that of the machine is meant."""


def start_of(when: str | None) -> datetime | None:
    """Return the first moment of a date, or a time itself.

    Raises:
        InputError: There is no such date or time.
    """
    if when is None:
        return None
    try:
        return datetime.fromisoformat(when).astimezone()
    except (ValueError, OverflowError):
        raise InputError(
            f"{when!r} is not a date or time.",
            hint="Write it like 2026-05-31 or 2026-05-31T18:00Z.",
        ) from None


def end_of(when: str | None) -> datetime | None:
    """Return the first moment after a date, or a time itself.

    Raises:
        InputError: There is no such date or time.
    """
    start = start_of(when)
    if start is None or when is None or len(when) > _DATE_LENGTH:
        return start
    try:
        return start + timedelta(days=1)
    except OverflowError:
        return start
