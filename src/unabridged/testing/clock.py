"""A clock that a test sets."""

from datetime import UTC, datetime, timedelta


class ManualClock:
    """Time stands still until it is moved; ids count up.

    Args:
        start: The first time; needs a time zone.
        step: How far each look at the time moves it.
    """

    def __init__(
        self,
        start: datetime = datetime(2026, 11, 21, 10, 0, tzinfo=UTC),
        step: timedelta = timedelta(seconds=1),
    ) -> None:
        self.time = start
        self.step = step
        self._count = 0

    def now(self) -> datetime:
        """The time; each look moves it by ``step``."""
        self.time += self.step
        return self.time

    def new_id(self) -> str:
        """The next id: 26 digits that sort by the time they were made."""
        self._count += 1
        return f"{int(self.time.timestamp() * 1000):014d}{self._count:012d}"
