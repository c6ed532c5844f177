import json
from contextlib import closing

import httpx2
import ollama
import openai
import pytest
from tests.helpers.talker import talking
from tests.helpers.waiting import until
from tests.opened import transport_of

from unabridged.domain.exchange import ExchangeState
from unabridged.domain.message import ToolCall
from unabridged.domain.scope import Scope
from unabridged.errors import StoreDamagedError
from unabridged.testing.ollama_server import OllamaEntry, OllamaTestServer
from unabridged.testing.openai_server import OpenAIEntry, OpenAITestServer
from unabridged.testing.replies import ScriptedReply

MODEL = "llama3.2:latest"
WORDS = "the cheese project is called Emmental and it begins in May"


def held(url, user="default"):
    with talking(url.service.pool, Scope(user=user)) as memory:
        return [e for c in memory.space.log.transcripts() for e in c.exchanges]


def ended(url):
    """The only exchange, once its answer is at an end."""
    (exchange,) = held(url)
    return None if exchange.state is ExchangeState.OPEN else exchange


@pytest.fixture(params=["ollama", "openai"])
def upstream(request):
    made = (
        OllamaTestServer(models=[OllamaEntry(MODEL)])
        if request.param == "ollama"
        else OpenAITestServer(models=[OpenAIEntry(MODEL)], window=32_768)
    )
    with made as server:
        server.provider = request.param
        yield server


@pytest.fixture
def front(serving, upstream):
    def start(**settings):
        where = f"{upstream.provider}_url"
        url = upstream.url if upstream.provider == "ollama" else f"{upstream.url}/v1"
        return serving(upstream=upstream.provider, **{where: url}, **settings)

    return start


def say(client, url, dialect, messages, *, stream=True, **more):
    """Say something in a dialect; give the words of the answer."""
    body = {"model": MODEL, "messages": messages, "stream": stream, **more}
    path = "/api/chat" if dialect == "ollama" else "/v1/chat/completions"
    answer = client.post(url + path, json=body)
    assert answer.status_code == 200, answer.text
    return answer, words_of(answer, dialect, stream=stream)


def words_of(answer, dialect, *, stream):
    if dialect == "ollama":
        lines = [json.loads(line) for line in answer.text.splitlines()]
        assert lines[-1]["done"]
        return "".join(line["message"]["content"] for line in lines)
    if not stream:
        return answer.json()["choices"][0]["message"]["content"]
    events = [line[6:] for line in answer.text.splitlines() if line.startswith("data: ")]
    assert events[-1] == "[DONE]"
    chunks = [json.loads(event) for event in events[:-1]]
    return "".join(c["choices"][0]["delta"].get("content") or "" for c in chunks if c["choices"])


@pytest.fixture
def http():
    with httpx2.Client(timeout=30) as client:
        yield client


@pytest.mark.parametrize("stream", [True, False])
@pytest.mark.parametrize("dialect", ["ollama", "openai"])
def test_each_dialect_talks_to_each_upstream_and_is_remembered(
    front, upstream, http, dialect, stream
):
    upstream.script.script = "I will remember Emmental well."
    url = front()
    answer, said = say(http, url, dialect, [{"role": "user", "content": WORDS}], stream=stream)
    assert said == "I will remember Emmental well."
    (exchange,) = held(url)
    assert exchange.state is ExchangeState.COMPLETE
    assert (exchange.user.text, exchange.answer.text) == (WORDS, said)
    assert answer.headers["x-unabridged-context"] == exchange.id
    assert answer.headers["x-unabridged-session"] == exchange.session


def test_what_was_said_elsewhere_is_recalled(front, upstream, http):
    url = front()
    say(http, url, "ollama", [{"role": "user", "content": WORDS}])
    say(http, url, "openai", [{"role": "user", "content": "Remember the cheese project name?"}])
    path = "/api/chat" if upstream.provider == "ollama" else "/v1/chat/completions"
    sent = upstream.sent(path)[-1]["messages"]
    assert len(sent) == 1
    assert "Emmental" in sent[-1]["content"]
    assert sent[-1]["content"].startswith("Remember the cheese project name?\n")
    assert sent[-1]["content"].endswith("</recalled>")


def test_a_conversation_goes_on_in_its_session(front, upstream, http):
    url = front()
    history = []
    for turn in range(4):
        history.append({"role": "user", "content": f"number {turn} of my questions"})
        _, said = say(http, url, "openai", history)
        history.append({"role": "assistant", "content": said})
    exchanges = held(url)
    assert len(exchanges) == 4
    assert len({e.session for e in exchanges}) == 1
    path = "/api/chat" if upstream.provider == "ollama" else "/v1/chat/completions"
    sent = [m["content"] for m in upstream.sent(path)[-1]["messages"] if m["role"] == "user"]
    assert [words for words in sent if "number" in words][-1].endswith("number 3 of my questions")
    assert len(sent) == 4


def test_the_upstream_is_told_the_window_and_not_to_truncate(serving, http):
    with OllamaTestServer(models=[OllamaEntry(MODEL)]) as server:
        url = serving(upstream="ollama", ollama_url=server.url)
        options = {"num_ctx": 3000, "temperature": 0.25, "mirostat": 1}
        more = {"keep_alive": "7m", "format": "json", "think": False, "options": options}
        say(http, url, "ollama", [{"role": "user", "content": "hello there"}], **more)
        (body,) = server.sent("/api/chat")
    assert body["truncate"] is body["shift"] is False
    assert body["options"]["num_ctx"] == 3000
    assert body["options"]["temperature"] == 0.25
    assert body["options"]["mirostat"] == 1
    assert (body["keep_alive"], body["format"], body["think"]) == ("7m", "json", False)
    assert body["options"]["num_predict"] > 0


def test_off_passes_a_request_through_untouched(front, upstream, http):
    url = front()
    say(http, url, "ollama", [{"role": "user", "content": WORDS}])
    body = {"model": MODEL, "messages": [{"role": "user", "content": "what cheese?"}], "seed": 3}
    own = "ollama" if upstream.provider == "ollama" else "openai"
    path = "/api/chat" if own == "ollama" else "/v1/chat/completions"
    answer = http.post(url + path, json=body, headers={"X-Unabridged": "off"})
    assert answer.status_code == 200
    assert upstream.sent(path)[-1] == body
    assert len(held(url)) == 1


def test_readonly_recalls_and_records_nothing(front, upstream, http):
    url = front()
    say(http, url, "ollama", [{"role": "user", "content": WORDS}])
    body = {
        "model": MODEL,
        "messages": [{"role": "user", "content": "Remember the cheese project name?"}],
    }
    way = {"X-Unabridged": "readonly"}
    answer = http.post(url + "/v1/chat/completions", json=body, headers=way)
    assert "x-unabridged-context" not in answer.headers
    path = "/api/chat" if upstream.provider == "ollama" else "/v1/chat/completions"
    assert "Emmental" in upstream.sent(path)[-1]["messages"][-1]["content"]
    assert len(held(url)) == 1


@pytest.mark.parametrize("dialect", ["ollama", "openai"])
def test_what_cannot_fit_is_refused_by_how_much_before_anything_is_sent(serving, http, dialect):
    with OllamaTestServer(models=[OllamaEntry(MODEL)]) as server:
        url = serving(upstream="ollama", ollama_url=server.url, window=600)
        path = "/api/chat" if dialect == "ollama" else "/v1/chat/completions"
        words = "rather a lot of words " * 400
        body = {"model": MODEL, "messages": [{"role": "user", "content": words}]}
        answer = http.post(url + path, json=body)
        assert answer.status_code == 400
        error = answer.json()["error"]
        assert "too many" in (error if dialect == "ollama" else error["message"])
        if dialect == "openai":
            assert error["code"] == "context_length_exceeded"
        assert server.sent("/api/chat") == []


@pytest.mark.parametrize("dialect", ["ollama", "openai"])
@pytest.mark.parametrize("stream", [True, False])
def test_an_error_of_the_upstream_comes_through_and_the_words_are_kept_once(
    front, upstream, http, dialect, stream
):
    upstream.script.script = [
        ScriptedReply(status=503, error="busy with other things"),
        "Now then.",
    ]
    url = front()
    path = "/api/chat" if dialect == "ollama" else "/v1/chat/completions"
    body = {
        "model": MODEL, "stream": stream, "messages": [{"role": "user", "content": WORDS}],
    }  # fmt: skip
    refused = http.post(url + path, json=body)
    assert refused.status_code == 503
    assert "busy with other things" in refused.text
    (exchange,) = held(url)
    assert exchange.state is ExchangeState.UNANSWERED
    assert http.post(url + path, json=body).status_code == 200
    exchanges = held(url)
    assert [e.state for e in exchanges if e.answer] == [ExchangeState.COMPLETE]
    assert {e.user.id for e in exchanges} == {exchange.user.id}


def test_an_upstream_that_is_away_is_said_and_the_words_are_kept(serving, http):
    url = serving(upstream="ollama", ollama_url="http://127.0.0.1:9")
    body = {"model": MODEL, "messages": [{"role": "user", "content": WORDS}]}
    answer = http.post(url + "/api/chat", json=body)
    assert answer.status_code == 502
    assert "ollama serve" in answer.json()["error"]
    (exchange,) = held(url)
    assert exchange.user.text == WORDS
    assert exchange.state is ExchangeState.UNANSWERED


@pytest.mark.parametrize("dialect", ["ollama", "openai"])
def test_what_came_is_kept_as_incomplete_where_the_client_leaves(front, upstream, dialect):
    upstream.script.script = ScriptedReply(text="word " * 400, pause=0.01)
    url = front()
    path = "/api/chat" if dialect == "ollama" else "/v1/chat/completions"
    body = {"model": MODEL, "stream": True, "messages": [{"role": "user", "content": WORDS}]}
    with httpx2.Client(timeout=30) as client, client.stream("POST", url + path, json=body) as come:
        pieces = come.iter_bytes()
        for _ in range(5):
            next(pieces)
    assert upstream.wait_for_stop(60)
    exchange = until(lambda: ended(url))
    assert exchange.state is ExchangeState.INCOMPLETE
    assert exchange.answer.text.startswith("word ")


@pytest.mark.parametrize("stream", [True, False])
def test_nothing_goes_on_for_a_client_that_leaves_before_the_answer(front, upstream, stream):
    upstream.script.script = ScriptedReply(text="late", delay=60)
    url = front()
    body = {"model": MODEL, "stream": stream, "messages": [{"role": "user", "content": WORDS}]}
    with httpx2.Client(timeout=1.0) as client, pytest.raises(httpx2.ReadTimeout):
        client.post(url + "/api/chat", json=body)
    exchange = until(lambda: ended(url))
    assert exchange.state is ExchangeState.UNANSWERED


@pytest.mark.parametrize("stream", [True, False])
@pytest.mark.parametrize("dialect", ["ollama", "openai"])
def test_what_broke_off_is_kept_as_incomplete_and_said(front, upstream, http, dialect, stream):
    if not stream and dialect == upstream.provider:
        pytest.skip("the protocol server's whole answers do not break off")
    upstream.script.script = ScriptedReply(text="one two three four", breaks=True, after=2)
    url = front()
    path = "/api/chat" if dialect == "ollama" else "/v1/chat/completions"
    body = {"model": MODEL, "stream": stream, "messages": [{"role": "user", "content": WORDS}]}
    answer = http.post(url + path, json=body)
    assert '"error"' in answer.text
    assert answer.status_code == (200 if stream else 502)
    (exchange,) = held(url)
    if stream:
        assert exchange.state is ExchangeState.INCOMPLETE
        assert exchange.answer.text.split() == ["one", "two"]
    else:
        assert exchange.user.text == WORDS
        assert exchange.state in (ExchangeState.INCOMPLETE, ExchangeState.UNANSWERED)


def test_a_tool_loop_is_one_exchange_and_each_round_has_the_same_beginning(front, upstream):
    call = ToolCall("call_7", "weather", '{"town": "Bern"}')
    upstream.script.script = [ScriptedReply(calls=(call,)), "It rains in Bern."]
    url = front()
    with closing(openai.OpenAI(base_url=url.v1, api_key="none", max_retries=0)) as client:
        schema = {"type": "object", "properties": {"town": {"type": "string"}}}
        tools = [
            {
                "type": "function",
                "function": {"name": "weather", "description": "", "parameters": schema},
            }
        ]
        messages = [{"role": "user", "content": "What is the weather in Bern?"}]
        first = client.chat.completions.create(model=MODEL, messages=messages, tools=tools)
        asked = first.choices[0].message
        assert asked.tool_calls[0].function.name == "weather"
        messages += [
            asked.model_dump(exclude_none=True),
            {"role": "tool", "tool_call_id": asked.tool_calls[0].id, "content": "rain, 4 degrees"},
        ]
        second = client.chat.completions.create(model=MODEL, messages=messages, tools=tools)
    assert second.choices[0].message.content == "It rains in Bern."
    (exchange,) = held(url)
    assert exchange.state is ExchangeState.COMPLETE
    assert [m.role.value for m in exchange.messages] == ["user", "assistant", "tool", "assistant"]
    path = "/api/chat" if upstream.provider == "ollama" else "/v1/chat/completions"
    one, two = (body["messages"] for body in upstream.sent(path))
    assert two[: len(one)] == one
    assert [m["role"] for m in two[len(one) :]] == ["assistant", "tool"]


@pytest.mark.parametrize("way", ["refuse", "pass"])
def test_where_memory_fails_the_setting_says_what_happens(front, upstream, http, monkeypatch, way):
    url = front(on_memory_error=way)

    def fails(*_, **__):
        raise StoreDamagedError("It is damaged.", hint="Run: unabridged doctor")

    monkeypatch.setattr("unabridged.history_sync.sync.HistorySync.sync", fails)
    body = {"model": MODEL, "messages": [{"role": "user", "content": WORDS}], "stream": False}
    answer = http.post(url + "/api/chat", json=body)
    if way == "refuse":
        assert answer.status_code == 503
        assert upstream.requests == [] or "/chat" not in upstream.requests[-1].path
    else:
        assert answer.status_code == 200
        assert "StoreDamagedError" in answer.headers["x-unabridged-warning"]
    assert held(url) == []


def test_quote_answers_both_dialects(serving):
    url = serving(upstream="quote")
    client = ollama.Client(host=str(url))
    with closing(transport_of(client)):
        client.chat(model="any", messages=[{"role": "user", "content": WORDS}])
        asked = [{"role": "user", "content": "What is the cheese project called?"}]
        parts = list(client.chat(model="any", messages=asked, stream=True))
    assert "Emmental" in "".join(part.message.content for part in parts)
    with closing(openai.OpenAI(base_url=url.v1, api_key="none", max_retries=0)) as other:
        said = other.chat.completions.create(
            model="any", messages=[{"role": "user", "content": "And when does Emmental begin?"}]
        )
    assert "May" in said.choices[0].message.content


@pytest.mark.parametrize("stream", [False, True])
def test_an_answer_of_quote_names_it_and_counts_its_tokens(serving, http, stream):
    url = serving(upstream="quote")
    asked = {"model": "any", "messages": [{"role": "user", "content": WORDS}], "stream": stream}
    body = {**asked, "stream_options": {"include_usage": True}}
    said = http.post(url + "/v1/chat/completions", json=body)
    context = said.headers["x-unabridged-context"]
    lines = [line.removeprefix("data: ") for line in said.text.splitlines() if "usage" in line]
    last = json.loads(lines[-1]) if stream else said.json()
    with talking(url.service.pool, Scope()) as memory:
        planned = memory.space.contexts.why(context).ledger.prompt_tokens
    assert last["model"] == "quote"
    assert last["usage"]["prompt_tokens"] == planned > 0
    assert last["usage"]["completion_tokens"] > 0
    lines = http.post(url + "/api/chat", json=asked).text.splitlines()
    end = json.loads(lines[-1])
    assert end["model"] == "quote"
    assert min(end["prompt_eval_count"], end["eval_count"]) > 0
    body = {"model": "any", "input": WORDS}
    whole = http.post(url + "/v1/responses", json=body).json()
    assert whole["model"] == "quote"
    assert min(whole["usage"]["input_tokens"], whole["usage"]["output_tokens"]) > 0


def test_an_answer_that_cannot_be_stored_is_said_or_passed(front, upstream, http, monkeypatch):
    def fails(*_, **__):
        raise StoreDamagedError("It is damaged.", hint="Run: unabridged doctor")

    for way in ("refuse", "pass"):
        url = front(on_memory_error=way)
        monkeypatch.setattr("unabridged.turn.turn.record", fails)
        body = {"model": MODEL, "messages": [{"role": "user", "content": WORDS}]}
        answer = http.post(url + "/api/chat", json=body)
        last = json.loads(answer.text.splitlines()[-1])
        assert ("error" in last) == (way == "refuse")


def test_models_have_memories_of_their_own_where_the_settings_say_so(serving):
    names = ["one:latest", "other:latest"]
    with OllamaTestServer(models=[OllamaEntry(name) for name in names]) as server:
        apart = ("user", "agent", "model")
        url = serving(upstream="ollama", ollama_url=server.url, isolation=apart)
        with httpx2.Client(timeout=30) as client:
            for name in names:
                body = {"model": name, "input": f"{WORDS} for {name}"}
                first = client.post(f"{url}/v1/responses", json=body)
                assert first.status_code == 200, first.text
                body |= {"input": "And then?", "previous_response_id": first.json()["id"]}
                assert client.post(f"{url}/v1/responses", json=body).status_code == 200
            elsewhere = client.post(f"{url}/v1/responses", json={**body, "model": names[0]})
            assert elsewhere.status_code == 400
            generated = client.post(
                f"{url}/api/generate", json={"model": names[0], "prompt": "Hm?", "stream": False}
            ).json()
            assert client.post(
                f"{url}/api/generate",
                json={"model": names[0], "prompt": "Go on.", "context": generated["context"]},
            ).is_success
        for name, count in zip(names, (4, 2), strict=True):
            with talking(url.service.pool, Scope(model=name)) as memory:
                said = [e.user.text for c in memory.space.log.transcripts() for e in c.exchanges]
            assert len(said) == count
            assert f"{WORDS} for {name}" in said


@pytest.mark.parametrize("dialect", ["ollama", "openai"])
def test_streams_one_after_another_use_one_connection(front, upstream, dialect):
    url = front()
    with httpx2.Client(timeout=30) as client:
        say(client, url, dialect, [{"role": "user", "content": WORDS}])
        before = upstream.connections
        for number in range(3):
            say(client, url, dialect, [{"role": "user", "content": f"{WORDS}, {number}"}])
    assert upstream.connections == before
