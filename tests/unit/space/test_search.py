"""Searching a memory: what matches, what is only near, and what narrows a search."""

from datetime import timedelta

import pytest

from unabridged import Memory
from unabridged.errors import InputError
from unabridged.space.search import matching_words, split_phrases
from unabridged.testing.clock import ManualClock

TALK = (
    ("The blue folder is on the shelf in the hall.", "I will remember the shelf."),
    ("My locker code is 4471.", "Noted."),
    ("We booked a hotel in Lisbon for June.", "Lisbon is lovely in June."),
    ("Tell me a joke about tea.", "Why did the kettle blush? It saw the peanuts."),
    ("A folder that is blue would suit the office.", "A blue one is easy to find."),
)


@pytest.fixture
def memory():
    clock = ManualClock(step=timedelta(days=1))
    with Memory.open(ephemeral=True, upstream="quote", clock=clock) as opened:
        for number, (said, answer) in enumerate(TALK):
            opened.add(
                [{"role": "user", "content": said}, {"role": "assistant", "content": answer}],
                session="peanuts" if number == 2 else f"s{number}",
            )
        yield opened


def said(found):
    return [one.exchange.user.text for one in found]


@pytest.mark.parametrize("query", ["xyzzyplugh", "passport", "8812", "qwrt zzkp", "submarine"])
def test_nothing_matches_what_nobody_said(memory, query):
    assert memory.search(query) == []
    nearest = memory.search(query, min_relevance=0)
    assert nearest
    assert not any(one.matched for one in nearest)


@pytest.mark.parametrize("query", ["folder", "Lisbon hotel", "4471", "where is the folder?"])
def test_what_holds_a_word_of_the_query_matches(memory, query):
    found = memory.search(query)
    assert found
    assert all(one.matched for one in found)


def test_a_meaning_near_enough_matches_without_a_word(memory):
    assert "Lisbon" in said(memory.search("accommodation in Portugal"))[0]


def test_only_what_matches_by_itself_comes(memory):
    assert said(memory.search("peanuts")) == [TALK[3][0]]


def test_after_forgetting_nothing_similar_is_found(memory):
    memory.forget(search="4471")
    assert memory.search("4471") == []


@pytest.mark.parametrize("query", ['"blue folder"', "“Blue  Folder”", '"blue folder" shelf'])
def test_a_phrase_in_quotation_marks_is_found_as_it_is_written(memory, query):
    assert said(memory.search(query)) == [TALK[0][0]]


def test_other_words_rank_what_holds_the_phrase(memory):
    found = said(memory.search('"folder" office'))
    assert found == [TALK[4][0], TALK[0][0]]


def test_exact_takes_the_whole_query(memory):
    assert said(memory.search("blue folder is", exact=True)) == [TALK[0][0]]
    assert memory.search("folder blue", exact=True) == []


def test_a_role_must_hold_a_word(memory):
    assert said(memory.search("shelf", role="assistant")) == [TALK[0][0]]
    assert memory.search("peanuts", role="user") == []
    assert said(memory.search('"peanuts"', role="assistant")) == [TALK[3][0]]


def test_a_period_narrows(memory):
    at = {one.exchange.user.text: one.exchange.at for one in memory.search("folder")}
    middle = max(at.values())
    assert said(memory.search("folder", since=middle)) == [TALK[4][0]]
    assert said(memory.search("folder", until=middle)) == [TALK[0][0]]


@pytest.mark.parametrize("wrong", [{"role": "system"}, {"min_relevance": 2}])
def test_what_cannot_be_asked_is_an_error_with_a_hint(memory, wrong):
    with pytest.raises(InputError) as raised:
        memory.search("folder", **wrong)
    assert raised.value.hint


def test_phrases_are_split_from_words():
    assert split_phrases('a "b c" d «e»') == (["b c", "e"], "a   d  ")
    assert split_phrases('an inch is 1"') == ([], 'an inch is 1"')
    assert split_phrases('"" x') == ([], '"" x')


@pytest.mark.parametrize(
    ("query", "text", "marked"),
    [
        ("hotels", "Two hotels, one Hotel.", ["hotels", "Hotel"]),
        ('"blue folder"', "The Blue\nfolder", ["Blue\nfolder"]),
        ("lisbon xyz", "nothing here", []),
        ("東京の天気", "東京は晴れ", ["東京"]),
    ],
)
def test_matching_words_are_marked(query, text, marked):
    assert [text[a:b] for a, b in matching_words(query, text)] == marked
