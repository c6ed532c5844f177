from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import permutations

import pytest

from unabridged.domain.fact import FactState
from unabridged.knowledge.resolve_facts import resolve_facts
from unabridged.knowledge.statements import Statement, from_record, key, seal_of, to_record

DAY = timedelta(days=1)
T = datetime(2026, 5, 1, tzinfo=UTC)


def said(value, day=0, attribute="lives in", by="rules-1", **more):
    name = more.pop("id", f"{attribute}:{value}:{day}:{by}")
    exchange = None if by == "user" else f"x{day}"
    text = more.pop("text", f"{attribute} {value}")
    given = {"subject": "user", "attribute": attribute, "value": value, "by": by}
    return Statement(name, text, T + day * DAY, exchange=exchange, **given, **more)


def facts(*statements):
    return [settled.fact for settled in resolve_facts(statements)]


def states(*statements):
    return {f.value: (f.state.value, f.until and (f.until - T).days) for f in facts(*statements)}


def test_a_newer_value_supersedes_and_never_overwrites():
    old, new = facts(said("Berlin", 0), said("Paris", 3))
    assert (old.value, old.state, old.until) == ("Berlin", FactState.SUPERSEDED, T + 3 * DAY)
    assert (new.value, new.state, new.supersedes) == ("Paris", FactState.CURRENT, old.id)
    assert not old.disputed_by
    assert not new.disputed_by


def test_what_came_late_is_ordered_by_when_it_was_said():
    statements = [said("Berlin", 0), said("Paris", 3), said("Rome", 5), said("Paris", 9)]
    wanted = facts(*statements)
    assert [f.value for f in wanted] == ["Berlin", "Paris", "Rome", "Paris"]
    assert [f.state.value for f in wanted] == ["superseded"] * 3 + ["current"]
    for order in permutations(statements):
        assert facts(*order) == wanted


def test_the_same_again_only_confirms_however_it_is_written():
    (fact,) = facts(said("Berlin", 0), said("berlin", 4), said("  BERLIN. ", 9))
    assert (fact.value, fact.since, fact.state) == ("Berlin", T, FactState.CURRENT)


def test_values_of_which_there_may_be_many_add():
    assert states(said("tea", 0, "likes"), said("coffee", 1, "likes")) == {
        "tea": ("current", None),
        "coffee": ("current", None),
    }


def test_what_is_denied_supersedes_what_was_said():
    tea, coffee, no_tea = facts(
        said("tea", 0, "likes"), said("coffee", 1, "likes"), said("tea", 5, "dislikes")
    )
    assert (tea.attribute, tea.state) == ("likes", FactState.SUPERSEDED)
    assert (coffee.attribute, coffee.state) == ("likes", FactState.CURRENT)
    assert (no_tea.attribute, no_tea.supersedes) == ("dislikes", tea.id)


def test_no_longer_living_somewhere_says_nothing_against_another_place():
    berlin, gone, paris = facts(
        said("Berlin", 0), said("Berlin", 5, "no longer lives in"), said("Paris", 5, place=9)
    )
    assert berlin.state is FactState.SUPERSEDED
    assert gone.state is FactState.SUPERSEDED
    assert (paris.state, paris.disputed_by) == (FactState.CURRENT, ())


def test_two_values_at_the_same_time_are_disputed_and_both_stay():
    one, other = facts(said("Berlin", 2), said("Paris", 2, by="model:m"))
    assert one.state is other.state is FactState.CURRENT
    assert one.disputed_by == (other.id,)
    assert other.disputed_by == (one.id,)


def test_an_explicit_correction_in_the_same_message_supersedes():
    one, other = facts(said("Berlin", 2), said("Paris", 2, place=20, corrects=True))
    assert (one.state, other.state) == (FactState.SUPERSEDED, FactState.CURRENT)
    assert not other.disputed_by


def test_a_later_value_settles_a_dispute():
    found = facts(said("Berlin", 2), said("Paris", 2, by="model:m"), said("Rome", 3))
    assert [(f.value, f.state.value, f.disputed_by) for f in found] == [
        ("Berlin", "superseded", ()),
        ("Paris", "superseded", ()),
        ("Rome", "current", ()),
    ]


def test_a_persons_words_win_over_what_was_before_and_are_disputed_by_what_comes_after():
    rome, bern, oslo = facts(said("Rome", 0), said("Bern", 3, by="user"), said("Oslo", 6))
    assert rome.state is FactState.SUPERSEDED
    assert bern.state is oslo.state is FactState.CURRENT
    assert bern.disputed_by == (oslo.id,)
    assert facts(said("Rome", 0), said("Bern", 3, by="user"), said("bern", 6))[1].disputed_by == ()


def test_a_persons_edit_of_one_of_many_values_ends_that_one_and_what_said_so_before():
    lies = said("tee", 0, "likes")
    again, later = said("tee", 2, "likes"), said("tee", 8, "likes")
    edit = said("tea", 5, "likes", by="user", replaces=lies.id)
    found = [(f.value, f.state.value) for f in facts(lies, again, edit)]
    assert found == [("tee", "superseded"), ("tea", "current")]
    found = [(f.value, f.state.value) for f in facts(lies, again, edit, later)]
    assert found == [("tee", "superseded"), ("tea", "current"), ("tee", "current")]


def test_what_superseded_a_fact_goes_and_the_fact_holds_again():
    old, new = said("Berlin", 0), said("Paris", 3)
    assert states(old, new)["Berlin"] == ("superseded", 3)
    assert states(old) == {"Berlin": ("current", None)}
    gone = replace(new, withdrawn=T, text="", attribute="", value="")
    assert states(old, gone) == {"Berlin": ("current", None)}


def test_a_pin_is_on_the_matter_and_goes_over_to_what_took_its_place():
    old, new = facts(said("Berlin", 0, pinned=True), said("Paris", 3))
    assert (old.pinned, new.pinned) == (False, True)


def test_edits_that_replace_each_other_by_a_clock_gone_backwards_end():
    one = said("a", 5, "likes", by="user", id="1", replaces="2", pinned=True)
    two = said("b", 0, "likes", by="user", id="2", replaces="1")
    assert len(facts(one, two)) == 2


def test_other_persons_have_facts_of_their_own():
    mine, hers = facts(said("Berlin", 0), replace(said("Oslo", 1), subject="sister"))
    assert mine.state is hers.state is FactState.CURRENT


@pytest.mark.parametrize("value", ["Berlin", "a “quoted” thing", "日本"])
def test_a_record_gives_the_statement_back(value):
    statement = said(value, 4, place=7, corrects=True, aliases=("home",), quote="q", pinned=True)
    record = to_record(statement)
    assert from_record(record) == statement
    assert record.exchanges == ("x4",)


def test_a_seal_recognises_the_like_and_holds_no_words():
    statement = said("Berlin", 4)
    seal = seal_of("salt", *key(statement))
    assert seal_of("salt", *key(said("berlin", 9, by="model:m"))) == seal
    assert seal_of("salt", *key(said("Bern", 4))) != seal
    assert seal_of("other", *key(statement)) != seal
    assert not any(word in seal for word in key(statement))
