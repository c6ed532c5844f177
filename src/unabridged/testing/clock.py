"""A clock that a test controls."""

from datetime import UTC, datetime, timedelta


class ManualClock:
    """A clock that stops until it is moved; ids count up.

    Args:
        start: The first time; needs a time zone.
        step: The time that each reading adds.
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
        """Return the time; each call moves it by ``step``."""
        self.time += self.step
        return self.time

    def new_id(self) -> str:
        """Return the next id: 26 digits that sort by time."""
        self._count += 1
        return f"{int(self.time.timestamp() * 1000):014d}{self._count:012d}"
