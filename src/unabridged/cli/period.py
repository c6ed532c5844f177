"""The options --since and --until: a period in whole days."""

from collections.abc import Callable
from datetime import date, datetime, time, timedelta
from typing import Any, TypeVar

import click

from unabridged.cli.parse_moment import parse_span
from unabridged.clock import SystemClock
from unabridged.errors import InputError

Command = TypeVar("Command", bound=Callable[..., Any])

_NAMED = {"today": 0, "yesterday": 1}


class Day(click.DateTime):
    """A day: a date, ``today``, ``yesterday``, or how long ago, such as 7d or 2w."""

    name = "day"

    def convert(  # type: ignore[explicit-override]  # typing.override came with 3.12
        self,
        value: Any,
        param: click.Parameter | None,  # noqa: ARG002 - click's signature
        ctx: click.Context | None,  # noqa: ARG002 - click's signature
    ) -> datetime:
        """Return the beginning of the day, in the reader's time zone."""
        if isinstance(value, datetime):
            return value
        text = str(value).strip().lower()
        try:
            return datetime.combine(_day(text), time())
        except (ValueError, OverflowError):
            raise InputError(
                f"{value!r} is not a day.",
                hint="Write a date such as 2026-05-01, today, yesterday, or 7d for a week ago.",
            ) from None


def _day(text: str) -> date:
    now = SystemClock().now().astimezone()
    if text in _NAMED:
        return (now - timedelta(days=_NAMED[text])).date()
    span = parse_span(text) if text.endswith(("d", "w")) else None
    return (now - span).date() if span else date.fromisoformat(text)


_DAY = Day()


def in_period(command: Command) -> Command:
    """Give a command --since and --until."""
    until = click.option(
        "--until", type=_DAY, metavar="DAY", help="Up to the end of this day; as --since."
    )
    since = click.option(
        "--since",
        type=_DAY,
        metavar="DAY",
        help="From this day: 2026-05-01, today, yesterday, or 7d for a week ago.",
    )
    return since(until(command))


def period(
    since: datetime | None, until: datetime | None
) -> tuple[datetime | None, datetime | None]:
    """Return the beginning and the end of a period.

    Raises:
        InputError: It ends before it begins.
    """
    start = since.astimezone() if since else None
    end = (until + timedelta(days=1)).astimezone() if until else None
    if start and end and start >= end:
        raise InputError("--until is before --since.", hint="Swap the two days.")
    return start, end
