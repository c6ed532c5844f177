"""Personas: who answers, as text or as a role that another program keeps in JSON."""

import json

import pytest
from tests.helpers.talker import Talker

from unabridged import config
from unabridged.config.personas import ROLE_KEYS, persona_of, persona_text, personas
from unabridged.errors import SettingError
from unabridged.models.scripted import ScriptedModel


@pytest.fixture
def home(tmp_path):
    folder = tmp_path / "home" / "config" / "personas"
    folder.mkdir(parents=True)
    return tmp_path / "home"


def own(home, name, text):
    (home / "config" / "personas" / name).write_text(text, encoding="utf-8")


def role(home, name, **keys):
    own(home, f"{name}.json", json.dumps(keys))


@pytest.mark.parametrize("key", ROLE_KEYS)
def test_a_role_in_json_is_a_persona(home, key):
    role(home, "engineer", id=7, title="Engineer", **{key: " You ask for the measure. "})
    assert persona_of("engineer", home) == "You ask for the measure."


def test_the_first_key_that_holds_text_counts(home):
    role(home, "engineer", description="For the list.", prompt="", system_prompt="You are one.")
    assert persona_of("engineer", home) == "You are one."
    role(home, "engineer", description="For the list.", prompt=" ", system_prompt=None)
    assert persona_of("engineer", home) == "For the list."


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{", "not JSON"),
        ('["You are one."]', "not a JSON object"),
        ('{"title": "Engineer", "prompt": 3}', "its keys are title, prompt"),
        ("{}", "its keys are none"),
    ],
)
def test_what_is_no_role_is_refused_with_what_would_be_one(home, text, said):
    own(home, "engineer.json", text)
    with pytest.raises(SettingError, match=said) as refusal:
        persona_of("engineer", home)
    assert refusal.value.hint


def test_names_of_several_words_and_both_kinds_of_one_name(home):
    role(home, "Domain Expert", prompt="You know the trade.")
    settings = config.load(home=home, environ={}, persona="Domain Expert")
    assert persona_text(settings) == "You know the trade."
    role(home, "both", prompt="json")
    own(home, "both.txt", "text")
    assert persona_of("both", home) == "text"
    assert list(personas(home)) == sorted(personas(home))


def test_the_path_of_a_role_is_read_as_one(home, tmp_path):
    (tmp_path / "r.json").write_text('{"instructions": "You are one."}', encoding="utf-8")
    settings = config.load(home=home, environ={}, persona=str(tmp_path / "r.json"))
    assert persona_text(settings) == "You are one."


def test_another_persona_answers_from_the_next_message_on(home):
    role(home, "engineer", prompt="You ask for the measure.")
    with Talker.open(home, upstream=ScriptedModel(["Yes."]), persona="analyst") as memory:
        memory.chat("The report must be quick.").finish()
        before = memory.prepare("How quick?").messages
        memory.persona = "engineer"
        after = memory.prepare("How quick?").messages
        assert before[0]["content"].startswith("You are a requirements analyst.")
        assert after[0]["content"].startswith("You ask for the measure.")
        assert before[1:] == after[1:]
        with pytest.raises(SettingError, match="no persona 'enginer'"):
            memory.talk.prepare("How quick?", persona="enginer")
        assert memory.prepare("How quick?").messages == after
        memory.persona = ""
        assert memory.prepare("How quick?").messages[0] not in (before[0], after[0])


def test_a_role_that_is_nested_without_end_is_refused(home):
    own(home, "deep.json", '{"a":' + "[" * 200_000 + "]" * 200_000 + "}")
    with pytest.raises(SettingError, match="is not JSON"):
        persona_of("deep", home)
