"""A conversation is rich by its changes of topic and by what it names."""

from datetime import UTC, datetime

import pytest

from unabridged.condense.topic_density import (
    CHANGES,
    LEAST,
    NAMES,
    NEUTRAL,
    RECENT,
    richness,
    worth,
)
from unabridged.domain.exchange import Exchange, ExchangeState
from unabridged.domain.message import Message, Role, Text

NOW = datetime(2026, 11, 22, tzinfo=UTC)
SMALL = ("hi", "how are you?", "fine, thanks", "lol yes", "ok then", "good night")
BREAD = (
    "How long does the dough of a rye bread rest?",
    "And does the dough of the bread need salt?",
    "Should the rye dough rest in the cold?",
    "How hot is the oven for rye bread?",
    "Is the bread done when the crust of the rye bread is dark?",
)
MIXED = (
    "My sister Ottilie moves from Visby to Gothenburg in spring.",
    "The compiler of our project Emmental rejects every generic interface.",
    "Doctor Benedikt prescribed Ibuprofen against the pain in my shoulder.",
    "We booked the night train from Stockholm to Narvik for August.",
    "The landlord Cornelius wants the deposit before the kitchen is painted.",
    "Wilhelmina sings soprano in the Verdi requiem at the cathedral.",
)


def said(*texts, answer="I see."):
    return [
        Exchange(
            id=f"x{n}",
            session="s",
            parent=None,
            state=ExchangeState.COMPLETE,
            messages=(
                Message(f"u{n}", Role.USER, (Text(text),), NOW),
                Message(f"a{n}", Role.ASSISTANT, (Text(answer),), NOW),
            ),
            at=NOW,
        )
        for n, text in enumerate(texts)
    ]


def test_talk_about_many_things_and_people_is_richer_than_one_subject_and_that_than_small_talk():
    small, bread, mixed = (richness(said(*texts)) for texts in (SMALL, BREAD, MIXED))
    assert small <= 0.1
    assert bread < NEUTRAL < mixed
    assert small <= bread


def test_a_conversation_that_has_hardly_begun_says_nothing_either_way():
    assert richness([]) == NEUTRAL
    assert richness(said(*MIXED[: LEAST - 1])) == NEUTRAL
    assert richness(said(*MIXED[:LEAST])) != NEUTRAL


def test_only_the_newest_exchanges_count_and_the_same_gives_the_same():
    later = said(*(SMALL * 2))[:RECENT]
    assert richness([*said(*MIXED), *later]) == richness(later) == richness(later)


def test_what_the_answer_brought_is_no_change_of_topic():
    plain = richness(said(*MIXED))
    assert richness(said(*MIXED, answer=" ".join(MIXED)[:290])) < plain


def test_an_exchange_without_an_answer_and_odd_texts_are_read():
    odd = [*said("", "\0", "👋" * 2000, "a" * 50_000, "东京塔和秋叶原" * 400)]
    alone = [
        Exchange(**{f: getattr(x, f) for f in FIELDS} | {"messages": x.messages[:1]}) for x in odd
    ]
    assert 0 <= richness(odd) <= 1
    assert 0 <= richness(alone) <= 1


FIELDS = ("id", "session", "parent", "state", "at")


@pytest.mark.parametrize(
    ("value", "found"),
    [(-1, 0.2), (1, 0.2), (2, 0.35), (3, 0.5), (4, 0.75), (5, 1.0), (99, 1.0)],
)
def test_a_curve_runs_straight_between_its_points_and_flat_outside(value, found):
    assert worth(value, ((1.0, 0.2), (3.0, 0.5), (5.0, 1.0))) == pytest.approx(found)


@pytest.mark.parametrize("curve", [CHANGES, NAMES])
def test_the_curves_rise_from_nothing_to_all_through_the_middle(curve):
    assert [curve[0][1], curve[-1][1]] == [0, 1]
    assert NEUTRAL in [high for _, high in curve]
    assert list(curve) == sorted(set(curve))
