"""The embedded model, and llama.cpp's own HTTP server as a real OpenAI-compatible upstream."""

import secrets
import threading
from datetime import UTC, datetime

import pytest

from unabridged import errors
from unabridged.domain.chat import ChatRequest
from unabridged.domain.message import Message, Role, Text, ToolCall, ToolResult
from unabridged.domain.settings import Settings
from unabridged.models import choose_model, gguf
from unabridged.models.gguf import GgufModel
from unabridged.models.openai import OpenAIModel, OpenAIServer
from unabridged.net.llama_cpp import start_server
from unabridged.testing.models import CLOCK, ChatModelContract, asking

AT = datetime(2026, 11, 21, tzinfo=UTC)
WINDOW = 1024


class Clock:
    def now(self):
        return AT

    def new_id(self):
        return "0" * 26


@pytest.fixture(scope="module")
def llama_cpp(smollm2):
    """Its server, with a key: address and key."""
    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path = str(smollm2)
    params.n_ctx = WINDOW
    params.n_parallel = 1
    params.verbosity = -1
    key = secrets.token_hex(8)
    params.api_keys = [key]
    server = start_server(params)
    yield f"{server.listening_address}/v1", key
    del server


@pytest.fixture(scope="module")
def remote(llama_cpp):
    url, key = llama_cpp
    server = OpenAIServer(url, key=key)
    model = OpenAIModel(server.models()[0], server)
    yield model
    model.close()


class TestLlamaCppOverHttp(ChatModelContract):
    calls_tools = False  # the model's template knows no tools

    @pytest.fixture
    def model(self, remote):
        return remote


def test_llama_cpp_tells_its_lengths(remote):
    able = remote.abilities()
    assert (able.trained_window, able.loaded_window, able.source) == (8192, WINDOW, "server")


def test_llama_cpps_refusal_has_figures(remote):
    with pytest.raises(errors.ContextRefusedError) as caught:
        list(remote.chat(asking("sea " * 3000)))
    assert caught.value.window == WINDOW
    assert caught.value.prompt_tokens > 3000


def test_llama_cpp_takes_a_tool_round_as_we_send_it(remote):
    """The model's template knows no tools, so it calls none; the wire form is what is tried."""
    ask = Message("1", Role.USER, (Text("What time is it in UTC?"),), AT)
    call = ToolCall("call_1", "clock", '{"zone": "UTC"}')
    said = Message("2", Role.ASSISTANT, (call,), AT)
    told = Message("3", Role.TOOL, (ToolResult("call_1", "clock", "noon"),), AT)
    chunks = list(remote.chat(ChatRequest((ask, said, told), (CLOCK,), max_output=20)))
    assert chunks[-1].done


def test_its_template_says_that_it_knows_no_tools(smollm2):
    assert GgufModel(smollm2).abilities().tools is False


def test_the_embedded_model_says_the_same_as_its_server(smollm2, remote):
    same = {"temperature": 0, "seed": 1}
    prompt = (Message("1", Role.USER, (Text("Name three colours."),), AT),)
    request = ChatRequest(prompt, window=WINDOW, max_output=24, options=same)
    local = GgufModel(smollm2, tokens=WINDOW)
    try:
        one = list(local.chat(request))
        two = list(remote.chat(request))
    finally:
        local.close()
    assert "".join(c.text for c in one) == "".join(c.text for c in two)
    assert one[-1].usage.prompt == two[-1].usage.prompt


def test_it_is_loaded_at_the_first_request_and_freed_by_close(smollm2):
    model = GgufModel(smollm2)
    assert model.abilities().loaded_window is None
    assert model.abilities().trained_window == 8192
    list(model.chat(ChatRequest(asking("hi").messages, window=600, max_output=4)))
    assert model.abilities().loaded_window == 600
    model.close()
    assert model.abilities().loaded_window is None
    list(model.chat(ChatRequest(asking("hi").messages, max_output=4)))
    assert model.abilities().loaded_window == 8192
    model.close()


def test_a_stop_is_heard_while_the_prompt_is_read(smollm2, monkeypatch):
    """Reading these 3,000 tokens takes many seconds; an interrupt ends it between two batches."""
    model = GgufModel(smollm2, tokens=4096)
    prompt = asking("the sea is wide " * 600).messages
    seen = []

    def interrupted(assembler, event):
        seen.append(event["prompt_progress"]["processed"])
        if seen[-1] > 0:
            raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(gguf.wire.OpenAIStreamAssembler, "feed", interrupted)
        with pytest.raises(KeyboardInterrupt):
            list(model.chat(ChatRequest(prompt, window=4096)))
    assert 0 < seen[-1] < 2000
    assert not any(thread.name == "gguf" for thread in threading.enumerate())
    assert list(model.chat(ChatRequest(asking("hi").messages, max_output=4)))[-1].done
    model.close()


def test_auto_takes_the_fetched_model(smollm2):
    cache = smollm2.parent.parent
    found = choose_model.choose(Settings(ollama_url="http://127.0.0.1:9"), Clock(), cache)
    assert (found.model.provider, found.model.model) == ("gguf", smollm2.stem)
    assert "small" in found.note
    (row,) = [
        row
        for row in choose_model.diagnose(Settings(ollama_url="http://127.0.0.1:9"), Clock(), cache)
        if row.provider == "gguf"
    ]
    assert (row.answers, row.window, row.origin) == (True, 8192, "trained")


def test_a_file_that_is_damaged_behind_its_header(smollm2, tmp_path):
    path = tmp_path / "half.gguf"
    with smollm2.open("rb") as whole:
        path.write_bytes(whole.read(4_000_000))
    model = GgufModel(path)
    with pytest.raises(errors.UpstreamRefusedError, match=r"half\.gguf"):
        list(model.chat(asking("hi")))
    model.close()
