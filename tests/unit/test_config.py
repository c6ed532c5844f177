import stat
from dataclasses import fields

import pytest

from unabridged import config
from unabridged.cli.settings_file import write_setting
from unabridged.domain.budget import Mode
from unabridged.domain.settings import Settings, SettingsDict
from unabridged.errors import SettingError


def file_in(home, text):
    path = config.file_of(home)
    path.parent.mkdir(parents=True)
    path.write_text(text, encoding="utf-8")
    return path


def test_defaults_when_nothing_is_said(tmp_path):
    got = config.load(home=tmp_path / "new", environ={})
    assert got == Settings(home=str(tmp_path / "new"))
    assert not (tmp_path / "new").exists()


def test_the_seeds_figures_are_the_defaults(tmp_path):
    got = config.load(home=tmp_path, environ={})
    assert (got.condense_tokens, got.condense_messages, got.condense_keep_last) == (
        25_000,
        20,
        5,
    )  # EMM
    assert got.model_cache_ttl == 3600  # ReqVIBE
    assert (got.auto_save, got.json_compression, got.json_path) == (True, False, "")  # Dana
    assert (got.verbosity.value, got.mode.value) == ("balanced", "chat")  # WorkspaceAI


def test_each_source_yields_to_the_next(tmp_path):
    path = file_in(tmp_path, 'user = "file"\nagent = "file"\nmodel = "file"\n')
    environ = {"UNABRIDGED_AGENT": "env", "UNABRIDGED_MODEL": "env"}
    got = config.read(home=tmp_path, environ=environ, model="argument")
    assert (got.settings.user, got.settings.agent, got.settings.model) == (
        "file",
        "env",
        "argument",
    )
    assert got.sources["user"] == str(path)
    assert got.sources["agent"] == "$UNABRIDGED_AGENT"
    assert got.sources["model"] == "argument"
    assert got.sources["window"] == "default"


def test_every_setting_has_a_variable(tmp_path):
    samples = {
        "home": str(tmp_path), "profile": "story", "store": "memory", "user": "u", "agent": "a",
        "isolation": "user, agent,model", "upstream": "quote", "model": "m",
        "ollama_url": "http://h:1", "openai_url": "http://h/v1", "openai_key": "k", "gguf": "g",
        "anthropic_url": "http://h:2", "anthropic_key": "k",
        "window": "8_192", "window_max": "65536", "fit": "refuse", "off_record": "psst", "max_prompt_tokens": "4,096", "max_output": "auto", "memory_cap": "16000", "mode": "tools",
        "verbosity": "concise", "persona": "p", "system": "s", "tools": "a.py,b.py:f",
        "recall_scope": "session", "immediate_share": "0.2", "knowledge_share": "0.1", "vivid_share": "0.7",
        "recall_neighbors": "true", "summary_share": "0.3", "contextual_share": "0.5", "tokenizer": "estimate", "model_cache_ttl": "60", "timeout": "1.5", "min_relevance": "0.5",
        "condenser": "none", "condense_tokens": "9000", "condense_messages": "6",
        "condense_keep_last": "3", "categories": "story", "facts": "none", "requirement_patterns": "wide", "classifier": "model", "embedder": "onnx:intfloat/multilingual-e5-small", "reranker": "onnx:/models/cross",
        "json_files": "agent", "json_compression": "true", "auto_save": "false", "json_path": "x.json",
        "max_turns": "20", "max_sessions": "10", "max_bytes": "1_000_000", "key": "env:SECRET",
        "encrypt": "false", "checkpoint_file": "/away/anchor.json", "audit": "all", "audit_days": "30", "backup_verify_every": "7",
        "listen": "[::1]:8080", "hosts": "memory.lan, desk", "require_key": "always", "on_memory_error": "pass",
        "max_body": "65536", "max_streams": "8", "threads": "4", "rate_limit": "60", "log": "json",
    }  # fmt: skip
    assert set(samples) == set(config.NAMES)
    environ = {f"UNABRIDGED_{name.upper()}": value for name, value in samples.items()}
    reading = config.read(environ=environ)
    got = reading.settings
    assert all(source.startswith("$UNABRIDGED_") for source in reading.sources.values())
    assert got.isolation == ("user", "agent", "model")
    assert (got.window, got.max_prompt_tokens, got.max_output) == (8192, 4096, None)
    assert got.mode is Mode.TOOLS
    assert got.tools == ("a.py", "b.py:f")
    assert got.timeout == 1.5
    assert (got.json_compression, got.auto_save, got.max_bytes) == (True, False, 1_000_000)


def test_home_comes_from_the_environment_and_is_absolute(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert config.load(environ={"UNABRIDGED_HOME": "here"}).home == str(tmp_path / "here")
    assert config.load(home="there", environ={"UNABRIDGED_HOME": "x"}).home == str(
        tmp_path / "there"
    )
    monkeypatch.setenv("HOME", str(tmp_path))
    assert config.load(environ={"UNABRIDGED_HOME": "~/x"}).home == str(tmp_path / "x")
    assert config.load(environ={}).home.endswith("unabridged")


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("example.org", "http://example.org:11434"),
        ("1.2.3.4:8000", "http://1.2.3.4:8000"),
        (":8000", "http://127.0.0.1:8000"),
        ("0.0.0.0", "http://127.0.0.1:11434"),
        ("0.0.0.0:1234", "http://127.0.0.1:1234"),
        ("http://example.org", "http://example.org:80"),
        ("https://example.org/", "https://example.org:443"),
        ("https://example.org:99/ollama", "https://example.org:99/ollama"),
        ("[::1]:8000", "http://[::1]:8000"),
        ("::1", "http://[::1]:11434"),
        ("[::]", "http://[::1]:11434"),
        (' "example.org:1" ', "http://example.org:1"),
    ],
)
def test_ollama_host_in_its_usual_forms(tmp_path, text, address):
    assert config.load(home=tmp_path, environ={"OLLAMA_HOST": text}).ollama_url == address


@pytest.mark.parametrize("text", ["ftp://x", "host:port", "host:99999", "http://", "[::1"])
def test_ollama_host_that_is_no_address(tmp_path, text):
    with pytest.raises(SettingError, match="OLLAMA_HOST"):
        config.load(home=tmp_path, environ={"OLLAMA_HOST": text})


def test_our_own_variable_beats_ollama_host(tmp_path):
    environ = {"OLLAMA_HOST": "other", "UNABRIDGED_OLLAMA_URL": "http://mine:1"}
    assert config.load(home=tmp_path, environ=environ).ollama_url == "http://mine:1"


def test_openai_key_is_used_only_where_an_address_was_named(tmp_path):
    environ = {"OPENAI_API_KEY": "sk-secret"}
    assert config.load(home=tmp_path, environ=environ).openai_key == ""
    named = config.load(home=tmp_path, environ=environ, openai_url="http://h/v1")
    assert named.openai_key == "sk-secret"
    own = config.load(home=tmp_path, environ=environ, openai_url="http://h/v1", openai_key="mine")
    assert own.openai_key == "mine"


def test_anthropic_key_is_used_only_with_that_upstream(tmp_path):
    environ = {"ANTHROPIC_API_KEY": "sk-secret"}
    assert config.load(home=tmp_path, environ=environ).anthropic_key == ""
    for more in ({"upstream": "anthropic"}, {"anthropic_url": "http://h"}):
        assert config.load(home=tmp_path, environ=environ, **more).anthropic_key == "sk-secret"
        own = config.load(home=tmp_path, environ=environ, anthropic_key="mine", **more)
        assert own.anthropic_key == "mine"


def test_unknown_names_are_refused_with_the_nearest(tmp_path):
    path = file_in(tmp_path, 'modell = "x"\n')
    with pytest.raises(SettingError, match=str(path)) as caught:
        config.load(home=tmp_path, environ={})
    assert "'model'" in caught.value.hint
    with pytest.raises(SettingError, match="UNABRIDGED_WINDOWS") as caught:
        config.load(home=tmp_path / "other", environ={"UNABRIDGED_WINDOWS": "1"})
    assert "UNABRIDGED_WINDOW?" in caught.value.hint
    with pytest.raises(SettingError, match="usr") as caught:
        config.load(home=tmp_path / "other", environ={}, usr="x")
    assert "'user'" in caught.value.hint


@pytest.mark.parametrize(
    ("name", "value", "hint"),
    [
        ("window", 100, "at least 512"),
        ("window", "many", "whole number"),
        ("upstream", "olama", "'ollama'"),
        ("mode", "chatt", "chat, tools"),
        ("user", "", "1 to 200"),
        ("user", "a\nb", "1 to 200"),
        ("isolation", ["team"], "user, agent, model"),
        ("ollama_url", "localhost:11434", "http://"),
        ("openai_url", "h/v1", "http://"),
        ("min_relevance", 2, "0 to 1"),
        ("timeout", 0, "more than 0"),
        ("embedder", "bm25", "static, none, ollama:MODEL"),
        ("embedder", "ollama:", "onnx:FOLDER"),
        ("reranker", "static", "none or onnx:FOLDER"),
        ("tools", 3, "list of words"),
    ],
)
def test_wrong_values_are_refused_and_say_what_they_take(tmp_path, name, value, hint):
    with pytest.raises(SettingError, match=name) as caught:
        config.load(home=tmp_path, environ={}, **{name: value})
    assert hint in caught.value.hint


def test_shares_that_are_more_than_all_of_memory_are_refused_with_the_way_out(tmp_path):
    path = file_in(tmp_path, "immediate_share = 0.9\n")
    with pytest.raises(SettingError, match=r"immediate_share 0\.9") as caught:
        config.load(home=tmp_path, environ={})
    assert str(path) in str(caught.value)
    assert "knowledge_share 0.125 (default)" in str(caught.value)
    assert "knowledge_share to 0.1 at most" in caught.value.hint
    whole = config.load(home=tmp_path, environ={}, knowledge_share=0.1)
    assert (whole.immediate_share, whole.knowledge_share) == (0.9, 0.1)
    assert config.load(home=tmp_path, environ={"UNABRIDGED_IMMEDIATE_SHARE": "0"})


def test_a_file_elsewhere_is_refused_where_no_readable_file_is_written(tmp_path):
    with pytest.raises(SettingError, match="the layout is none") as caught:
        config.load(home=tmp_path, environ={}, json_path="x.json")
    assert "layout to model" in caught.value.hint
    config.load(home=tmp_path, environ={}, json_path="x.json", json_files="model")


def test_readable_files_are_refused_in_an_encrypted_home(tmp_path):
    with pytest.raises(SettingError, match="readable files, and the home is encrypted") as caught:
        config.load(home=tmp_path, environ={}, encrypt=True, json_files="user")
    assert "unabridged export" in caught.value.hint


def test_a_wrong_secret_is_not_repeated(tmp_path):
    file_in(tmp_path, "openai_key = 12345678\n")
    with pytest.raises(SettingError) as caught:
        config.load(home=tmp_path, environ={})
    assert "12345678" not in str(caught.value) + caught.value.hint


def test_a_file_that_is_no_toml_is_named_with_its_line(tmp_path):
    path = file_in(tmp_path, "user = \n")
    with pytest.raises(SettingError, match=r"line 1") as caught:
        config.load(home=tmp_path, environ={})
    assert str(path) in str(caught.value)
    path.write_bytes(b"user = '\xff'\n")
    with pytest.raises(SettingError, match="TOML"):
        config.load(home=tmp_path, environ={})


def test_paths_in_the_file_are_relative_to_it(tmp_path):
    file_in(tmp_path, 'persona = "eve.txt"\n')
    assert config.load(home=tmp_path, environ={}).persona == str(tmp_path / "config" / "eve.txt")


def test_describe_masks_secrets(tmp_path):
    rows = config.describe(config.read(home=tmp_path, environ={}, openai_key="sk-secret"))
    assert [row.name for row in rows] == list(config.NAMES)
    assert "sk-secret" not in repr(rows)
    assert {row.name: row.source for row in rows}["openai_key"] == "argument"


def test_folders_are_private_and_made_on_first_use(tmp_path):
    home = tmp_path / "deep" / "home"
    path = config.folder(home, "spaces")
    assert stat.S_IMODE(path.stat().st_mode) == 0o700
    assert stat.S_IMODE(home.stat().st_mode) == 0o700
    assert [path.name for path in home.iterdir()] == ["spaces"]


def test_a_home_that_cannot_be_used_is_a_typed_error(tmp_path):
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(SettingError, match="is not a folder") as caught:
        config.folder(tmp_path / "file", "spaces")
    assert "--home" in caught.value.hint


def test_set_leaves_the_rest_of_the_file_as_it_is(tmp_path):
    path = file_in(tmp_path, '# mine\nuser = "a" # me\ntools = [\n  "x.py",\n]\nmodel = "m"\n')
    write_setting(tmp_path, "tools", "a.py, b.py")
    write_setting(tmp_path, "window", "4096")
    write_setting(tmp_path, "system", 'say "hi"\nand\tbye \x7f')
    write_setting(tmp_path, "model", None)
    got = config.load(home=tmp_path, environ={})
    assert got.tools == ("a.py", "b.py")
    assert (got.window, got.model) == (4096, "")
    assert got.system == 'say "hi"\nand\tbye \x7f'
    assert path.read_text(encoding="utf-8").startswith('# mine\nuser = "a" # me\ntools = ["a.py"')
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_set_mends_a_wrong_value_but_not_a_broken_file(tmp_path):
    path = file_in(tmp_path, 'window = "wide"\n')
    write_setting(tmp_path, "window", "2048")
    assert config.load(home=tmp_path, environ={}).window == 2048
    path.write_text("window = \n", encoding="utf-8")
    with pytest.raises(SettingError, match="TOML"):
        write_setting(tmp_path, "window", "1024")
    assert path.read_text(encoding="utf-8") == "window = \n"


def test_set_refuses_what_it_would_garble(tmp_path):
    text = 'system = """\nmodel = 1\n"""\nmodel = "m"\n'
    path = file_in(tmp_path, text)
    with pytest.raises(SettingError, match="safely"):
        write_setting(tmp_path, "model", "n")
    assert path.read_text(encoding="utf-8") == text
    with pytest.raises(SettingError, match="home"):
        write_setting(tmp_path, "home", "x")


def test_an_agent_may_have_settings_of_its_own(tmp_path):
    path = file_in(
        tmp_path,
        'max_turns = 5\nuser = "ann"\n[agents.tutor]\nmax_turns = 20\njson_compression = true\n'
        '[agents."a b"]\nauto_save = false\n',
    )
    for given in ({"agent": "tutor"}, {"environ": {"UNABRIDGED_AGENT": "tutor"}}):
        got = config.read(home=tmp_path, **{"environ": {}, **given})
        assert (got.settings.max_turns, got.settings.json_compression) == (20, True)
        assert got.sources["max_turns"] == f"{path}, agent tutor"
    assert config.load(home=tmp_path, environ={}).max_turns == 5
    assert config.load(home=tmp_path, environ={}, agent="a b").auto_save is False
    over = config.load(home=tmp_path, environ={"UNABRIDGED_MAX_TURNS": "7"}, agent="tutor")
    assert over.max_turns == 7


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("agents = 3", "not a table of tables"),
        ("[agents]\ntutor = 3", "not a table of tables"),
        ("[agents.tutor]\nuser = 'x'", "cannot differ by agent"),
        ("[agents.tutor]\nhome = 'x'", "inside the home"),
        ("[agents.tutor]\nmax_turn = 3", "no setting 'max_turn'"),
        ("[agents.tutor]\nmax_turns = 0", "max_turns cannot be 0"),
    ],
)
def test_a_wrong_table_of_an_agent_is_refused_whoever_is_asked_for(tmp_path, text, said):
    file_in(tmp_path, text)
    with pytest.raises(SettingError, match=said):
        config.load(home=tmp_path, environ={})


def test_set_writes_for_one_agent_and_leaves_the_rest(tmp_path):
    path = file_in(tmp_path, '# mine\nuser = "a"\n\n[agents.tutor] # his\nmode = "tools"\n')
    write_setting(tmp_path, "max_turns", "20", ("agents", "tutor"))
    write_setting(tmp_path, "json_compression", "true", ("agents", "a.b"))
    write_setting(tmp_path, "model", "m")
    assert path.read_text(encoding="utf-8") == (
        '# mine\nuser = "a"\nmodel = "m"\n\n[agents.tutor] # his\nmode = "tools"\n'
        'max_turns = 20\n\n[agents."a.b"]\njson_compression = true\n'
    )
    write_setting(tmp_path, "json_compression", None, ("agents", "a.b"))
    write_setting(tmp_path, "max_turns", None, ("agents", "never seen"))
    assert config.load(home=tmp_path, environ={}, agent="a.b").json_compression is False
    with pytest.raises(SettingError, match="cannot differ by agent"):
        write_setting(tmp_path, "user", "x", ("agents", "tutor"))


def test_a_model_has_settings_of_its_own(tmp_path):
    file_in(tmp_path, 'window = 16384\n[models."Qwen2.5:7b"]\nwindow = 8192\nmax_turns = 5\n')
    settings = config.load(home=tmp_path, environ={})
    assert settings.window == 16_384
    assert settings.for_model("qwen2.5:7b").window == 8192
    assert settings.for_model("qwen2.5:7b:latest").max_turns == 5
    assert settings.for_model("llama3").window == 16_384


def test_what_counts_for_more_than_the_file_counts_for_more_than_a_models_table(tmp_path):
    file_in(tmp_path, "[models.qwen]\nwindow = 8192\nmax_turns = 5\n")
    by_argument = config.load(home=tmp_path, environ={}, window=4096).for_model("qwen")
    assert (by_argument.window, by_argument.max_turns) == (4096, 5)
    by_variable = config.load(home=tmp_path, environ={"UNABRIDGED_WINDOW": "2048"})
    assert by_variable.for_model("qwen").window == 2048
    by_profile = config.load(home=tmp_path, environ={}, profile="story")
    assert by_profile.for_model("qwen").window == 32_768


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('[models.qwen]\nstore = "memory"\n', "store cannot differ by model"),
        ("[models.qwen]\nwindwo = 1\n", "no setting 'windwo'"),
        ("[models.qwen]\nwindow = 1\n", "window cannot be 1"),
        ("models = 3\n", "models is not a table of tables"),
        ("[models.qwen]\nimmediate_share = 0.99\n", "add up to more than 1"),
    ],
)
def test_a_models_table_is_checked(tmp_path, text, said):
    file_in(tmp_path, text)
    with pytest.raises(SettingError, match=said):
        config.load(home=tmp_path, environ={})


def test_a_models_setting_is_written_and_shown(tmp_path):
    write_setting(tmp_path, "window", "8192", ("models", "qwen2.5:7b"))
    write_setting(tmp_path, "window", "9000")
    reading = config.read(home=tmp_path, environ={}, model="qwen2.5:7b")
    rows = {row.name: row for row in config.describe(reading)}
    assert rows["window"].value == "8192"
    assert rows["window"].source.endswith("model qwen2.5:7b")
    write_setting(tmp_path, "window", None, ("models", "qwen2.5:7b"))
    assert config.load(home=tmp_path, environ={}).for_model("qwen2.5:7b").window == 9000


@pytest.mark.parametrize(
    ("text", "value"), [("yes", True), ("No", False), ("on", True), ("OFF", False), ("true", True)]
)
def test_yes_and_no_are_what_the_hint_says_they_are(text, value):
    assert config.value_from("auto_save", text) is value


def test_every_setting_is_a_keyword_of_opening_a_memory():
    own = {"home", "upstream", "models"}  # arguments themselves, or no setting
    assert set(SettingsDict.__annotations__) == {one.name for one in fields(Settings)} - own
