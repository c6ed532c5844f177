"""The options --since and --until: a period in whole days."""

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any, TypeVar

import click

from unabridged.errors import InputError

Command = TypeVar("Command", bound=Callable[..., Any])

_DAY = click.DateTime(["%Y-%m-%d"])


def in_period(command: Command) -> Command:
    """Add --since and --until to a command."""
    until = click.option("--until", type=_DAY, metavar="DATE", help="Up to the end of this day.")
    since = click.option(
        "--since", type=_DAY, metavar="DATE", help="From this day, such as 2026-05-01."
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
