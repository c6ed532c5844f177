"""Clients that trim so much that nothing they send tells where it belongs: no word is lost of it."""

import pytest
from tests.opened import store_of
from tests.unit.history_sync.hand import ask, said, talk, user

from unabridged.history_sync.position import LEAST_EVIDENCE

TALK = (
    "What is the river called?",
    "By some the Lamp, by others the Seven.",
    "Who lives in the tower?",
    "A miller, and he has a blue cat.",
    "What does he grind?",
    "Wheat in the summer, and rye in the winter.",
)


def stored(memory):
    """Every path of the space, as the words of its exchanges."""
    every = {e.id: e for e in store_of(memory).scan(None)}

    def path(exchange):
        above = path(every[exchange.parent]) if exchange.parent else ()
        return (*above, *(m.text for m in exchange.messages))

    return [path(exchange) for exchange in every.values()]


def test_what_stands_in_two_conversations_alike_goes_on_in_the_newest(memory):
    ask(memory, [*talk(*TALK), user("And the cat?")], "It sleeps.")
    edited = ("What is the river called?", "The Ångström.", *TALK[2:])
    ask(memory, [*talk(*edited), user("And the bread?")], "It is brown.")
    before = stored(memory)
    for trimmed in (talk(*TALK)[2:], talk(*TALK)[3:], talk(*TALK)[4:]):  # and a half of one
        question = f"And what do I pay, of {len(trimmed)}?"
        heard, _, _ = ask(memory, [*trimmed, user(question)], "Nothing.")
        assert (heard.taken, heard.new_session) == (0, False)
        before.append((*edited, question, "Nothing."))
        assert stored(memory) == before


@pytest.mark.parametrize("behind", [0, 1])
def test_one_message_more_tells_two_conversations_apart(memory, behind):
    ask(memory, talk(*TALK)[:1], TALK[1])  # answered here: else what they share is an opening
    ask(memory, [*talk(*TALK), user("And the cat?")], "It sleeps.")
    edited = ("What is the river called?", "The Ångström, or else the Café.", *TALK[2:])
    ask(memory, [*talk(*edited), user("And the bread?")], "It is brown.")
    before = stored(memory)
    for own in (TALK, edited):
        question = f"And what do I pay, {own[1]}?"
        heard, _, _ = ask(memory, [*talk(*own)[behind:], user(question)], "Nothing.")
        assert heard.taken == 0
        before.append((*own, question, "Nothing."))
        assert stored(memory) == before


def test_too_little_for_the_midst_of_a_conversation_begins_one_with_all_its_words(memory):
    ask(memory, [*talk(*TALK[:2]), user("Is it deep?")], "ok")
    before = stored(memory)
    unanswered = [said("ok"), user("continue")]
    assert sum(len(draft.text) for draft in unanswered) < LEAST_EVIDENCE
    heard, _, _ = ask(memory, [*unanswered, user("How deep is the river then?")], "A fathom.")
    assert heard.taken == 3  # a user's message without words, "ok" and "continue"
    new = ("", "ok", "continue", "How deep is the river then?", "A fathom.")
    assert stored(memory) == [*before, new[:2], new[:3], new]


def test_the_same_with_the_question_goes_on_where_it_was(memory):
    ask(memory, [*talk(*TALK[:2]), user("Is it deep, by what you know?")], "ok")
    history = [*talk("Is it deep, by what you know?", "ok"), user("continue")]
    heard, _, _ = ask(memory, [*history, user("How deep is the river then?")], "A fathom.")
    assert (heard.taken, heard.new_session) == (1, False)
    whole = (*TALK[:2], "Is it deep, by what you know?", "ok", "continue")
    assert stored(memory)[-1] == (*whole, "How deep is the river then?", "A fathom.")
