"""Every keyword of ``open`` has its effect, with ``settings=`` and without."""

import asyncio
import inspect

import pytest

from unabridged import AsyncMemory, Memory, Settings
from unabridged.domain.settings import SettingsDict
from unabridged.errors import InputError, SettingError
from unabridged.models.scripted import ScriptedModel

OTHER = {
    "profile": "companion",
    "store": "memory",
    "json_files": "user",
    "json_compression": True,
    "auto_save": False,
    "json_path": "elsewhere.json",
    "max_turns": 7,
    "max_sessions": 7,
    "max_bytes": 7,
    "key": "env:NO_KEY",
    "encrypt": True,
    "checkpoint_file": "seen.json",
    "audit": "all",
    "audit_days": 7,
    "backup_verify_every": 7,
    "user": "bob",
    "agent": "helper",
    "isolation": ("user",),
    "model": "other",
    "ollama_url": "http://127.0.0.1:7777",
    "openai_url": "http://127.0.0.1:7777/v1",
    "openai_key": "sk-none",
    "gguf": "other.gguf",
    "window": 4321,
    "window_max": 43210,
    "fit": "refuse",
    "off_record": "psst",
    "require_key": "always",
    "anthropic_url": "http://127.0.0.1:7777",
    "anthropic_key": "sk-none",
    "max_prompt_tokens": 1234,
    "memory_cap": 321,
    "max_output": 77,
    "mode": "tools",
    "verbosity": "concise",
    "persona": "none",
    "system": "Answer in rhyme.",
    "tools": (),
    "tokenizer": "estimate",
    "model_cache_ttl": 7.0,
    "timeout": 7.0,
    "threads": 7,
    "recall_scope": "session",
    "immediate_share": 0.17,
    "knowledge_share": 0.17,
    "vivid_share": 0.17,
    "recall_neighbors": True,
    "summary_share": 0.17,
    "contextual_share": 0.17,
    "min_relevance": 0.17,
    "condenser": "none",
    "condense_tokens": 777,
    "condense_messages": 7,
    "condense_keep_last": 7,
    "categories": "story",
    "classifier": "model",
    "facts": "none",
    "requirement_patterns": "wide",
    "embedder": "none",
    "reranker": "onnx:folder",
    "listen": "127.0.0.1:7777",
    "hosts": ("example.org",),
    "on_memory_error": "pass",
    "max_body": 7777,
    "max_streams": 7,
    "rate_limit": 7,
    "log": "json",
}
TOGETHER = {
    "json_path": {"json_files": "user"},
    "tools": {},
}
NOT_OPENED = {"persona", "encrypt", "key", "checkpoint_file", "reranker", "gguf"}
"""What opening reads a file or a key for; their effect is seen in ``settings_from``."""
BASES = {"without settings": None, "with settings": Settings(tools=("gone.py",), window=2048)}
OPEN_ONLY = {"self", "home", "upstream", "session", "settings", "clock", "ephemeral", "create"}


def opened(**given):
    return Memory.open(ephemeral=True, upstream=ScriptedModel(), **given)


def test_the_table_names_every_setting():
    assert set(OTHER) == set(SettingsDict.__annotations__)
    assert all(OTHER[name] != getattr(Settings(), name) for name in OTHER if name != "tools")


@pytest.mark.parametrize("name", sorted(set(OTHER) - NOT_OPENED))
@pytest.mark.parametrize("base", BASES)
def test_a_keyword_counts_for_more_than_settings(base, name, tmp_path):
    given = {**TOGETHER.get(name, {}), "tools": (), name: OTHER[name]}
    if BASES[base] is not None:
        given["settings"] = BASES[base]
    with opened(home=tmp_path, **given) as memory:
        found = memory.space.settings
        assert getattr(found, name) == OTHER[name]
        if BASES[base] is not None and name not in ("window", "profile"):
            assert found.window == 2048, "what no keyword names is that of the settings"


@pytest.mark.parametrize("name", sorted(NOT_OPENED))
def test_a_keyword_that_opening_reads_a_file_for_counts_too(name, tmp_path):
    from unabridged.factory.open_memory import settings_from

    given = {name: OTHER[name]} | ({"key": "env:NO_KEY"} if name == "encrypt" else {})
    for base in (None, Settings(window=2048)):
        assert getattr(settings_from(tmp_path, settings=base, **given), name) == OTHER[name]


def test_users_of_one_settings_object_share_nothing(tmp_path):
    shared = Settings(window=4096)
    with Memory.open(tmp_path, settings=shared, user="ann", upstream="quote") as ann:
        ann.add({"role": "user", "content": "My PIN is 4711."})
        ann.facts.add("Ann likes tea.")
    with Memory.open(tmp_path, settings=shared, user="bob", upstream="quote") as bob:
        assert bob.search("PIN") == []
        assert bob.facts.all() == []
        assert bob.space.settings.window == 4096
    with Memory.open(tmp_path, settings=shared, user="ann", upstream="quote") as ann:
        assert [hit.exchange.text for hit in ann.search("PIN")] == ["My PIN is 4711."]

    async def other():
        async with AsyncMemory.open(
            tmp_path, settings=shared, user="eve", upstream="quote"
        ) as memory:
            return await memory.search("PIN")

    assert asyncio.run(other()) == []


def test_the_other_keywords_count_with_settings_too(tmp_path):
    assert set(inspect.signature(Memory.open).parameters) - OPEN_ONLY == {"recover", "settings_"}
    shared = Settings(home=str(tmp_path / "theirs"))
    with Memory.open(settings=shared, upstream="quote", session="first") as memory:
        memory.record(memory.prepare("Hello"), "Hi")
        assert memory.space.settings.upstream == "quote"
        assert memory.sessions()[0].session.id == "first"
    assert (tmp_path / "theirs").is_dir()
    with Memory.open(tmp_path / "mine", settings=shared, upstream="quote") as memory:
        assert memory.sessions() == []
    with Memory.open(settings=shared, upstream="quote", ephemeral=True) as memory:
        assert memory.sessions() == []
    with Memory.open(settings=shared, user="new", upstream="quote", create=False) as memory:
        assert memory.space.is_placeholder


def test_the_home_of_settings_without_one_is_the_usual_home(tmp_path, monkeypatch):
    monkeypatch.setenv("UNABRIDGED_HOME", str(tmp_path / "usual"))
    monkeypatch.setenv("UNABRIDGED_WINDOW", "9999")
    monkeypatch.chdir(tmp_path)
    with Memory.open(settings=Settings(), upstream="quote") as memory:
        memory.record(memory.prepare("Hello"), "Hi")
        assert memory.space.settings.window is None, "the environment's settings are not read"
    assert [path.name for path in tmp_path.iterdir()] == ["usual"]


@pytest.mark.parametrize(
    "wrong",
    [
        {"window": "x"},
        {"window": -3},
        {"user": 5},
        {"user": ""},
        {"mode": "shout"},
        {"isolation": ("moon",)},
        {"immediate_share": 0.9, "knowledge_share": 0.9},
        {"timeout": None},
        {"tools": "calculator.py"},
    ],
)
def test_settings_are_checked_as_those_of_a_file(wrong, tmp_path):
    with pytest.raises(SettingError) as failed:
        Memory.open(tmp_path, settings=Settings(**wrong))
    assert next(iter(wrong)) in str(failed.value)
    assert failed.value.hint
    assert not list(tmp_path.iterdir())


def test_an_unknown_keyword_is_refused_with_settings_too(tmp_path):
    for base in (None, Settings()):
        with pytest.raises(SettingError, match="windw"):
            Memory.open(tmp_path, settings=base, windw=5)
    with pytest.raises(InputError, match="of the type dict"):
        Memory.open(tmp_path, settings={"window": 5})


def test_a_model_s_table_yields_to_a_keyword(tmp_path):
    base = Settings(home=str(tmp_path), models={"small": {"window": 2048, "max_output": 99}})
    with Memory.open(settings=base, window=4096, upstream="quote") as memory:
        found = memory.space.settings.for_model("small")
        assert (found.window, found.max_output) == (4096, 99)
    with pytest.raises(SettingError):
        Memory.open(settings=Settings(models={"small": {"window": "x"}}))
