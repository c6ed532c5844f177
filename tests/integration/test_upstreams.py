"""The adapters against servers that speak the real protocols over HTTP."""

import re
import socket
import threading
from datetime import UTC, datetime

import pytest

from unabridged import errors
from unabridged.domain.chat import ChatRequest, ToolSpec
from unabridged.domain.message import Image, Message, Reasoning, Role, Text, ToolCall, ToolResult
from unabridged.models.anthropic import AnthropicModel, AnthropicServer
from unabridged.models.ollama import OllamaModel, OllamaServer
from unabridged.models.openai import OpenAIModel, OpenAIServer
from unabridged.testing.anthropic_server import MODEL, AnthropicTestServer
from unabridged.testing.ollama_server import OllamaEntry, OllamaTestServer
from unabridged.testing.openai_server import OpenAIEntry, OpenAITestServer
from unabridged.testing.replies import ScriptedReply

AT = datetime(2026, 11, 21, tzinfo=UTC)
CALL = ToolCall("call_1", "weather", '{"city": "Köln"}')
SPEC = ToolSpec("weather", "Tells the weather.", {"type": "object", "properties": {}})


def say(text, role=Role.USER, *more):
    return Message(f"m{len(text)}", role, (Text(text), *more), AT)


def ask(*prompt, **rest):
    return ChatRequest(prompt or (say("hello there"),), **rest)


def text(chunks):
    return "".join(chunk.text for chunk in chunks)


class World:
    """One dialect: how to play its server and how to reach it."""

    def __init__(self, server, adapter, chat, results="tool"):
        self.server, self.adapter, self.chat = server, adapter, chat
        self.results = results  # the role of a message with a tool's result


WORLDS = {
    "ollama": World(
        OllamaTestServer,
        lambda s: OllamaModel("llama3.2", OllamaServer(s.url, timeout=60)),
        "/api/chat",
    ),
    "openai": World(
        OpenAITestServer,
        lambda s: OpenAIModel("test-model", OpenAIServer(s.base_url, timeout=60)),
        "/v1/chat/completions",
    ),
    "anthropic": World(
        AnthropicTestServer,
        lambda s: AnthropicModel(MODEL, AnthropicServer(s.url, timeout=60)),
        "/v1/messages",
        "user",
    ),
}


@pytest.fixture(params=list(WORLDS))
def world(request):
    return WORLDS[request.param]


@pytest.fixture
def play(world):
    """Starts a server with a script; gives it and a model on it."""
    opened = []

    def start(script="Yes.", **rest):
        server = world.server(script, **rest)
        model = world.adapter(server)
        opened.extend((model, server))
        return server, model

    yield start
    for each in opened:
        each.close()


def test_an_answer_streams_with_words_thoughts_and_usage(play):
    _, model = play(ScriptedReply("Ja, 海 und\u2028Meer.", reasoning="Let me think."))
    chunks = list(model.chat(ask()))
    assert text(chunks) == "Ja, 海 und\u2028Meer."
    assert "".join(chunk.reasoning for chunk in chunks) == "Let me think."
    assert chunks[-1].finish == "stop"
    assert (chunks[-1].usage.prompt, chunks[-1].usage.answer) == (3, 4)
    assert not chunks[-1].usage.cached


def test_a_tool_call_comes_whole_and_its_result_goes_back(play, world):
    server, model = play([ScriptedReply("I look.", calls=(CALL,)), "Rain."])
    chunks = list(model.chat(ask(tools=(SPEC,))))
    calls = [call for chunk in chunks for call in chunk.calls]
    assert [(c.id, c.name, c.arguments) for c in calls] == [
        ("call_1", "weather", '{"city": "Köln"}')
    ]
    assert chunks[-1].finish == "tool_calls"
    said = Message("2", Role.ASSISTANT, (Reasoning("private"), Text("I look."), *calls), AT)
    told = Message("3", Role.TOOL, (ToolResult("call_1", "weather", "rain"),), AT)
    assert text(model.chat(ask(say("weather?"), said, told, tools=(SPEC,)))) == "Rain."
    sent = server.sent(world.chat)[-1]
    roles = ["user", "assistant", world.results]
    assert [message["role"] for message in sent["messages"]] == roles
    assert "call_1" in str(sent["messages"][-1])
    if world.chat != "/v1/messages":  # which takes signed thoughts only
        field = "thinking" if world.chat == "/api/chat" else "reasoning_content"
        assert sent["messages"][1][field] == "private"  # some servers want it back in a loop


def test_connections_are_reused(play):
    server, model = play()
    for _ in range(5):
        list(model.chat(ask()))
    model.models()
    model.abilities()
    assert server.connections == 2  # one for answers, which can be stopped, and one for the rest


def test_an_error_in_mid_stream_keeps_what_came(play):
    _, model = play(ScriptedReply("one two three four", error="CUDA out of memory", after=2))
    got = []
    with pytest.raises(errors.UpstreamRefusedError, match="CUDA out of memory"):
        got.extend(model.chat(ask()))
    assert text(got) == "one two "


def test_a_stream_that_breaks_off_keeps_what_came(play):
    _, model = play(ScriptedReply("one two three four", breaks=True, after=3))
    got = []
    with pytest.raises(errors.UpstreamBrokenError) as caught:
        got.extend(model.chat(ask()))
    assert text(got) == "one two three "
    assert caught.value.hint


def test_a_refusal_says_status_and_reason(play):
    _, model = play(ScriptedReply(status=503, error="server busy, please try again"))
    with pytest.raises(errors.UpstreamRefusedError, match="server busy") as caught:
        list(model.chat(ask()))
    assert caught.value.status == 503
    assert "again" in caught.value.hint


def test_a_reader_that_leaves_stops_the_server(play):
    server, model = play([ScriptedReply("word " * 4000, pause=0.001), "Yes."])
    stream = model.chat(ask())
    next(stream)
    stream.close()
    assert text(model.chat(ask(say("again")))) == "Yes."
    assert server.wait_for_stop(60)


def test_nobody_at_the_address(world):
    with world.server() as server:
        model = world.adapter(server)
    with pytest.raises(errors.UpstreamAwayError) as caught:
        list(model.chat(ask()))
    assert caught.value.hint
    model.close()


def test_a_server_that_does_not_begin_is_away():
    with OllamaTestServer(ScriptedReply("late", delay=30)) as server:
        model = OllamaModel("llama3.2", OllamaServer(server.url, timeout=0.2))
        with pytest.raises(errors.UpstreamAwayError, match="did not begin"):
            list(model.chat(ask()))
        model.close()


def test_a_server_that_falls_silent_is_broken():
    with OllamaTestServer(ScriptedReply("one two", pause=30)) as server:
        model = OllamaModel("llama3.2", OllamaServer(server.url, timeout=1.0))
        got = []
        with pytest.raises(errors.UpstreamBrokenError, match="nothing more came"):
            got.extend(model.chat(ask()))
        assert text(got) == "one "
        model.close()


def test_an_unknown_model_names_the_near_ones():
    names = ("llama3.1:8b", "qwen2.5:7b", "mistral:latest")
    with OllamaTestServer(models=[OllamaEntry(name) for name in names]) as server:
        model = OllamaModel("llama3.1", OllamaServer(server.url))
        with pytest.raises(errors.ModelNotFoundError, match=r"'llama3\.1'") as caught:
            list(model.chat(ask()))
        assert "ollama pull llama3.1" in caught.value.hint
        assert "llama3.1:8b" in caught.value.hint
        model.close()
    with OpenAITestServer(models=[OpenAIEntry("gpt-4o"), OpenAIEntry("tts")]) as server:
        other = OpenAIModel("gpt4o", OpenAIServer(server.base_url))
        with pytest.raises(errors.ModelNotFoundError) as caught:
            list(other.chat(ask()))
        assert "gpt-4o" in caught.value.hint
        other.close()


def test_a_server_without_any_model():
    with OllamaTestServer(models=[]) as server:
        model = OllamaModel("llama3.2", OllamaServer(server.url))
        with pytest.raises(errors.NoModelError) as caught:
            list(model.chat(ask()))
        assert "ollama pull llama3.2" in caught.value.hint
        model.close()


def test_llama3_is_llama3_latest():
    with OllamaTestServer(models=[OllamaEntry("llama3:latest", trained=8192)]) as server:
        model = OllamaModel("llama3", OllamaServer(server.url))
        assert model.model == "llama3:latest"
        assert model.abilities().model == "llama3:latest"
        assert text(model.chat(ask())) == "Yes."
        model.close()


def test_ollama_is_told_the_window_and_to_refuse():
    with OllamaTestServer() as server:
        model = OllamaModel("llama3.2", OllamaServer(server.url))
        picture = Image("data:image/png;base64,iVBORw0KGgo=")
        list(model.chat(ask(say("see", Role.USER, picture), window=2048, max_output=77)))
        (sent,) = server.sent("/api/chat")
        assert sent["options"] == {"num_ctx": 2048, "num_predict": 77}
        assert sent["truncate"] is False
        assert sent["shift"] is False
        assert sent["messages"][0]["images"] == ["iVBORw0KGgo="]
        model.close()


LONG = [
    say("be brief", Role.SYSTEM),
    say("old " * 600),
    say("yes", Role.ASSISTANT),
    say("newest word"),
]


def test_ollama_refuses_what_is_too_long():
    with OllamaTestServer() as server:
        model = OllamaModel("llama3.2", OllamaServer(server.url))
        with pytest.raises(errors.ContextRefusedError) as caught:
            list(model.chat(ask(*LONG, window=512)))
        assert (caught.value.prompt_tokens, caught.value.window) == (609, 512)
        model.close()


def test_an_old_ollama_cuts_silently_and_the_count_betrays_it():
    with OllamaTestServer(truncates=True) as server:
        model = OllamaModel("llama3.2", OllamaServer(server.url))
        chunks = list(model.chat(ask(*LONG, window=512)))
        # system message, the answer and the newest stay: 3 + 2 + 3 words with their roles
        assert chunks[-1].usage.prompt == 8
        assert server.cut == [1]
        model.close()


def test_a_server_that_refuses_unknown_fields_is_asked_without_them():
    with OllamaTestServer(strict=True) as server:
        model = OllamaModel("llama3.2", OllamaServer(server.url))
        assert text(model.chat(ask())) == "Yes."
        assert text(model.chat(ask())) == "Yes."
        assert ["truncate" in body for body in server.sent("/api/chat")] == [True, False, False]
        model.close()


def test_ollamas_models_come_most_recent_first_without_embedders():
    entries = [
        OllamaEntry("old:1b", day=1),
        OllamaEntry("bert:latest", family="bert", capabilities=None, day=9),
        OllamaEntry("vectors:latest", capabilities=("embedding",), day=8),
        OllamaEntry("new:1b", day=7),
        OllamaEntry("running:1b", day=2, loaded=4096),
    ]
    with OllamaTestServer(models=entries) as server:
        reached = OllamaServer(server.url)
        assert reached.models() == ["running:1b", "new:1b", "old:1b"]
        assert reached.version() == "0.33.0"
        reached.close()


def test_ollamas_abilities():
    entry = OllamaEntry(
        "q:latest", 40_960, "qwen3", ("completion", "tools", "thinking"), loaded=8_192
    )
    with OllamaTestServer(models=[entry, OllamaEntry("old:latest", capabilities=None)]) as server:
        reached = OllamaServer(server.url)
        able = reached.abilities("q")
        assert (able.trained_window, able.loaded_window) == (40_960, 8_192)
        assert (able.tools, able.vision, able.reasoning) == (True, False, True)
        assert (able.family, able.source) == ("qwen3", "server")
        assert reached.abilities("old").tools is None
        with pytest.raises(errors.ModelNotFoundError):
            reached.abilities("nothing")
        reached.close()


SERVERS = {
    "vllm": ({"extra": {"max_model_len": 4_096}}, {}, (4_096, 4_096)),
    "llama.cpp": (
        {"extra": {"meta": {"n_ctx_train": 131_072}}},
        {"props": {"default_generation_settings": {"n_ctx": 8_192}}},
        (131_072, 8_192),
    ),
    "lm studio": (
        {},
        {"native": [{"id": "m", "max_context_length": 32_768, "loaded_context_length": 4_096}]},
        (32_768, 4_096),
    ),
    "openrouter": ({"extra": {"context_length": 200_000}}, {}, (200_000, None)),
    "groq": ({"extra": {"context_window": 131_072}}, {}, (131_072, None)),
    "plain": ({}, {}, (None, None)),
}


@pytest.mark.parametrize("kind", SERVERS)
def test_lengths_are_asked_in_every_servers_own_words(kind):
    entry, rest, lengths = SERVERS[kind]
    with OpenAITestServer(models=[OpenAIEntry("m", **entry)], **rest) as server:
        reached = OpenAIServer(server.base_url)
        able = reached.abilities("m")
        assert (able.trained_window, able.loaded_window) == lengths
        reached.close()


def test_openai_refuses_what_is_too_long():
    with OpenAITestServer(window=512) as server:
        model = OpenAIModel("test-model", OpenAIServer(server.base_url))
        with pytest.raises(errors.ContextRefusedError) as caught:
            list(model.chat(ask(*LONG, max_output=50)))
        assert (caught.value.prompt_tokens, caught.value.window) == (609, 512)
        model.close()


def test_the_key_is_sent_and_a_wrong_one_is_said():
    with OpenAITestServer(key="sesame") as server:
        model = OpenAIModel("test-model", OpenAIServer(server.base_url, key="sesame"))
        assert text(model.chat(ask())) == "Yes."
        model.close()
        wrong = OpenAIModel("test-model", OpenAIServer(server.base_url, key="secret-key"))
        with pytest.raises(errors.UpstreamRefusedError) as caught:
            list(wrong.chat(ask()))
        assert caught.value.status == 401
        assert "openai_key" in caught.value.hint
        assert "secret-key" not in str(caught.value) + repr(caught.value.__dict__)
        wrong.close()


@pytest.mark.parametrize(
    ("refuses", "left"),
    [(("max_tokens",), "max_completion_tokens"), (("stream_options", "max_tokens"), "stream")],
)
def test_a_server_that_refuses_a_field_is_asked_in_its_own_accent(refuses, left):
    with OpenAITestServer(refuses=refuses) as server:
        model = OpenAIModel("test-model", OpenAIServer(server.base_url))
        assert text(model.chat(ask(max_output=50))) == "Yes."
        first = len(server.requests)
        assert text(model.chat(ask(max_output=50))) == "Yes."
        assert len(server.requests) == first + 1
        assert left in server.requests[-1].body
        model.close()


def test_a_stream_may_end_without_a_mark_but_not_without_a_reason():
    with OpenAITestServer(
        [ScriptedReply("a b", ends="silent"), ScriptedReply("a b", ends="cut")]
    ) as server:
        model = OpenAIModel("test-model", OpenAIServer(server.base_url))
        assert list(model.chat(ask()))[-1].finish == "stop"
        with pytest.raises(errors.UpstreamBrokenError):
            list(model.chat(ask()))
        model.close()


def test_what_is_no_model_server_is_said():
    with OpenAITestServer() as server:
        reached = OllamaServer(server.url)
        with pytest.raises(errors.UpstreamRefusedError):
            reached.models()
        reached.close()
    with OllamaTestServer() as server:
        model = OpenAIModel("m", OpenAIServer(server.url))
        with pytest.raises(errors.UpstreamError):
            list(model.chat(ask()))
        model.close()


@pytest.mark.parametrize("url", ["", "localhost:11434", "ftp://x", "http://", "/v1"])
def test_an_address_that_is_none_is_a_setting_error(url):
    with pytest.raises(errors.SettingError):
        OllamaServer(url)


def test_credentials_in_an_address_are_never_shown():
    reached = OllamaServer("http://user:hunter2@127.0.0.1:9", timeout=1)
    with pytest.raises(errors.UpstreamAwayError) as caught:
        reached.models()
    assert "hunter2" not in str(caught.value)
    reached.close()


def whole_request(connection):
    """Reads one request to its end."""
    data = b""
    while b"\r\n\r\n" not in data:
        data += connection.recv(65536)
    head, _, body = data.partition(b"\r\n\r\n")
    length = int(re.search(rb"content-length: (\d+)", head, re.IGNORECASE).group(1))
    while len(body) < length:
        body += connection.recv(65536)
    return body


def test_a_reused_connection_that_the_server_closes_is_no_fault():
    """llama.cpp closes connections as it likes, also at the moment when the next request comes."""
    end = b'{"message": {"content": "Yes."}, "done": true}\n'
    answer = b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s" % (len(end), end)
    taken = []

    def serve(listener, answers):
        for count in answers:
            connection, _ = listener.accept()
            with connection:
                for _ in range(count):
                    taken.append(whole_request(connection))
                    connection.sendall(answer)
                if len(taken) == 1:
                    whole_request(connection)  # the second request: taken, and not answered

    with socket.create_server(("127.0.0.1", 0)) as listener:
        worker = threading.Thread(target=serve, args=(listener, [1, 1]), daemon=True)
        worker.start()
        url = f"http://127.0.0.1:{listener.getsockname()[1]}"
        model = OllamaModel("m", OllamaServer(url, timeout=60))
        assert text(model.chat(ask())) == "Yes."
        assert text(model.chat(ask())) == "Yes."
        model.close()
        worker.join()
    assert len(taken) == 2


def test_a_server_that_hangs_up_on_the_first_request_is_broken_and_not_asked_twice():
    taken = []

    def serve(listener):
        connection, _ = listener.accept()
        with connection:
            taken.append(whole_request(connection))

    with socket.create_server(("127.0.0.1", 0)) as listener:
        worker = threading.Thread(target=serve, args=(listener,), daemon=True)
        worker.start()
        model = OllamaModel(
            "m", OllamaServer(f"http://127.0.0.1:{listener.getsockname()[1]}", timeout=60)
        )
        with pytest.raises(errors.UpstreamBrokenError):
            list(model.chat(ask()))
        model.close()
        worker.join()
    assert len(taken) == 1
