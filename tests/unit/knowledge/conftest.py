from datetime import UTC, datetime, timedelta

import pytest

from unabridged.domain.exchange import Exchange, ExchangeState
from unabridged.domain.message import Message, Role, Text
from unabridged.domain.scope import SpaceId
from unabridged.domain.session import Session
from unabridged.knowledge.facts import Facts
from unabridged.stores.in_memory import InMemoryStore
from unabridged.testing.clock import ManualClock

START = datetime(2026, 3, 1, 9, 0, tzinfo=UTC)


class Talk:
    """A store to which exchanges can be told, each a day after the one before."""

    def __init__(self):
        self.store = InMemoryStore(SpaceId())
        self.days = 0

    def say(self, text, day=None, answer="Noted.", session="s1", name=None):
        self.days += 1
        at = START + timedelta(days=self.days if day is None else day)
        name = name or f"x{self.days:04d}"
        user = Message(f"{name}u", Role.USER, (Text(text),), at)
        said = Message(f"{name}a", Role.ASSISTANT, (Text(answer),), at, parent=user.id)
        exchange = Exchange(name, session, None, ExchangeState.COMPLETE, (user, said), at)
        self.store.import_session(Session(session, "t", START, at, said.id), [exchange])
        return exchange


@pytest.fixture
def talk():
    return Talk()


@pytest.fixture
def clock():
    return ManualClock(START + timedelta(days=100))


@pytest.fixture
def book(talk, clock):
    return Facts(talk.store, clock, None)
