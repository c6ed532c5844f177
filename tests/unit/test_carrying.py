import pytest

from unabridged.domain.record import Record, RecordKind
from unabridged.domain.scope import SpaceId
from unabridged.sharing.copy_sessions import CARRIED, leaving, take
from unabridged.stores.in_memory import InMemoryStore
from unabridged.testing.log_writer import START, LogWriter

FACT = {
    "text": "Lives in Berlin",
    "quote": "I live in Berlin",
    "attribute": "lives in",
    "value": "Berlin",
}
READING = {"category": "standard", "importance": 0.5, "by": "rules"}
CONDENSED = {
    "version": 1, "condensations": [], "upto": "", "tokens": 1, "head": "", "coherence": None,
}  # fmt: skip
TOMBSTONE = {"version": 1, "key": "k", "alone": ["a"], "behind": [], "exchanges": ["gone"]}
RUN = {"session": "s1", "condensed": {"standard": 1}, "kept": {}, "by": "x", "coherence": None}


@pytest.fixture
def store():
    held = InMemoryStore(SpaceId("ada", "helper"))
    LogWriter(held, "s1").say("I live in Berlin", "Nice")
    LogWriter(held, "s2").say("Hello", "Hi")
    return held


X1, X2 = "s1-x00001", "s2-x00001"


def fact(name="f", body=FACT, exchanges=(X1,)):
    return Record(RecordKind.FACT, name, START, body, exchanges)


def other_space():
    held = InMemoryStore(SpaceId("bob", "helper"))
    LogWriter(held, "s1").say("I live in Berlin", "Nice")
    return held


def test_everything_that_is_known_goes_along_and_work_under_way_does_not(store):
    reading = {"scheme": "x", "messages": {"m": READING}}
    store.put([
        fact(),
        Record(RecordKind.READING, X1, START, reading, (X1,)),
        Record(RecordKind.CONDENSATION, "s1", START, CONDENSED, (X1,)),
        Record(RecordKind.RUN, "r", START, RUN),
        Record(RecordKind.PROGRESS, "facts", START, {"n": 1}),
        Record(RecordKind.CONTEXT, X1, START, {"manifest": {}}, (X1,)),
    ])  # fmt: skip
    plain = [record.kind for record in leaving(store)]
    assert set(plain) == {"fact", "reading", "condensation", "run"}
    assert set(plain) <= set(CARRIED)
    assert RecordKind.CONTEXT in [record.kind for record in leaving(store, contexts=True)]


def test_of_one_session_goes_along_what_is_drawn_from_it_alone(store):
    store.put([fact("a"), fact("b", exchanges=(X1, X2)), fact("c", {"text": "pin"}, ())])
    assert [record.id for record in leaving(store, session="s1")] == ["a"]


def test_what_is_here_stays_as_it_is_and_twice_adds_nothing(store):
    mine = fact("f", {**FACT, "text": "mine"})
    other = other_space()
    other.put([mine])
    assert take(other, [fact("f"), fact("g"), fact("g")]) == 1
    assert take(other, [fact("f"), fact("g")]) == 0
    assert other.records(RecordKind.FACT) == [mine, fact("g")]


@pytest.mark.parametrize("record", [
    fact(exchanges=(X2,)),
    fact(exchanges=(X1, X2)),
    fact(body={**FACT, "quote": "I live in Rome"}),
    fact(exchanges=()),
    fact(body={**FACT, "exchange": X2}),
    fact(body={**FACT, "exchange": ["x"]}),
    fact(body={**FACT, "place": "nowhere"}),
    fact(body={**FACT, "withdrawn": "2025-01-01"}),
    fact(body={**FACT, "changes": [["2025-01-01T00:00:00", "user", "pinned"]]}),
    fact(body={**FACT, "aliases": [1]}),
    Record(RecordKind.REQUIREMENT, "r", START, {"text": "shall"}),
    Record(RecordKind.READING, X1, START, {"scheme": "x", "messages": {"m": {**READING, "importance": "high"}}}, (X1,)),
    Record(RecordKind.READING, X1, START, {"scheme": "x", "messages": {"m": READING}}),
    Record(RecordKind.READING, X1, START, {"scheme": "x", "messages": 7}, (X1,)),
    Record(RecordKind.READING, f"file-{X1}", START, {"messages": {"m": {"category": 7}}}, (X1,)),
    Record(RecordKind.READING, f"file-{X1}", START, {"messages": {"m": {"weight": 1}}}, (X1,)),
    Record(RecordKind.CONDENSATION, "s1", START, {**CONDENSED, "tokens": "many"}),
    Record(RecordKind.CONDENSATION, "s1", START, {"version": 1}),
    Record(RecordKind.RUN, "r", START, {**RUN, "condensed": {"standard": "many"}}),
    Record(RecordKind.RUN, "r", START, {}),
    Record(RecordKind.CONTEXT, X1, START, {"manifest": 1}, (X1,)),
    Record(RecordKind.PROGRESS, "p", START, {"n": 1}),
    Record(RecordKind.PROGRESS, "forgetting-x", START, {"exchanges": [X1]}),
    Record(RecordKind.TOMBSTONE, "t", START, {"version": 1}),
    Record(RecordKind.TOMBSTONE, "t", START, {**TOMBSTONE, "alone": 7}),
    Record(RecordKind.RECEIPT, "r", START, {"n": 1}),
])  # fmt: skip
def test_what_the_space_does_not_bear_out_is_not_taken(record):
    other = other_space()
    assert take(other, [record]) == 0
    assert not any(other.records(kind) for kind in RecordKind)


def test_what_it_bears_out_is_taken():
    other = other_space()
    given = [
        fact(),
        fact("pin", {"text": "call me Ada", "pinned": True}, ()),
        Record(RecordKind.READING, X1, START, {"scheme": "x", "messages": {"m": READING}}, (X1,)),
        Record(RecordKind.CONDENSATION, "s1", START, CONDENSED, (X1,)),
        Record(RecordKind.RUN, "r", START, RUN),
        Record(RecordKind.TOMBSTONE, "t", START, TOMBSTONE),
    ]
    assert take(other, given) == len(given)
    assert sorted(r.id for kind in RecordKind for r in other.records(kind)) == sorted(
        r.id for r in given
    )


def test_many_records_are_taken_in_pages():
    other = other_space()
    assert take(other, (fact(f"f{number:04}") for number in range(1001))) == 1001
    assert len(other.records(RecordKind.FACT)) == 1001
