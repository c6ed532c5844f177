"""What was changed on both sides stands as a contradiction until a person settles it."""

from dataclasses import replace

import pytest

from unabridged.factory.copy_stores import End, copy_between

A, B, C = "ann/work", "ann/coder", "team/pool"


def both_ways(house, one=A, other=B):
    house.share(one, other, all_facts=True)
    house.share(other, one, all_facts=True)


def add(house, name, value, attribute="lives in"):
    return house.add(name, f"The user {attribute} {value}.", attribute=attribute, value=value)


def edit(house, name, old, value):
    with house.open(name) as memory:
        found = next(fact for fact in memory.facts.all() if old in fact.text)
        return memory.facts.edit(found.id, text=found.text.replace(old, value), value=value)


def values(house, name):
    return sorted(fact.value or fact.text for fact in house.facts(name))


def test_a_change_that_knew_the_old_value_takes_its_place_without_a_question(any_house):
    house = any_house
    add(house, A, "Zurich")
    house.share(A, B, all_facts=True)
    edit(house, A, "Zurich", "Bern")
    house.share(A, B, all_facts=True)
    assert values(house, B) == ["Bern"]
    assert house.disputes(B) == []
    edit(house, B, "Bern", "Basel")
    house.share(B, A, all_facts=True)
    assert values(house, A) == ["Basel"]
    assert len(house.texts(A, "superseded")) == 2


def test_changes_on_both_sides_stand_beside_each_other_on_both(any_house):
    house = any_house
    add(house, A, "Zurich")
    house.share(A, B, all_facts=True)
    edit(house, A, "Zurich", "Bern")
    edit(house, B, "Zurich", "Basel")
    both_ways(house)
    for name in (A, B):
        assert values(house, name) == ["Basel", "Bern"]
        assert len(house.disputes(name)) == 1
    origins = {f.value: f.origin and f.origin.space for f in house.facts(B)}
    assert origins == {"Bern": A, "Basel": None}


@pytest.mark.parametrize("side", [A, B])
def test_what_a_person_took_back_on_one_side_is_carried_over(house, side):
    add(house, A, "Zurich")
    house.share(A, B, all_facts=True)
    edit(house, A, "Zurich", "Bern")
    edit(house, B, "Zurich", "Basel")
    both_ways(house)
    other = B if side == A else A
    with house.open(side) as memory:
        gone = next(fact for fact in memory.facts.all() if fact.value == "Bern")
        memory.facts.withdraw(gone.id)
    house.share(side, other, all_facts=True)
    for name in (A, B):
        assert values(house, name) == ["Basel"]
        assert house.disputes(name) == []
    history = [f for f in house.facts(other, "superseded") if f.value == "Bern"]
    assert history, "its words stay in the history of the side that did not take it back"


def test_a_person_resolves_a_conflict_in_each_space(house):
    add(house, A, "Zurich")
    house.share(A, B, all_facts=True)
    edit(house, A, "Zurich", "Bern")
    edit(house, B, "Zurich", "Basel")
    both_ways(house)
    edit(house, A, "Bern", "Geneva")
    assert values(house, A) == ["Geneva"]
    assert house.disputes(A) == []
    house.share(A, B, all_facts=True)
    assert values(house, B) == ["Basel", "Geneva"]
    assert len(house.disputes(B)) == 1
    with house.open(B) as memory:
        memory.facts.withdraw(next(f.id for f in memory.facts.all() if f.value == "Basel"))
    house.share(B, A, all_facts=True)
    for name in (A, B):
        assert values(house, name) == ["Geneva"]
        assert house.disputes(name) == []


def test_revoking_a_share_revokes_the_settling_that_it_brought(house):
    add(house, A, "Zurich")
    house.share(A, B, all_facts=True)
    edit(house, B, "Zurich", "Basel")
    house.share(B, A, all_facts=True)
    with house.open(A) as memory:
        memory.facts.withdraw(next(f.id for f in memory.facts.all() if f.value == "Basel"))
    share = house.share(A, B, all_facts=True).share
    assert values(house, B) == []
    house.shares(A).revoke(share.id)
    assert values(house, B) == ["Basel"]


def test_what_was_said_there_in_ignorance_is_not_overruled_by_its_date(house):
    house.say(A, "I live in Zurich.")
    house.say(B, "I live in Basel now.")
    house.share(A, B, sessions=["1"])
    house.share(B, A, sessions=["1"])
    for name in (A, B):
        lives = [f for f in house.facts(name) if f.attribute == "lives in"]
        assert sorted(f.value for f in lives) == ["Basel", "Zurich"]
        assert all(f.disputed_by for f in lives)


def test_what_is_said_after_it_arrived_takes_its_place(house):
    house.say(A, "I live in Zurich.")
    house.share(A, B, sessions=["1"])
    house.say(B, "I live in Basel now.", new=True)
    assert [f.value for f in house.facts(B) if f.attribute == "lives in"] == ["Basel"]
    house.share(B, A, all_facts=True)
    lives = [f for f in house.facts(A) if f.attribute == "lives in"]
    assert sorted(f.value for f in lives) == ["Basel", "Zurich"]
    assert all(f.disputed_by for f in lives), "which one holds is not told by what was known where"


def test_what_is_drawn_there_from_a_shared_session_is_of_that_space_too(house):
    house.settings = replace(house.settings, facts="none")
    house.say(A, "I live in Zurich.")
    house.share(A, B, sessions=["1"])
    house.settings = replace(house.settings, facts="rules")
    house.say(B, "By the way.", new=True)
    (fact,) = [f for f in house.facts(B) if f.attribute == "lives in"]
    assert fact.origin.space == A


def test_free_words_edited_on_both_sides_are_a_contradiction_too(house):
    house.add(A, "Tea at four on the terrace.")
    house.share(A, B, all_facts=True)
    edit(house, A, "four", "five")
    edit(house, B, "four", "six")
    both_ways(house)
    for name in (A, B):
        assert len(house.facts(name)) == 2
        assert len(house.disputes(name)) == 1
    edit(house, A, "five", "seven")
    assert [f.text for f in house.facts(A)] == ["Tea at seven on the terrace."]
    assert house.disputes(A) == []
    house.share(A, B, all_facts=True)
    assert len(house.disputes(B)) == 1
    edit(house, B, "six", "eight")
    assert [f.text for f in house.facts(B)] == ["Tea at eight on the terrace."]
    assert house.disputes(B) == []


def test_the_same_fact_copied_twice_is_one(any_house):
    house = any_house
    house.say(A, "I live in Zurich.")
    house.share(A, B, sessions=["1"])
    house.share(A, B, all_facts=True)
    house.share(A, C, sessions=["1"])
    house.share(C, B, all_facts=True)
    (fact,) = [f for f in house.facts(B) if f.attribute == "lives in"]
    assert fact.origin.space == A
    assert fact.exchange is not None


def test_values_of_which_there_may_be_several_do_not_contradict(house):
    add(house, A, "tea", "likes")
    add(house, B, "coffee", "likes")
    both_ways(house)
    assert values(house, A) == values(house, B) == ["coffee", "tea"]
    assert house.disputes(A) == house.disputes(B) == []


def test_the_same_change_on_both_sides_is_no_contradiction(house):
    add(house, A, "Zurich")
    house.share(A, B, all_facts=True)
    edit(house, A, "Zurich", "Bern")
    edit(house, B, "Zurich", "Bern")
    both_ways(house)
    assert values(house, A) == values(house, B) == ["Bern"]
    assert house.disputes(A) == house.disputes(B) == []


def test_three_spaces_come_to_the_same(house):
    add(house, A, "Zurich")
    for name in (B, C):
        house.share(A, name, all_facts=True)
    edit(house, A, "Zurich", "Bern")
    edit(house, B, "Zurich", "Basel")
    edit(house, C, "Zurich", "Geneva")
    for _ in range(2):
        for one, other in ((A, B), (B, C), (C, A)):
            house.share(one, other, all_facts=True)
    for name in (A, B, C):
        assert values(house, name) == ["Basel", "Bern", "Geneva"]
        assert len(house.disputes(name)) == 1


def test_a_prompt_carries_both_with_where_they_are_from(house):
    add(house, A, "Zurich")
    house.share(A, B, all_facts=True)
    edit(house, A, "Zurich", "Bern")
    edit(house, B, "Zurich", "Basel")
    house.share(A, B, all_facts=True)
    with house.open(B) as memory:
        prompt = memory.prepare("In which city do I live?").messages[-1]["content"]
    assert "Bern" in prompt
    assert "Basel" in prompt
    assert f"from {A}; the user also said otherwise" in prompt


def test_a_pinned_fact_is_not_told_without_the_other_side(house):
    house.add(A, "The user lives in Zurich.", attribute="lives in", value="Zurich")
    house.share(A, B, all_facts=True)
    edit(house, A, "Zurich", "Bern")
    edit(house, B, "Zurich", "Basel")
    with house.open(B) as memory:
        memory.facts.pin("1")
    house.share(A, B, all_facts=True)
    with house.open(B) as memory:
        context = memory.prepare("Tell me a story about boats.")
    assert "Basel" in context.messages[0]["content"]
    assert f"from {A}; the user also said otherwise" in context.messages[-1]["content"]
    assert "Bern" in context.messages[-1]["content"]


def test_a_copied_space_is_told_what_took_the_place_of_its_own(house):
    add(house, A, "Zurich")
    ends = [End(house.settings, house.space(name)) for name in (A, B)]
    assert list(copy_between(*ends))
    edit(house, A, "Zurich", "Bern")
    house.share(A, B, all_facts=True)
    assert values(house, B) == ["Bern"]
    edit(house, B, "Bern", "Basel")
    house.share(B, A, all_facts=True)
    assert values(house, A) == ["Basel"]
    assert house.disputes(A) == house.disputes(B) == []


def test_what_another_space_says_later_ends_nothing_that_was_said_here(house):
    for value in ("Zurich", "Bern", "Basel"):
        add(house, A, value)
    house.share(A, B, all_facts=True)
    add(house, B, "Geneva")
    assert values(house, B) == ["Geneva"]
    house.share(B, A, all_facts=True)
    assert values(house, A) == ["Basel", "Geneva"]
    assert len(house.disputes(A)) == 1


def test_what_one_space_said_stays_in_its_order_however_it_comes(house):
    house.say(A, "I live in Zurich.")
    house.say(A, "I live in Bern now.", new=True)
    with house.open(A) as memory:
        newest, older = [header.id for header in memory.space.sessions.all()]
    house.share(A, B, sessions=[newest])
    house.share(A, B, sessions=[older])
    assert [f.value for f in house.facts(B) if f.attribute == "lives in"] == ["Bern"]
    assert house.disputes(B) == []


def test_what_contradicts_a_pin_is_not_told_to_other_sessions_where_these_are_apart(house):
    house.settings = replace(house.settings, recall_scope="session")
    house.say(A, "I live in Zurich.")
    house.say(B, "I live in Basel.")
    with house.open(B) as memory:
        memory.facts.pin("1")
    house.share(A, B, sessions=["1"])
    with house.open(B) as memory:
        came = next(
            s.id for s in memory.space.sessions.all() if "Zurich" in str(memory.switch(s.id).title)
        )
        prompts = {}
        for session in (None, came):
            memory.new_session() if session is None else memory.switch(session)
            prompts[session] = str(memory.prepare("Tell me a story about boats.").messages)
    assert all("Basel" in prompt for prompt in prompts.values())
    assert "Zurich" in prompts[came]
    assert "Zurich" not in prompts[None]
