import re

import pytest

from unabridged.annotations.schemes import SCHEMES, scheme, scheme_from
from unabridged.errors import SettingError
from unabridged.language.words import fold

EMM = {
    "story_critical": 0.9,
    "character_focused": 0.8,
    "relationship_dynamics": 0.7,
    "emotional_significance": 0.6,
    "world_building": 0.5,
    "standard": 0.4,
}


def test_the_story_scheme_is_that_of_the_seed():
    story = scheme("story")
    assert {each.name: each.keep for each in story.categories} == EMM
    assert story.fallback == "standard"
    assert [each.name for each in story.categories if each.critical] == ["story_critical"]


@pytest.mark.parametrize("name", SCHEMES)
def test_a_scheme_is_sound(name):
    made = scheme(name)
    names = [each.name for each in made.categories]
    assert made.name == name
    assert made.about
    assert made.fallback in names
    assert len(set(names)) == len(names)
    importances = [each.importance for each in made.categories]
    assert importances == sorted(importances, reverse=True)
    for each in made.categories:
        assert each.about
        assert 0 < each.keep <= 1
        assert len(each.examples) >= 8
        assert all(re.compile(cue) for cue in each.cues)


@pytest.mark.parametrize("name", SCHEMES)
def test_cues_are_written_for_folded_text(name):
    for each in scheme(name).categories:
        for cue in each.cues:
            literal = re.sub(r"\\.", "", cue)
            assert fold(literal) == literal, (each.name, cue)


def test_a_name_that_is_nearly_right_is_told():
    with pytest.raises(SettingError, match="no scheme 'asistant'") as caught:
        scheme("asistant")
    assert "Did you mean 'assistant'?" in caught.value.hint
    with pytest.raises(SettingError) as caught:
        scheme("q")
    assert caught.value.hint == "Use one of: assistant, story, companion."


def test_a_scheme_of_plain_data():
    made = scheme_from(
        {
            "name": "garden",
            "about": "Talk about plants.",
            "fallback": "talk",
            "categories": {
                "talk": {"keep": 0.2},
                "sowing": {
                    "about": "What was sown.",
                    "keep": 0.9,
                    "importance": 0.8,
                    "critical": True,
                    "examples": ["I sowed beans."],
                    "cues": ["Säen", "/sow(?:ed|n)?/"],
                },
            },
        }
    )
    sowing, talk = made.categories
    assert (sowing.name, sowing.keep, sowing.importance, sowing.critical) == (
        "sowing", 0.9, 0.8, True,
    )  # fmt: skip
    assert (talk.keep, talk.importance, talk.critical) == (0.2, 0.2, False)
    assert re.search(sowing.cues[0], fold("Wir saen, sagt er: SÄEN!"))
    assert not re.search(sowing.cues[0], fold("aussäend"))


WRONG = [
    ({"categories": {"a": {}}}, "cannot be called None"),
    ({"name": "Big One", "categories": {"a": {}}}, "cannot be called 'Big One'"),
    ({"name": "x"}, "has no categories"),
    ({"name": "x", "categories": {}}, "has no categories"),
    ({"name": "x", "categories": {"a": 0.5}}, "'a' is not a table"),
    ({"name": "x", "categories": {"a b": {}}}, "cannot be called 'a b'"),
    ({"name": "x", "categories": {"a": {"keep": 1.2}}}, "keep of 'a' is 1.2"),
    ({"name": "x", "categories": {"a": {"keep": True}}}, "keep of 'a' is True"),
    ({"name": "x", "categories": {"a": {"importance": "high"}}}, "importance of 'a' is 'high'"),
    ({"name": "x", "categories": {"a": {"critical": "yes"}}}, "critical of 'a' is 'yes'"),
    ({"name": "x", "categories": {"a": {"kep": 0.2}}}, "has no field 'kep'"),
    ({"name": "x", "categories": {"a": {"cues": "word"}}}, "cues of 'a' is not a list"),
    ({"name": "x", "categories": {"a": {"cues": ["/(/"]}}}, "not a regular expression"),
    ({"name": "x", "fallback": "b", "categories": {"a": {}}}, "falls back on 'b'"),
    ({"name": "x", "colour": 1, "categories": {"a": {}}}, "has no field 'colour'"),
]


@pytest.mark.parametrize(("data", "said"), WRONG)
def test_what_is_wrong_with_data_is_said_with_what_to_do(data, said):
    with pytest.raises(SettingError, match=said) as caught:
        scheme_from(data)
    assert caught.value.hint
