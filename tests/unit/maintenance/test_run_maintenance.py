"""What `tend` does, with rules and with a model."""

import json

import pytest
from tests.helpers.talker import Talker

from unabridged.domain.chat import Abilities
from unabridged.domain.condensation import Level
from unabridged.models.scripted import ScriptedModel
from unabridged.testing.clock import ManualClock


def opened(home, answers=("ok",), **settings):
    model = ScriptedModel(answers, abilities=Abilities("m", trained_window=8192, source="server"))
    return Talker.open(home, upstream=model, window=8192, clock=ManualClock(), **settings)


def tell(memory, *said):
    for text in said:
        memory.record(memory.prepare(text), "I see. " * 30)


def test_messages_are_judged_facts_and_requirements_drawn(tmp_path):
    with opened(tmp_path, requirement_patterns="narrow") as memory:
        tell(
            memory,
            "My sister Anna lives in Oslo.",
            "The system must answer within 2 seconds.",
        )
        stages = {step.stage for step in memory.maintain()}
        assert {"read", "facts", "requirements", "condense"} <= stages
        assert any("Anna" in fact.text for fact in memory.facts.all())
        (requirement,) = memory.requirements.all()
        assert "2 seconds" in requirement.text
        assert memory.space.annotations.stats().pending == 0
        assert [step.stage for step in memory.maintain() if step.stage != "condense"] == []


def test_a_page_has_no_more_exchanges_than_asked_for(tmp_path):
    with opened(tmp_path, requirement_patterns="narrow") as memory:
        tell(memory, *(f"My sister Anna lives in Oslo, street {number}." for number in range(5)))
        steps = list(memory.space.maintenance.run(pages=2, page_size=2))
    done = {stage: [s.done for s in steps if s.stage == stage] for stage in ("read", "facts")}
    assert done == {"read": [2, 4], "facts": [2, 4]}


def test_requirements_are_not_looked_for_unless_the_settings_want_them(tmp_path):
    with opened(tmp_path) as memory:
        tell(memory, "The system must answer within 2 seconds.")
        assert "requirements" not in memory.space.maintenance.stages()
        assert "requirements" not in {step.stage for step in memory.maintain()}
        assert memory.requirements.all() == []


def test_nothing_is_learned_where_the_setting_says_so(tmp_path):
    with opened(tmp_path, facts="none") as memory:
        tell(memory, "My sister Anna lives in Oslo.")
        assert "facts" not in {step.stage for step in memory.maintain()}
        assert memory.facts.all() == []


@pytest.mark.parametrize(("said", "kept"), [("I keep bees in Ghent", 1), ("I keep cows", 0)])
def test_a_model_draws_facts_only_with_a_quote_that_was_said(tmp_path, said, kept):
    row = {"text": "The user keeps bees.", "subject": "user", "attribute": "keeps"}
    row |= {"value": said.split()[2], "quote": said}
    answers = [json.dumps({"facts": [row]}), json.dumps({"requirements": []})]
    with opened(tmp_path, answers, facts="model") as memory:
        tell(memory, "Well, I keep bees in Ghent, as people do there.")
        list(memory.maintain())
        by_model = [f for f in memory.facts.all() if f.by.startswith("model:")]
        assert len(by_model) == kept


def test_a_model_writes_condensations_and_is_checked(tmp_path):
    said = [f"On day {n} I saw {n + 3} herons near the old bridge of Ghent." for n in range(14)]
    invented = ["Somebody from Atlantis saw 9999 herons."] * 50
    with opened(
        tmp_path,
        invented,
        condenser="model",
        condense_tokens=200,
        condense_messages=4,
    ) as memory:
        tell(memory, *said)
        list(memory.maintain())
        made = [c for c in memory.space.condensations.condensations() if c.level is Level.EXCHANGES]
        assert made
        assert all("Atlantis" not in line.text for one in made for line in one.lines)
        assert all(one.notes for one in made)
    honest = ["The user saw herons near the old bridge of Ghent."] * 50
    with opened(
        tmp_path / "other",
        honest,
        condenser="model",
        condense_tokens=200,
        condense_messages=4,
    ) as memory:
        tell(memory, *said)
        list(memory.maintain())
        made = [c for c in memory.space.condensations.condensations() if c.level is Level.EXCHANGES]
        assert "model:scripted" in {one.by for one in made}
        context = memory.prepare("And what did I see near the bridge of Ghent?")
        memory.begin(context)
        assert memory.why(context.id).intact


def test_a_pinned_requirement_stands_in_every_prompt(tmp_path):
    with opened(tmp_path) as memory:
        memory.requirements.pin(memory.requirements.add("The export must work offline.").id)
        memory.requirements.add("The import should be quick.")
        context = memory.prepare("Hello!")
        assert "The export must work offline." in context.prompt[0].text
        assert "quick" not in context.prompt[0].text
        memory.begin(context)
        assert memory.why(context.id).intact
