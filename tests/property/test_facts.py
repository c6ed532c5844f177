"""Facts, whatever was said in whatever order: derived alike, and nothing lost that still stands."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

from hypothesis import given, settings, strategies as st
from tests.helpers.examples import examples

from unabridged.domain.fact import FactState
from unabridged.knowledge.fact_rules import draw
from unabridged.knowledge.resolve_facts import resolve_facts
from unabridged.knowledge.statements import Statement, derived_id, from_record, to_record

T = datetime(2026, 5, 1, tzinfo=UTC)
ATTRIBUTES = (
    "lives in",
    "no longer lives in",
    "likes",
    "dislikes",
    "favourite colour",
    "skills",
    "",
)


@st.composite
def statement(make):
    day, by = make(st.integers(0, 6)), make(st.sampled_from(["rules-1", "model:m", "user"]))
    value = make(st.sampled_from(["red", "Red", "blue", "green"]))
    attribute = make(st.sampled_from(ATTRIBUTES))
    made = Statement(
        id="",
        text=f"{attribute} {value}",
        since=T + timedelta(days=day),
        attribute=attribute,
        value=value if attribute else "",
        quote=f"{attribute} {value}",
        exchange=None if by == "user" else f"x{day}",
        by=by,
        place=make(st.integers(0, 3)),
        corrects=make(st.booleans()),
        pinned=make(st.booleans()),
    )
    return replace(made, id=f"{derived_id(made)}{by}{made.place}{made.corrects}")


said = st.lists(statement(), max_size=12, unique_by=lambda s: s.id)


@given(said, st.randoms(use_true_random=False))
@settings(max_examples=examples(150), deadline=None)
def test_facts_do_not_depend_on_the_order_of_arrival(statements, random):
    shuffled = list(statements)
    random.shuffle(shuffled)
    assert resolve_facts(statements) == resolve_facts(shuffled)


@given(said)
@settings(max_examples=examples(150), deadline=None)
def test_every_statement_is_in_one_fact_and_disputes_are_mutual(statements):
    settled = resolve_facts(statements)
    members = sorted(s.id for each in settled for s in each.members)
    assert members == sorted(s.id for s in statements)
    current = {each.fact.id: each.fact for each in settled if each.fact.until is None}
    for fact in current.values():
        assert fact.state is FactState.CURRENT
        assert all(fact.id in current[other].disputed_by for other in fact.disputed_by)
    for each in settled:
        if each.fact.until is not None:
            assert each.fact.state is FactState.SUPERSEDED
            assert not each.fact.disputed_by
            assert not each.fact.pinned


@given(said)
@settings(max_examples=examples(100), deadline=None)
def test_a_person_is_never_superseded_by_others_without_a_dispute(statements):
    settled = resolve_facts(statements)
    persons = [s for s in statements if s.by == "user" and s.attribute]
    for each in settled:
        if each.fact.state is FactState.SUPERSEDED and any(m.by == "user" for m in each.members):
            after = [s for s in persons if s.since >= each.members[0].since]
            assert len(after) > 1 or len(persons) > 1


@given(said)
@settings(max_examples=examples(100), deadline=None)
def test_what_goes_takes_only_its_own_with_it(statements):
    for gone in {s.exchange for s in statements if s.exchange}:
        left = [s for s in statements if s.exchange != gone]
        facts = resolve_facts(left)
        assert sorted(s.id for each in facts for s in each.members) == sorted(s.id for s in left)


@given(statement())
@settings(max_examples=examples(100), deadline=None)
def test_records_give_statements_back(made):
    assert from_record(to_record(made)) == made


@given(st.text(max_size=300))
@settings(max_examples=examples(300), deadline=None)
def test_whatever_is_said_is_quoted_word_for_word_or_not_at_all(text):
    assert all(drawn.quote in text for drawn in draw(text) if drawn.quote)
    assert all(drawn.value and drawn.attribute for drawn in draw(text))


WORDS = 'I am my live in Berlin love hate have a dog named Rex no not if would ? , . and " sister 30'.split()


@given(st.lists(st.sampled_from(WORDS), max_size=40).map(" ".join))
@settings(max_examples=examples(300), deadline=None)
def test_whatever_the_words_are_the_place_is_that_of_the_quote(text):
    for drawn in draw(text):
        if drawn.quote in text:
            assert text[drawn.place :].lstrip().startswith(drawn.quote.lstrip())
