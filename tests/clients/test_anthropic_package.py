"""The official ``anthropic`` package, unmodified, against the server: the Messages API."""

import asyncio
import json
from contextlib import closing

import anthropic
import pytest
from tests.clients.held import conversations, paths, states, words
from tests.opened import transport_of

from unabridged.domain.message import ToolCall
from unabridged.testing.anthropic_server import signature
from unabridged.testing.replies import ScriptedReply

UPSTREAMS = ["anthropic", "openai", "ollama", "quote"]
HELLO = [{"role": "user", "content": "Hello, my boat is called Petronella."}]
MARK = {"cache_control": {"type": "ephemeral"}}
WEATHER = {
    "name": "weather",
    "description": "Tells the weather.",
    "input_schema": {"type": "object", "properties": {"city": {"type": "string"}}},
}
PNG = {"type": "base64", "media_type": "image/png", "data": "iVBORw0KGgo="}
PDF = {"type": "base64", "media_type": "application/pdf", "data": "JVBERi0="}
REMINDER = "<system-reminder>\nThe lighthouse is not called Petronella.\n</system-reminder>\n"


def said(text, **more):
    return {"type": "text", "text": text, **more}


def user(*blocks):
    return {"role": "user", "content": list(blocks)}


@pytest.fixture
def client():
    opened = []

    def connect(served, **more):
        made = anthropic.Anthropic(
            base_url=str(served), api_key="sk-ant-dummy-key", max_retries=0, **more
        )
        opened.append(made)
        return made

    yield connect
    for one in opened:
        one.close()


def text_of(message):
    return "".join(block.text for block in message.content if block.type == "text")


def sent(upstream):
    return upstream.sent("/v1/messages")[-1]


# ---- in front of every upstream


@pytest.mark.parametrize("upstream", UPSTREAMS)
def test_messages_whole_and_streamed(start, client, upstream):
    served, model = start(upstream)
    talk = client(served).messages
    whole = talk.create(model=model, max_tokens=500, messages=HELLO)
    assert (whole.type, whole.role, whole.stop_reason) == ("message", "assistant", "end_turn")
    assert whole.usage.output_tokens > 0
    answer = text_of(whole)
    history = [*HELLO, {"role": "assistant", "content": answer}, user(said("What is she called?"))]
    with talk.stream(model=model, max_tokens=500, messages=history) as stream:
        streamed = "".join(stream.text_stream)
        last = stream.get_final_message()
    assert streamed == text_of(last)
    assert streamed
    assert last.stop_reason == "end_turn"
    assert states(served) == {"complete": 2}
    assert paths(served)[
        (HELLO[0]["content"], answer.strip()), ("What is she called?", streamed.strip())
    ]


@pytest.mark.parametrize("upstream", UPSTREAMS)
def test_messages_with_the_asynchronous_client(start, upstream):
    served, model = start(upstream)

    async def ask():
        async with anthropic.AsyncAnthropic(base_url=str(served), api_key="x") as made:
            return await made.messages.create(model=model, max_tokens=50, messages=HELLO)

    assert text_of(asyncio.run(ask()))


@pytest.mark.parametrize("upstream", ["anthropic", "openai", "ollama"])
def test_a_tool_loop(start, client, upstream):
    served, model = start(upstream)
    talk = client(served).messages
    question = user(said("How is the weather?"))
    with talk.stream(model=model, max_tokens=500, messages=[question], tools=[WEATHER]) as stream:
        called = stream.get_final_message()
    assert called.stop_reason == "tool_use"
    (use,) = [block for block in called.content if block.type == "tool_use"]
    assert (use.name, use.input) == ("weather", {"city": "Leith"})
    result = {"type": "tool_result", "tool_use_id": use.id, "content": [said("Rain.")]}
    history = [question, {"role": "assistant", "content": called.content}, user(result)]
    last = talk.create(model=model, max_tokens=500, messages=history, tools=[WEATHER])
    assert last.stop_reason == "end_turn"
    assert states(served) == {"complete": 1}
    ((conversation,),) = [conversations(served)]
    (exchange,) = conversation.exchanges
    assert [m.role for m in exchange.messages] == ["user", "assistant", "tool", "assistant"]
    assert exchange.messages[2].results[0].text == "Rain."


@pytest.mark.parametrize("upstream", UPSTREAMS)
def test_a_new_conversation_is_given_what_the_first_said(behind, client, upstream, serving):
    if upstream == "quote":
        served, model, server = serving(upstream="quote"), "quote", None
    else:
        served, server = behind(upstream)
        model = "m"
    talk = client(served).messages
    talk.create(model=model, max_tokens=500, messages=HELLO)
    answer = talk.create(
        model=model, max_tokens=500, messages=[user(said("What is my boat called?"))]
    )
    if server is None:
        assert "Petronella" in text_of(answer)
    else:
        assert "Petronella" in json.dumps(server.requests[-1].body["messages"])


@pytest.mark.parametrize("upstream", UPSTREAMS)
def test_tokens_are_counted(start, client, upstream):
    served, model = start(upstream)
    counted = client(served).messages.count_tokens
    few = counted(model=model, messages=HELLO).input_tokens
    more = counted(model=model, messages=HELLO, tools=[WEATHER], system="Be brief.").input_tokens
    assert 0 < few < more
    assert not conversations(served)


def test_tokens_are_counted_for_a_server_that_does_not(client, behind):
    served, upstream = behind("anthropic")
    upstream.counts = False
    assert client(served).messages.count_tokens(model="m", messages=HELLO).input_tokens > 3


@pytest.mark.parametrize("upstream", UPSTREAMS)
def test_models_are_listed(start, client, upstream):
    served, model = start(upstream)
    ids = [each.id for each in client(served).models.list()]
    assert any(each.partition(":")[0] == model for each in ids)
    one = client(served).models.retrieve(ids[0])
    assert (one.id, one.type) == (ids[0], "model")
    with pytest.raises(anthropic.NotFoundError):
        client(served).models.retrieve("nobody")


@pytest.mark.parametrize("upstream", UPSTREAMS)
def test_errors_have_anthropics_form(start, client, upstream):
    served, model = start(upstream)
    talk = client(served).messages
    with pytest.raises(anthropic.BadRequestError) as refused:
        talk.create(model=model, max_tokens=5, messages=[])
    assert refused.value.body["type"] == "error"
    assert refused.value.body["error"]["type"] == "invalid_request_error"
    if upstream != "quote":
        with pytest.raises(anthropic.NotFoundError) as missing:
            talk.create(model="nobody", max_tokens=5, messages=HELLO)
        assert missing.value.body["error"]["type"] == "not_found_error"


@pytest.mark.parametrize("upstream", ["anthropic", "openai", "ollama"])
def test_a_prompt_that_is_too_long_is_refused_in_words_that_programs_look_for(
    behind, client, upstream
):
    served, _ = behind(upstream, window=1_000)
    tools = [{**WEATHER, "description": "It tells the weather. " * 400}]
    with pytest.raises(
        anthropic.BadRequestError, match=r"prompt is too long: \d+ tokens > 1000 max"
    ):
        client(served).messages.create(model="m", max_tokens=5, messages=HELLO, tools=tools)


@pytest.mark.parametrize("upstream", ["openai", "ollama"])
@pytest.mark.parametrize(
    "more",
    [
        {"tools": [{"type": "web_search_20250305", "name": "web_search"}]},
        {"messages": [user({"type": "container_upload", "file_id": "f"}, said("Read."))]},
    ],
)
def test_what_cannot_be_translated_is_refused(behind, client, upstream, more):
    served, server = behind(upstream)
    with pytest.raises(anthropic.BadRequestError, match=upstream):
        client(served).messages.create(**{"model": "m", "max_tokens": 5, "messages": HELLO, **more})
    assert not server.sent("/v1/chat/completions")
    assert not server.sent("/api/chat")
    assert not conversations(served)


@pytest.mark.parametrize("upstream", ["openai", "ollama"])
def test_the_limit_of_an_answer_is_one_that_the_upstream_can_have(behind, client, upstream):
    served, server = behind(upstream, window=4_096)
    client(served).messages.create(model="m", max_tokens=20_000, messages=HELLO)
    body = server.requests[-1].body
    limit = body["max_tokens"] if upstream == "openai" else body["options"]["num_predict"]
    assert 3_000 < limit < 4_096


def test_a_document_is_a_file_for_openai_and_refused_for_ollama(behind, client):
    document = [user({"type": "document", "source": PDF}, said("Read this."))]
    served, server = behind("openai")
    client(served).messages.create(model="m", max_tokens=5, messages=document)
    parts = server.sent("/v1/chat/completions")[-1]["messages"][-1]["content"]
    assert parts[0]["file"]["file_data"].endswith(PDF["data"])


def test_a_document_is_refused_for_ollama(behind, client):
    document = [user({"type": "document", "source": PDF}, said("Read this."))]
    served, _ = behind("ollama")
    with pytest.raises(anthropic.BadRequestError, match="document"):
        client(served).messages.create(model="m", max_tokens=5, messages=document)


# ---- in front of Anthropic's own dialect


def test_everything_goes_on_as_it_came(behind, client):
    served, upstream = behind("anthropic")
    thought = "She is a ketch."
    body = {
        "model": "m",
        "max_tokens": 300,
        "system": [said("You know boats.", **MARK)],
        "messages": [
            user(said(REMINDER), {"type": "image", "source": PNG}, said("Which is she?", **MARK)),
            {
                "role": "assistant",
                "content": [
                    {"type": "thinking", "thinking": thought, "signature": signature(thought)},
                    {"type": "redacted_thinking", "data": "b3BhcXVl"},
                    said("A ketch."),
                ],
            },
            user({"type": "document", "source": PDF, "title": "Log"}, said("And now?", **MARK)),
        ],
        "tools": [{**WEATHER, **MARK}, {"type": "web_search_20250305", "name": "web_search"}],
        "tool_choice": {"type": "auto", "disable_parallel_tool_use": True},
        "thinking": {"type": "enabled", "budget_tokens": 1024},
        "metadata": {"user_id": "ben"},
        "service_tier": "auto",
    }
    made = client(served)
    made.beta.messages.create(
        **body,
        betas=["files-api-2025-04-14"],
        extra_body={"speed": "fast"},
        extra_query={"beta": "true"},
    )
    received = upstream.requests[-1]
    assert received.body == {**body, "speed": "fast"}
    assert received.query == "beta=true"
    assert received.headers["anthropic-beta"] == "files-api-2025-04-14"
    assert received.headers["anthropic-version"] == made.default_headers["anthropic-version"]


def test_memory_adds_one_block_at_the_end_and_repeats_it(behind, client):
    served, upstream = behind("anthropic")
    talk = client(served).messages
    talk.create(model="m", max_tokens=50, messages=HELLO)
    question = user(said(REMINDER), said("What is my boat called?", **MARK))
    told = talk.create(model="m", max_tokens=50, messages=[question])
    first = sent(upstream)["messages"]
    *own, block = first[0]["content"]
    assert own == question["content"]
    assert set(block) == {"type", "text"}
    assert "Petronella" in block["text"]
    assert "lighthouse" not in block["text"]
    answer = {"role": "assistant", "content": text_of(told)}
    moved = user(said(REMINDER.replace("lighthouse", "pier")), said("What is my boat called?"))
    history = [question, answer, user(said("Thanks."))]
    talk.create(model="m", max_tokens=50, messages=history)
    assert sent(upstream)["messages"][0] == first[0]
    talk.create(model="m", max_tokens=50, messages=[moved, *history[1:]])
    again = sent(upstream)["messages"][0]["content"]
    assert again == [*moved["content"], block], "breakpoints move, and reminders change"


def test_a_tool_loop_keeps_the_block_and_adds_none(behind, client):
    thought = "I look."
    call = ToolCall("toolu_1", "weather", '{"city": "Leith"}')
    script = ["Noted.", ScriptedReply(calls=(call, ToolCall("toolu_2", "weather", "{}")))]
    script[1] = ScriptedReply(reasoning=thought, calls=script[1].calls)
    served, upstream = behind("anthropic", [*script, "It rains."])
    talk = client(served).messages
    talk.create(model="m", max_tokens=50, messages=HELLO)
    question = user(said("How is the weather where my boat Petronella is?"))
    with talk.stream(model="m", max_tokens=50, messages=[question], tools=[WEATHER]) as stream:
        called = stream.get_final_message()
    assert called.content[0].signature == signature(thought)
    first = sent(upstream)["messages"][0]
    results = [
        {"type": "tool_result", "tool_use_id": use.id, "content": "Rain.", **more}
        for use, more in zip(called.content[1:], ({}, {"is_error": True}), strict=True)
    ]
    asked = {"role": "assistant", "content": [b.model_dump() for b in called.content]}
    round_ = user(*results, said(REMINDER))
    talk.create(model="m", max_tokens=50, messages=[question, asked, round_], tools=[WEATHER])
    assert sent(upstream)["messages"] == [first, asked, round_]
    assert len(first["content"]) == 2
    assert states(served) == {"complete": 2}
    assert "It rains." in words(served)


def test_words_behind_results_are_a_new_message_of_the_same_item(behind, client):
    call = ToolCall("toolu_1", "weather", "{}")
    served, upstream = behind("anthropic", [ScriptedReply("", calls=(call,)), "Very well."])
    talk = client(served).messages
    question = user(said("How is the weather?"))
    called = talk.create(model="m", max_tokens=50, messages=[question], tools=[WEATHER])
    result = {"type": "tool_result", "tool_use_id": called.content[0].id, "content": "Rain."}
    asked = {"role": "assistant", "content": [b.model_dump() for b in called.content]}
    talk.create(
        model="m",
        max_tokens=50,
        messages=[question, asked, user(result, said("Stop, I see it."))],
        tools=[WEATHER],
    )
    item = sent(upstream)["messages"][2]
    assert item["content"][:2] == [result, said("Stop, I see it.")]
    users = [e.user.text for c in conversations(served) for e in c.exchanges]
    assert users[-1] == "Stop, I see it."


def test_a_system_message_behind_the_question_stays_there(behind, client):
    served, upstream = behind("anthropic")
    talk = client(served).messages
    talk.create(model="m", max_tokens=50, messages=HELLO)
    question = user(said(REMINDER), said("What is my boat called?", **MARK))
    rule = {"role": "system", "content": "Available agent types: none."}
    talk.create(model="m", max_tokens=50, messages=[question, rule])
    first, second = sent(upstream)["messages"]
    assert "Petronella" in first["content"][-1]["text"]
    assert second == rule


@pytest.mark.parametrize("upstream", ["anthropic", "ollama"])
def test_each_answer_of_a_loop_has_its_own_id(start, client, upstream):
    served, model = start(upstream)
    talk = client(served).messages
    question = user(said("How is the weather?"))
    called = talk.create(model=model, max_tokens=50, messages=[question], tools=[WEATHER])
    asked = {"role": "assistant", "content": [b.model_dump() for b in called.content]}
    use = called.content[-1].id
    result = user({"type": "tool_result", "tool_use_id": use, "content": "Rain."})
    last = talk.create(
        model=model, max_tokens=50, messages=[question, asked, result], tools=[WEATHER]
    )
    assert last.id != called.id


def test_the_requests_of_a_program_for_itself_are_not_stored(behind, client):
    served, upstream = behind("anthropic")
    talk = client(served).messages
    talk.create(model="m", max_tokens=50, messages=HELLO)
    title = user(
        said("<session>\nMy boat\n</session>\n\nWrite the title in the language the user wrote in.")
    )
    system = [
        said("You are Claude Code, Anthropic's official CLI for Claude."),
        said(
            "Generate a concise, sentence-case title (3-7 words) that captures the main topic or goal of this coding session."
        ),
    ]
    told = talk.with_raw_response.create(model="m", max_tokens=50, system=system, messages=[title])
    assert told.headers["x-unabridged-way"] == "claude-code title"
    assert sent(upstream)["messages"] == [title]
    assert states(served) == {"complete": 1}


def test_the_answer_passes_byte_for_byte(behind, client):
    reply = ScriptedReply("Aye, aye.", reasoning="Hm.", cached=90)
    served, _ = behind("anthropic", reply)
    with client(served).messages.stream(model="m", max_tokens=50, messages=HELLO) as stream:
        last = stream.get_final_message()
    assert last.id.startswith("msg_test")
    assert [block.type for block in last.content] == ["thinking", "text"]
    assert last.usage.cache_read_input_tokens == 90
    assert "Aye, aye." in words(served)


def test_refusals_and_broken_streams_are_the_upstreams(behind, client):
    script = [
        ScriptedReply(status=529, error="Overloaded"),
        ScriptedReply("a b c d", error="Overloaded"),
    ]
    served, _ = behind("anthropic", script)
    talk = client(served).messages
    with pytest.raises(anthropic.APIStatusError) as refused:
        talk.create(model="m", max_tokens=50, messages=HELLO)
    assert refused.value.status_code == 529
    assert refused.value.request_id == "req_test"
    with (
        pytest.raises(anthropic.APIStatusError, match="Overloaded"),
        talk.stream(model="m", max_tokens=50, messages=HELLO) as stream,
    ):
        stream.get_final_message()


# ---- clients of other dialects in front of Anthropic


def test_a_client_of_openai_is_translated(behind):
    import openai

    call = ToolCall("toolu_1", "weather", '{"city": "Leith"}')
    served, upstream = behind("anthropic", [ScriptedReply("Let me see.", calls=(call,)), "Rain."])
    tool = {
        "type": "function",
        "function": {"name": "weather", "parameters": WEATHER["input_schema"]},
    }
    with openai.OpenAI(base_url=served.v1, api_key="x", max_retries=0) as made:
        talk = made.chat.completions
        history = [
            {"role": "system", "content": "Be brief."},
            {"role": "user", "content": "How is the weather?"},
        ]
        asked = talk.create(model="m", messages=history, tools=[tool], stop=["END"])
        assert asked.choices[0].finish_reason == "tool_calls"
        (use,) = asked.choices[0].message.tool_calls
        history += [
            asked.choices[0].message.model_dump(exclude_none=True),
            {"role": "tool", "tool_call_id": use.id, "content": "Rain."},
        ]
        last = talk.create(model="m", messages=history, tools=[tool])
    assert last.choices[0].message.content == "Rain."
    body = upstream.sent("/v1/messages")[0]
    assert (body["system"], body["stop_sequences"]) == ("Be brief.", ["END"])
    assert body["max_tokens"] > 0
    again = sent(upstream)["messages"]
    assert [item["role"] for item in again] == ["user", "assistant", "user"]
    assert again[2]["content"][0]["type"] == "tool_result"
    assert states(served) == {"complete": 1}


def test_a_client_of_ollama_is_translated(behind):
    import ollama

    served, upstream = behind("anthropic", "Aye.")
    made = ollama.Client(host=str(served))
    with closing(transport_of(made)):
        told = made.chat("m", HELLO, options={"num_predict": 77, "temperature": 0.2})
        names = [each.model for each in made.list().models]
    assert told.message.content == "Aye."
    assert sent(upstream)["max_tokens"] == 77
    assert sent(upstream)["temperature"] == 0.2
    assert "m" in names
