"""The seed's own cycle and checklist (EMM, phases 2, 4 and 6), in this project's terms."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

import pytest

from bench.seeds.story_texts import SAID
from unabridged.annotations.schemes import scheme
from unabridged.condense.extractive_condenser import ExtractiveCondenser
from unabridged.condense.session_view import view_of
from unabridged.domain.annotation import Annotation, ExchangeReading
from unabridged.domain.condensation import Level
from unabridged.domain.exchange import Exchange, ExchangeState
from unabridged.domain.message import Message, Role, Text
from unabridged.domain.record import RecordKind
from unabridged.domain.scope import SpaceId
from unabridged.domain.session import Session
from unabridged.errors import NotFoundError
from unabridged.language.names import names_in
from unabridged.maintenance.condense_session import CondenseTools, Trigger
from unabridged.maintenance.condense_sessions import Condensations
from unabridged.stores.in_memory import InMemoryStore
from unabridged.stores.sqlite import SqliteStore
from unabridged.testing.clock import ManualClock
from unabridged.tokens.estimate import EstimateTokenizer

COUNT = EstimateTokenizer().count
BEGUN = datetime(2026, 5, 1, tzinfo=UTC)


class Given:
    """Readings that were set by hand, as in the seed."""

    def __init__(self) -> None:
        self.held: dict[str, ExchangeReading] = {}

    def of(self, exchanges: Sequence[Exchange]) -> dict[str, ExchangeReading]:
        return {e.id: self.held[e.id] for e in exchanges if e.id in self.held}


def tell(store, annotations: Given, said=SAID, session: str = "s1", start: int = 0) -> None:
    known = store.session(session)
    path = store.recent(session, 1) if known else []
    made = []
    parent = path[-1].id if path else None
    last = path[-1].messages[-1].id if path else None
    for number, (text, category, importance) in enumerate(said, start):
        at = BEGUN + timedelta(minutes=number)
        message = Message(f"m{number:05}", Role.USER, (Text(text),), at, last, COUNT(text), "t")
        last = message.id
        state = ExchangeState.UNANSWERED
        made.append(Exchange(f"e{number:05}", session, parent, state, (message,), at))
        parent = made[-1].id
        annotations.held[parent] = ExchangeReading(
            parent, "story", {message.id: Annotation(category, importance, by="test")}
        )
    header = Session(session, "The castle", BEGUN, made[-1].at, made[-1].messages[-1].id)
    store.import_session(header, made)


def upkeep_of(store, annotations, **trigger) -> Condensations:
    terms = CondenseTools(scheme("story"), ExtractiveCondenser(COUNT), names_in, COUNT)
    return Condensations(store, ManualClock(), annotations, terms, Trigger(**trigger))


@pytest.fixture(params=["memory", "sqlite"])
def store(request, tmp_path):
    memory = request.param == "memory"
    made = InMemoryStore(SpaceId()) if memory else SqliteStore(tmp_path / "space.db", SpaceId())
    yield made
    made.close()


def test_the_cycle_of_the_seed(store):
    """Limit 100, no least number, the newest 5 spared: 2 of 5, 2 of 4 and 3 of 3 stay."""
    annotations = Given()
    tell(store, annotations)
    condensations = upkeep_of(store, annotations, tokens=100, messages=0, spared=5)
    before = condensations.plan("s1")
    assert before.due
    assert before.messages == 17
    assert before.candidates == 12
    assert condensations.view("s1").condensations == ()

    after = condensations.condense("s1")
    assert after.usable
    assert after.keep == {"standard": 2, "world_building": 2, "character_focused": 3}
    assert after.condense == {"standard": 3, "world_building": 2}
    assert {one.category for one in after.made} == {"standard", "world_building"}
    assert after.coherence.tokens_after < after.coherence.tokens_before
    assert after.coherence.critical_kept == 1.0
    assert after.coherence.shares_kept
    assert after.coherence.in_order

    view = condensations.view("s1")
    assert view == view_of(store.records(RecordKind.CONDENSATION, ids=["s1"])[0])
    assert len(view.condensed()) == 5
    said = [text for text, _, _ in SAID]
    for one in view.at(Level.EXCHANGES):
        assert all(line.text.strip() in said for line in one.lines)
        opened = condensations.expand(one.id)
        assert [e.user.text for e in opened.exchanges] == [
            said[int(name[1:])] for name in one.covers
        ]
    assert [e.user.text for e in store.scan()] == said

    stats = condensations.stats()
    assert (stats.runs, stats.messages_condensed) == (1, 5)
    assert stats.by_category == {"standard": 3, "world_building": 2}
    assert stats.tokens_saved == after.coherence.tokens_before - after.coherence.tokens_after
    assert stats.last is not None


def test_nothing_happens_under_the_limit(store):
    """The seed's own limit of 200 is never reached: its 17 messages are fewer tokens."""
    annotations = Given()
    tell(store, annotations)
    condensations = upkeep_of(store, annotations, tokens=200, messages=0, spared=5)
    assert sum(COUNT(text) for text, _, _ in SAID) < 200
    assert not condensations.condense("s1").due
    assert condensations.view("s1").condensations == ()
    assert condensations.stats().runs == 0


def test_what_memory_has_is_the_limit_where_it_is_less(store):
    """The seed's trouble: condensation never triggers, since 25,000 tokens are more than there is."""
    annotations = Given()
    tell(store, annotations)
    condensations = upkeep_of(store, annotations, messages=0)
    assert not condensations.plan("s1").due
    assert not condensations.plan("s1", threshold=200).due
    assert condensations.plan("s1", threshold=100).due
    assert condensations.plan("s1", threshold=100).threshold == 100
    assert condensations.plan("s1", threshold=90_000).threshold == 25_000
    assert condensations.condense("s1", threshold=100).made


def test_a_least_number_of_messages_is_waited_for(store):
    annotations = Given()
    tell(store, annotations)
    assert not upkeep_of(store, annotations, tokens=100, messages=20).condense("s1").made
    assert upkeep_of(store, annotations, tokens=100, messages=20).condense("s1", force=True).made


def test_a_run_twice_is_a_run_once(store):
    annotations = Given()
    tell(store, annotations)
    condensations = upkeep_of(store, annotations, tokens=100, messages=0)
    condensations.condense("s1")
    first = store.records(RecordKind.CONDENSATION)
    again = condensations.condense("s1", force=True)
    assert again.made == ()
    assert store.records(RecordKind.CONDENSATION) == first
    assert condensations.stats().runs == 1


def test_what_was_kept_may_be_condensed_later_but_never_under_the_share(store):
    """Shares are counted over the originals, so runs do not compound."""
    annotations = Given()
    tell(store, annotations)
    condensations = upkeep_of(store, annotations, tokens=60, messages=0)
    condensations.condense("s1", force=True)
    more = [(f"I pass door number {n}.", "standard", 0.1 + n / 100) for n in range(40)]
    tell(store, annotations, more, start=17)
    condensations.condense("s1", force=True)
    gone = condensations.view("s1").condensed()
    spared = {e.id for e in store.scan()[-5:]}
    originals = {}
    for exchange, reading in annotations.held.items():
        if exchange not in spared:
            found = reading.foremost.category
            kept = (exchange, 0) not in gone
            originals.setdefault(found, []).append(kept)
    for name, kept in originals.items():
        assert sum(kept) >= scheme("story").category(name).keep * len(kept)


def test_forgetting_an_exchange_takes_its_condensation_along(store):
    annotations = Given()
    tell(store, annotations)
    condensations = upkeep_of(store, annotations, tokens=100, messages=0)
    covered = condensations.condense("s1").made[0].covers[0]
    store.erase([covered])
    assert condensations.view("s1").condensations == ()
    again = condensations.condense("s1", force=True)
    assert all(covered not in one.covers for one in again.made)


def test_an_unknown_id_names_no_condensation(store):
    with pytest.raises(NotFoundError, match="names no condensation"):
        upkeep_of(store, Given()).expand("c-123")
    with pytest.raises(NotFoundError, match="no session"):
        upkeep_of(store, Given()).condense("s9")
