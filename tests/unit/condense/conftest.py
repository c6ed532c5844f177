from datetime import UTC, datetime

import pytest

from unabridged.domain.condensation import CondenseSource
from unabridged.domain.message import Role

AT = datetime(2026, 11, 22, tzinfo=UTC)


@pytest.fixture
def talk():
    """Give a function that makes messages, by turns of the user and of the assistant."""

    def make(*said, **changes):
        roles = (Role.USER, Role.ASSISTANT)
        return [
            CondenseSource(f"e{n // 2}", n % 2, roles[n % 2], text, AT, **changes)
            for n, text in enumerate(said)
        ]

    return make
