"""Sharing between spaces: what goes, what comes again, what is passed over, and what is told."""

import pytest

from unabridged.domain.fact import FactState
from unabridged.domain.record import Record, RecordKind
from unabridged.domain.share import ShareKind, ShareSide, ShareState
from unabridged.errors import InputError, NotFoundError
from unabridged.factory.home import Home

A, B, C = "ann/work", "ann/coder", "team/pool"
LIVES = "I live in Zurich."
DOG = "My dog is called Rex."


def test_a_session_goes_with_what_hangs_on_it(any_house):
    house = any_house
    first, second = house.say(A, LIVES, DOG)
    done = house.share(A, B, sessions=["1"])
    assert (done.exchanges, done.passed_over, done.refused) == (2, 0, 0)
    assert done.facts >= 2
    assert house.exchanges(B) == [first, second]
    with house.open(B) as memory:
        found = {fact.attribute: fact for fact in memory.facts.all()}
        assert found["lives in"].exchange == first
        assert found["lives in"].quote in memory.get(first).user.text
        assert found["lives in"].origin.space == A
        assert memory.space.search("dog Rex")[0].exchange.id == second
        assert memory.space.annotations.of([memory.get(first)])
    assert house.facts(A)[0].origin is None


def test_both_sides_keep_the_share_and_no_words(any_house):
    house = any_house
    house.say(A, LIVES)
    done = house.share(A, B, sessions=["1"])
    (given,), (taken,) = house.shares(A).listing(), house.shares(B).listing()
    assert given == done.share
    assert (given.id, given.at, given.carries) == (taken.id, taken.at, taken.carries)
    assert (given.side, given.other.name) == (ShareSide.GIVEN, B)
    assert (taken.side, taken.other.name) == (ShareSide.TAKEN, A)
    assert given.state is taken.state is ShareState.HELD
    assert given.by == "ann"
    assert "Zurich" not in repr(given)


def test_sharing_again_carries_only_what_is_new(any_house):
    house = any_house
    house.say(A, LIVES)
    first = house.share(A, B, sessions=["1"]).share
    house.say(A, DOG)
    again = house.share(A, B, sessions=["1"])
    assert again.exchanges == 1
    assert again.share.id == first.id
    assert [len(carry.exchange_ids) for carry in again.share.carries] == [1, 1]
    nothing = house.share(A, B, sessions=["1"])
    assert (nothing.exchanges, nothing.facts) == (0, 0)
    assert nothing.share == again.share
    assert len(house.shares(B).listing()) == 1


def test_every_branch_goes(house):
    (first,) = house.say(A, LIVES)
    with house.open(A) as memory:
        memory.record(memory.prepare("", retry_of=first), "Another answer.")
    assert house.share(A, B, sessions=["1"]).exchanges == 2
    with house.open(B) as memory:
        assert len(memory.branches()) == 2
        assert memory.exchanges()[-1].answer.text == "Another answer."


def test_a_fact_alone_leaves_its_exchange_and_says_where_it_is_from(any_house):
    house = any_house
    (said,) = house.say(A, "I live in Zurich and my secret number is 4711.")
    wanted = next(fact for fact in house.facts(A) if fact.attribute == "lives in")
    done = house.share(A, B, facts=[wanted.id])
    assert (done.exchanges, done.facts) == (0, 1)
    (fact,) = house.facts(B)
    assert fact.text == wanted.text
    assert (fact.exchange, fact.quote) == (None, "")
    assert (fact.origin.space, fact.origin.exchange) == (A, said)
    assert house.exchanges(B) == []


def test_a_fact_alone_is_grounded_when_its_session_follows(house):
    (said,) = house.say(A, LIVES)
    house.share(A, B, all_facts=True)
    assert house.facts(B)[0].exchange is None
    house.share(A, B, sessions=["1"])
    fact = next(fact for fact in house.facts(B) if fact.attribute == "lives in")
    assert (fact.exchange, bool(fact.quote)) == (said, True)


def test_a_pin_stays_at_home_unless_the_session_is_handed_off(house):
    house.say(A, "My sister Marta keeps goats in Porto.")
    with house.open(A) as memory:
        memory.space.pins.add("Marta's goats in Porto need vaccination in May.")
        memory.space.pins.add("Answer in short sentences about ships.")
    house.share(A, B, all_facts=True)
    assert not any(fact.pinned for fact in house.facts(B))
    done = house.shares(A).handoff(house.space(C))
    assert done.share.kind is ShareKind.HANDOFF
    assert [f.text for f in house.facts(C) if f.pinned] == [
        "Marta's goats in Porto need vaccination in May."
    ]


def test_a_handoff_goes_on_in_the_other_space(any_house):
    house = any_house
    house.say(B, "An older thought of the coder.")
    house.say(A, LIVES)
    house.shares(A).handoff(house.space(B))
    with house.open(A) as memory:
        session = memory.header
        assert memory.space.sharing.handed_off() == {session.id: (house.space(B),)}
    with house.open(B) as memory:
        assert memory.header.id == session.id
        context = memory.prepare("Where was I?")
        assert any(LIVES in str(message) for message in context.messages)
        memory.record(context, "In Zurich.")
        assert len(memory.exchanges()) == 2
    house.say(A, "Meanwhile here.")
    house.shares(A).handoff(house.space(B))
    with house.open(B) as memory:
        assert memory.exchanges()[-1].user.text == "Meanwhile here."
        assert len(memory.branches()) == 2


def test_what_was_said_there_comes_back_as_a_branch(house):
    house.say(A, LIVES)
    house.share(A, B, sessions=["1"])
    (there,) = house.say(B, "My cat is called Tom.")
    (here,) = house.say(A, DOG)
    assert house.share(B, A, sessions=["1"]).exchanges == 1
    assert {here, there} < set(house.exchanges(A))
    with house.open(A) as memory:
        assert {leaf.id for leaf in memory.branches()} == {here, there}
    taken = next(share for share in house.shares(A).listing() if share.side is ShareSide.TAKEN)
    assert taken.exchange_ids == {there}


def test_a_dry_run_changes_nothing(house):
    house.say(A, LIVES)
    told = house.share(A, B, sessions=["1"], all_facts=True, dry_run=True)
    assert (told.exchanges, told.facts) == (1, 1)
    assert house.shares(A).listing() == []
    assert not any("coder" in path.name for path in house.path.rglob("*"))
    assert house.share(A, B, sessions=["1"], all_facts=True).exchanges == 1


def test_what_makes_no_sense_is_refused(house):
    house.say(A, LIVES)
    with pytest.raises(InputError, match="Nothing to share was named"):
        house.share(A, B)
    with pytest.raises(InputError, match="itself"):
        house.share(A, A, sessions=["1"])
    with pytest.raises(NotFoundError):
        house.share(A, B, sessions=["nowhere"])
    with pytest.raises(NotFoundError):
        house.share(A, B, facts=["77"])
    with pytest.raises(NotFoundError, match="no session"):
        house.shares(C).handoff(house.space(B))
    with pytest.raises(NotFoundError, match="no share"):
        house.shares(A).revoke("none")


def test_what_was_forgotten_there_is_passed_over_and_told(house):
    first, second = house.say(A, "I live in Zurich, near the old brewery by the lake.", DOG)
    house.share(A, B, sessions=["1"])
    with house.open(B) as memory:
        memory.space.forgetting.execute(memory.space.forgetting.plan([first]))
    again = house.share(A, B, sessions=["1"], all_facts=True)
    assert (again.exchanges, again.passed_over) == (0, 1)
    assert again.refused >= 1
    assert house.exchanges(B) == [second]
    assert not any("Zurich" in text for text in house.texts(B))


def test_a_fact_that_was_taken_back_there_stays_so(house):
    fact = house.add(A, "I like tea.")
    house.share(A, B, all_facts=True)
    with house.open(B) as memory:
        memory.facts.withdraw(fact.id)
    again = house.share(A, B, all_facts=True)
    assert (again.facts, again.refused) == (0, 1)
    assert house.texts(B) == []
    assert house.texts(B, FactState.WITHDRAWN) == [""]


def test_a_fact_taken_back_here_is_not_drawn_again_there(house):
    house.say(A, LIVES)
    with house.open(A) as memory:
        memory.facts.withdraw("1")
    house.share(A, B, sessions=["1"])
    with house.open(B) as memory:
        list(memory.maintain())
    assert house.texts(B) == []
    house.say(B, "By the way, I live in Zurich too.", new=True)
    assert any("Zurich" in text for text in house.texts(B))


def test_it_goes_on_through_a_third_space(house):
    house.say(A, LIVES)
    house.share(A, B, sessions=["1"])
    house.share(B, C, sessions=["1"])
    fact = next(fact for fact in house.facts(C) if fact.attribute == "lives in")
    assert fact.origin.space == A
    (share,) = house.shares(C).listing()
    assert share.other.name == B
    assert set(share.carries[0].exchanges) == {A}


def test_prompts_say_where_a_fact_is_from(house):
    house.say(B, "Hello there.")
    house.add(A, "My dog is called Rex.", attribute="dog", value="Rex")
    house.share(A, B, all_facts=True)
    with house.open(B) as memory:
        prompt = memory.prepare("What is my dog called?").messages[-1]["content"]
    assert f"from {A}" in prompt
    assert "Rex" in prompt


def test_forgetting_here_says_where_copies_are(house):
    (said,) = house.say(A, LIVES)
    share = house.share(A, B, sessions=["1"]).share
    with house.open(A) as memory:
        plan = memory.space.forgetting.plan([said])
        assert plan.outside.shared == (f"{B} (unabridged share revoke {share.id})",)
        receipt = memory.space.forgetting.execute(plan)
        assert memory.space.forgetting.is_genuine(receipt)
        assert memory.space.forgetting.receipts()[0].outside.shared == plan.outside.shared
    assert house.exchanges(B) == [said]
    house.shares(A).revoke(share.id)
    assert house.exchanges(B) == []


def test_an_export_keeps_where_facts_are_from(house, tmp_path):
    house.say(A, LIVES)
    house.share(A, B, sessions=["1"])
    with house.open(B) as memory, house.open("ann/again") as other:
        for conversation in memory.space.log.transcripts():
            other.import_transcript(conversation)
        other.space.log.import_records(memory.space.log.records())
        assert [f.origin for f in other.facts.all()] == [f.origin for f in memory.facts.all()]
        assert other.space.sharing.listing() == memory.space.sharing.listing()


def test_a_share_that_makes_no_sense_is_not_taken_from_a_file(house):
    with house.open(A) as memory:
        at = house.clock.now()
        bodies = [{}, {"kind": "share"}, {"carries": 3}]
        wrong = [Record(RecordKind.SHARE, f"s{n}", at, body) for n, body in enumerate(bodies)]
        assert memory.space.log.import_records(wrong) == 0
        assert memory.space.sharing.listing() == []


def test_forgetting_a_whole_space_says_where_copies_are(house):
    house.say(A, LIVES)
    share = house.share(A, B, sessions=["1"]).share
    (plan,) = Home(house.settings).plan_forgetting([house.space(A)])
    assert plan.outside.shared == (f"{B} (unabridged share revoke {share.id})",)


def test_a_dry_run_names_what_would_go(house):
    house.say(A, LIVES)
    told = house.share(A, B, sessions=["1"], dry_run=True)
    assert told.titles == (LIVES,)
    assert any("Zurich" in text for text in told.texts)
