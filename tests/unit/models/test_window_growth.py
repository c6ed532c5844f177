"""How far windows grow: never back while a model loads them, and a step back for each that fails."""

import pytest

from unabridged.clock import SystemClock
from unabridged.domain.settings import Settings
from unabridged.factory.adapters import UpstreamInfoCache
from unabridged.models.ollama import OllamaModel, OllamaServer
from unabridged.models.window_growth import WindowGrowth
from unabridged.testing.ollama_server import OllamaTestServer

M = "llama3.2:latest"


def test_a_request_that_knew_the_shorter_window_does_not_shrink_it():
    growth = WindowGrowth()
    assert growth.grow(M, 16_384, 60_000, None, None) == 65_536
    assert growth.grow(M, 16_384, 20_000, None, None) == 65_536
    assert growth.grow(M, 16_384, 70_000, None, None) == 131_072
    assert growth.window(M) == 131_072


def test_two_requests_that_fail_together_go_back_one_step():
    growth = WindowGrowth()
    growth.grow(M, 16_384, 30_000, None, None)
    growth.grow(M, 32_768, 60_000, None, None)
    assert [growth.failed(M, 65_536), growth.failed(M, 65_536)] == [32_768, 32_768]
    assert growth.window(M) == 32_768
    assert growth.grow(M, 32_768, 60_000, None, None) is None


def test_a_window_that_a_client_chose_and_that_fails_leaves_the_grown_one():
    growth = WindowGrowth()
    growth.grow(M, 16_384, 30_000, None, None)
    assert growth.failed(M, 200_000) is None
    assert growth.window(M) == 32_768
    assert growth.grow(M, 32_768, 60_000, None, None) == 65_536


def test_a_window_that_grew_beyond_what_a_space_allows_holds_nothing_more_for_it():
    growth = WindowGrowth()
    growth.grow(M, 16_384, 60_000, None, None)
    assert growth.grow(M, 16_384, 20_000, 16_384, None) is None
    assert growth.grow("other", 16_384, 20_000, None, None) == 32_768


@pytest.mark.parametrize(
    ("given", "window"),
    [({}, 65_536), ({"window": 8_192}, 8_192), ({"window_max": 20_000}, 20_000)],
)
def test_a_window_grown_for_one_space_obeys_the_settings_of_another(given, window):
    with OllamaTestServer() as server:
        server_of = OllamaServer(server.url)
        model = OllamaModel(M, server_of)
        first = UpstreamInfoCache(Settings(), SystemClock())
        other = UpstreamInfoCache(Settings(**given), SystemClock())
        assert first(model).window == 16_384
        server_of.growth.grow(M, 16_384, 60_000, None, None)
        assert first(model).window == 65_536
        assert other(model).window == window
        model.close()
