import asyncio
import json

import httpx2
import openai
import pytest
from pydantic import BaseModel
from tests.helpers.talker import talking
from tests.opened import answer_also
from tests.server.clients import async_openai_client, http, openai_client

from unabridged.domain.message import ToolCall
from unabridged.domain.scope import Scope
from unabridged.testing.http_server import Answered
from unabridged.testing.ollama_server import OllamaTestServer
from unabridged.testing.openai_server import OpenAITestServer
from unabridged.testing.replies import ScriptedReply

CALL = ToolCall("call_w", "weather", '{"city": "Köln"}')
TOOL = {
    "type": "function",
    "name": "weather",
    "description": "Tells the weather.",
    "parameters": {"type": "object", "properties": {"city": {"type": "string"}}},
    "strict": False,
}
KINDS = ["ollama", "openai"]


@pytest.fixture(params=KINDS)
def before(request, serving):
    """Give a function that puts ours before a server of either dialect."""
    opened = []

    def start(script, **settings):
        if request.param == "ollama":
            server = OllamaTestServer(script)
            known = {"upstream": "ollama", "ollama_url": server.url, "model": "llama3.2"}
        else:
            server = OpenAITestServer(script)
            known = {"upstream": "openai", "openai_url": server.base_url, "model": "test-model"}
        opened.append(server)
        server.model = known["model"]
        server.path = "/api/chat" if request.param == "ollama" else "/v1/chat/completions"
        return server, serving(**known, **settings)

    yield start
    for server in opened:
        server.close()


def stored(url, **scope):
    """Every exchange of a space."""
    with talking(url.service.pool, Scope(**scope)) as memory:
        return memory.space.log.scan()


def said(server):
    """The messages of the last request that reached the model server."""
    return server.sent(server.path)[-1]["messages"]


def test_a_response_is_answered_recorded_and_given_back(before):
    server, url = before(ScriptedReply("Good day.", reasoning="Hm."))
    with openai_client(url) as client:
        made = client.responses.create(
            model=server.model, input="My cat is called Mira.", instructions="Be kind.",
            metadata={"a": "b"}, temperature=0.5, max_output_tokens=64,
        )  # fmt: skip
        assert made.output_text == "Good day."
        assert made.output[0].content[0].text == "Hm."
        assert (made.status, made.metadata, made.instructions) == (
            "completed",
            {"a": "b"},
            "Be kind.",
        )
        assert made.usage.output_tokens == 2
        (exchange,) = stored(url)
        assert made.id == f"resp_{exchange.id}"
        assert exchange.user.text == "My cat is called Mira."
        assert exchange.answer.text == "Good day."
        again = client.responses.retrieve(made.id)
        assert (again.id, again.output_text, again.status) == (made.id, "Good day.", "completed")
        assert [item.id for item in again.output] == [item.id for item in made.output]
        with pytest.raises(openai.BadRequestError, match="cannot be streamed"):
            client.responses.retrieve(made.id, stream=True)
        with pytest.raises(openai.BadRequestError, match="no input"):
            client.responses.create(model=server.model, previous_response_id=made.id)
        (item,) = client.responses.input_items.list(made.id)
        assert item.content[0].text == "My cat is called Mira."
    body = server.sent(server.path)[-1]
    assert body["messages"][0]["content"].startswith("Be kind.")
    options = body.get("options", body)
    assert options["temperature"] == 0.5
    assert options.get("num_predict", options.get("max_tokens")) == 64


def test_a_streamed_response_comes_in_typed_events(before):
    server, url = before(ScriptedReply("Good day to you.", reasoning="Hm, well."))
    with openai_client(url) as client:
        with client.responses.stream(model=server.model, input="Hello.") as stream:
            events = list(stream)
            whole = stream.get_final_response()
        raw = list(client.responses.create(model=server.model, input="Hello you.", stream=True))
    assert whole.output_text == "Good day to you."
    deltas = [event.delta for event in events if event.type == "response.output_text.delta"]
    assert len(deltas) == 4
    assert [e.sequence_number for e in raw] == list(range(len(raw)))
    assert raw[0].type == "response.created"
    assert raw[-1].type == "response.completed"
    assert raw[-1].response.usage.output_tokens == 4
    assert {exchange.id for exchange in stored(url)} == {
        each.id.removeprefix("resp_") for each in (whole, raw[-1].response)
    }


def test_async_clients_stream_too(before):
    server, url = before("Good day.")

    async def run():
        async with async_openai_client(url) as client:
            made = await client.responses.create(model=server.model, input="Hello.")
            stream = await client.responses.create(
                model=server.model, input="And?", previous_response_id=made.id, stream=True
            )
            return made, [event async for event in stream]

    made, events = asyncio.run(run())
    assert made.output_text == "Good day."
    assert events[-1].response.previous_response_id == made.id
    first, second = stored(url)
    assert second.parent == first.id


def test_the_response_before_is_gone_on_from(before):
    server, url = before(["It is Mira.", "Mira, you said.", "Another way.", "Elsewhere."])
    with openai_client(url) as client:
        ask = client.responses.create
        first = ask(model=server.model, input="My cat is Mira.", instructions="Be kind.")
        second = ask(model=server.model, input="Who is she?", previous_response_id=first.id)
        roles = [(m["role"], m["content"]) for m in said(server)]
        assert [role for role, _ in roles][-3:] == ["user", "assistant", "user"]
        assert "My cat is Mira." in roles[-3][1]
        assert roles[-2][1] == "It is Mira."
        assert not any("Be kind." in text for _, text in roles)
        other = ask(model=server.model, input="Say otherwise.", previous_response_id=first.id)
        assert "Who is she?" not in json.dumps(said(server))
        elsewhere = ask(model=server.model, input="My cat is Mira.", store=False)
    exchanges = {f"resp_{e.id}": e for e in stored(url)}
    assert (
        exchanges[second.id].parent == exchanges[other.id].parent == first.id.removeprefix("resp_")
    )
    assert exchanges[second.id].session == exchanges[first.id].session
    assert elsewhere.store is False


def test_equal_beginnings_stay_in_their_own_conversations(serving):
    with OllamaTestServer("Hello!") as server:
        url = serving(upstream="ollama", ollama_url=server.url)
        with openai_client(url) as client:
            ask = client.responses.create
            one = ask(model="llama3.2", input="hi", extra_headers={"X-Unabridged-Session": "one"})
            two = ask(model="llama3.2", input="hi", extra_headers={"X-Unabridged-Session": "two"})
            after = ask(model="llama3.2", input="Which is this?", previous_response_id=one.id)
            later = ask(model="llama3.2", input="Which is this?", previous_response_id=two.id)
    exchanges = {f"resp_{e.id}": e for e in stored(url)}
    assert exchanges[after.id].session == exchanges[one.id].session == "one"
    assert exchanges[later.id].session == exchanges[two.id].session == "two"


def test_tools_are_called_and_answered_by_the_response_before(before):
    server, url = before([ScriptedReply("I look.", calls=(CALL,)), "It rains.", "Bye."])
    with openai_client(url) as client:
        first = client.responses.create(model=server.model, input="Rain?", tools=[TOOL])
        (call,) = [item for item in first.output if item.type == "function_call"]
        assert (call.name, json.loads(call.arguments)) == ("weather", {"city": "Köln"})
        result = {"type": "function_call_output", "call_id": call.call_id, "output": "heavy rain"}
        second = client.responses.create(
            model=server.model, input=[result], previous_response_id=first.id, tools=[TOOL]
        )
        assert second.output_text == "It rains."
        assert second.id == f"{first.id}_1"
        third = client.responses.create(
            model=server.model, input="Thanks.", previous_response_id=second.id
        )
        kept = client.responses.retrieve(first.id)
        assert [item.type for item in kept.output] == ["message", "function_call"]
        assert client.responses.retrieve(second.id).output_text == "It rains."
        (item,) = client.responses.input_items.list(second.id)
        assert item.output == "heavy rain"
    exchange, last = stored(url)
    assert [m.role.value for m in exchange.messages] == ["user", "assistant", "tool", "assistant"]
    assert exchange.messages[2].results[0].name == "weather"
    assert last.parent == exchange.id
    assert third.id == f"resp_{last.id}"
    sent = server.sent(server.path)[1]
    assert [tool["function"]["name"] for tool in sent["tools"]] == ["weather"]
    assert [m["role"] for m in sent["messages"]][-3:] == ["user", "assistant", "tool"]


def test_tools_work_for_clients_that_send_everything_each_time(before):
    server, url = before([ScriptedReply(calls=(CALL,)), "It rains."])
    with openai_client(url) as client:
        history = [{"role": "user", "content": "Rain?"}]
        first = client.responses.create(
            model=server.model, input=history, tools=[TOOL], store=False
        )
        history += [item.model_dump() for item in first.output]
        call = first.output[-1]
        history.append(
            {"type": "function_call_output", "call_id": call.call_id, "output": "heavy rain"}
        )
        second = client.responses.create(
            model=server.model, input=history, tools=[TOOL], store=False
        )
    (exchange,) = stored(url)
    assert (first.id, second.id) == (f"resp_{exchange.id}", f"resp_{exchange.id}_1")
    assert exchange.answer.text == "It rains."


def test_items_may_be_referred_to(before):
    server, url = before([ScriptedReply("Good day.", reasoning="Hm."), "Yes."])
    with openai_client(url) as client:
        first = client.responses.create(model=server.model, input="Hello.")
        items = [{"role": "user", "content": "Hello."}]
        items += [{"type": "item_reference", "id": item.id} for item in first.output]
        items.append({"role": "user", "content": "Really?"})
        client.responses.create(model=server.model, input=items)
        assert [m["content"] for m in said(server)][-2] == "Good day."
        bad = [{"type": "item_reference", "id": "msg_nothing_0"}]
        with pytest.raises(openai.BadRequestError, match="not stored"):
            client.responses.create(model=server.model, input=bad)
    assert [exchange.parent for exchange in stored(url)] == [None, first.id.removeprefix("resp_")]


class Weather(BaseModel):
    city: str
    rain: bool


def test_structured_answers_are_parsed(before):
    server, url = before('{"city": "Köln", "rain": true}')
    with openai_client(url) as client:
        made = client.responses.parse(model=server.model, input="Rain?", text_format=Weather)
    assert made.output_parsed == Weather(city="Köln", rain=True)
    body = server.sent(server.path)[-1]
    wanted = body.get("format") or body["response_format"]["json_schema"]["schema"]
    assert wanted["properties"]["rain"] == {"title": "Rain", "type": "boolean"}


def test_nobody_gets_anothers_responses(before):
    server, url = before("Good day.")
    mine, theirs = {"X-Unabridged-User": "ada"}, {"X-Unabridged-User": "bob"}
    with openai_client(url, default_headers=url.bearer) as client:
        made = client.responses.create(model=server.model, input="Hello.", extra_headers=mine)
        assert client.responses.retrieve(made.id, extra_headers=mine).output_text == "Good day."
        with pytest.raises(openai.NotFoundError):
            client.responses.retrieve(made.id, extra_headers=theirs)
        with pytest.raises(openai.NotFoundError):
            client.responses.retrieve(
                made.id, extra_headers={**mine, "X-Unabridged-Session": "other"}
            )
        with pytest.raises(openai.BadRequestError, match="not found"):
            client.responses.create(
                model=server.model, input="x", previous_response_id=made.id, extra_headers=theirs
            )
        with pytest.raises(openai.NotFoundError):
            client.responses.retrieve("resp_")
        with pytest.raises(openai.NotFoundError):
            client.responses.retrieve(made.id + "_7", extra_headers=mine)
        with pytest.raises(openai.BadRequestError, match="unabridged forget"):
            client.responses.delete(made.id, extra_headers=mine)


def test_what_cannot_be_taken_is_refused_and_nothing_is_asked(before):
    server, url = before("Good day.")
    with openai_client(url) as client:
        for wrong in (
            {"input": "x", "tool_choice": {"type": "web_search"}},
            {"input": "x", "background": True},
            {"input": [{"role": "user", "content": [{"type": "input_file", "file_id": "f"}]}]},
            {"input": []},
        ):
            with pytest.raises(openai.BadRequestError):
                client.responses.create(model=server.model, **wrong)
    assert server.sent(server.path) == []
    assert stored(url) == []


def test_a_stream_that_breaks_off_fails_and_keeps_what_came(before):
    server, url = before(ScriptedReply("Half an answer is here.", breaks=True, after=2))
    with openai_client(url) as client:
        events = list(client.responses.create(model=server.model, input="Hello.", stream=True))
    assert events[-1].type == "response.failed"
    assert events[-1].response.error.code == "server_error"
    assert events[-1].response.output_text == "Half an "
    (exchange,) = stored(url)
    assert (exchange.state.value, exchange.answer.text) == ("incomplete", "Half an ")
    with openai_client(url) as client:
        kept = client.responses.retrieve(f"resp_{exchange.id}")
        assert (kept.status, kept.output_text) == ("incomplete", "Half an ")


def test_refusals_of_the_upstream_are_told_and_the_message_is_kept(before):
    server, url = before(ScriptedReply(status=429, error="slow down"))
    with openai_client(url) as client:
        with pytest.raises(openai.RateLimitError, match="slow down"):
            client.responses.create(model=server.model, input="Hello.")
        (exchange,) = stored(url)
        assert client.responses.retrieve(f"resp_{exchange.id}").status == "failed"
    assert (exchange.state.value, exchange.user.text) == ("unanswered", "Hello.")


def test_an_answer_that_was_cut_is_incomplete(before):
    server, url = before(ScriptedReply("One two", finish="length"))
    with openai_client(url) as client:
        made = client.responses.create(model=server.model, input="Count.")
    assert made.status == "incomplete"
    assert made.incomplete_details.reason == "max_output_tokens"


def test_off_asks_without_memory_and_readonly_records_nothing(before):
    server, url = before("Good day.")
    with openai_client(url) as client:
        for way in ("off", "readonly"):
            made = client.responses.create(
                model=server.model, input="Hello.", extra_headers={"X-Unabridged": way}
            )
            assert made.output_text == "Good day."
            with pytest.raises(openai.BadRequestError, match="not found"):
                client.responses.create(model=server.model, input="x", previous_response_id=made.id)
    assert stored(url) == []


def test_tools_that_only_openai_runs_are_left_out_with_a_warning(before):
    server, url = before("Good day.")
    with openai_client(url) as client:
        made = client.responses.with_raw_response.create(
            model=server.model, input="Hello.", tools=[{"type": "web_search"}, TOOL]
        )
    assert "web_search was left out" in made.headers["x-unabridged-warning"]
    assert made.parse().output_text == "Good day."
    assert [t["function"]["name"] for t in server.sent(server.path)[0]["tools"]] == ["weather"]


def test_off_reaches_an_upstream_that_knows_responses_untouched(serving):
    with OpenAITestServer("Good day.") as server:
        url = serving(upstream="openai", openai_url=server.base_url, model="test-model")
        told = {"id": "resp_theirs", "object": "response", "output": [], "model": "test-model"}
        answer_also(server, {("POST", "/v1/responses"): lambda _: Answered(told)})
        body = {"model": "test-model", "input": "x", "tools": [{"type": "web_search"}], "odd": 1}
        with http(url, headers={"X-Unabridged": "off"}) as client:
            answer = client.post("/v1/responses", json=body)
        assert answer.json() == told
        assert answer.headers["x-unabridged-way"] == "off"
        assert server.sent("/v1/responses") == [body]
    assert stored(url) == []


def test_quote_answers_responses_too(serving):
    url = serving(upstream="quote")
    with openai_client(url) as client, http(url) as bare:
        client.responses.create(model="quote", input="My cat is called Mira.")
        with client.responses.stream(model="quote", input="What is my cat called?") as stream:
            assert "Mira" in stream.get_final_response().output_text
        missing = bare.post("/v1/responses", content=b"not json")
        assert missing.status_code == 400
        assert missing.json()["error"]["type"] == "invalid_request_error"


@pytest.mark.parametrize("named", [12, True, [], {}])
def test_a_response_before_that_is_no_text_is_refused(serving, named):
    url = serving(upstream="quote")
    body = {"model": "any", "input": "hello there", "previous_response_id": named}
    answer = httpx2.post(f"{url}/v1/responses", json=body)
    assert answer.status_code == 400
    assert "previous_response_id" in answer.json()["error"]["message"]
