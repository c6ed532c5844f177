import asyncio
import json
import re

import httpx2
import ollama
import openai
import pytest
from tests.helpers.talker import talking
from tests.opened import answer_also
from tests.server.clients import async_ollama_client, http, ollama_client, openai_client

from unabridged.domain.scope import Scope
from unabridged.testing.ollama_server import OllamaTestServer
from unabridged.testing.openai_server import OpenAITestServer
from unabridged.testing.replies import ScriptedReply

PNG = "iVBORw0KGgo="


@pytest.fixture
def before_ollama(serving):
    opened = []

    def start(script, **settings):
        server = OllamaTestServer(script)
        opened.append(server)
        return server, serving(upstream="ollama", ollama_url=server.url, **settings)

    yield start
    for server in opened:
        server.close()


@pytest.fixture
def before_openai(serving):
    opened = []

    def start(script, **settings):
        server = OpenAITestServer(script)
        opened.append(server)
        known = {"upstream": "openai", "openai_url": server.base_url, "model": "test-model"}
        return server, serving(**known, **settings)

    yield start
    for server in opened:
        server.close()


def stored(url, **scope):
    with talking(url.service.pool, Scope(**scope)) as memory:
        return memory.space.log.scan()


# ---- a conversation by /api/generate -----------------------------------------------------------


def test_what_is_generated_is_recorded_and_sent_as_a_chat(before_ollama):
    server, url = before_ollama(ScriptedReply("Good day.", reasoning="Hm."))
    with ollama_client(url) as client:
        made = client.generate(
            "llama3.2", "Hello there.", system="Be kind.", images=[PNG], format="json",
            options={"temperature": 0.5, "num_ctx": 4096}, keep_alive="5m", think=True,
        )  # fmt: skip
    assert (made.response, made.thinking, made.done, made.done_reason) == (
        "Good day.",
        "Hm.",
        True,
        "stop",
    )
    assert made.eval_count == 2
    (body,) = server.sent("/api/chat")
    assert server.sent("/api/generate") == []
    assert body["messages"][0]["content"].startswith("Be kind.")
    assert body["messages"][-1]["images"] == [PNG]
    assert (body["format"], body["keep_alive"], body["think"]) == ("json", "5m", True)
    assert (body["options"]["temperature"], body["options"]["num_ctx"]) == (0.5, 4096)
    assert body["truncate"] is False
    (exchange,) = stored(url)
    assert (exchange.user.text, exchange.answer.text) == ("Hello there.", "Good day.")


def test_generating_in_pieces(before_ollama):
    server, url = before_ollama("Good day to you.")
    with ollama_client(url) as client:
        parts = list(client.generate("llama3.2", "Hello.", stream=True))
    assert [part.response for part in parts[:-1]] == ["Good ", "day ", "to ", "you."]
    assert parts[-1].done
    assert parts[-1].context
    assert all(part.context is None for part in parts[:-1])
    assert server.sent("/api/chat")[0]["stream"] is True


def test_its_context_goes_on_with_the_conversation(before_ollama):
    server, url = before_ollama(["It is Mira.", "Mira.", "Nobody.", "Again."])

    async def run():
        async with async_ollama_client(url) as client:
            one = await client.generate("llama3.2", "My cat is Mira.")
            two = await client.generate("llama3.2", "Who is she?", context=one.context)
            other = await client.generate("llama3.2", "Who are you?")
            three = await client.generate("llama3.2", "And then?", context=two.context)
            return one, two, other, three

    asyncio.run(run())
    first, second, other, third = stored(url)
    assert (second.parent, third.parent, other.parent) == (first.id, second.id, None)
    assert other.session != first.session
    sent = server.sent("/api/chat")
    assert [m["role"] for m in sent[1]["messages"]][-3:] == ["user", "assistant", "user"]
    assert sent[3]["messages"][-1]["content"].endswith("And then?")
    assert sent[3]["messages"][-2]["content"] == "Mira."


def test_a_context_of_another_server_or_person_is_refused(before_ollama):
    server, url = before_ollama("Good day.")
    with ollama_client(url) as client, http(url) as bare:
        made = client.generate("llama3.2", "Hello.")
        with pytest.raises(ollama.ResponseError, match="another server"):
            client.generate("llama3.2", "Hello.", context=[1, 2, 3])
        body = {"model": "llama3.2", "prompt": "x", "context": list(made.context), "stream": False}
        bob = {**url.bearer, "X-Unabridged-User": "bob"}
        refused = bare.post("/api/generate", json=body, headers=bob)
        assert refused.status_code == 400
        assert "names no answer that is stored" in refused.json()["error"]
    assert len(server.sent("/api/chat")) == 1


def test_an_openai_upstream_generates_too(before_openai):
    server, url = before_openai("Good day.")
    with ollama_client(url) as client:
        made = client.generate("test-model", "Hello.", options={"temperature": 0.5}, format="json")
        parts = list(client.generate("test-model", "Hello again.", stream=True))
    assert made.response == "Good day."
    assert "".join(part.response for part in parts) == "Good day."
    body = server.sent("/v1/chat/completions")[0]
    assert (body["temperature"], body["response_format"]) == (0.5, {"type": "json_object"})
    assert len(stored(url)) == 2


def test_readonly_recalls_and_gives_no_context(before_ollama):
    _, url = before_ollama("Good day.")
    with http(url, headers={"X-Unabridged": "readonly"}) as client:
        body = {"model": "llama3.2", "prompt": "Hello.", "stream": False}
        made = client.post("/api/generate", json=body).json()
    assert made["response"] == "Good day."
    assert "context" not in made
    assert stored(url) == []


def test_a_break_in_the_stream_is_told_and_kept(before_ollama):
    _, url = before_ollama(ScriptedReply("Half an answer.", breaks=True, after=2))
    with ollama_client(url) as client:
        came = []
        with pytest.raises(ollama.ResponseError, match="broke off"):
            came.extend(part.response for part in client.generate("llama3.2", "Hi.", stream=True))
    (exchange,) = stored(url)
    assert (exchange.state.value, exchange.answer.text) == ("incomplete", "Half an ")


# ---- what is no conversation ------------------------------------------------------------------


def _untimed(said):
    return re.sub(rb'"total_duration": \d+', b"", said)


@pytest.mark.parametrize(
    "body",
    [
        {"prompt": "def f(", "raw": True},
        {"prompt": "def f(", "suffix": "return x"},
        {"prompt": "x", "template": "{{ .Prompt }}"},
        {"keep_alive": 0},
        {"prompt": "", "keep_alive": "10m"},
        {"prompt": "a cat", "width": 64, "height": 64},
    ],
)
def test_ollama_gets_it_as_it_is_with_the_window_of_all_requests(before_ollama, body):
    server, url = before_ollama("return x")
    body = {"model": "llama3.2", "unknown": {"kept": [1]}, **body}
    with http(url) as ours, http(server.url) as theirs:
        got = ours.post("/api/generate", json=body)
        same = theirs.post("/api/generate", json=body)
        assert _untimed(got.content) == _untimed(same.content)
        assert got.headers["content-type"] == "application/x-ndjson"
    sent = server.sent("/api/generate")
    assert sent == [{**body, "options": {"num_ctx": 16_384}}, body]
    assert stored(url) == []


def test_off_goes_to_ollama_as_it_is_and_side_requests_in_the_usual_window(before_ollama):
    server, url = before_ollama("Good day.")
    body = {"model": "llama3.2", "prompt": "Hello.", "stream": False}
    with http(url) as client:
        made = client.post("/api/generate", json=body, headers={"X-Unabridged": "off"})
        assert made.headers["x-unabridged-way"] == "off"
        filling = {**body, "prompt": "<fim_prefix>def f(<fim_suffix>return x<fim_middle>"}
        side = client.post("/api/generate", json=filling)
        assert side.headers["x-unabridged-way"]
    assert server.sent("/api/generate") == [body, {**filling, "options": {"num_ctx": 16_384}}]
    assert stored(url) == []


def test_an_openai_upstream_goes_on_with_the_text(before_openai):
    server, url = before_openai(ScriptedReply("return x", pause=0.0))
    with ollama_client(url) as client:
        made = client.generate(
            "test-model", "def f(x): ", suffix="# end", options={"num_predict": 9, "stop": ["#"]}
        )
        parts = list(client.generate("test-model", "def f(x): ", raw=True, stream=True))
        assert client.generate("test-model", "").done_reason == "load"
        with pytest.raises(ollama.ResponseError, match="does not support template"):
            client.generate("test-model", "x", template="{{ .Prompt }}")
    assert (made.response, made.done, made.eval_count) == ("return x", True, 2)
    assert "".join(part.response for part in parts) == "return x"
    first = server.sent("/v1/completions")[0]
    assert first == {
        "model": "test-model", "prompt": "def f(x): ", "suffix": "# end", "stop": ["#"],
        "max_tokens": 9, "stream": False,
    }  # fmt: skip
    assert stored(url) == []


def test_nobody_behind_goes_on_with_text_as_one_message(serving):
    url = serving(upstream="quote")
    with ollama_client(url) as client:
        assert client.generate("quote", "My cat is Mira.").done
        assert client.generate("quote", "Hello", raw=True).response
        with pytest.raises(ollama.ResponseError, match="suffix") as caught:
            client.generate("quote", "a", suffix="b")
        assert caught.value.status_code == 501
    assert len(stored(url)) == 1


# ---- /v1/completions --------------------------------------------------------------------------


def test_completions_reach_an_openai_upstream_as_they_are(before_openai):
    server, url = before_openai("return x")
    with openai_client(url) as client:
        made = client.completions.create(model="test-model", prompt="def f(", suffix="end", n=2)
        stream = client.completions.create(model="test-model", prompt=["a", "b"], stream=True)
        assert "".join(event.choices[0].text for event in stream) == "return x"
    assert made.choices[0].text == "return x"
    assert server.sent("/v1/completions")[0] == {
        "model": "test-model", "prompt": "def f(", "suffix": "end", "n": 2,
    }  # fmt: skip
    assert stored(url) == []


def test_completions_reach_ollama_in_its_own_words(before_ollama):
    server, url = before_ollama("return x")
    with openai_client(url) as client:
        made = client.completions.create(
            model="llama3.2", prompt="def f(", suffix="end", max_tokens=9, temperature=0.1, stop="#"
        )
        events = list(
            client.completions.create(
                model="llama3.2", prompt=["def f("], stream=True,
                stream_options={"include_usage": True},
            )
        )  # fmt: skip
        with pytest.raises(openai.BadRequestError, match="several texts"):
            client.completions.create(model="llama3.2", prompt="x", n=2)
        with pytest.raises(openai.BadRequestError, match="single text"):
            client.completions.create(model="llama3.2", prompt=["a", "b"])
        with pytest.raises(openai.NotFoundError):
            client.completions.create(model="nobody", prompt="x")
    assert (made.object, made.choices[0].text, made.choices[0].finish_reason) == (
        "text_completion",
        "return x",
        "stop",
    )
    assert made.usage.completion_tokens == 2
    assert "".join(e.choices[0].text for e in events if e.choices) == "return x"
    assert events[-1].usage.completion_tokens == 2
    first = server.sent("/api/generate")[0]
    assert (first["prompt"], first["suffix"], first["stream"]) == ("def f(", "end", False)
    window = {"num_ctx": 16_384}
    assert first["options"] == {"temperature": 0.1, "stop": ["#"], "num_predict": 9, **window}
    assert first["truncate"] is False
    assert stored(url) == []


def test_a_stream_of_another_dialect_that_fails_says_so(before_ollama):
    server, url = before_ollama("x")

    def failing():
        yield json.dumps({"model": "m", "response": "Half", "done": False}).encode() + b"\n"
        yield b'{"error":"the model crashed"}\n'

    from unabridged.testing.http_server import Answered

    routes = {("POST", "/api/generate"): lambda _: Answered(failing(), kind="application/x-ndjson")}
    answer_also(server, routes)
    with openai_client(url) as client, pytest.raises(openai.APIError, match="the model crashed"):
        list(client.completions.create(model="llama3.2", prompt="x", stream=True))


def test_completions_inside_this_process_are_one_message(serving):
    url = serving(upstream="quote")
    with openai_client(url) as client:
        made = client.completions.create(model="quote", prompt="Hello")
        assert made.choices[0].text
        with pytest.raises(openai.APIStatusError) as caught:
            client.completions.create(model="quote", prompt="a", suffix="b")
        assert caught.value.status_code == 501
    assert stored(url) == []


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/api/generate", {"model": "llama3.2", "prompt": "x", "raw": True}),
        ("/v1/completions", {"model": "llama3.2", "prompt": "x"}),
    ],
)
def test_a_client_that_leaves_before_the_answer_stops_the_upstream(before_ollama, path, body):
    server, url = before_ollama(ScriptedReply("word " * 200, delay=1.0, pause=0.01))
    with http(url) as client, pytest.raises(httpx2.ReadTimeout):
        client.post(path, json={**body, "stream": True}, timeout=0.3)
    assert server.wait_for_stop(60)
