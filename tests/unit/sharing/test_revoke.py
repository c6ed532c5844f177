"""Revoking a share: what goes, what stays, and that it may come again."""

import pytest

from unabridged.domain.share import ShareState
from unabridged.errors import StoreError
from unabridged.factory.home import Home
from unabridged.sharing import revoke

A, B, C = "ann/work", "ann/coder", "team/pool"
SECRET = "My cousin Xylophonia lives behind the old brewery in Ulaanbaatar."


def states(house, name):
    return [share.state for share in house.shares(name).listing()]


def telling(house):
    """The files in which the secret stands."""
    files = (path for path in house.path.rglob("*") if path.is_file())
    return {path for path in files if b"Xylophonia" in path.read_bytes()}


@pytest.mark.parametrize("side", [A, B])
def test_what_was_carried_goes_with_everything_made_of_it(any_house, side):
    house = any_house
    house.say(A, SECRET, "I live in Zurich.")
    house.say(B, "Something of my own, about boats.")
    before = telling(house)
    share = house.share(A, B, sessions=["1"], all_facts=True).share
    with house.open(B) as memory:
        list(memory.maintain())
        memory.record(memory.prepare("Who lives behind the brewery?"), "Your cousin.")
    own = [name for name in house.exchanges(B) if name not in share.exchange_ids]
    done = house.shares(side).revoke(share.id)
    assert (done.receipt.exchanges, done.receipt.what, done.receipt.left) == (2, "share", 0)
    assert done.share.state is ShareState.REVOKED
    assert states(house, A) == states(house, B) == [ShareState.REVOKED]
    assert house.exchanges(B) == own
    assert not any("Zurich" in text or "Xylo" in text for text in house.texts(B, None))
    with house.open(B) as memory:
        assert memory.space.search("Xylophonia brewery Ulaanbaatar")[0].exchange.id in own
        (receipt,) = memory.space.forgetting.receipts()
        assert receipt == done.receipt
        assert memory.space.forgetting.is_genuine(receipt)
    assert telling(house) == before
    assert len(house.exchanges(A)) == 2


def test_it_may_be_shared_again(any_house):
    house = any_house
    house.say(A, SECRET)
    first = house.share(A, B, sessions=["1"]).share
    house.shares(A).revoke(first.id)
    again = house.share(A, B, sessions=["1"])
    assert again.exchanges == 1
    assert again.share.id != first.id
    assert house.exchanges(B) == house.exchanges(A)
    assert states(house, B) == [ShareState.REVOKED, ShareState.HELD]


def test_what_was_said_there_since_stays(any_house):
    house = any_house
    house.say(A, SECRET)
    share = house.share(A, B, sessions=["1"]).share
    (own,) = house.say(B, "I play chess on Sundays.")
    house.shares(A).revoke(share.id)
    with house.open(B) as memory:
        (exchange,) = memory.exchanges()
        assert (exchange.id, exchange.parent) == (own, None)


def test_what_another_share_holds_stays_until_that_is_revoked(house):
    house.say(A, SECRET)
    house.share(A, C, sessions=["1"])
    one = house.share(A, B, sessions=["1"]).share
    two = house.share(C, B, sessions=["1"], all_facts=True).share
    house.shares(B).revoke(one.id)
    assert house.exchanges(B) == house.exchanges(A)
    house.shares(B).revoke(two.id)
    assert house.exchanges(B) == []


def test_a_fact_that_another_share_holds_alone_stays_without_its_exchange(house):
    house.say(A, "I live in Zurich.")
    alone = house.share(A, B, all_facts=True).share
    whole = house.share(A, B, sessions=["1"]).share
    house.shares(A).revoke(whole.id)
    (fact,) = house.facts(B)
    assert (fact.exchange, fact.quote, fact.origin.space) == (None, "", A)
    house.shares(A).revoke(alone.id)
    assert house.facts(B, None) == []


def test_what_was_its_own_before_stays(house):
    (mine,) = house.say(A, SECRET)
    house.share(A, B, sessions=["1"])
    (theirs,) = house.say(B, "I play chess on Sundays.")
    back = house.share(B, A, sessions=["1"]).share
    house.shares(A).revoke(back.id)
    assert house.exchanges(A) == [mine]
    assert house.exchanges(B) == [mine, theirs]


def test_what_a_person_forgot_there_stays_forgotten_after_a_revoking(house):
    first, second = house.say(A, SECRET, "I live in Zurich, as I may have told you before now.")
    share = house.share(A, B, sessions=["1"]).share
    with house.open(B) as memory:
        memory.space.forgetting.execute(memory.space.forgetting.plan([first]))
    house.shares(A).revoke(share.id)
    again = house.share(A, B, sessions=["1"])
    assert (again.exchanges, again.passed_over) == (1, 1)
    assert house.exchanges(B) == [second]


def test_revoking_twice_and_without_the_other_space(house):
    house.say(A, SECRET)
    share = house.share(A, B, sessions=["1"]).share
    assert house.shares(A).revoke(share.id).receipt is not None
    assert house.shares(B).revoke(share.id).receipt is None
    other = house.share(A, C, sessions=["1"]).share
    found = Home(house.settings)
    found.forget(found.plan_forgetting([house.space(C)])[0], house.clock)
    done = house.shares(A).revoke(other.id[-6:])
    assert (done.reached, done.receipt) == (False, None)
    assert states(house, A) == [ShareState.REVOKED, ShareState.REVOKED]


def test_a_revoking_that_failed_between_the_sides_is_completed(house, monkeypatch):
    house.say(A, SECRET)
    share = house.share(A, B, sessions=["1"]).share
    real = revoke.note_revoked

    def fail(store, share_id, at):
        raise StoreError("gone", hint="none")

    monkeypatch.setattr(revoke, "note_revoked", fail)
    with pytest.raises(StoreError):
        house.shares(A).revoke(share.id)
    monkeypatch.setattr(revoke, "note_revoked", real)
    assert states(house, A) == states(house, B) == [ShareState.HELD]
    done = house.shares(A).revoke(share.id)
    assert done.receipt is None
    assert states(house, A) == states(house, B) == [ShareState.REVOKED]
    assert house.exchanges(B) == []
