from datetime import UTC, datetime

import pytest

from unabridged.condense.salience import (
    MOST_TELLING,
    asks,
    new_topic,
    points_forward,
    salient_exchanges,
)
from unabridged.domain.annotation import Annotation, ExchangeReading
from unabridged.domain.message import Role
from unabridged.testing.log_writer import LogWriter

ASKING = [
    "Where did I park the car?",
    "what is the best way to store basil",
    "Can you recommend a book about bees",
    "I'm tired. Any idea how to sleep better",
    "I wonder whether it will rain.",
    "Tell me about the Hanseatic league.",
    "He asked (seriously?)",
    "Wie lange muss das kochen",
    "Weißt du, wann der Zug fährt",
    "¿Dónde está la biblioteca",
    "cuanto cuesta un billete a Madrid",
    "Est-ce que tu peux m'aider",
    "pourquoi le ciel est bleu",
    "今天天气怎么样",
    "あなたの名前は何ですか",
    "오늘 날씨 어때",
    "Сколько это стоит",
]
NOT_ASKING = [
    "I bought a red bicycle yesterday.",
    "Hi, how are you?",
    "It was great, you know?",
    "That's what I said.",
    "When I was ten, we moved to Ohio.",
    "Ich fahre morgen nach Hause.",
    "昨天我去了公园。",
    "```\nreturn a ? b : c?\n```",
    "",
]
FORWARD = [
    "Let's talk about that later.",
    "Remind me to call Joe.",
    "I'll tell you how it went.",
    "We can come back to this another time, okay.",
    "Tomorrow I'm going to see the doctor.",
    "I have to hand it in by Friday.",
    "Next time we should try the blue one.",
    "Darüber reden wir ein andermal.",
    "Morgen werde ich ihn anrufen.",
    "Hablamos de eso mañana.",
    "On en reparle plus tard.",
    "明天我再告诉你。",
    "その話はまた今度。",
    "Напомни мне об этом.",
]
NOT_FORWARD = [
    "I bought a red bicycle yesterday.",
    "Let me know if you have any other questions later.",
    "The next chapter is about bees.",
    "She came back to the house after dinner.",
    "Guten Morgen!",
    "我昨天去了公园。",
    "",
]


@pytest.mark.parametrize("text", ASKING)
def test_what_asks(text):
    assert asks(text)


@pytest.mark.parametrize("text", NOT_ASKING)
def test_what_asks_nothing(text):
    assert not asks(text)


@pytest.mark.parametrize("text", FORWARD)
def test_what_points_forward(text):
    assert points_forward(text)


@pytest.mark.parametrize("text", NOT_FORWARD)
def test_what_does_not(text):
    assert not points_forward(text)


def test_a_topic_is_new_where_most_of_its_terms_are():
    assert new_topic(["bee", "hive", "honey", "wax", "day"], ["bee", "hive", "honey", "wax"])
    assert not new_topic(["bee", "hive", "honey"], ["bee", "hive", "honey"]), "too little is said"
    assert not new_topic(["a", "b", "c", "d", "e", "f", "g", "h"], ["a", "b", "c", "d"])


def said(*turns):
    talk = LogWriter(None)
    made = []
    for turn in turns:
        user, answer = turn if isinstance(turn, tuple) else (turn, "Okay.")
        message = talk.message(user)
        reply = talk.message(answer, role=Role.ASSISTANT)
        made.append(_exchange(len(made), message, reply))
    return made


def _exchange(number, *messages):
    from unabridged.domain.exchange import Exchange, ExchangeState

    at = datetime(2026, 5, 1, tzinfo=UTC)
    return Exchange(f"x{number}", "s1", None, ExchangeState.COMPLETE, messages, at)


def test_each_reason_is_told():
    run = said(
        "My garden has roses along the western wall.",
        "The roses in the garden are red.",
        "Which roses grow in shade?",
        "I gave some roses to Henrietta.",
        "Let's talk about the garden wall later.",
    )
    reasons = salient_exchanges(run, {})
    assert reasons[1] is None
    assert reasons[2:] == ["asks a question", "brings a new topic: henrietta", "points forward"]
    assert reasons[0].startswith("brings a new topic: ")


def test_a_name_is_new_once_and_not_where_the_answer_gave_it():
    run = said(
        ("I planted beans.", "Beans like company: ask Aurelio, he grows corn."),
        "I saw Aurelio by the beans.",
        "I saw Bettina by the beans.",
        "I saw Bettina by the corn.",
    )
    assert salient_exchanges(run, {})[1:] == [None, "brings a new topic: bettina", None]


def test_feeling_comes_from_the_reading_and_from_the_words_without_one():
    run = said("The pan was hot.", "I'm devastated, my father died last night.")
    assert salient_exchanges(run, {}) == [None, "strong feeling"]
    calm = {each.id: reading(each, 0.1) for each in run}
    assert salient_exchanges(run, calm)[1] != "strong feeling"
    assert salient_exchanges(run, {run[0].id: reading(run[0], 0.71)})[0] == "strong feeling"
    assert salient_exchanges(run, {run[0].id: reading(run[0], 0.7)})[0] is None


def reading(exchange, intensity):
    one = Annotation("everyday", 0.5, intensity=intensity)
    return ExchangeReading(exchange.id, "companion", {exchange.user.id: one})


def test_where_everything_asks_only_what_tells_most_comes_whole():
    run = said(
        *(f"What is the price of item number {n}?" for n in range(18)),
        "Where does the Amazon river meet the ocean near Belem?",
        "I am devastated, my mother died.",
    )
    reasons = salient_exchanges(run, {})
    assert sum(reason is not None for reason in reasons) == MOST_TELLING * len(run)
    assert reasons[-2:] == ["asks a question", "strong feeling"]
    assert salient_exchanges(run[:5], {}) == ["asks a question"] * 5, "a short run comes as it is"


def test_it_does_not_depend_on_anything_but_the_run():
    run = said("What now?", "I met Ida in Oslo.", "Fine.", "I met Ida in Oslo.", "Remind me.")
    first = salient_exchanges(run, {})
    salient_exchanges(said("I met Ida in Oslo."), {})
    assert salient_exchanges(run, {}) == first
    assert salient_exchanges([], {}) == []
