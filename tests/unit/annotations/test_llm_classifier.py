import json

import pytest

from unabridged.annotations.classify import RuleClassifier
from unabridged.annotations.llm_classifier import AT_ONCE, LONGEST, LlmClassifier
from unabridged.annotations.schemes import SCHEMES
from unabridged.domain.message import Role
from unabridged.errors import ContextRefusedError, UpstreamAwayError
from unabridged.models.scripted import ScriptedModel

FACT, THANKS = "I live in Graz.", "Thanks!"


def judge(*script):
    model = ScriptedModel(script, model="tiny")
    return LlmClassifier(model, RuleClassifier(SCHEMES["assistant"])), model


def entries(*given):
    rows = [{"n": n, "category": c, "importance": i} for n, c, i in given]
    return json.dumps({"messages": rows})


def read(judge, *texts):
    return judge.classify([(Role.USER, text) for text in texts])


def test_what_the_model_says_is_taken_where_it_holds():
    asked, model = judge(entries((1, "decision", 0.95), (2, "question", 0.2)))
    first, second = read(asked, FACT, THANKS)
    assert (first.category, first.importance, first.by) == ("decision", 0.95, "model:tiny")
    assert (second.category, second.importance, second.by) == ("question", 0.2, "model:tiny")
    assert first.scores == {}
    (request,) = model.requests
    task, data = (message.text for message in request.messages)
    for each in SCHEMES["assistant"].categories:
        assert f"- {each.name} ({each.importance:g}): {each.about}" in task
    assert json.loads(data)["messages"][0] == {"n": 1, "who": "user", "text": FACT}
    assert request.options == {"temperature": 0}


def test_feelings_stay_those_of_the_rules():
    asked, _ = judge(entries((1, "decision", 0.5)))
    (reading,) = read(asked, "I'm devastated, my father died.")
    assert reading.intensity > 0.7
    assert reading.valence < 0.3


GARBLED = [
    "I cannot do that.",
    "{broken",
    "[]",
    '{"messages": 3}',
    '{"other": []}',
    "[1, 2, null]",
    entries((1, "desision", 0.5)),
    entries((7, "decision", 0.5)),
    json.dumps([{"n": "1", "category": "decision", "importance": 1}]),
    json.dumps([{"n": True, "category": "decision", "importance": 1}]),
    json.dumps([{"n": 1, "category": ["decision"], "importance": 1}]),
]


@pytest.mark.parametrize("answer", GARBLED)
def test_what_does_not_hold_is_left_to_the_rules(answer):
    asked, _ = judge(answer)
    assert read(asked, FACT) == read(RuleClassifier(SCHEMES["assistant"]), FACT)


def test_each_message_falls_back_by_itself():
    asked, _ = judge(entries((2, "preference", 0.7)))
    first, second = read(asked, FACT, THANKS)
    assert (first.by, second.by) == ("rules:1", "model:tiny")
    assert first.category == "personal_fact"


@pytest.mark.parametrize("importance", [1.5, -0.1, "high", None, True])
def test_an_importance_that_is_none_is_that_of_the_category(importance):
    asked, _ = judge(json.dumps([{"n": 1, "category": "decision", "importance": importance}]))
    (reading,) = read(asked, FACT)
    assert (reading.category, reading.importance) == ("decision", 0.9)


def test_json_is_found_among_other_words():
    asked, _ = judge("Sure!\n```json\n" + entries((1, "decision", 1)) + "\n```\nAnything else?")
    assert read(asked, FACT)[0].category == "decision"


def test_many_messages_are_asked_about_in_portions_and_wordless_ones_not_at_all():
    asked, model = judge(lambda request: entries((1, "question", 0.5)))
    texts = [FACT, "", *[THANKS] * (AT_ONCE + 1)]
    found = read(asked, *texts)
    assert found[1] is None
    assert len(model.requests) == 2
    assert [place for place, each in enumerate(found) if each and each.by == "model:tiny"] == [
        0,
        AT_ONCE + 1,
    ]
    assert read(asked) == []
    assert len(model.requests) == 2


def test_a_long_message_is_shown_in_whole_sentences():
    asked, model = judge(entries((1, "question", 0.5)))
    read(asked, "This is a sentence of forty letters now. " * 100)
    text = json.loads(model.requests[0].messages[1].text)["messages"][0]["text"]
    assert LONGEST - 50 < len(text) <= LONGEST + 10
    assert text.endswith("now. […]")


def test_a_prompt_that_is_too_long_is_left_to_the_rules_and_a_server_that_is_away_is_told():
    asked, _ = judge(ContextRefusedError("too long"))
    assert read(asked, FACT)[0].by == "rules:1"
    asked, _ = judge(UpstreamAwayError("away"))
    with pytest.raises(UpstreamAwayError):
        read(asked, FACT)
