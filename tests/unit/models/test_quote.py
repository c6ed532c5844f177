from datetime import UTC, datetime

import pytest

from unabridged.domain.chat import ChatRequest
from unabridged.domain.message import Message, Role, Text
from unabridged.language.questions import is_question
from unabridged.models.quote import Quotation, QuoteModel

AT = datetime(2026, 11, 21, 9, tzinfo=UTC)
CAT = Quotation("My cat is called Miezi.\nShe is 3.", AT, answer="A fine name.")


def quoting(clock, *found, **rest):
    return QuoteModel(lambda question: list(found), clock, **rest)


def test_it_quotes_with_the_date_and_what_was_answered(clock):
    answer = quoting(clock, CAT).answer("What is my cat called?")
    assert answer == (
        "On 21 November you said: “My cat is called Miezi.\nShe is 3.”\nThe answer was: “A fine name.”"
    )


def test_another_year_is_told(clock):
    old = Quotation("x y", datetime(2024, 3, 2, tzinfo=UTC))
    assert "On 2 March 2024 you said" in quoting(clock, old).answer("what?")


def test_a_question_is_quoted_as_one_and_a_fact_as_what_was_done_with_it(clock):
    asked, noted = Quotation("Where is it?", AT), Quotation("I am 41", AT, "noted")
    answer = quoting(clock, asked, noted).answer("what?")
    assert "you asked: “Where is it?”" in answer
    assert "you noted: “I am 41”" in answer


def test_of_a_long_text_the_sentences_around_the_answer_are_quoted_and_what_is_left_out_shows(
    clock,
):
    long = "It rained. " * 60 + "The key is under the pot. " + "It snowed. " * 60
    answer = quoting(clock, Quotation(long, AT)).answer("Where is the key?")
    assert "The key is under the pot." in answer
    assert answer.count("[…]") == 2
    assert len(answer) < 500


def test_where_it_has_nothing_it_says_so(clock):
    empty = quoting(clock)
    assert empty.answer("Where is my key?") == "I have nothing about that in memory."


def test_a_statement_is_noted(clock):
    assert quoting(clock, CAT).answer("My cat is ill.") == "Noted."
    assert quoting(clock, keeps=False).answer("I live in Bern.") == "Noted, for this chat only."


@pytest.mark.parametrize("question", ["what's my cat called", "where’s my cat", "Say it again."])
def test_a_question_needs_no_mark(clock, question):
    assert "Miezi" in quoting(clock, CAT).answer(question)


@pytest.mark.parametrize(
    "greeting", ["Hi!", "hello", "Good morning.", "Hallo", "你好", "こんにちは！"]
)
def test_greetings_are_returned_without_quoting(clock, greeting):
    answer = quoting(clock, CAT).answer(greeting)
    assert answer.startswith("Hello.")
    assert "Miezi" not in answer


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
    model = quoting(clock, Quotation("a  b\n\n\tc ", AT))
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


@pytest.mark.parametrize(
    "question",
    [
        "tell me what do you know about me",
        "What do you know about me?",
        "What do you know about me so far?",
        "who am I",
        "Tell me everything you know about me.",
        "What have I told you about myself?",
        "What do you remember about me?",
        "Was weißt du über mich?",
    ],
)
def test_what_is_known_of_the_person_is_listed(clock, question):
    model = quoting(clock, CAT, known=lambda: ["Call me Ann.", "Daughter: Zosia"])
    assert model.answer(question) == (
        "This is what I know about you:\n- Call me Ann.\n- Daughter: Zosia"
    )
    assert "nothing about that" in quoting(clock).answer("What do you know about me?")


@pytest.mark.parametrize(
    "question",
    ["Who am I visiting in May?", "What do you know about my cat?", "Tell me about the cat."],
)
def test_other_questions_list_nothing(clock, question):
    assert "Miezi" in quoting(clock, CAT, known=lambda: ["Call me Ann."]).answer(question)


def test_a_long_list_says_how_many_more_there_are(clock):
    answer = quoting(clock, known=lambda: [f"Fact {n}" for n in range(50)]).answer("Who am I?")
    assert answer.endswith("- and 10 more")
