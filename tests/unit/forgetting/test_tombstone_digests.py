"""What a tombstone holds, digest by digest, and what is recognised by it."""

import hashlib
import hmac
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from unabridged.domain.forgetting import ForgetPlan
from unabridged.domain.message import Role
from unabridged.domain.record import Record, RecordKind
from unabridged.domain.results import Transcript
from unabridged.domain.scope import SpaceId
from unabridged.forgetting.tombstones import (
    ForgottenIndex,
    is_telling,
    mark_of,
    normalised,
    spoken,
    tombstone,
)  # fmt: skip
from unabridged.forgetting.without_forgotten import forgotten_in, without
from unabridged.stores.in_memory import InMemoryStore
from unabridged.testing.log_writer import LogWriter

AT = datetime(2026, 3, 1, tzinfo=UTC)
KEY, OTHER = b"k" * 80, b"o" * 32
FIRST, REPLY = "Shall I take the red one today?", "Take it."
SECRET, LONG = "My cousin lives in Ulaanbaatar now.", "So " * 19 + "it is."
LAST = "And now of mountains and of snow."


class Keys:
    def __init__(self, *held):
        self._held = held

    def held(self):
        return list(self._held)

    def current(self):
        return self._held[0]


@pytest.fixture
def store():
    return InMemoryStore(SpaceId("ann", "helper"))


@pytest.fixture
def said(store):
    writer = LogWriter(store)
    return [writer.say(*pair) for pair in ((FIRST, REPLY), (SECRET, LONG), (LAST, "Yes."))]


def mac(key, text):
    return hmac.new(key, text.encode("utf-8", "surrogatepass"), hashlib.blake2b).hexdigest()[:32]


def alone(role, text, key=KEY):
    return mac(key, f"{role}\x1f{text}")


def behind(role, text, before, key=KEY):
    return mac(key, f"{role}\x1f{text}\x1e" + (f"{before[0]}\x1f{before[1]}" if before else ""))


def stone_of(store, exchanges, shared=(), key=KEY, name="p1"):
    plan = ForgetPlan(name, AT, "exchanges", tuple(exchanges), shared=shared)
    return tombstone(plan, AT, key, store)


def body_of(exchanges, alones, behinds):
    mark = hashlib.blake2b(b"unabridged forgetting key", key=KEY[:64], digest_size=8).hexdigest()
    return {
        "version": 1, "key": mark, "alone": sorted(alones), "behind": sorted(behinds),
        "exchanges": sorted(e.id for e in exchanges),
    }  # fmt: skip


def test_a_tombstone_has_a_digest_of_each_message_and_of_each_behind_another(store, said):
    stone = stone_of(store, said[:2])
    behinds = [
        behind("user", FIRST, None),
        behind("assistant", REPLY, ("user", FIRST)),
        behind("user", SECRET, ("assistant", REPLY)),
        behind("assistant", LONG, ("user", SECRET)),
    ]
    alones = [alone("user", FIRST), alone("user", SECRET), alone("assistant", LONG)]
    assert stone == Record(RecordKind.TOMBSTONE, "p1", AT, body_of(said[:2], alones, behinds))
    assert len(mark_of(KEY)) == 16


def test_what_stays_has_no_digest_but_what_follows_it_has(store, said):
    stone = stone_of(store, said[1:2], shared=(said[1].messages[0].id,))
    behinds = [behind("assistant", LONG, ("user", SECRET))]
    assert stone.body == body_of(said[1:2], [alone("assistant", LONG)], behinds)


def test_a_parent_that_stays_is_read_and_one_that_is_gone_is_not(store, said):
    stone = stone_of(store, said[2:])
    behinds = [
        behind("user", LAST, ("assistant", LONG)),
        behind("assistant", "Yes.", ("user", LAST)),
    ]
    assert stone.body == body_of(said[2:], [alone("user", LAST)], behinds)
    orphan = replace(said[2], parent="unknown")
    first = [behind("user", LAST, None), behind("assistant", "Yes.", ("user", LAST))]
    assert stone_of(store, [orphan]).body["behind"] == sorted(first)


def test_a_short_first_message_has_no_digest(store):
    short = LogWriter(store, "s2").say("Hi", "Hello")
    stone = stone_of(store, [short])
    assert stone.body["alone"] == []
    assert stone.body["behind"] == [behind("assistant", "Hello", ("user", "Hi"))]


def test_text_is_compared_by_its_characters_and_words():
    assert normalised(" e\u0301  a\n\tb ") == "\u00e9 a b"
    assert [is_telling(Role.USER, "a " * n) for n in (4, 5)] == [False, True]
    assert [is_telling(Role.ASSISTANT, "a " * n) for n in (19, 20)] == [False, True]
    assert is_telling(Role.TOOL, "a " * 99) is False


def test_only_what_people_and_models_said_is_spoken():
    writer = LogWriter(None)
    messages = [
        writer.message("one"), writer.message("  "), writer.message("two", Role.ASSISTANT),
        writer.message("three", Role.TOOL),
    ]  # fmt: skip
    assert spoken(messages) == [(Role.USER, "one"), (Role.ASSISTANT, "two")]


def test_what_was_forgotten_is_recognised_alone_or_behind_the_same(store, said):
    index = ForgottenIndex(store, Keys(OTHER, KEY))
    assert index.is_idle() is True
    assert index.recognises(SECRET, Role.USER, None) is False
    assert not index.is_blind()
    store.put([stone_of(store, said[1:2])])
    assert index.is_idle() is False
    assert index.recognises(SECRET, Role.USER, None) is True
    assert index.recognises(SECRET, Role.ASSISTANT, None) is False
    assert index.recognises(FIRST, Role.USER, None) is False
    assert index.recognises(" ", Role.USER, None) is False
    assert index.was_forgotten(said[1].id) is True
    assert index.was_forgotten(said[0].id) is False
    store.put([stone_of(store, said[2:], name="p2")])
    assert index.recognises("Yes.", Role.ASSISTANT, (Role.USER, LAST)) is True
    assert index.recognises("Yes.", Role.ASSISTANT, (Role.USER, FIRST)) is False
    assert index.recognises("Yes.", Role.ASSISTANT, None) is False
    assert index.recognises(SECRET, Role.USER, (Role.USER, "else")) is True
    assert not index.is_blind()
    assert ForgottenIndex(store, Keys(OTHER)).is_blind()
    assert not ForgottenIndex(store, Keys(OTHER)).recognises(SECRET, Role.USER, None)
    store.put([stone_of(store, said[:1], key=OTHER, name="p3")])
    assert index.recognises(FIRST, Role.USER, None) is True
    assert ForgottenIndex(store, Keys(KEY)).is_blind()
    store.delete(RecordKind.TOMBSTONE, ["p1"])
    assert index.recognises(SECRET, Role.USER, None) is False


def test_what_was_forgotten_is_found_in_a_conversation(store, said):
    index = ForgottenIndex(store, Keys(KEY))
    writer = LogWriter(None, "s9")
    header = writer.header
    again = [writer.say(*pair) for pair in ((FIRST, REPLY), ("Hm.", "Yes."), (LAST, "Yes."))]
    talk = Transcript(header, tuple(again))
    assert forgotten_in(talk, index) == set()
    store.put([stone_of(store, said[2:])])
    assert forgotten_in(talk, index) == {again[2].id}
    store.put([stone_of(store, [replace(said[0], parent=None)], name="p2")])
    assert forgotten_in(talk, index) == {again[0].id, again[2].id}
    known = Transcript(header, (replace(again[1], id=said[2].id),))
    assert forgotten_in(known, index) == {said[2].id}


def conversation():
    writer = LogWriter(None)
    said = tuple(writer.say(f"Saying {n} of them all", f"Answer {n}") for n in range(4))
    names = [m.id for e in said for m in e.messages]
    header = replace(writer.header, head=names[-1], title="Saying 1 of them all")
    return Transcript(header, said, {names[0]: b"zero", names[2]: b"one"})


def test_nothing_is_left_of_a_conversation_that_is_forgotten():
    talk = conversation()
    assert without(talk, {e.id for e in talk.exchanges}) is None


def test_what_followed_a_forgotten_exchange_follows_what_is_left_before_it():
    talk = conversation()
    zero, one, two, three = talk.exchanges
    left = without(talk, {one.id, two.id})
    lifted = replace(
        three, parent=zero.id,
        messages=(replace(three.messages[0], parent=zero.messages[-1].id), three.messages[1]),
    )  # fmt: skip
    assert left.exchanges == (zero, lifted)
    assert type(left.exchanges) is tuple
    assert left.originals == {zero.messages[0].id: b"zero"}
    assert (left.session.title, left.session.head) == ("", talk.session.head)
    shorter = without(talk, {three.id})
    assert shorter.session == replace(talk.session, head=two.messages[-1].id)
    assert shorter.exchanges == talk.exchanges[:3]


def test_the_head_is_the_newest_that_is_left_if_nothing_before_it_is():
    writer = LogWriter(None)
    first = writer.say("First of all", "Yes")
    other = LogWriter(None)
    for _ in range(9):
        other.message("not written")  # later ids and times
    second, third = (other.say(f"Branch {n}", "No") for n in (1, 2))
    third = replace(third, messages=(*third.messages, other.message("and")))
    session = replace(writer.header, head=first.messages[-1].id)
    left = without(Transcript(session, (first, second, third)), {first.id})
    assert left.session.head == third.messages[-1].id
    assert left.exchanges[0].parent is None


def test_a_message_that_a_branch_keeps_is_not_lost():
    talk = conversation()
    one = talk.exchanges[1]
    answer = replace(one.messages[1], id="other")
    twin = replace(one, id="twin", messages=(one.messages[0], answer))
    left = without(replace(talk, exchanges=(*talk.exchanges, twin)), {one.id})
    assert left.session.title == talk.session.title
    assert left.originals == talk.originals
