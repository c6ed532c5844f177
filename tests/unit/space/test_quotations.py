"""The quoting model in a memory: what strangers ask first is answered from what they said."""

import json
from pathlib import Path

import pytest

from unabridged import Memory

CONVERSATIONS = json.loads(
    (Path(__file__).parents[2] / "fixtures" / "first_conversations.json").read_text("utf-8")
)
UNANSWERED = {"lactose", "car"}
"""What no word and too little meaning joins to its answer."""


@pytest.fixture
def memory(tmp_path):
    with Memory.open(tmp_path, upstream="quote") as opened:
        yield opened


def asked(memory, conversation):
    talk = memory.conversation()
    for step in conversation["steps"]:
        if step == "/new":
            talk = memory.conversation()
        elif step.startswith("/pin "):
            memory.pin(step.removeprefix("/pin "))
        elif step.startswith("/fact "):
            memory.facts.add(step.removeprefix("/fact "))
        else:
            talk.chat(step).finish()
    return talk.chat(conversation["ask"]).finish().answer.text


@pytest.mark.parametrize("conversation", CONVERSATIONS, ids=lambda each: each["name"])
def test_a_first_conversation(memory, conversation):
    answer = asked(memory, conversation)
    is_right = all(words in answer for words in conversation["right"])
    is_wrong = any(words in answer for words in conversation.get("wrong", ()))
    assert (is_right and not is_wrong) == (conversation["name"] not in UNANSWERED), answer


def test_an_exchange_of_another_session_is_quoted_only_where_it_may_be_recalled(tmp_path):
    with Memory.open(tmp_path, upstream="quote", recall_scope="session") as memory:
        memory.conversation().chat("My sister is called Paula.").finish()
        answer = memory.conversation().chat("What is my sister called?").finish().answer.text
    assert "Paula" not in answer


def test_what_a_real_model_answered_is_quoted_too(memory):
    memory.add(
        [
            {"role": "user", "content": "Which paint suits a bathroom?"},
            {"role": "assistant", "content": "Use silicate paint in the bathroom."},
        ]
    )
    answer = memory.conversation().chat("Which paint suits the bathroom?").finish().answer.text
    assert "The answer was: “Use silicate paint in the bathroom.”" in answer


def test_what_was_forgotten_is_not_quoted(memory):
    talk = memory.conversation()
    talk.chat("The locker code is 4471.").finish()
    memory.forget(search="4471")
    answer = memory.conversation().chat("What is the locker code?").finish().answer.text
    assert answer == "I have nothing about that in memory."


def test_a_newer_value_replaces_an_older_one(memory):
    for words in ("I live in Bern.", "I live in Basel now."):
        memory.conversation().chat(words).finish()
    answer = memory.conversation().chat("Where do I live?").finish().answer.text
    assert "Basel" in answer
    assert "Bern" not in answer


def test_facts_and_pins_are_what_is_known_about_the_person(memory):
    memory.facts.add("I like tea.")
    memory.pin("Answer in English.")
    memory.conversation().chat("My dog is called Burek.").finish()
    memory.facts.learn_pending()
    answer = memory.conversation().chat("What do you know about me?").finish().answer.text
    assert answer.startswith("This is what I know about you:\n- Answer in English.")
    assert "- I like tea." in answer
    assert "Burek" in answer


def test_of_a_session_that_recalls_only_itself_no_other_is_listed(tmp_path):
    with Memory.open(tmp_path, upstream="quote", recall_scope="session") as memory:
        memory.conversation().chat("My dog is called Burek.").finish()
        memory.facts.learn_pending()
        answer = memory.conversation().chat("What do you know about me?").finish().answer.text
    assert "Burek" not in answer


def test_a_learned_fact_is_quoted_in_the_persons_words_and_once(memory):
    memory.conversation().chat("We have an old dog, his name is Burek. He likes cheese.").finish()
    memory.conversation().chat("My dog is called Burek.").finish()
    memory.facts.learn_pending()
    answer = memory.conversation().chat("What is the name of my dog?").finish().answer.text
    assert "noted" not in answer
    assert answer.count("My dog is called Burek") == 1
