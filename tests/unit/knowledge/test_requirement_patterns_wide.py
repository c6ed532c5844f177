"""Requirements out of talk about requirements: the sentences of conversations written for it."""

import json
from pathlib import Path

import pytest

from unabridged.knowledge.requirement_patterns import stated
from unabridged.knowledge.requirement_patterns_wide import elicited

FIXTURES = Path(__file__).parents[2] / "fixtures" / "requirements"
WRITTEN = ("clinic", "depot", "school", "verein", "werkstatt")


def exchanges(name):
    return json.loads((FIXTURES / f"{name}.json").read_text("utf-8"))["exchanges"]


@pytest.mark.parametrize("name", WRITTEN)
def test_a_conversation_gives_what_it_states_and_no_noise(name):
    missed, noise, stated_in_all = [], [], 0
    for exchange in exchanges(name):
        drawn = [each.quote for each in elicited(exchange["user"])]
        stated_in_all += len(exchange["states"])
        missed += [q for q in exchange["states"] if not any(q in each for each in drawn)]
        noise += [each for each in drawn if not any(q in each for q in exchange["states"])]
        assert all(each in exchange["user"] for each in drawn)
    assert noise == []
    assert len(missed) <= 0.1 * stated_in_all, missed


@pytest.mark.parametrize(
    "text",
    [
        "I must say that's nice.",
        "You have to love it.",
        "It must be hard for you.",
        "They must have felt so appreciated.",
        "You should really talk to my lawyer, she knows these things.",
        "I should get some sleep.",
        "We should probably have lunch.",
        "My daughter has to be at the dentist at four.",
        "That should be it for today.",
        "It won't happen again.",
        "I need a coffee.",
        "I want the best for them.",
        "Must the owner have an account?",
        "Ich muss sagen, das ist schön.",
        "Sie müssen mir die Liste noch schicken.",
        "Das sollte reichen.",
        "Wir brauchen eine Pause.",
        "No problem at all!",
        "More than that they cannot promise.",
    ],
)
def test_what_people_say_of_themselves_and_each_other_is_no_requirement(text):
    assert list(elicited(text)) == []


@pytest.mark.parametrize(
    ("text", "priority"),
    [
        ("Owners should be able to cancel online.", "should"),
        ("It would be nice if the list could be printed.", "could"),
        ("We don't need online payment in the first version.", "wont"),
        ("Staff must never see the prices.", "must"),
        ("Trainer dürfen keine Bankdaten sehen.", "must"),
        ("Ein Foto wäre schön, ist aber nicht zwingend.", "could"),
    ],
)
def test_how_much_it_is_asked_for_is_told_by_the_words(text, priority):
    (each,) = elicited(text)
    assert (each.text, each.priority) == (text, priority)


def test_what_speaks_of_the_system_is_drawn_as_ever():
    text = "The system must answer within 2 seconds. Backups must run every night."
    assert list(elicited(text)) == list(stated(text))
