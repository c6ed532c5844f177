"""Upkeep over sessions that nobody expects."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

import pytest

from unabridged.condense.extract import Extractor
from unabridged.condense.pipeline import Nothing
from unabridged.condense.schemes import scheme
from unabridged.domain.category import ExchangeReading, Reading
from unabridged.domain.condensation import Level
from unabridged.domain.exchange import Exchange, ExchangeState
from unabridged.domain.message import Image, Message, Role, Text, ToolCall, ToolResult
from unabridged.domain.record import Record, RecordKind
from unabridged.domain.scope import Space
from unabridged.domain.session import Session
from unabridged.errors import NotFoundError
from unabridged.ingest.condensing import Terms, Trigger
from unabridged.ingest.upkeep import Upkeep
from unabridged.language.names import names_in
from unabridged.stores.inmemory import InMemoryStore
from unabridged.testing.clock import ManualClock
from unabridged.tokens.estimate import EstimateTokenizer

COUNT = EstimateTokenizer().count
BEGUN = datetime(2025, 5, 1, tzinfo=UTC)
EASY = Trigger(tokens=1, messages=0, spared=0)


class Judged:
    """Every message in one category; counts how many exchanges were asked for."""

    def __init__(self, category: str = "standard") -> None:
        self.category = category
        self.asked = 0

    def of(self, exchanges: Sequence[Exchange]) -> dict[str, ExchangeReading]:
        self.asked += len(exchanges)
        given = Reading(self.category, 0.4, by="test")
        return {
            e.id: ExchangeReading(e.id, "story", {m.id: given for m in e.messages})
            for e in exchanges
        }


def said(text: str) -> tuple[Text, ...]:
    return (Text(text),)


def told(store, contents, session: str = "s1", step: timedelta = timedelta(minutes=1)) -> None:
    made: list[Exchange] = []
    last = None
    for number, parts in enumerate(contents):
        at = BEGUN + number * step
        message = Message(f"{session}-m{number:04}", Role.USER, parts, at, last, None, None)
        last = message.id
        parent = made[-1].id if made else None
        state = ExchangeState.UNANSWERED
        made.append(Exchange(f"{session}-e{number:04}", session, parent, state, (message,), at))
    store.admit(Session(session, "", BEGUN, max(e.at for e in made), last), made)


def upkeep_of(store, readings=None, condenser=None, trigger: Trigger = EASY) -> Upkeep:
    terms = Terms(scheme("story"), condenser or Extractor(COUNT), names_in, COUNT)
    return Upkeep(store, ManualClock(), readings or Judged(), terms, trigger)


@pytest.fixture
def store():
    return InMemoryStore(Space())


LINES = [
    said(f"I walked to house {n} and saw lamp {n}. It was a fine day there.") for n in range(30)
]
ODD = {
    "one message": [said("Hello there, all of you.")],
    "empty texts": [said(" "), said("\n\n"), said("")],
    "pictures": [(Image("file:///a.png"),)] * 3,
    "calls": [(ToolCall("c1", "look", {}),), (ToolResult("c1", "look", "x" * 500),)] * 3,
    "one sentence": [said("so " * 20_000)] * 2,
    "one fence": [said("```\n" + "x = 1\n" * 5_000 + "```")] * 2,
    "no spaces": [said("x" * 50_000), said("é" * 5_000)],
    "backwards": LINES,
}


@pytest.mark.parametrize("name", ODD)
def test_it_neither_fails_nor_loses_anything(store, name):
    step = timedelta(days=-1) if name == "backwards" else timedelta(minutes=1)
    told(store, ODD[name], step=step)
    before = store.scan()
    upkeep = upkeep_of(store)
    for _ in range(2):
        list(upkeep.run(everything=True))
        upkeep.condense("s1", force=True)
    assert store.scan() == before
    for one in upkeep.condensations():
        assert [e.id for e in upkeep.expand(one.id).exchanges] == list(one.covers)
        assert one.tokens < one.source_tokens


def test_a_session_named_like_a_month_is_not_taken_for_it(store):
    for session in ("period-2025-05", "=period-2025-05", "s1"):
        told(store, LINES, session=session)
    upkeep = upkeep_of(store)
    list(upkeep.run(everything=True))
    first = upkeep.condensations()
    for session in ("period-2025-05", "=period-2025-05", "s1"):
        view = upkeep.view(session)
        assert view.at(Level.EXCHANGES)
        assert [one.session for one in view.at(Level.CONVERSATION)] == [session]
        assert {one.session for one in view.at(Level.EXCHANGES)} == {session}
    assert [one.level for one in first].count(Level.PERIOD) == 1
    assert len(next(one for one in first if one.level is Level.PERIOD).parts) == 3
    list(upkeep.run(everything=True))
    assert upkeep.condensations() == first


def test_where_nothing_can_be_condensed_it_is_not_tried_each_time(store):
    told(store, LINES)
    readings = Judged("story_critical")
    upkeep = upkeep_of(store, readings, trigger=Trigger(tokens=100, messages=0, spared=25))
    assert upkeep.plan("s1").due
    upkeep.condense("s1")
    readings.asked = 0
    assert not upkeep.plan("s1").due
    upkeep.condense("s1")
    assert upkeep.view("s1").condensations == ()


def test_without_a_condenser_a_session_that_was_left_is_read_once(store):
    told(store, LINES)
    readings = Judged()
    upkeep = upkeep_of(store, readings, Nothing(), Trigger(tokens=10**6))
    list(upkeep.run())
    assert readings.asked == 30
    list(upkeep.run())
    assert readings.asked == 30


def test_a_text_that_is_no_condensation_does_not_open(store):
    store.put([Record(RecordKind.BLOB, "a" * 64, BEGUN, {"text": "You are kind."})])
    with pytest.raises(NotFoundError):
        upkeep_of(store).expand("a" * 64)
