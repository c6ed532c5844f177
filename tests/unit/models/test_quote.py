from datetime import UTC, datetime

import pytest

from unabridged.domain.chat import ChatRequest
from unabridged.domain.exchange import Exchange, ExchangeState
from unabridged.domain.message import Message, Role, Text
from unabridged.language.questions import is_question
from unabridged.models.quote import QuoteModel


def exchange(said, answer=None, *, at=datetime(2026, 11, 21, 9, tzinfo=UTC), model="llama3"):
    messages = [Message("u", Role.USER, (Text(said),), at)]
    if answer:
        messages.append(Message("a", Role.ASSISTANT, (Text(answer),), at))
    return Exchange("e", "s", None, ExchangeState.COMPLETE, tuple(messages), at, model=model)


CAT = exchange("My cat is called Miezi.\nShe is 3.", "A fine name.")


def quoting(clock, *found, **rest):
    return QuoteModel(lambda question: list(found), clock, **rest)


def test_it_quotes_whole_with_the_date(clock):
    answer = quoting(clock, CAT).answer("What is my cat called?")
    assert answer == (
        "On 21 November you said: “My cat is called Miezi.\nShe is 3.”\nThe answer was: “A fine name.”"
    )


def test_another_year_is_told(clock):
    old = exchange("x y", at=datetime(2024, 3, 2, tzinfo=UTC))
    assert "On 2 March 2024 you said" in quoting(clock, old).answer("what?")


def test_its_own_answers_are_not_quoted_again(clock):
    own = exchange("I like tea.", "I have taken note of that.", model="quote")
    assert "taken note" not in quoting(clock, own).answer("What do I like?")


def test_questions_that_it_only_quoted_to_add_nothing(clock):
    asked = exchange("What do I like?", "On 3 May …", model="quote")
    assert quoting(clock, asked).answer("Tell me what I like") == (
        "I have nothing about that in memory. I have taken note of your question."
    )


def test_where_it_has_nothing_it_says_so_and_takes_note(clock):
    empty = quoting(clock)
    assert "nothing about that" in empty.answer("Where is my key?")
    assert empty.answer("I live in Cologne.") == "I have taken note of that."
    ephemeral = quoting(clock, keeps=False)
    assert "note" not in ephemeral.answer("Where is my key?")
    assert "note" not in ephemeral.answer("I live in Cologne.")


def test_a_statement_is_noted_and_what_goes_with_it_is_quoted(clock):
    answer = quoting(clock, CAT).answer("My cat is ill.")
    assert answer.startswith("I have taken note")
    assert "Miezi" in answer


@pytest.mark.parametrize(
    "greeting", ["Hi!", "hello", "Good morning.", "Hallo", "你好", "こんにちは！"]
)
def test_greetings_are_returned_without_quoting(clock, greeting):
    answer = quoting(clock, CAT).answer(greeting)
    assert answer.startswith("Hello.")
    assert "Miezi" not in answer


def test_pinned_facts_are_quoted(clock):
    model = quoting(clock, facts=lambda question: ["I am allergic to nuts."])
    assert "“I am allergic to nuts.”" in model.answer("Can I eat this?")


def test_the_question_is_the_persons_own_words(clock):
    heard = []
    model = QuoteModel(
        lambda q: heard.append(q) or [], clock, own_words=lambda text: text.split("|")[1]
    )
    at = clock.now()
    prompt = (
        Message("1", Role.USER, (Text("fence|first"),), at),
        Message("2", Role.ASSISTANT, (Text("x"),), at),
        Message("3", Role.USER, (Text("fence| where is my key? "),), at),
    )
    chunks = list(model.chat(ChatRequest(prompt)))
    assert heard == ["where is my key?"]
    assert "".join(c.text for c in chunks) == model.answer("where is my key?")
    assert len(chunks) > 5
    assert chunks[-1].done


def test_whitespace_survives_streaming(clock):
    model = quoting(clock, exchange("a  b\n\n\tc "))
    prompt = (Message("1", Role.USER, (Text("what?"),), clock.now()),)
    said = "".join(chunk.text for chunk in model.chat(ChatRequest(prompt)))
    assert "“a  b\n\n\tc ”" in said


@pytest.mark.parametrize(
    ("text", "asks"),
    [
        ("Where is it", True),
        ("You know?", True),
        ("¿Dónde?", True),
        ("これは？", True),
        ("I know.", False),
        ("Remember the cheese project", True),
        ("Remember: my sister lives in Lisbon.", False),
        ("Remember that I like tea.", False),
        ("Tell me about Lisbon", True),
        ("", False),
    ],
)
def test_questions(text, asks):
    assert is_question(text) is asks
