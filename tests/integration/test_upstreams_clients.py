"""The protocol servers against the official clients: what they read is what the protocol says."""

import ollama
import openai
import pytest
from tests.opened import transport_of

from unabridged.domain.message import ToolCall
from unabridged.testing.ollama_server import OllamaEntry, OllamaTestServer
from unabridged.testing.openai_server import OpenAITestServer
from unabridged.testing.replies import ScriptedReply

CALL = ToolCall("call_1", "weather", '{"city": "Köln"}')
HELLO = [{"role": "user", "content": "hello there"}]
TOOL = {
    "type": "function",
    "function": {
        "name": "weather",
        "description": "Tells the weather.",
        "parameters": {"type": "object", "properties": {"city": {"type": "string"}}},
    },
}


@pytest.fixture
def ollama_client():
    opened = []

    def connect(server):
        client = ollama.Client(host=server.url)
        opened.append(client)
        return client

    yield connect
    for client in opened:
        transport_of(client).close()


def test_ollama_chat_streamed_and_whole(ollama_client):
    with OllamaTestServer(ScriptedReply("Good day.", reasoning="Hm.", calls=(CALL,))) as server:
        client = ollama_client(server)
        whole = client.chat("llama3.2", HELLO, tools=[TOOL])
        assert whole.message.content == "Good day."
        assert whole.message.thinking == "Hm."
        assert whole.message.tool_calls[0].function.arguments == {"city": "Köln"}
        assert (whole.prompt_eval_count, whole.eval_count, whole.done_reason) == (3, 2, "stop")
        parts = list(client.chat("llama3.2", HELLO, stream=True))
        assert "".join(part.message.content for part in parts) == "Good day."
        assert [part.done for part in parts] == [False] * (len(parts) - 1) + [True]
        assert parts[-1].prompt_eval_count == 3


def test_ollama_lists_shows_and_tells_what_runs(ollama_client):
    entries = [OllamaEntry(loaded=4096), OllamaEntry("other:1b")]
    with OllamaTestServer(models=entries) as server:
        client = ollama_client(server)
        assert [model.model for model in client.list().models] == ["llama3.2:latest", "other:1b"]
        shown = client.show("llama3.2")
        assert shown.modelinfo["llama.context_length"] == 131_072
        assert shown.capabilities == ["completion", "tools"]
        (running,) = client.ps().models
        assert running.context_length == 4096


def test_ollama_generates_and_embeds(ollama_client):
    with OllamaTestServer("Good day.") as server:
        client = ollama_client(server)
        assert client.generate("llama3.2", "hello").response == "Good day."
        parts = list(client.generate("llama3.2", "hello", stream=True))
        assert "".join(part.response for part in parts) == "Good day."
        both = client.embed("llama3.2", ["a", "b"]).embeddings
        assert len(both) == 2
        assert client.embed("llama3.2", "b").embeddings == [both[1]]


def test_ollama_refuses_to_embed_as_the_server_does(ollama_client):
    with OllamaTestServer(models=[OllamaEntry(trained=512)]) as server:
        client = ollama_client(server)
        long = "word " * 600
        assert len(client.embed("llama3.2", long).embeddings) == 1  # cut, as nothing else is said
        with pytest.raises(ollama.ResponseError, match="input length exceeds") as caught:
            client.embed("llama3.2", ["short", long], truncate=False)
        assert caught.value.status_code == 400
        with pytest.raises(ollama.ResponseError, match="not found") as missing:
            client.embed("nothing", "a")
        assert missing.value.status_code == 404


def test_ollama_errors(ollama_client):
    replies = [
        ScriptedReply("a b c", error="broken", after=1),
        ScriptedReply(status=500, error="no memory"),
    ]
    with OllamaTestServer(replies) as server:
        client = ollama_client(server)
        with pytest.raises(ollama.ResponseError, match="not found") as caught:
            client.chat("nothing", HELLO)
        assert caught.value.status_code == 404
        got = []
        with pytest.raises(ollama.ResponseError, match="broken"):
            got.extend(client.chat("llama3.2", HELLO, stream=True))
        assert [part.message.content for part in got] == ["a "]
        with pytest.raises(ollama.ResponseError, match="no memory"):
            client.chat("llama3.2", HELLO)


def test_ollama_refuses_or_cuts_by_what_it_is_told(ollama_client):
    long = [{"role": "user", "content": "word " * 900}, *HELLO]
    with OllamaTestServer() as server:
        client = ollama_client(server)
        cut = client.chat("llama3.2", long, options={"num_ctx": 512})
        assert cut.prompt_eval_count == 3
        body = {"model": "llama3.2", "messages": long, "options": {"num_ctx": 512}}
        answer = transport_of(client).post("/api/chat", json=body | {"truncate": False})
        assert answer.status_code == 400
        assert "exceeds the available context size (512 tokens)" in answer.json()["error"]


@pytest.fixture
def openai_client():
    opened = []

    def connect(server, key="none"):
        client = openai.OpenAI(base_url=server.base_url, api_key=key, max_retries=0)
        opened.append(client)
        return client

    yield connect
    for client in opened:
        client.close()


def test_openai_chat_streamed_and_whole(openai_client):
    with OpenAITestServer(ScriptedReply("Good day.", calls=(CALL,), cached=1)) as server:
        chat = openai_client(server).chat.completions
        whole = chat.create(model="test-model", messages=HELLO, tools=[TOOL])
        choice = whole.choices[0]
        assert choice.message.content == "Good day."
        assert choice.message.tool_calls[0].function.arguments == '{"city": "Köln"}'
        assert choice.finish_reason == "tool_calls"
        assert whole.usage.prompt_tokens == 3
        assert whole.usage.prompt_tokens_details.cached_tokens == 1
        with chat.stream(
            model="test-model", messages=HELLO, stream_options={"include_usage": True}
        ) as stream:
            final = stream.get_final_completion()
        assert final.choices[0].message.content == "Good day."
        assert final.choices[0].message.tool_calls[0].function.name == "weather"
        assert final.usage.total_tokens == 5


def test_openai_sends_usage_only_where_asked(openai_client):
    with OpenAITestServer("Good day.") as server:
        chat = openai_client(server).chat.completions
        events = list(chat.create(model="test-model", messages=HELLO, stream=True))
        assert all(event.usage is None for event in events)
        assert events[-1].choices[0].finish_reason == "stop"


def test_openai_models_and_embeddings(openai_client):
    with OpenAITestServer() as server:
        client = openai_client(server)
        assert [model.id for model in client.models.list()] == ["test-model"]
        made = client.embeddings.create(
            model="test-model", input=["a", "bc"], encoding_format="float"
        )
        packed = client.embeddings.create(model="test-model", input=["a", "bc"])
        assert [row.index for row in packed.data] == [0, 1]
        for row, same in zip(made.data, packed.data, strict=True):
            assert same.embedding == pytest.approx(row.embedding)


def test_openai_refuses_to_embed_as_the_server_does(openai_client):
    with OpenAITestServer(window=100) as server:
        create = openai_client(server).embeddings.create
        with pytest.raises(openai.BadRequestError) as caught:
            create(model="test-model", input="word " * 200)
        assert caught.value.code == "context_length_exceeded"
        with pytest.raises(openai.NotFoundError):
            create(model="other", input="a")
        with pytest.raises(openai.BadRequestError, match="input"):
            create(model="test-model", input="")


def test_openai_errors(openai_client):
    with OpenAITestServer(
        ScriptedReply("a b c", error="broken", after=1), window=100, key="k"
    ) as server:
        client = openai_client(server, "k")
        long = [{"role": "user", "content": "word " * 200}]
        with pytest.raises(openai.BadRequestError) as caught:
            client.chat.completions.create(model="test-model", messages=long)
        assert caught.value.code == "context_length_exceeded"
        with pytest.raises(openai.NotFoundError) as missing:
            client.chat.completions.create(model="other", messages=HELLO)
        assert missing.value.code == "model_not_found"
        with pytest.raises(openai.AuthenticationError):
            openai_client(server, "wrong").models.list()
        with pytest.raises(openai.APIError, match="broken"):
            list(client.chat.completions.create(model="test-model", messages=HELLO, stream=True))


def test_openai_stream_that_breaks(openai_client):
    with OpenAITestServer(ScriptedReply("a b c", breaks=True, after=2)) as server:
        stream = openai_client(server).chat.completions.create(
            model="test-model", messages=HELLO, stream=True
        )
        with pytest.raises(openai.APIConnectionError):
            list(stream)
