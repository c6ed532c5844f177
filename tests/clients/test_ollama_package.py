"""The official ``ollama`` package, unmodified, against the server."""

import asyncio
import json

import ollama
import pytest
from pydantic import BaseModel
from tests.clients.conftest import answering
from tests.clients.held import conversations, paths, states
from tests.opened import transport_of

from unabridged.domain.message import ToolCall
from unabridged.testing.ollama_server import OllamaEntry, OllamaTestServer
from unabridged.testing.openai_server import OpenAIEntry, OpenAITestServer
from unabridged.testing.replies import ScriptedReply

UPSTREAMS = ["ollama", "openai", "quote"]
HELLO = [{"role": "user", "content": "Hello, my boat is called Petronella."}]


class Boat(BaseModel):
    name: str
    length: int


def weather(city: str) -> str:
    """Tell the weather.

    Args:
        city: Where.
    """
    return f"Rain in {city}, 9 degrees."


@pytest.fixture
def client():
    opened = []

    def connect(served):
        made = ollama.Client(host=str(served))
        opened.append(made)
        return made

    yield connect
    for one in opened:
        transport_of(one).close()


def run(served, work):
    async def main():
        made = ollama.AsyncClient(host=str(served))
        try:
            return await work(made)
        finally:
            await transport_of(made).aclose()

    return asyncio.run(main())


@pytest.mark.parametrize("upstream", UPSTREAMS)
def test_chat_whole_and_streamed(start, client, upstream):
    served, model = start(upstream)
    talk = client(served)
    whole = talk.chat(model, HELLO)
    assert whole.message.role == "assistant"
    assert whole.message.content
    assert whole.done is True
    history = [*HELLO, {"role": "assistant", "content": whole.message.content}]
    history.append({"role": "user", "content": "What is she called?"})
    parts = list(talk.chat(model, history, stream=True))
    assert [part.done for part in parts] == [False] * (len(parts) - 1) + [True]
    text = "".join(part.message.content or "" for part in parts)
    assert text
    assert states(served) == {"complete": 2}
    assert paths(served)[
        (HELLO[0]["content"], whole.message.content.strip()),
        ("What is she called?", text.strip()),
    ]


@pytest.mark.parametrize("upstream", UPSTREAMS)
def test_chat_with_the_asynchronous_client(start, upstream):
    served, model = start(upstream)

    async def talk(client):
        whole = await client.chat(model, HELLO)
        said = [*HELLO, whole.message, {"role": "user", "content": "What is she called?"}]
        return "".join(
            [
                part.message.content or ""
                async for part in await client.chat(model, said, stream=True)
            ]
        )

    assert run(served, talk)
    assert states(served) == {"complete": 2}
    assert len(conversations(served)) == 1


@pytest.mark.parametrize("upstream", ["ollama", "openai"])
@pytest.mark.parametrize("stream", [False, True])
def test_a_whole_tool_loop(start, client, upstream, stream):
    served, model = start(upstream)
    talk = client(served)
    messages = [{"role": "user", "content": "What is the weather in Leith?"}]
    rounds = 0
    while True:
        answer = talk.chat(model, messages, tools=[weather], stream=stream)
        pieces = list(answer) if stream else [answer]
        calls = [call for piece in pieces for call in piece.message.tool_calls or ()]
        text = "".join(piece.message.content or "" for piece in pieces)
        messages.append({"role": "assistant", "content": text, "tool_calls": calls})
        if not calls:
            break
        rounds += 1
        for call in calls:
            result = weather(**call.function.arguments)
            messages.append({"role": "tool", "tool_name": call.function.name, "content": result})
    assert rounds == 1
    assert "Answer number" in messages[-1]["content"]
    (conversation,) = conversations(served)
    (exchange,) = conversation.exchanges
    assert [m.role for m in exchange.messages] == ["user", "assistant", "tool", "assistant"]
    assert exchange.messages[2].results[0].text == "Rain in Leith, 9 degrees."


@pytest.mark.parametrize("upstream", ["ollama", "openai"])
def test_structured_output(start, client, upstream):
    bodies = []

    def script(body):
        bodies.append(body)
        return ScriptedReply(json.dumps({"name": "Petronella", "length": 12}))

    served, model = start(upstream, script)
    answer = client(served).chat(model, HELLO, format=Boat.model_json_schema())
    assert Boat.model_validate_json(answer.message.content) == Boat(name="Petronella", length=12)
    sent = bodies[-1]
    schema = (
        sent["format"] if upstream == "ollama" else sent["response_format"]["json_schema"]["schema"]
    )
    assert schema["properties"].keys() == {"name", "length"}


def test_options_images_and_thinking_reach_the_upstream(behind, client):
    served, upstream = behind("ollama", answering(thinks=True))
    said = [{"role": "user", "content": "What is this?", "images": [b"\x89PNG\r\n\x1a\n"]}]
    answer = client(served).chat(
        "m", said, think=True, keep_alive="7m", options={"temperature": 0.1, "seed": 4}
    )
    assert answer.message.thinking == "Thought 1."
    (sent,) = upstream.sent("/api/chat")
    assert sent["think"] is True
    assert sent["keep_alive"] == "7m"
    assert sent["options"]["temperature"] == 0.1
    assert sent["options"]["seed"] == 4
    assert len(sent["messages"][-1]["images"]) == 1
    assert sent["truncate"] is False


@pytest.mark.parametrize("upstream", ["ollama", "openai"])
@pytest.mark.parametrize("stream", [False, True])
def test_an_unknown_model_is_an_error_as_the_server_says_it(start, client, upstream, stream):
    served, _ = start(upstream)
    with pytest.raises(ollama.ResponseError) as caught:
        list(client(served).chat("nothing", HELLO, stream=stream))
    assert caught.value.status_code == 404
    assert "nothing" in str(caught.value)


def test_what_cannot_fit_is_refused_and_nothing_is_sent(behind, client):
    served, upstream = behind("ollama")
    long = [{"role": "user", "content": "word " * 5_000}]
    with pytest.raises(ollama.ResponseError) as caught:
        client(served).chat("m", long, options={"num_ctx": 1024})
    assert caught.value.status_code == 400
    assert "too many" in str(caught.value)
    assert upstream.sent("/api/chat") == []


@pytest.mark.parametrize("upstream", ["ollama", "openai"])
def test_an_error_in_mid_stream_comes_through(start, client, upstream):
    served, model = start(upstream, ScriptedReply("a b c d", error="out of memory", after=2))
    got = []
    with pytest.raises(ollama.ResponseError, match="out of memory"):
        got.extend(client(served).chat(model, HELLO, stream=True))
    assert "".join(part.message.content for part in got).startswith("a b")
    assert states(served) == {"incomplete": 1}


def test_lists_shows_and_embeds(behind, client):
    served, upstream = behind("ollama")
    talk = client(served)
    assert sorted(model.model for model in talk.list().models) == ["m:latest", "n:latest"]
    assert talk.show("m").modelinfo["llama.context_length"] == 131_072
    assert talk.ps().models is not None
    assert len(talk.embed("m", ["a", "b"]).embeddings) == 2
    assert upstream.sent("/api/embed")[-1]["input"] == ["a", "b"]


@pytest.mark.parametrize("upstream", UPSTREAMS)
def test_generate(start, client, upstream):
    served, model = start(upstream)
    talk = client(served)
    whole = talk.generate(model, "My boat is called Petronella.")
    assert whole.response
    parts = list(talk.generate(model, "What is she called?", stream=True))
    assert "".join(part.response for part in parts)
    assert parts[-1].done is True


def test_a_call_made_by_a_model_of_openai_has_arguments_as_an_object(start, client):
    call = ToolCall("call_1", "weather", '{"city": "Köln"}')
    served, model = start("openai", ScriptedReply("", calls=(call,)))
    answer = client(served).chat(model, HELLO, tools=[weather])
    assert answer.message.tool_calls[0].function.arguments == {"city": "Köln"}


def test_many_servers_of_other_names(serving, client):
    with OllamaTestServer("Yes.", models=[OllamaEntry("llama3.2:latest")]) as upstream:
        served = serving(upstream="ollama", ollama_url=upstream.url)
        assert client(served).chat("llama3.2", HELLO).message.content == "Yes."
    with OpenAITestServer("Yes.", models=[OpenAIEntry("org/model-7b")]) as upstream:
        served = serving(upstream="openai", openai_url=upstream.base_url)
        assert client(served).chat("org/model-7b", HELLO).message.content == "Yes."
