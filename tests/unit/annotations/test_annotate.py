import subprocess
import sys
from dataclasses import replace

import pytest

from unabridged.annotations import annotate as book
from unabridged.annotations.annotate import Annotations
from unabridged.annotations.classify import RuleClassifier
from unabridged.annotations.schemes import SCHEMES
from unabridged.domain.annotation import USER, Annotation
from unabridged.domain.exchange import ExchangeState
from unabridged.domain.message import Image, Role
from unabridged.domain.record import RecordKind
from unabridged.domain.scope import SpaceId
from unabridged.errors import InputError, NotFoundError
from unabridged.stores.in_memory import InMemoryStore
from unabridged.stores.sqlite import SqliteStore
from unabridged.testing.clock import ManualClock
from unabridged.testing.log_writer import LogWriter


@pytest.fixture(params=["memory", "sqlite"])
def store(request, tmp_path):
    space = SpaceId("ann", "assistant")
    made = (
        InMemoryStore(space) if request.param == "memory" else SqliteStore(tmp_path / "s.db", space)
    )
    yield made
    made.close()


def rules(scheme="assistant"):
    return RuleClassifier(SCHEMES[scheme])


def annotations(store, scheme="assistant", judge=None):
    return Annotations(store, rules(scheme), ManualClock(), judge)


class Model:
    """Reads everything as one category, and counts what it was given."""

    def __init__(self, category="decision", scheme="assistant", name="model:tiny"):
        self.scheme = SCHEMES[scheme]
        self.identity = name
        self.category = category
        self.given = []

    def classify(self, texts):
        self.given += [text for _, text in texts]
        return [Annotation(self.category, 0.99, by=self.identity) for _ in texts]


def done(reader, limit=None):
    return max((each.done for each in reader.read_pending(limit)), default=0)


def fill(store, count=3, session="s1"):
    talk = LogWriter(store, session)
    made = [
        talk.answer(talk.begin(f"I live in house {number}."), "Thanks, noted.")
        for number in range(count)
    ]
    return talk, made


def test_what_was_not_read_is_read_when_asked_for_and_not_stored(store):
    _, (first, *_) = fill(store, 1)
    reading = annotations(store).of([first])[first.id]
    assert reading.scheme == "assistant"
    assert [each.category for each in reading.messages.values()] == ["personal_fact", "small_talk"]
    assert reading.foremost.category == "personal_fact"
    assert store.records(RecordKind.READING) == []


def test_reading_keeps_a_record_for_each_exchange_that_names_it(store):
    _, made = fill(store, 3)
    reader = annotations(store)
    before = reader.of(made)
    assert done(reader) == 3
    records = store.records(RecordKind.READING)
    assert [(r.id, r.exchanges) for r in records] == [(e.id, (e.id,)) for e in made]
    assert reader.of(made) == before
    assert done(reader) == 0


def test_it_can_be_stopped_after_any_page_and_goes_on(store, monkeypatch):
    monkeypatch.setattr(book, "PAGE", 2)
    fill(store, 7)
    run = annotations(store).read_pending()
    next(run)
    next(run)
    run.close()
    assert len(store.records(RecordKind.READING)) == 4
    assert done(annotations(store)) == 3
    assert [each.left for each in annotations(store).read_pending()] == []
    assert len(store.records(RecordKind.READING)) == 7


def test_whoever_takes_a_page_at_a_time_comes_to_the_end(store, monkeypatch):
    monkeypatch.setattr(book, "PAGE", 2)
    talk, _ = fill(store, 7)
    talk.begin("Never answered.")
    reader = annotations(store)
    taken = [next(reader.read_pending(), None) for _ in range(5)]
    assert [each and each.done for each in taken] == [2, 2, 2, 2, None]
    assert reader.stats().pending == 0


def test_a_limit_holds_within_a_page_too(store):
    fill(store, 5)
    assert done(annotations(store), 2) == 2
    assert done(annotations(store), 2) == 2
    assert len(store.records(RecordKind.READING)) == 4
    assert done(annotations(store), 2) == 1


def test_an_exchange_is_read_again_when_its_answer_has_come(store):
    talk, _ = fill(store, 1)
    begun = talk.begin("We decided to use Rust.")
    reader = annotations(store)
    assert done(reader) == 2
    assert len(reader.of([begun])[begun.id].messages) == 1
    whole = talk.answer(begun, "Approved, ship it.")
    assert len(reader.of([whole])[whole.id].messages) == 2, "computed until it is stored"
    assert done(reader) == 1
    (record,) = store.records(RecordKind.READING, ids=[begun.id])
    assert set(record.body["messages"]) == {m.id for m in whole.messages}
    assert done(reader) == 0


def test_an_unanswered_exchange_is_not_read_again_and_again(store):
    talk, _ = fill(store, 1)
    talk.answer(talk.begin("Hello?"), "Broken", state=ExchangeState.INCOMPLETE)
    model = Model()
    reader = annotations(store, judge=model)
    assert done(reader) == 2
    assert done(reader) == 0
    assert len(model.given) == 4


def test_older_exchanges_that_an_import_brings_are_found(store):
    fill(store, 3, "s5")
    reader = annotations(store)
    assert done(reader) == 3
    _, old = fill(store, 2, "s1")
    assert old[0].id < store.records(RecordKind.READING)[0].id
    assert done(reader) == 2
    assert done(reader) == 0


def test_one_forgotten_and_an_older_one_brought_in_do_not_cancel_out(store):
    _, made = fill(store, 3, "s5")
    reader = annotations(store)
    assert done(reader) == 3
    store.erase([made[-1].id])
    fill(store, 1, "s1")
    assert done(reader) == 1


def test_a_correction_needs_no_sweep(store, monkeypatch):
    _, made = fill(store, 3)
    reader = annotations(store)
    done(reader)
    reader.correct(made[0], "user", category="decision")
    assert list(reader.read_pending()) == []


def test_what_is_new_comes_before_what_has_to_be_looked_at_again(store, monkeypatch):
    monkeypatch.setattr(book, "PAGE", 2)
    talk, made = fill(store, 8, "s5")
    reader = annotations(store)
    done(reader)
    store.erase([made[3].id])
    talk.answer(talk.begin("Newest."), "Yes.")
    next(reader.read_pending())
    assert reader.stats().pending == 0


def test_forgetting_forgets_readings_and_corrections(store):
    _, made = fill(store, 3)
    reader = annotations(store)
    done(reader)
    reader.correct(made[0], "user", category="decision")
    store.erase([made[0].id])
    assert {r.id for r in store.records(RecordKind.READING)} == {e.id for e in made[1:]}
    assert done(reader) == 0
    assert reader.stats().exchanges == 2


def test_another_scheme_reads_anew_and_what_a_person_said_stays_where_it_can(store):
    _, made = fill(store, 2)
    reader = annotations(store)
    done(reader)
    reader.correct(made[0], Role.USER, category="preference", importance=0.33)
    reader.correct(made[1], Role.USER, category="requirement")
    other = annotations(store, "companion")
    assert done(other) == 2
    shown = other.of(made)
    kept, gone = shown[made[0].id], shown[made[1].id]
    first = kept.messages[made[0].user.id]
    assert (first.category, first.importance, first.by) == ("preference", 0.33, USER)
    assert gone.messages[made[1].user.id].by != USER, "companion has no requirement"
    assert done(reader) == 2, "and back"
    assert reader.of(made)[made[1].id].messages[made[1].user.id].category == "requirement"


def test_no_later_run_takes_the_place_of_what_a_person_said(store):
    _, (first,) = fill(store, 1)
    reader = annotations(store)
    after = reader.correct(first, first.messages[1].id, category="decision")
    assert after.messages[first.messages[1].id].importance == 0.9
    done(reader)
    done(annotations(store, judge=Model("question")))
    shown = reader.of([first])[first.id]
    assert [r.by for r in shown.messages.values()] == ["model:tiny", USER]
    assert shown.messages[first.messages[1].id].category == "decision"


def test_an_importance_alone_leaves_the_category(store):
    _, (first,) = fill(store, 1)
    after = annotations(store).correct(first, "user", importance=0.05)
    assert after.messages[first.user.id].category == "personal_fact"
    assert after.messages[first.user.id].importance == 0.05
    again = annotations(store).correct(first, "user", category="decision")
    assert again.messages[first.user.id].importance == 0.9


def test_a_model_takes_the_place_of_the_rules_and_not_the_other_way_round(store):
    _, made = fill(store, 2)
    assert done(annotations(store)) == 2
    model = Model("question")
    assert done(annotations(store, judge=model)) == 2
    assert done(annotations(store, judge=Model("decision", name="model:other"))) == 0
    assert done(annotations(store)) == 0
    assert {r.by for r in annotations(store).of(made)[made[0].id].messages.values()} == {
        "model:tiny"
    }


def test_rules_complete_what_a_model_read_before_the_answer_came(store):
    talk, _ = fill(store, 1)
    begun = talk.begin("Is it late?")
    done(annotations(store, judge=Model("question")))
    whole = talk.answer(begun, "We agreed on ten.")
    assert done(annotations(store)) == 1
    shown = annotations(store).of([whole])[whole.id].messages
    assert [r.by.split(":")[0] for r in shown.values()] == ["model", "rules"]


def test_what_older_rules_read_is_read_anew(store):
    fill(store, 2)
    older = Model("question", name="rules:0")
    assert done(annotations(store, judge=older)) == 2
    assert done(annotations(store)) == 2


def test_a_category_that_does_not_exist_is_refused_with_those_that_do(store):
    _, (first,) = fill(store, 1)
    with pytest.raises(InputError, match="no category 'desision'") as caught:
        annotations(store).correct(first, "user", category="desision")
    assert "decision" in caught.value.hint
    with pytest.raises(InputError, match="out of range"):
        annotations(store).correct(first, "user", importance=1.5)
    with pytest.raises(NotFoundError, match="no message 'tool'"):
        annotations(store).correct(first, "tool", category="decision")
    assert store.records(RecordKind.READING) == []


def test_messages_without_words_have_no_reading(store):
    talk = LogWriter(store)
    silent = talk.answer(
        talk.begin([Image("data:image/png;base64,AA==")]), "A cat is a small animal."
    )
    reader = annotations(store)
    assert done(reader) == 1
    assert list(reader.of([silent])[silent.id].messages) == [silent.messages[1].id]
    assert done(reader) == 0


def test_counts_are_those_of_what_was_read_and_corrected(store):
    talk, made = fill(store, 3)
    reader = annotations(store)
    done(reader)
    reader.correct(made[2], "user", category="decision")
    talk.begin("One more that nobody has read.")
    counts = reader.stats()
    by_name = {each.name: each for each in counts.categories}
    assert list(by_name) == [each.name for each in SCHEMES["assistant"].categories]
    assert (counts.scheme, counts.exchanges, counts.pending) == ("assistant", 3, 1)
    assert (by_name["personal_fact"].messages, by_name["personal_fact"].exchanges) == (2, 2)
    assert (by_name["decision"].messages, by_name["decision"].exchanges) == (1, 1)
    assert (by_name["small_talk"].messages, by_name["small_talk"].exchanges) == (3, 0)
    assert by_name["decision"].keep == 0.9
    assert counts.by == {"rules:1": 5, USER: 1}


def test_two_runs_side_by_side_leave_the_same_as_one(store, monkeypatch):
    monkeypatch.setattr(book, "PAGE", 2)
    _, made = fill(store, 6)
    left, right = annotations(store).read_pending(), annotations(store).read_pending()
    for _ in range(4):
        next(left, None)
        next(right, None)
    assert {r.id for r in store.records(RecordKind.READING)} == {e.id for e in made}
    assert done(annotations(store)) == 0


CHILD = """
import pathlib, sys
from unabridged.annotations.classify import RuleClassifier
from unabridged.annotations.schemes import SCHEMES
from unabridged.annotations import annotate
from unabridged.stores.sqlite import SqliteStore
from unabridged.testing.clock import ManualClock
annotate.PAGE = 2
store = SqliteStore(pathlib.Path(sys.argv[1]))
for each in annotate.Annotations(store, RuleClassifier(SCHEMES["assistant"]), ManualClock()).read_pending():
    print(each.done, flush=True)
store.close()
"""


def child(path):
    return subprocess.Popen(
        [sys.executable, "-c", CHILD, str(path)], stdout=subprocess.PIPE, text=True
    )


def test_a_killed_run_goes_on_and_two_processes_may_read_at_once(tmp_path):
    path = tmp_path / "s.db"
    store = SqliteStore(path, SpaceId("ann", "assistant"))
    _, made = fill(store, 30)
    annotations(store).correct(made[0], "user", category="decision")
    with child(path) as first:
        assert first.stdout.readline() == "2\n"
        first.kill()
    stored = [r for r in store.records(RecordKind.READING) if not r.id.startswith("user-")]
    assert 0 < len(stored) < 30
    with child(path) as left, child(path) as right:
        assert left.wait(60) == right.wait(60) == 0
    assert annotations(store).stats().exchanges == 30
    assert done(annotations(store)) == 0
    assert annotations(store).of(made)[made[0].id].messages[made[0].user.id].by == USER
    store.close()


def test_progress_of_another_form_is_begun_anew(store):
    fill(store)
    done(annotations(store))
    (record,) = store.records(RecordKind.PROGRESS, ids=[book.PROGRESS])
    store.put([replace(record, body={"awaited": ["x"], "scheme": "assistant"})])
    fill(store, session="s2")
    done(annotations(store))
    assert annotations(store).stats().pending == 0
