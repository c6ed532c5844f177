"""What the tests of matching share."""

import pytest
from tests.helpers.talker import Talker
from tests.unit.history_sync.hand import scripted

from unabridged.testing.clock import ManualClock


@pytest.fixture
def memory(tmp_path):
    with Talker.open(tmp_path, upstream=scripted(), clock=ManualClock()) as opened:
        yield opened
