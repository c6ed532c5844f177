"""What the journeys share."""

import pytest
from tests.journeys.house import House


@pytest.fixture
def house(tmp_path):
    """Give a function that makes a home with a profile; its servers end with the test."""
    made = []

    def make(url, profile, name="machine"):
        made.append(House(tmp_path / name, url, profile))
        return made[-1]

    yield make
    for one in made:
        one.end()
        assert list(one.cwd.rglob("*")) == [], "something was written where the program stands"
