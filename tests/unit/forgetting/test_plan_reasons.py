"""Which texts repeat what is forgotten and why, which titles quote it, and which words find it."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from tests.helpers.talker import Talker
from tests.opened import store_of

from unabridged.condense.session_view import PERIOD, view_of
from unabridged.domain.blob import Blob, BlobKind
from unabridged.domain.chat import Abilities
from unabridged.domain.fact import Fact
from unabridged.domain.forgetting import Duplicate, OutOfReach, PlannedRemoval
from unabridged.domain.message import Text, ToolCall
from unabridged.domain.record import Record, RecordKind
from unabridged.domain.scope import SpaceId
from unabridged.domain.share import (
    Share,
    SharedFact,
    ShareKind,
    ShareSide,
    ShareTransfer,
    to_record,
)
from unabridged.errors import InputError
from unabridged.forgetting.find_words import WordMatches, find_words
from unabridged.forgetting.plan import ForgetSelection, check_plan, first_words, plan
from unabridged.forgetting.shared_copies import copies
from unabridged.models.scripted import ScriptedModel
from unabridged.stores.in_memory import InMemoryStore
from unabridged.testing.clock import ManualClock
from unabridged.testing.log_writer import LogWriter

AT = datetime(2026, 3, 1, tzinfo=UTC)
SAID = (
    "The red boat sails to Oslo. We paint the old house in spring with green colour from Bern, "
    "as my aunt Zoe wanted long ago."
)
REPLY = "Aye."


@pytest.fixture
def store():
    return InMemoryStore(SpaceId("ann", "helper"))


@pytest.fixture
def gone(store):
    return LogWriter(store).say(SAID, REPLY)


def planned(store, *exchanges, **given):
    selection = ForgetSelection("exchanges", tuple(e.id for e in exchanges), **given)
    return plan(store, selection, "p1", AT, lambda _: OutOfReach(("b1",), ("a1",)))


REPEATS = [
    (SAID, "says the same"),
    ("the red boat sails to", "says the same"),
    ("the red boat sails to Rome", "says the same"),
    ("the red boat sails to Rome now", ""),  # one run of three
    ("The red boat sails", ""),
    ("Look here at last: the red boat sails to Oslo. I tell you so for the third time.", "repeats a sentence"),
    ("Look here. The red boat sails to Oslo. I tell you so for the third time.", "repeats a sentence"),
    (
        "Never mind what others say of that: paint the old house in spring with green paint, is "
        "what I told them all yesterday evening.", "repeats 8 words in a row",
    ),
    (
        "Never mind what others say of that: we paint the old house in spring with green paint, is "
        "what I told them all yesterday evening.", "repeats 9 words in a row",
    ),
    (
        "Never mind what others say of that: paint the old house in spring with blue colour is what "
        "I told them all yesterday evening.", "",
    ),
    (
        "paint the old house in spring, I say, and I say more: with green colour from Bern as is "
        "what I told them all yesterday evening.", "",
    ),
    ("Quite another thing was said here about mountains and snow.", ""),
    ("Zoe, Bern, Oslo, aunt, boat, green: so many words and no run of them.", ""),
]  # fmt: skip


@pytest.mark.parametrize(("text", "reason"), REPEATS)
def test_a_text_repeats_by_its_runs_its_sentences_or_eight_words(store, gone, text, reason):
    other = LogWriter(store, "s2").say(text, "Hm.")
    found = planned(store, gone).repeats
    if reason == "repeats a sentence" and "last:" in text:
        reason = ""  # the sentence begins with other words
    expected = Duplicate(other.id, "exchange", first_words(text), reason, "s2", other.at)
    assert found == ((expected,) if reason else ())


def test_an_exchange_that_repeats_twice_is_listed_once_with_the_first_reason(store, gone):
    other = LogWriter(store, "s2").say("Well.", SAID)
    third = LogWriter(store, "s3").say(SAID, SAID)
    assert [(r.id, r.reason) for r in planned(store, gone).repeats] == [
        (other.id, "says the same"), (third.id, "says the same"),
    ]  # fmt: skip
    assert planned(store, gone, other, third).repeats == ()


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("So he likes tea.", True),
        ("he likes tea", True),
        ("So the likes teapots", False),
        ("likes he tea", False),
        ("he likes teas", False),
    ],
)
def test_a_fact_is_repeated_by_its_words_in_a_row(store, text, says):
    other = LogWriter(store).say(text, "Hm.")
    fact = Fact("f1", "He likes tea", AT, quote="tea")
    store.put([Record(RecordKind.FACT, "f1", AT, {"text": "He likes tea"})])
    found = planned(store, facts=(fact,)).repeats
    assert [(r.id, r.reason) for r in found] == ([(other.id, "says it")] if says else [])


def test_a_fact_of_one_word_is_repeated_by_nothing(store):
    LogWriter(store).say("He likes tea.", "Tea.")
    assert planned(store, facts=(Fact("f1", "tea", AT),)).repeats == ()
    assert len(planned(store, facts=(Fact("f1", "likes tea", AT),)).repeats) == 1


def given_records(gone):
    return [
        Record(RecordKind.FACT, "f1", AT, {"text": SAID}),
        Record(RecordKind.FACT, "f2", AT, {"text": SAID}, exchanges=("elsewhere",)),
        Record(RecordKind.REQUIREMENT, "q1", AT, {"text": SAID}),
        Record(RecordKind.REQUIREMENT, "q2", AT, {}),
        Record(RecordKind.CONDENSATION, "c1", AT, {"text": SAID}),
    ]


def test_what_a_person_stated_repeats_it_too_and_goes_on_request(store, gone, monkeypatch):
    monkeypatch.setattr("unabridged.forgetting.plan.states_one_of", lambda *_: False)
    monkeypatch.setattr("unabridged.forgetting.plan.support", _no_support)
    store.put(given_records(gone))
    other = LogWriter(store, "s2").say(SAID, "Hm.")
    text = first_words(SAID)
    found = planned(store, gone)
    assert found.repeats == (
        Duplicate(other.id, "exchange", text, "says the same", "s2", other.at),
        Duplicate("f1", "fact", text, "says the same", "", AT),
        Duplicate("q1", "requirement", text, "says the same", "", AT),
    )
    assert found.given == ()
    every = planned(store, gone, with_repeats=True)
    assert every.repeats == ()
    assert [e.id for e in every.exchanges] == [gone.id, other.id]
    assert every.given == (
        PlannedRemoval(RecordKind.FACT, "f1", text), PlannedRemoval(RecordKind.REQUIREMENT, "q1", text),
    )  # fmt: skip


def _no_support(*_):
    from unabridged.knowledge.evidence import support

    return support([], set(), {})


def test_a_message_of_a_branch_that_stays_is_shared(store):
    writer = LogWriter(store)
    first = writer.say(SAID, REPLY)
    twin = writer.regenerate(first, "No.")
    assert planned(store, first).shared == (first.user.id,)
    both = planned(store, first, with_repeats=True)
    assert [e.id for e in both.exchanges] == [first.id, twin.id]
    assert both.shared == ()
    assert type(planned(store, first).shared) is tuple


def test_exchanges_that_have_it_inside_other_words_are_listed(store, gone):
    writer = LogWriter(store, "s2")
    inside, repeat = writer.say("Boathouses are wooden.", "Hm."), writer.say(SAID, "Hm.")
    found = planned(store, gone, within=(inside.id, repeat.id, "unknown")).repeats
    assert found == (
        Duplicate(repeat.id, "exchange", first_words(SAID), "says the same", "s2", repeat.at),
        Duplicate(
            inside.id, "exchange", "Boathouses are wooden.", "inside other words", "s2", inside.at
        ),
    )


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("a\n b  c", "a b c"),
        ("x" * 72, "x" * 72),
        ("x" * 73, "x" * 71 + "…"),
        ("", ""),
    ],
)
def test_the_first_words_of_a_text(text, first):
    assert first_words(text) == first


def titled(store, session, title, *said):
    writer = LogWriter(store, session)
    for text in said:
        writer.say(text, "Hm.")
    store.set_session(replace(writer.header, title=title), writer.header.head)


@pytest.mark.parametrize(
    ("title", "cleared"),
    [
        ("Paint the old house", True),
        ("Old house in…", True),
        ("paint house", False),  # two words; both are said elsewhere
        ("Old paint house", False),  # in another order
        ("Zoe", True),  # said nowhere else
        ("wanted long ago", True),  # at its end
        ("long ago wanted", False),
        ("About my uncle", False),
        (
            "The old house and the paint of spring",
            True,
        ),  # the beginning of what it holds: see below
        ("", False),
    ],
)
def test_a_title_that_quotes_it_is_cleared(store, gone, title, cleared):
    stays = "My uncle wanted to paint an old house in spring, ago, so long."
    titled(store, "s2", title, stays, "The old house and the paint of spring")
    if title.startswith("The old house and"):
        cleared = False
    found = planned(store, gone)
    assert [session.id for session in found.titles] == (["s2"] if cleared else [])
    assert [session.id for session in found.sessions] == ["s1"]


def test_a_title_that_is_the_beginning_of_a_message_that_stays_is_kept(store, gone):
    titled(store, "s2", "Zoe and the red boat sails", "Zoe and the red boat sails")
    assert planned(store, gone).titles == ()
    titled(store, "s3", "Zoe and the red boat sails", "Hello.")
    assert planned(store, gone).titles == ()
    titled(store, "s4", "The red boat sails", "Hello.")
    assert [s.id for s in planned(store, gone).titles] == ["s4"]
    assert {s.id for s in planned(store, titles=("s3", "s1")).titles} == {"s1", "s3"}


def test_only_a_session_that_is_left_empty_goes(store):
    writer = LogWriter(store)
    first, second = writer.say(SAID, REPLY), writer.say("More of it.", "Hm.")
    assert planned(store, first).sessions == ()
    both = planned(store, first, second)
    assert [session.id for session in both.sessions] == ["s1"]
    assert (type(both.sessions), type(both.titles)) == (tuple, tuple)
    nothing = planned(store)
    assert (nothing.sessions, nothing.titles, nothing.is_empty) == ((), (), True)


def test_a_plan_says_what_goes_with_an_exchange(store, gone):
    stays = LogWriter(store, "s2").say("Hello.", "Hm.").id
    store.put(
        [
            Record(RecordKind.CONTEXT, gone.id, AT, {}, (gone.id,)),
            Record(RecordKind.CONTEXT, stays, AT, {}, (stays,)),
            Record(RecordKind.FACT, "f1", AT, {**_fact_body(), "text": "Has an aunt."}, (gone.id,)),
            Record(RecordKind.FOLDER, "s1", AT, {"text": "/tmp"}, (gone.id, stays)),
            Record(RecordKind.FOLDER, "s2", AT, {}, (stays,)),
            Record(RecordKind.RUN, "r1", AT, {}, (gone.id,)),
        ]
    )
    found = planned(store, gone)
    assert found.going == (
        PlannedRemoval(RecordKind.CONTEXT, gone.id),
        PlannedRemoval(RecordKind.FACT, "f1", "Has an aunt."),
        PlannedRemoval(RecordKind.FOLDER, "s1"),
    )
    assert (found.id, found.at, found.what, found.space) == (
        "p1",
        AT,
        "exchanges",
        store.space.name,
    )
    assert found.outside == OutOfReach(("b1",), ("a1",), ())
    given = planned(store, gone, records=(found.going[2], PlannedRemoval(RecordKind.RUN, "r1")))
    assert given.given == (PlannedRemoval(RecordKind.RUN, "r1"),)


def _fact_body():
    from unabridged.knowledge.facts import Facts

    scratch = InMemoryStore(SpaceId("x", "y"))
    Facts(scratch, ManualClock()).add("Has an aunt.")
    return dict(scratch.records(RecordKind.FACT)[0].body)


def shared_with(store, name, exchanges=(), facts=()):
    carried = ShareTransfer(
        AT, {store.space.name: tuple(exchanges)}, {f: SharedFact("x") for f in facts}, done=True
    )
    share = Share(
        name, ShareKind.SHARE, ShareSide.GIVEN, SpaceId(name, "b"), AT, "ann", carries=(carried,)
    )
    store.put([to_record(share)])
    return f"{share.other.name} (unabridged share revoke {name})"


def test_spaces_that_hold_copies_are_named(store, gone):
    one, two = shared_with(store, "h1", [gone.id, "x"]), shared_with(store, "h2", (), ["f1"])
    shared_with(store, "h3")
    assert copies(store) == (one, two)
    assert copies(store, [gone.id], []) == (one,)
    assert copies(store, ["y"], ["f1", "f2"]) == (two,)
    assert copies(store, ["y"], ["z"]) == ()
    assert planned(store, gone).outside.shared == (one,)
    assert planned(store, facts=(Fact("f1", "He likes tea", AT),)).outside.shared == (two,)


def test_a_plan_of_what_changed_is_refused(store, gone):
    good = planned(store, gone)
    check_plan(store, good)
    fewer = replace(gone, messages=gone.messages[:1])
    for bad in (
        replace(good, exchanges=(fewer,)),
        replace(good, exchanges=(gone, replace(gone, id="unknown"))),
        replace(good, facts=(Fact("f1", "x", AT),)),
    ):
        with pytest.raises(InputError, match="Something changed since"):
            check_plan(store, bad)
    with pytest.raises(InputError, match=r"for the memory 'x', not for"):
        check_plan(store, replace(good, space="x"))
    store.put([Record(RecordKind.FACT, "f1", AT, {"text": "x"})])
    check_plan(store, replace(good, facts=(Fact("f1", "x", AT),)))


def find(store, query, session=None):
    found = find_words(store, query, session)
    assert {type(one) for one in (found.exchanges, found.records, found.titles, found.within)} == {
        tuple
    }
    return found


def test_words_are_found_in_any_order_and_inside_others_apart(store):
    writer = LogWriter(store)
    one = writer.say("The boats sailed to Oslo", "Yes")
    two = writer.say("Houseboats in Oslo", "Yes")
    three = writer.say("my_boat_oslo", "Yes")
    writer.say("Oslo", "A town")
    other = LogWriter(store, "s2").say("Oslo has a boat", "Yes")
    assert find(store, "oslo boat") == WordMatches((one.id, three.id, other.id), (), (), (two.id,))
    assert find(store, "boat Oslo", "s1") == WordMatches((one.id, three.id), (), (), (two.id,))
    assert find(store, "boat Oslo", "s2") == WordMatches((other.id,))
    assert find(store, "boat Rome") == WordMatches()


def test_words_are_found_across_the_messages_of_an_exchange_and_folded(store):
    one = LogWriter(store).say("Ann's café", "Zürich")
    assert find(store, "zürich CAFE").exchanges == (one.id,)
    assert find(store, "ANNS ZÜRI").within == (one.id,)


def test_a_query_without_words_is_found_by_its_characters(store):
    one = LogWriter(store).say("Really ?!? so", "Yes")
    LogWriter(store, "s2").say("Really? So!", "Yes")
    assert find(store, " ?! ").exchanges == (one.id,)


def test_tools_escapes_and_originals_are_looked_at(store):
    writer = LogWriter(store)
    call = writer.begin([Text("x"), ToolCall("c1", "sailing_tool", '{"a": "Z\\u00fcrich"}')])
    kept = writer.begin("y", original=b'{"hidden": "Ulaanbaatar"}')
    assert find(store, "sailing tool").exchanges == (call.id,)
    assert find(store, "c1").exchanges == (call.id,)
    assert find(store, "Zürich").exchanges == (call.id,)
    assert find(store, "ulaanbaatar").exchanges == (kept.id,)


def test_records_of_other_exchanges_and_titles_are_found(store):
    writer = LogWriter(store)
    one = writer.say("The boat sails", "Yes")
    two = writer.say("Nothing of it", "Yes")
    store.put(
        [
            Record(RecordKind.FACT, "f1", AT, {"text": "Owns a boat"}, (one.id,)),
            Record(RecordKind.FACT, "f2", AT, {"text": "Owns a boat"}, (two.id,)),
            Record(RecordKind.FACT, "f3", AT, {"text": "Owns a boat"}),
            Record(RecordKind.FACT, "f4", AT, {"text": "Owns a car", "value": "x"}, (two.id,)),
            Record(RecordKind.RUN, "r1", AT, {"text": "Owns a boat"}, (two.id,)),
            Record(
                RecordKind.OVERVIEW,
                "o1",
                AT,
                {},
                (two.id,),
                (Blob(BlobKind.ORIGINAL, b'"a boat"'),),
            ),
        ]
    )
    titled(store, "s2", "Boats", "Hello there")
    fact2, fact3 = PlannedRemoval(RecordKind.FACT, "f2"), PlannedRemoval(RecordKind.FACT, "f3")
    overview = PlannedRemoval(RecordKind.OVERVIEW, "o1")
    assert find(store, "boat") == WordMatches((one.id,), (overview, fact2, fact3), ("s2",))
    assert find(store, "boat", "s1") == WordMatches((one.id,), (overview, fact2))
    assert find(store, "boat", "s2") == WordMatches((), (), ("s2",))


def test_words_in_the_name_of_a_session_are_within(store):
    one = LogWriter(store, "s-oslo").say("Hello", "Yes")
    other = LogWriter(store, "s2")
    other.header = replace(other.header, foreign_id="Oslo-9")
    two = other.say("Hello", "Yes")
    LogWriter(store, "s3").say("Hello", "Yes")
    assert find(store, "Oslo").within == (two.id, one.id)
    assert find(store, "oslo", "s2").within == (two.id,)
    assert find(store, "s-oslo hello").exchanges == ()
    assert find(store, "oslo").exchanges == ()


def test_more_than_a_page_of_exchanges_is_read(store):
    writer = LogWriter(store)
    said = [writer.begin(f"boat {n}").id for n in range(450)]
    assert list(find(store, "boat").exchanges) == said


def test_a_sentence_of_five_words_is_a_repeat_and_of_four_is_none(store):
    said = LogWriter(store).say("My aunt sails to Oslo. She hates wet socks. More of that.", "Aye.")
    around = "I must tell you of all this at length. {} And so on, and on, as it is with people."
    other = LogWriter(store, "s2").say(around.format("My aunt sails to Oslo."), "Hm.")
    LogWriter(store, "s3").say(around.format("She hates wet socks."), "Hm.")
    assert [(r.id, r.reason) for r in planned(store, said).repeats] == [
        (other.id, "repeats a sentence")
    ]


def test_condensations_of_it_are_made_again_at_their_levels():
    model = ScriptedModel(abilities=Abilities("m", trained_window=2048, source="server"))
    options = {"window": 2048, "condense_tokens": 200, "condense_messages": 2}
    clock = ManualClock(step=timedelta(hours=1))
    with Talker.open(upstream=model, clock=clock, ephemeral=True, **options) as memory:
        for number in range(8):
            memory.record(memory.prepare(f"Saying {number}. {SAID}"), f"Answer {number}. {SAID}")
        list(memory.maintain())
        log = store_of(memory)
        record = next(r for r in log.records(RecordKind.CONDENSATION) if r.exchanges)
        first = log.get(record.exchanges[:1])[record.exchanges[0]]
        found = planned(log, first)
        levels = dict.fromkeys(one.level.value for one in view_of(record).condensations)
        assert levels
        assert found.condensed == {first.session: tuple(levels)}
        assert type(found.condensed[first.session]) is tuple
        months = [
            r.id.removeprefix(PERIOD)
            for r in log.records(RecordKind.CONDENSATION)
            if r.id.startswith(PERIOD) and first.id in r.exchanges
        ]
        assert found.periods == tuple(months)
