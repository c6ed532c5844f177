"""The official ``openai`` package, unmodified, against the server: chat completions."""

import asyncio
import json

import openai
import pytest
from pydantic import BaseModel
from tests.clients.held import conversations, paths, states

from unabridged.domain.scope import Scope
from unabridged.testing.replies import ScriptedReply

UPSTREAMS = ["openai", "ollama", "quote"]
HELLO = [{"role": "user", "content": "Hello, my boat is called Petronella."}]
WEATHER = {
    "type": "function",
    "function": {
        "name": "weather",
        "description": "Tells the weather.",
        "parameters": {"type": "object", "properties": {"city": {"type": "string"}}},
    },
}


class Boat(BaseModel):
    name: str
    length: int


@pytest.fixture
def client():
    opened = []

    def connect(served, **more):
        made = openai.OpenAI(base_url=served.v1, api_key="sk-dummy", max_retries=0, **more)
        opened.append(made)
        return made

    yield connect
    for one in opened:
        one.close()


def run(served, work):
    async def main():
        async with openai.AsyncOpenAI(base_url=served.v1, api_key="sk-x", max_retries=0) as made:
            return await work(made)

    return asyncio.run(main())


@pytest.mark.parametrize("upstream", UPSTREAMS)
def test_chat_whole_and_streamed(start, client, upstream):
    served, model = start(upstream)
    talk = client(served).chat.completions
    whole = talk.create(model=model, messages=HELLO)
    answer = whole.choices[0].message.content
    assert whole.object == "chat.completion"
    assert whole.choices[0].finish_reason == "stop"
    history = [*HELLO, {"role": "assistant", "content": answer}]
    history.append({"role": "user", "content": "What is she called?"})
    events = list(
        talk.create(
            model=model, messages=history, stream=True, stream_options={"include_usage": True}
        )
    )
    text = "".join(e.choices[0].delta.content or "" for e in events if e.choices)
    assert text
    assert events[-1].usage.total_tokens == (
        events[-1].usage.prompt_tokens + events[-1].usage.completion_tokens
    )
    assert states(served) == {"complete": 2}
    assert paths(served)[
        (HELLO[0]["content"], answer.strip()), ("What is she called?", text.strip())
    ]


@pytest.mark.parametrize("upstream", UPSTREAMS)
def test_usage_comes_only_where_it_is_asked_for(start, client, upstream):
    served, model = start(upstream)
    events = list(client(served).chat.completions.create(model=model, messages=HELLO, stream=True))
    assert all(event.usage is None for event in events)
    assert events[-1].choices[0].finish_reason == "stop"


@pytest.mark.parametrize("upstream", UPSTREAMS)
def test_chat_with_the_asynchronous_client(start, upstream):
    served, model = start(upstream)

    async def talk(client):
        whole = await client.chat.completions.create(model=model, messages=HELLO)
        said = [*HELLO, whole.choices[0].message, {"role": "user", "content": "Her name?"}]
        stream = await client.chat.completions.create(model=model, messages=said, stream=True)
        return [event async for event in stream]

    assert run(served, talk)
    assert states(served) == {"complete": 2}
    assert len(conversations(served)) == 1


@pytest.mark.parametrize("upstream", ["ollama", "openai"])
@pytest.mark.parametrize("stream", [False, True])
def test_a_whole_tool_loop(start, client, upstream, stream):
    served, model = start(upstream)
    talk = client(served).chat.completions
    messages = [{"role": "user", "content": "What is the weather in Leith?"}]
    rounds = 0
    while True:
        if stream:
            with talk.stream(model=model, messages=messages, tools=[WEATHER]) as events:
                answer = events.get_final_completion().choices[0]
        else:
            answer = talk.create(model=model, messages=messages, tools=[WEATHER]).choices[0]
        messages.append(answer.message.model_dump(exclude_none=True, exclude={"parsed"}))
        if answer.finish_reason != "tool_calls":
            break
        rounds += 1
        for call in answer.message.tool_calls:
            city = json.loads(call.function.arguments)["city"]
            result = f"Rain in {city}, 9 degrees."
            messages.append({"role": "tool", "tool_call_id": call.id, "content": result})
    assert rounds == 1
    (conversation,) = conversations(served)
    (exchange,) = conversation.exchanges
    assert [m.role for m in exchange.messages] == ["user", "assistant", "tool", "assistant"]
    assert exchange.messages[2].results[0].text == "Rain in Leith, 9 degrees."
    assert exchange.messages[2].results[0].call_id == exchange.messages[1].calls[0].id


@pytest.mark.parametrize("upstream", ["ollama", "openai"])
def test_structured_output_is_parsed(start, client, upstream):
    bodies = []

    def script(body):
        bodies.append(body)
        return ScriptedReply(json.dumps({"name": "Petronella", "length": 12}))

    served, model = start(upstream, script)
    talk = client(served).chat.completions
    answer = talk.parse(model=model, messages=HELLO, response_format=Boat)
    assert answer.choices[0].message.parsed == Boat(name="Petronella", length=12)
    sent = bodies[-1]
    schema = (
        sent["format"] if upstream == "ollama" else sent["response_format"]["json_schema"]["schema"]
    )
    assert schema["properties"].keys() == {"name", "length"}
    plain = talk.create(model=model, messages=HELLO, response_format={"type": "json_object"})
    assert json.loads(plain.choices[0].message.content)["name"] == "Petronella"


def test_what_a_client_asks_for_reaches_the_upstream(behind, client):
    served, upstream = behind("openai")
    picture = "data:image/png;base64,iVBORw0KGgo="
    parts = [
        {"type": "text", "text": "What is this?"},
        {"type": "image_url", "image_url": {"url": picture, "detail": "low"}},
    ]
    client(served).chat.completions.create(
        model="m",
        messages=[
            {"role": "developer", "content": "Be brief."},
            {"role": "user", "content": parts},
        ],
        temperature=0.1,
        seed=4,
        stop=["END"],
        max_completion_tokens=50,
        extra_body={"repetition_penalty": 1.1},
    )
    (sent,) = upstream.sent("/v1/chat/completions")
    assert (sent["temperature"], sent["seed"], sent["stop"]) == (0.1, 4, ["END"])
    assert sent["repetition_penalty"] == 1.1
    assert 50 in {sent.get("max_tokens"), sent.get("max_completion_tokens")}
    assert picture in json.dumps(sent["messages"][-1])
    assert "Be brief." in json.dumps(sent["messages"][0])


@pytest.mark.parametrize("upstream", ["ollama", "openai"])
@pytest.mark.parametrize("stream", [False, True])
def test_an_unknown_model_is_an_error_as_the_server_says_it(start, client, upstream, stream):
    served, _ = start(upstream)
    with pytest.raises(openai.NotFoundError) as caught:
        client(served).chat.completions.create(model="nothing", messages=HELLO, stream=stream)
    assert "nothing" in caught.value.message


def test_what_cannot_fit_is_refused_and_nothing_is_sent(behind, client):
    served, upstream = behind("openai", window=2_000)
    long = [{"role": "user", "content": "word " * 5_000}]
    with pytest.raises(openai.BadRequestError) as caught:
        client(served).chat.completions.create(model="m", messages=long)
    assert caught.value.code == "context_length_exceeded"
    assert "too many" in caught.value.message
    assert upstream.sent("/v1/chat/completions") == []


@pytest.mark.parametrize("upstream", ["ollama", "openai"])
def test_an_error_in_mid_stream_comes_through(start, client, upstream):
    served, model = start(upstream, ScriptedReply("a b c d", error="out of memory", after=2))
    got = []
    events = client(served).chat.completions.create(model=model, messages=HELLO, stream=True)
    with pytest.raises(openai.APIError, match="out of memory"):
        got.extend(events)
    assert "".join(e.choices[0].delta.content or "" for e in got).startswith("a b")
    assert states(served) == {"incomplete": 1}


def test_models_and_embeddings(behind, client):
    served, _ = behind("openai")
    talk = client(served)
    assert {model.id for model in talk.models.list()} >= {"m", "n"}
    made = talk.embeddings.create(model="m", input=["a", "bc"])
    assert [row.index for row in made.data] == [0, 1]


def test_the_user_field_and_headers_say_whose_memory(start, client):
    served, model = start("openai")
    anyone = client(served).chat.completions
    named = {"X-Unabridged-User": "ada"}
    with pytest.raises(openai.PermissionDeniedError, match="needs an API key"):
        anyone.create(model=model, messages=HELLO, extra_headers=named)
    # A field of the program's own is no name where nobody may name users.
    anyone.create(model=model, messages=HELLO, user="ada", extra_headers={"X-Unabridged": "off"})
    talk = client(served, default_headers=served.bearer).chat.completions
    talk.create(model=model, messages=HELLO, user="ada")
    talk.create(model=model, messages=HELLO, user="ada", extra_headers={"X-Unabridged-User": "bob"})
    talk.create(model=model, messages=HELLO, extra_headers={"X-Unabridged-Agent": "cook"})
    for scope in (Scope(user="ada"), Scope(user="bob"), Scope(agent="cook")):
        assert states(served, scope) == {"complete": 1}
    assert conversations(served) == []


@pytest.mark.parametrize("mode", ["off", "readonly"])
def test_memory_can_be_switched_off_for_one_request(behind, client, mode):
    served, upstream = behind("openai")
    talk = client(served).chat.completions
    talk.create(model="m", messages=HELLO)
    asked = [{"role": "user", "content": "What is my boat called?"}]
    answer = talk.create(model="m", messages=asked, extra_headers={"X-Unabridged": mode})
    assert answer.choices[0].message.content
    assert states(served) == {"complete": 1}
    sent = upstream.sent("/v1/chat/completions")[-1]["messages"]
    assert (sent == asked) == (mode == "off")
    assert ("Petronella" in str(sent)) == (mode == "readonly")


def test_headers_name_the_context(start, client):
    served, model = start("openai")
    raw = client(served).chat.completions.with_raw_response.create(model=model, messages=HELLO)
    named = raw.headers["x-unabridged-context"]
    (conversation,) = conversations(served)
    assert named == conversation.exchanges[0].id
