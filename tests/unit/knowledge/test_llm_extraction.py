import json

import pytest

from unabridged.errors import UpstreamAwayError
from unabridged.knowledge.llm_extraction import model_extractor, model_stater
from unabridged.knowledge.requirements import Requirements
from unabridged.models.scripted import ScriptedModel

TEXT = "My violin teacher Olga moved to Graz, and I sleep badly since May."


def fact(**given):
    row = {"subject": "user", "attribute": "health", "value": "sleep badly"}
    return row | {"quote": "I sleep badly since May"} | given


def drawn(talk, *answers, text=TEXT):
    extractor = model_extractor(ScriptedModel(answers, model="m1"), rules=lambda exchange: [])
    return extractor, extractor(talk.say(text, answer="She is called Vera."))


def test_a_fact_with_its_quote_is_taken_and_names_the_model(talk):
    answer = "Here it is:\n```json\n" + json.dumps({"facts": [fact()]}) + "\n```"
    extractor, (found,) = drawn(talk, answer)
    assert (found.attribute, found.value, found.by) == ("health", "sleep badly", "model:m1")
    assert found.text == found.quote == "I sleep badly since May"
    assert extractor.note == ""


@pytest.mark.parametrize(
    "wrong",
    [
        {"quote": "i sleep badly since may"},
        {"quote": "I sleep badly", "value": "insomnia"},
        {"quote": "She is called Vera", "value": "Vera"},
        {"quote": ""},
        {"value": ""},
        {"attribute": ""},
        {"attribute": "x" * 61},
        {"subject": "Boris"},
        {"quote": 5},
        {"value": None},
        {"quote": ["I sleep badly since May"]},
    ],
)
def test_what_does_not_stand_there_is_rejected(talk, wrong):
    _, found = drawn(talk, json.dumps({"facts": [fact(**wrong), fact()]}))
    assert [each.value for each in found] == ["sleep badly"]


@pytest.mark.parametrize("answer", ["", "No facts.", "{", '{"facts": 5}', "[1]", '{"x": []}'])
def test_of_an_answer_of_another_form_nothing_is_drawn(talk, answer):
    _, found = drawn(talk, answer)
    assert found == []


def test_a_person_of_the_message_may_be_the_subject(talk):
    row = fact(subject="Olga", attribute="lives in", value="Graz", quote="Olga moved to Graz")
    _, (found,) = drawn(talk, json.dumps({"facts": [row]}))
    assert (found.subject, found.value) == ("Olga", "Graz")


def test_a_model_that_fails_leaves_it_to_the_rules_and_is_not_asked_again(talk, book):
    model = ScriptedModel([UpstreamAwayError("Nobody answers.")], model="m1")
    extractor = model_extractor(model)
    exchanges = [talk.say("I live in Berlin."), talk.say("I love hiking.")]
    assert book.learn(exchanges, extractor) == 2
    assert "m1" in extractor.note
    assert len(model.requests) == 1


def test_what_rules_and_model_both_draw_is_one_fact(talk, book):
    row = {"subject": "user", "attribute": "Lives in", "value": "Berlin", "quote": "live in Berlin"}
    extractor = model_extractor(ScriptedModel([json.dumps({"facts": [row]})]))
    book.learn([talk.say("I live in Berlin.")], extractor)
    (found,) = book.all()
    assert (found.by, found.disputed_by) == ("rules-1", ())


def test_rules_and_model_that_differ_are_disputed(talk, book):
    row = {
        "attribute": "lives in",
        "value": "with my aunt",
        "quote": "I live in Berlin with my aunt",
    }
    extractor = model_extractor(ScriptedModel([json.dumps({"facts": [row]})]))
    book.learn([talk.say("I live in Berlin with my aunt.")], extractor)
    assert len(book.disputes()) == 1


def test_a_very_long_message_is_left_to_the_rules(talk):
    model = ScriptedModel(['{"facts": []}'])
    model_extractor(model)(talk.say("word " * 4000))
    assert model.requests == []


def test_requirements_come_with_their_quote_or_not_at_all(talk, clock):
    text = "Nurses like big buttons. Blood values glow red, because nurses are tired."
    rows = [
        {"quote": "Blood values glow red", "type": "functional", "priority": "should",
         "rationale": "nurses are tired"},
        {"quote": "Alarms ring", "type": "functional"},
        {"quote": "Nurses like big buttons.", "type": "odd", "priority": "x", "rationale": "Mars"},
    ]  # fmt: skip
    stater = model_stater(ScriptedModel([json.dumps({"requirements": rows})]))
    book = Requirements(talk.store, clock)
    assert book.learn([talk.say(text)], stater) == 2
    first, second = book.all()
    assert (first.text, first.priority) == ("Blood values glow red", "should")
    assert first.by == "model:scripted"
    assert first.rationale == "nurses are tired"
    assert (second.type, second.priority, second.rationale) == ("functional", "", "")


def test_where_a_model_fails_the_rules_read_on_and_the_model_is_asked_later(talk, book):
    for text in ("I live in Berlin.", "I love hiking.", "I hate fog."):
        talk.say(text)
    away = book.asking(ScriptedModel([UpstreamAwayError("Nobody answers.")], model="m1"))
    assert [book.learn_pending(2, away) for _ in range(3)] == [2, 1, 0]
    assert [f.value for f in book.all()] == ["Berlin", "hiking", "fog"]
    model = ScriptedModel(['{"facts": []}'], model="m1")
    there = book.asking(model)
    assert [book.learn_pending(2, there) for _ in range(3)] == [2, 1, 0]
    assert len(model.requests) == 3
    assert book.learn_pending(2) == 0


def test_requirements_too_are_read_by_rules_where_a_model_fails(talk, clock):
    talk.say("The system must start.")
    book = Requirements(talk.store, clock)
    away = book.asking(ScriptedModel([UpstreamAwayError("Nobody answers.")]))
    assert [book.learn_pending(2, away) for _ in range(2)] == [1, 0]
    assert len(book.all()) == 1
    assert "rules" in away.note
