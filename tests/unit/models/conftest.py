from datetime import UTC, datetime, timedelta

import pytest


class Clock:
    def __init__(self):
        self.time = datetime(2026, 11, 21, 12, tzinfo=UTC)

    def now(self):
        return self.time

    def new_id(self):
        return "0" * 26

    def forward(self, seconds):
        self.time += timedelta(seconds=seconds)


@pytest.fixture
def clock():
    return Clock()
