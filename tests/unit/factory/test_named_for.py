"""Whose memory it is where models have memories of their own."""

import pytest

from unabridged.clock import SystemClock
from unabridged.domain.scope import Scope, SpaceId
from unabridged.domain.settings import Settings
from unabridged.errors import UpstreamError
from unabridged.factory.adapters import named_for
from unabridged.home.open_spaces import space_from
from unabridged.models.scripted import ScriptedModel
from unabridged.testing.ollama_server import OllamaEntry, OllamaTestServer

APART = ("user", "agent", "model")


def test_the_upstreams_choice_names_it(tmp_path):
    with OllamaTestServer(models=[OllamaEntry("qwen3:latest")]) as server:
        settings = Settings(home=str(tmp_path), isolation=APART, ollama_url=server.url)
        named = named_for(settings, SystemClock())
        assert (named.model, named.upstream) == ("qwen3", "ollama")


def test_a_model_that_was_named_or_handed_over_is_not_looked_for(tmp_path):
    settings = Settings(home=str(tmp_path), isolation=APART, ollama_url="http://127.0.0.1:9")
    assert named_for(Settings(isolation=APART, model="m"), SystemClock()).model == "m"
    assert named_for(settings, SystemClock(), ScriptedModel(["x"])).model
    assert named_for(Settings(home=str(tmp_path)), SystemClock()).model == ""


def test_an_upstream_that_is_away_is_told(tmp_path):
    away = Settings(
        home=str(tmp_path), isolation=APART, upstream="ollama", ollama_url="http://127.0.0.1:9"
    )
    with pytest.raises(UpstreamError):
        named_for(away, SystemClock())


def test_a_name_with_and_without_latest_is_one_space():
    apart = Settings(isolation=APART)
    spaces = {space_from(Scope("a", "b", name), apart) for name in ("llama3", "llama3:latest")}
    assert spaces == {SpaceId("a", "b", "llama3")}
