"""Profiles: named sets of settings, and where they stand among everything else that says one."""

from dataclasses import fields
from pathlib import Path

import pytest

from unabridged import config
from unabridged.config.agent_settings import by_agent
from unabridged.config.personas import persona_text
from unabridged.config.profiles import names, profile_of
from unabridged.domain.settings import Settings
from unabridged.errors import SettingError

OURS = ["agent", "coding", "companion", "requirements", "story", "workspace"]


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


def write(home: Path, text: str) -> None:
    (home / "config").mkdir(parents=True, exist_ok=True)
    (home / "config" / "unabridged.toml").write_text(text)


def own(home: Path, name: str, text: str) -> None:
    folder = home / "config" / "profiles"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{name}.toml").write_text(text)


@pytest.mark.parametrize("name", OURS)
def test_each_of_ours_is_whole(name, home):
    profile = profile_of(name, home)
    assert profile.title
    assert profile.about
    assert bool(profile.seed) == (name != "coding")  # the only one that no seed had
    assert set(profile.reasons) == set(profile.values)
    settings = config.load(home=home, environ={}, profile=name)
    assert {key: getattr(settings, key) for key in profile.values} == dict(profile.values)
    assert persona_text(settings) or not settings.persona


def test_they_are_listed_before_a_persons_own(home):
    own(home, "a-mine", 'extends = "story"\n')
    assert names(home) == [*OURS, "a-mine"]


def test_a_profile_stands_right_below_the_place_that_chose_it(home):
    write(home, 'profile = "workspace"\njson_files = "user"\nwindow = 9000\n')
    by_file = config.read(home=home, environ={})
    assert (by_file.settings.store, by_file.settings.json_files) == ("sqlite", "user")
    assert by_file.sources["store"] == "profile workspace"
    by_variable = config.read(home=home, environ={"UNABRIDGED_PROFILE": "companion"})
    assert by_variable.settings.window == 24_576  # chosen above the file, so it goes before it
    assert by_variable.settings.mode == "chat"  # of two profiles only one holds
    beside = {"UNABRIDGED_PROFILE": "companion", "UNABRIDGED_WINDOW": "4096"}
    assert config.load(home=home, environ=beside).window == 4096
    by_argument = config.read(home=home, environ=beside, profile="story")
    assert by_argument.settings.window == 4096  # explicit for the shell, as Dana asks
    assert by_argument.settings.categories == "story"
    assert config.load(home=home, environ={}, profile="story").window == 32_768
    assert config.load(home=home, environ=beside, profile="story", window=2048).window == 2048


def test_the_last_place_can_choose_none(home):
    write(home, 'profile = "workspace"\n')
    assert config.load(home=home, environ={}, profile="").json_files == "none"


def test_an_agent_has_its_own(home):
    write(home, 'profile = "workspace"\n[agents.bard]\nprofile = "story"\ncondense_tokens = 500\n')
    assert config.load(home=home, environ={}, agent="bard").condense_tokens == 500
    assert config.load(home=home, environ={}, agent="bard").json_files == "none"
    assert config.load(home=home, environ={}, agent="clerk").json_files == "model"


def test_a_request_has_its_own(home):
    write(home, "[agents.bard]\nwindow = 2048\n")
    agents = by_agent(home=home, environ={}, profile="workspace")
    assert agents.of("clerk").json_files == "model"
    under = agents.of("clerk", "story")
    assert (under.json_files, under.window, under.agent) == ("none", 32_768, "clerk")
    assert agents.of("bard", "story").window == 32_768  # the request counts for more
    with pytest.raises(SettingError, match="no profile 'stroy'"):
        agents.of("clerk", "stroy")


def test_settings_given_exactly_may_be_none(home):
    got = config.load(home=home, environ={}, profile="companion", exact={"window": None})
    assert got.window is None


def test_a_prompt_of_ones_own_is_not_lost_behind_a_profiles_persona(home):
    write(home, 'system = "You are Ada."\n')
    got = config.load(home=home, environ={}, profile="companion")
    assert (got.system, got.persona) == ("You are Ada.", "")


def test_own_profiles_stand_on_others(home):
    own(home, "tutor", 'extends = "companion"\ntitle = "Lessons"\n[settings]\nwindow = 8192\n')
    own(home, "maths", 'extends = "tutor"\n[settings]\npersona = "maths.txt"\n')
    profile = profile_of("maths", home)
    assert profile.title == "Lessons"
    assert profile.values["window"] == 8192
    assert profile.values["memory_cap"] == 16_000
    assert profile.values["persona"] == str(home / "config" / "profiles" / "maths.txt")
    assert (profile.origins["window"], profile.origins["categories"]) == ("tutor", "companion")
    assert "window" not in profile.reasons  # that of companion is not one for this


@pytest.mark.parametrize(
    ("text", "said", "hint"),
    [
        ('[settings]\njsonfiles = "user"\n', "no setting 'jsonfiles'", "'json_files'"),
        ('[settings]\njson_files = "modle"\n', "json_files cannot be 'modle'", "'model'"),
        ('[settings]\nopenai_key = "s"\n', "openai_key cannot be set by a profile", "config set"),
        ('[settings]\nlisten = "0.0.0.0:1"\n', "listen cannot be set by a profile", "whole server"),
        ('[settings]\nprofile = "story"\n', "profile cannot be set by a profile", "config set"),
        ('json_files = "user"\n', "a profile has no key 'json_files'", "[settings]"),
        ('[setings]\njson_files = "user"\n', "a profile has no key 'setings'", "'settings'"),
        ("title = 3\n", "title cannot be 3", "text in quotes"),
        ("settings = 3\n", "settings cannot be 3", "[settings]"),
        ("[reasons]\njson_files = 3\n", "reason for json_files is not a text", "quotes"),
        ('[reasons]\njsonfiles = "x"\n', "no setting 'jsonfiles'", "'json_files'"),
        ('extends = "storey"\n', "the profile mine extends", "'story'"),
        ('extends = "mine"\n', "extends itself: mine > mine", "extends"),
        ("title = ", "is not valid TOML", "Correct that line"),
    ],
)
def test_a_wrong_one_is_refused_with_what_to_do(home, text, said, hint):
    own(home, "mine", text)
    with pytest.raises(SettingError) as caught:
        profile_of("mine", home)
    assert said in str(caught.value)
    assert hint in f"{caught.value} {caught.value.hint}"


@pytest.mark.parametrize("name", ["../story", "", "STORY", "no/where", "story.toml", "\0"])
def test_a_name_never_becomes_a_path(home, name):
    with pytest.raises(SettingError, match="There is no profile"):
        profile_of(name, home)


def test_two_of_one_name_are_told_apart(home):
    own(home, "story", 'title = "Mine"\n')
    with pytest.raises(SettingError, match=r"built-in profile") as caught:
        profile_of("story", home)
    assert 'extends = "story"' in caught.value.hint


def test_every_setting_has_a_meaning():
    from unabridged.config.descriptions import meanings

    assert set(meanings()) == {field.name for field in fields(Settings)}


def test_a_persona_is_a_name_or_a_path(home):
    folder = home / "config" / "personas"
    folder.mkdir(parents=True)
    (folder / "ada.md").write_text("You are Ada.\n")
    (folder / "companion.txt").write_text("You are mine.\n")
    (home / "bob.text").write_text("You are Bob.")

    def text(persona: str) -> str:
        return persona_text(config.load(home=home, environ={}, persona=persona))

    assert text("ada") == "You are Ada."
    assert text("companion") == "You are mine."
    assert text(str(home / "bob.text")) == "You are Bob."
    assert text("") == ""
    with pytest.raises(SettingError, match="no persona 'anlyst'") as caught:
        text("anlyst")
    assert "'analyst'" in caught.value.hint


def test_a_persona_of_the_settings_file_may_lie_beside_it(home):
    write(home, 'persona = "ada"\n')
    assert config.load(home=home, environ={}).persona == "ada"
    (home / "config" / "ada").write_text("You are Ada.")
    assert persona_text(config.load(home=home, environ={})) == "You are Ada."


def test_files_that_begin_with_a_mark_are_read(home):
    write(home, '\ufeffprofile = "a-mine"\n')
    own(home, "a-mine", '\ufeffextends = "story"\n[settings]\nwindow = 9000\n')
    assert config.load(home=home, environ={}).window == 9000


def test_what_cannot_be_chosen_is_not_offered(home):
    own(home, "UPPER", "")
    own(home, "two words", "")
    (home / "config" / "profiles" / "folder.toml").mkdir()
    assert names(home) == OURS
    with pytest.raises(SettingError) as refused:
        profile_of("UPPER", home)
    assert "UPPER" not in refused.value.hint


def test_what_is_nested_without_end_is_refused(home):
    own(home, "deep", "[settings]\nisolation = " + "[" * 5000 + "]" * 5000 + "\n")
    with pytest.raises(SettingError, match="not valid TOML"):
        profile_of("deep", home)
    write(home, "isolation = " + "[" * 5000 + "]" * 5000 + "\n")
    with pytest.raises(SettingError, match="not valid TOML"):
        config.load(home=home, environ={})


def test_shares_that_are_too_large_for_one_model_say_where_they_stand(home):
    write(home, '[models."qwen2.5:7b"]\nimmediate_share = 0.9\n')
    with pytest.raises(SettingError, match=r"immediate_share 0\.9 \(.*model qwen2\.5:7b\)"):
        config.load(home=home, environ={})
