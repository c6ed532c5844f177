"""What the tests of matching share."""

import pytest
from tests.unit.matching.hand import scripted

from unabridged import Memory
from unabridged.testing.clock import ManualClock


@pytest.fixture
def memory(tmp_path):
    with Memory.open(tmp_path, upstream=scripted(), clock=ManualClock()) as opened:
        yield opened
