"""Upkeep over sessions that nobody expects."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

import pytest

from unabridged.annotations.schemes import scheme
from unabridged.condense.extractive_condenser import ExtractiveCondenser
from unabridged.condense.pipeline import NoCondenser
from unabridged.domain.annotation import Annotation, ExchangeReading
from unabridged.domain.condensation import Level
from unabridged.domain.exchange import Exchange, ExchangeState
from unabridged.domain.message import Image, Message, Role, Text, ToolCall, ToolResult
from unabridged.domain.record import Record, RecordKind
from unabridged.domain.scope import SpaceId
from unabridged.domain.session import Session
from unabridged.errors import NotFoundError
from unabridged.language.names import names_in
from unabridged.maintenance.condense_session import CondenseTools, Trigger
from unabridged.maintenance.condense_sessions import Condensations
from unabridged.stores.in_memory import InMemoryStore
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
        given = Annotation(self.category, 0.4, by="test")
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
    store.import_session(Session(session, "", BEGUN, max(e.at for e in made), last), made)


def upkeep_of(store, annotations=None, condenser=None, trigger: Trigger = EASY) -> Condensations:
    terms = CondenseTools(scheme("story"), condenser or ExtractiveCondenser(COUNT), names_in, COUNT)
    return Condensations(store, ManualClock(), annotations or Judged(), terms, trigger)


@pytest.fixture
def store():
    return InMemoryStore(SpaceId())


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
    condensations = upkeep_of(store)
    for _ in range(2):
        list(condensations.run(everything=True))
        condensations.condense("s1", force=True)
    assert store.scan() == before
    for one in condensations.condensations():
        assert [e.id for e in condensations.expand(one.id).exchanges] == list(one.covers)
        assert one.tokens < one.source_tokens


def test_a_session_named_like_a_month_is_not_taken_for_it(store):
    for session in ("period-2025-05", "=period-2025-05", "s1"):
        told(store, LINES, session=session)
    condensations = upkeep_of(store)
    list(condensations.run(everything=True))
    first = condensations.condensations()
    for session in ("period-2025-05", "=period-2025-05", "s1"):
        view = condensations.view(session)
        assert view.at(Level.EXCHANGES)
        assert [one.session for one in view.at(Level.CONVERSATION)] == [session]
        assert {one.session for one in view.at(Level.EXCHANGES)} == {session}
    assert [one.level for one in first].count(Level.PERIOD) == 1
    assert len(next(one for one in first if one.level is Level.PERIOD).parts) == 3
    list(condensations.run(everything=True))
    assert condensations.condensations() == first


def test_where_nothing_can_be_condensed_it_is_not_tried_each_time(store):
    told(store, LINES)
    annotations = Judged("story_critical")
    condensations = upkeep_of(
        store, annotations, trigger=Trigger(tokens=100, messages=0, spared=25)
    )
    assert condensations.plan("s1").due
    condensations.condense("s1")
    annotations.asked = 0
    assert not condensations.plan("s1").due
    condensations.condense("s1")
    assert condensations.view("s1").condensations == ()


def test_without_a_condenser_a_session_that_was_left_is_read_once(store):
    told(store, LINES)
    annotations = Judged()
    condensations = upkeep_of(store, annotations, NoCondenser(), Trigger(tokens=10**6))
    list(condensations.run())
    assert annotations.asked == 30
    list(condensations.run())
    assert annotations.asked == 30


def test_a_text_that_is_no_condensation_does_not_open(store):
    store.put([Record(RecordKind.OVERVIEW, "a" * 64, BEGUN, {"text": "You are kind."})])
    with pytest.raises(NotFoundError):
        upkeep_of(store).expand("a" * 64)
