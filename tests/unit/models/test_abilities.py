import json
import stat

import pytest

from unabridged.domain.chat import Abilities
from unabridged.errors import UpstreamAwayError
from unabridged.models.abilities import DEFAULT_WINDOW, FILE_NAME, AbilityBook
from unabridged.models.known_models import KNOWN, known
from unabridged.models.window import LEAST_WINDOW, max_prompt_tokens, window


class Asked:
    """A server to ask, that can be away."""

    def __init__(self, **told):
        self.told = Abilities("m:latest", **told)
        self.times = 0
        self.away = False

    def __call__(self):
        self.times += 1
        if self.away:
            raise UpstreamAwayError("nobody")
        return self.told


@pytest.fixture
def asked():
    return Asked(trained_window=8192, loaded_window=4096)


def test_the_server_is_asked_once_while_fresh(clock, tmp_path, asked):
    book = AbilityBook(clock, tmp_path, ttl=60)
    assert book.get("k", "m:latest", asked).source == "server"
    clock.forward(59)
    again = book.get("k", "m:latest", asked)
    assert (again.source, again.loaded_window, asked.times) == ("cache", 4096, 1)


def test_another_process_finds_what_was_remembered(clock, tmp_path, asked):
    AbilityBook(clock, tmp_path, ttl=60).get("k", "m:latest", asked)
    other = AbilityBook(clock, tmp_path, ttl=60).get("k", "m:latest", asked)
    assert (other.source, asked.times) == ("cache", 1)
    assert stat.S_IMODE((tmp_path / FILE_NAME).stat().st_mode) == 0o600
    assert [path.name for path in tmp_path.iterdir()] == [FILE_NAME]


def test_an_expired_entry_is_refreshed(clock, tmp_path, asked):
    book = AbilityBook(clock, tmp_path, ttl=60)
    book.get("k", "m:latest", asked)
    clock.forward(60)
    asked.told = Abilities("m:latest", trained_window=8192, loaded_window=2048)
    fresh = book.get("k", "m:latest", asked)
    assert (fresh.source, fresh.loaded_window) == ("server", 2048)


def test_an_expired_entry_serves_stale_where_nobody_answers(clock, tmp_path, asked):
    book = AbilityBook(clock, tmp_path, ttl=60)
    book.get("k", "m:latest", asked)
    clock.forward(61)
    asked.away = True
    assert book.get("k", "m:latest", asked).source == "stale cache"
    assert book.get("k", "m:latest", asked).loaded_window == 4096
    assert asked.times == 2  # a server that is away is left alone for a while
    clock.forward(31)
    asked.away = False
    assert book.get("k", "m:latest", asked).source == "server"


def test_then_the_table_then_a_cautious_default(clock, tmp_path, asked):
    asked.away = True
    book = AbilityBook(clock, tmp_path)
    table = book.get("a", "llama3.1:8b", asked)
    assert (table.source, table.trained_window, table.tools) == ("table", 131_072, True)
    default = book.get("b", "nobody-knows:latest", asked)
    assert (default.source, default.trained_window) == ("default", DEFAULT_WINDOW)


def test_what_a_server_leaves_open_is_filled_and_said(clock):
    silent = AbilityBook(clock).get("k", "gpt-4o-mini", lambda: Abilities("gpt-4o-mini"))
    assert (silent.source, silent.trained_window, silent.max_output) == ("table", 128_000, 16_384)
    told = AbilityBook(clock).get("k", "gpt-4o", lambda: Abilities("gpt-4o", trained_window=999))
    assert (told.source, told.trained_window, told.max_output) == ("server", 999, 16_384)


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{",
        b"[]",
        b'{"format": 2, "entries": {}}',
        b'{"format": 1, "entries": {"k": {"at": "2026-11-21T12:00:00", "abilities": {}}}}',
        b'{"format": 1, "entries": {"k": {"at": "2026-11-21T12:00:00+00:00", '
        b'"abilities": {"model": "m", "trained_window": "many"}}}}',
        b"\xff\xfe",
    ],
)
def test_a_damaged_cache_is_passed_over(clock, tmp_path, asked, content):
    (tmp_path / FILE_NAME).write_bytes(content)
    book = AbilityBook(clock, tmp_path)
    assert book.get("k", "m:latest", asked).source == "server"
    assert json.loads((tmp_path / FILE_NAME).read_bytes())["entries"].keys() == {"k"}


def test_a_cache_that_cannot_be_written_is_no_error(clock, tmp_path, asked):
    (tmp_path / "file").write_text("")
    book = AbilityBook(clock, tmp_path / "file" / "cache")
    assert book.get("k", "m:latest", asked).source == "server"


def test_forgetting_asks_anew(clock, tmp_path, asked):
    book = AbilityBook(clock, tmp_path)
    book.get("k", "m:latest", asked)
    book.forget("k")
    assert book.get("k", "m:latest", asked).source == "server"
    assert asked.times == 2


def test_a_clock_set_back_does_not_keep_an_entry_for_ever(clock, tmp_path, asked):
    book = AbilityBook(clock, tmp_path)
    book.get("k", "m:latest", asked)
    clock.forward(-86_400)
    assert book.get("k", "m:latest", asked).source == "server"


@pytest.mark.parametrize(
    ("name", "length"),
    [
        ("llama3:8b", 8_192),
        ("llama3.1:70b", 131_072),
        ("meta-llama/Llama-3.1-8B-Instruct", 131_072),
        ("qwen2.5-coder:7b", 32_768),
        ("openai/gpt-4o-mini", 128_000),
        ("gpt-4.1-nano", 1_047_576),
        ("gemma3:1b", 32_768),
        ("gemma3:12b", 131_072),
    ],
)
def test_names_find_their_line(name, length):
    assert known(name).window == length


def test_names_that_only_begin_alike_find_none():
    assert known("llama30:8b") is None
    assert known("yield-model") is None
    assert all(row.window >= LEAST_WINDOW for row in KNOWN.values())


SERVER = {"trained_window": 131_072, "source": "server"}


@pytest.mark.parametrize(
    ("abilities", "asked", "tokens", "origin"),
    [
        ({**SERVER, "loaded_window": 8192}, {"client": 2048, "setting": 4096}, 2048, "client"),
        ({**SERVER, "loaded_window": 8192}, {"setting": 4096}, 4096, "setting"),
        ({**SERVER, "loaded_window": 65_536}, {}, 65_536, "loaded"),
        (SERVER, {}, 16_384, "trained"),
        ({"trained_window": 8192, "source": "server"}, {}, 8192, "trained"),
        ({"trained_window": 8192, "source": "table"}, {}, 8192, "table"),
        ({"trained_window": 4096, "source": "default"}, {}, 4096, "default"),
        ({}, {}, 4096, "default"),
        (SERVER, {"setting": 1}, LEAST_WINDOW, "setting"),
    ],
)
def test_the_window_rule(abilities, asked, tokens, origin):
    found = window(Abilities("m", **abilities), **asked)
    assert (found.tokens, found.origin) == (tokens, origin)


def test_more_than_was_trained_is_done_but_said():
    found = window(Abilities("m", trained_window=4096, source="server"), setting=8192)
    assert found.tokens == 8192
    assert "4,096" in found.note


def test_most_prompt_tokens():
    assert max_prompt_tokens("ollama") == 16_384
    assert max_prompt_tokens("gguf") == 2_000
    assert max_prompt_tokens("gguf", 5_000) == 5_000
