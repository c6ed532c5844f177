import random
from datetime import UTC, datetime, timedelta

import pytest

from unabridged.condense.topic_labels import label
from unabridged.condense.topic_words import stems, telling
from unabridged.condense.topics import SINGLES, topics
from unabridged.domain.topic import TopicItem
from unabridged.embeddings.static import StaticEmbedder

BEGUN = datetime(2026, 5, 1, 9, tzinfo=UTC)
GUITAR = [
    ("Which strings suit my acoustic guitar?", "Phosphor bronze strings suit an acoustic guitar."),
    ("How do I tune the guitar by ear?", "Tune the low string first, then fret by fret."),
    ("My guitar chords buzz on the second fret.", "Press closer to the fret, or raise the action."),
    ("Show me guitar chords for beginners.", "Begin with the chords G, C and D."),
]
GARDEN = [
    ("When do I plant tomatoes in the garden?", "Plant tomatoes after the last frost."),
    ("The tomato leaves turn yellow.", "Yellow leaves often mean that the soil lacks nitrogen."),
    ("Which compost is good for the soil of a garden?", "Well rotted compost feeds garden soil."),
    ("Slugs eat the lettuce in my garden!", "Lay boards in the garden and collect slugs at dawn."),
]
TAXES = [
    ("Which expenses lower my income tax?", "Travel expenses and donations lower income tax."),
    ("When is the tax return due?", "The tax return is due at the end of July."),
    ("Do I owe tax on dividends?", "Dividends above the allowance are taxed."),
    ("Can an accountant file the tax return?", "Yes, an accountant may file your tax return."),
]


def talk(session, said, *, day=0, tokens=10):
    at = BEGUN + timedelta(days=day)
    return [
        TopicItem(f"{session}-{n}", session, at + timedelta(minutes=n), user, answer, tokens)
        for n, (user, answer) in enumerate(said)
    ]


@pytest.fixture(scope="module")
def embedder():
    found = StaticEmbedder()
    yield found
    found.close()


@pytest.fixture
def items():
    return [
        *talk("a", GUITAR[:2] + GARDEN[:2], day=0),
        *talk("b", TAXES, day=1),
        *talk("c", GARDEN[2:], day=2),
        *talk("d", GUITAR[2:], day=3),
    ]


def members(found):
    return {frozenset(topic.exchanges) for topic in found}


def test_a_session_is_parted_and_its_parts_meet_those_of_others(items, embedder):
    found = topics(items, embedder)
    assert members(found) == {
        frozenset({"a-0", "a-1", "d-0", "d-1"}),
        frozenset({"a-2", "a-3", "c-0", "c-1"}),
        frozenset({"b-0", "b-1", "b-2", "b-3"}),
    }
    by_name = {topic.name: topic for topic in found}
    (guitar,) = (topic for name, topic in by_name.items() if "guitar" in name)
    assert guitar.sessions == ("a", "d")
    assert guitar.tokens == 40
    assert (guitar.first, guitar.last) == (BEGUN, BEGUN + timedelta(days=3, minutes=1))
    assert any("tax" in name for name in by_name)
    assert any("garden" in name for name in by_name)


def test_words_alone_find_topics_too(items):
    found = topics(items)
    assert sum(len(topic.exchanges) for topic in found) == len(items)
    assert any({"b-0", "b-1"} <= set(topic.exchanges) for topic in found)


def test_the_order_in_which_they_are_given_changes_nothing(items, embedder):
    wanted = topics(items, embedder)
    for seed in range(5):
        shuffled = random.Random(seed).sample(items, len(items))
        assert topics(shuffled, embedder) == wanted


def test_small_talk_is_told_apart_and_sizes_add_up(items, embedder):
    small = [("Hi!", "Hello! How can I help?"), ("Thanks", "You're welcome!"), ("ok", "Great.")]
    found = topics([*items, *talk("e", small, day=4, tokens=3)], embedder)
    assert found[-1].other
    assert found[-1].exchanges == ("e-0", "e-1", "e-2")
    assert found[-1].name == "small talk and other"
    assert [topic.other for topic in found[:-1]] == [False] * (len(found) - 1)
    assert sum(topic.tokens for topic in found) == 10 * len(items) + 9


def test_greetings_and_thanks_stay_with_what_they_stand_beside(embedder):
    said = [("Hello", "Hi there!"), *GUITAR, ("Thank you!", "You're welcome.")]
    (topic,) = topics(talk("a", said), embedder)
    assert len(topic.exchanges) == len(said)


def test_single_questions_among_many_exchanges_are_no_topics(embedder):
    many = [item for n in range(8) for item in talk(f"s{n}", GUITAR if n % 2 else TAXES, day=n)]
    lone = talk("lone", [("Why do volcanoes erupt?", "Magma rises and gas drives it out.")], day=9)
    assert len(many) > SINGLES
    found = topics([*many, *lone], embedder)
    assert found[-1].other
    assert found[-1].exchanges == ("lone-0",)
    few = topics([*many[:8], *lone], embedder)
    assert any(topic.exchanges == ("lone-0",) and not topic.other for topic in few)


@pytest.mark.parametrize("text", ["", "   ", "```\nx = 1\n```", "12 34", "🙂"])
def test_what_tells_nothing_is_counted_all_the_same(text, embedder):
    (topic,) = topics(talk("a", [(text, "")]), embedder)
    assert topic.other
    assert topic.exchanges == ("a-0",)


def test_nothing_gives_nothing(embedder):
    assert topics([], embedder) == []


def test_languages_without_spaces_are_named_in_their_own_words(embedder):
    said = [
        ("東京の美術館を教えて", "東京の美術館は上野にあります。"),
        ("美術館の切符はいくら？", "美術館の切符は千円です。"),
    ]
    (topic,) = topics(talk("a", said), embedder)
    assert any("美術館" in word for word in topic.label)


def test_it_tells_how_far_it_came(items, embedder):
    told = []
    topics(items, embedder, lambda *step: told.append(step))
    assert ("Embedding", len(items), len(items)) in told


def test_more_than_can_be_compared_are_grouped_all_the_same(monkeypatch, embedder):
    monkeypatch.setattr("unabridged.condense.topic_groups.MOST", 5)
    many = [
        item for n in range(12) for item in talk(f"s{n}", (GUITAR, TAXES, GARDEN)[n % 3], day=n)
    ]
    found = topics(many, embedder)
    assert sum(len(topic.exchanges) for topic in found) == len(many)
    assert any(len(topic.sessions) == 4 for topic in found)


def test_labels_keep_the_spelling_and_leave_out_code():
    texts = [
        ("Book the hotel in Lisbon, `get_rate()` fails", "The Hotel Azul in Lisbon is booked."),
        ("Is Lisbon's hotel near the river?", "The hotel stands at the Tagus."),
    ]
    words = label(texts, lambda _: 0.01)
    assert words[0] in {"hotel", "Lisbon"}
    assert {"hotel", "Lisbon"} <= set(words)
    assert not any("rate" in word for word in words)
    assert len(words) <= 4


def test_pairs_of_words_that_stand_together_are_named_together():
    texts = [("My blood sugar is high.", "Blood sugar falls with exercise.")] * 3
    assert "blood sugar" in {word.lower() for word in label(texts, lambda _: 0.05)}


def test_what_any_talk_says_tells_nothing():
    assert stems("Thanks, that's great! Can you help me with some more ideas?") == []
    assert stems("They'll say l'hôtel isn't quickly found: getUserId") == ["hotel"]
    (word,) = telling("the Guitars")
    assert (word.stem, word.spelling, word.named) == ("guitar", "Guitars", 1)
