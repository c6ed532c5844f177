"""Messages in every form that programs hold them in, given to the public API."""

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TypedDict

import ollama
import openai
import pytest
from openai.types.chat import ChatCompletion, ChatCompletionChunk
from tests.opened import transport_of

from unabridged import Memory
from unabridged.domain.chat import Usage
from unabridged.domain.exchange import ExchangeState
from unabridged.errors import EmptyMessageError, InputError, UnabridgedError
from unabridged.testing.ollama_server import OllamaTestServer
from unabridged.testing.openai_server import OpenAITestServer
from unabridged.testing.replies import ScriptedReply, ToolCall


@pytest.fixture
def memory(tmp_path):
    with Memory.open(tmp_path / "home", upstream="quote") as memory:
        yield memory


class Shouted(str):
    __slots__ = ()


class Said(TypedDict):
    role: str
    content: str


@dataclass
class Line:
    role: str
    content: str


PARTS = [
    {"type": "text", "text": "My boat is Kestrel."},
    {"type": "image_url", "image_url": {"url": "data:image/png;base64,AA=="}},
]
USERS = {
    "a string": "My boat is Kestrel.",
    "a subclass of str": Shouted("My boat is Kestrel."),
    "a dict": {"role": "user", "content": "My boat is Kestrel."},
    "a dict with parts": {"role": "user", "content": PARTS},
    "a TypedDict": Said(role="user", content="My boat is Kestrel."),
    "a dataclass": Line("user", "My boat is Kestrel."),
    "a model of ollama": ollama.Message(role="user", content="My boat is Kestrel."),
}
ANSWERS = {
    "a string": "A fine name.",
    "a subclass of str": Shouted("A fine name."),
    "a dict": {"role": "assistant", "content": "A fine name."},
    "a dict with parts": {
        "role": "assistant",
        "content": [{"type": "text", "text": "A fine name."}],
    },
    "a dataclass": Line("assistant", "A fine name."),
    "a model of ollama": ollama.Message(role="assistant", content="A fine name."),
}


@pytest.mark.parametrize("given", USERS.values(), ids=USERS)
def test_a_message_to_answer_is_taken_in_every_form(memory, given):
    context = memory.prepare(given)
    exchange = memory.record(context, "Noted.")
    stored = memory.get(exchange.id).user
    assert stored.text == "My boat is Kestrel."
    assert type(stored.parts[0].text) is str
    assert memory.search("Kestrel")[0].exchange.id == exchange.id


@pytest.mark.parametrize("given", ANSWERS.values(), ids=ANSWERS)
def test_an_answer_is_taken_in_every_form(memory, given):
    exchange = memory.record(memory.prepare("My boat is Kestrel."), given)
    assert memory.get(exchange.id).answer.text == "A fine name."
    assert exchange.state is ExchangeState.COMPLETE


def test_messages_said_elsewhere_are_taken_in_every_form_and_mixed(memory):
    given = []
    for one, other in zip(USERS.values(), ANSWERS.values(), strict=False):
        given += [one, {"role": "assistant", "content": other} if isinstance(other, str) else other]
    added = memory.add(given, session="mixed")
    assert len(added) == len(ANSWERS)
    assert {exchange.answer.text for exchange in added} == {"A fine name."}
    assert len(memory.conversation("mixed").history()) == len(ANSWERS)
    (one,) = memory.add("Alone.", session="alone")
    assert one.user.text == "Alone."
    assert one.state is ExchangeState.UNANSWERED


@pytest.fixture
def openai_client():
    with OpenAITestServer() as server:
        server.script.script = "A fine name."
        with openai.OpenAI(base_url=server.base_url, api_key="none", max_retries=0) as client:
            yield server, client


def test_a_whole_response_of_the_openai_package_is_an_answer_with_its_usage(memory, openai_client):
    _, client = openai_client
    context = memory.prepare("My boat is Kestrel.")
    response = client.chat.completions.create(model="test-model", messages=context.messages)
    assert isinstance(response, ChatCompletion)
    exchange = memory.record(context, response)
    assert exchange.answer.text == "A fine name."
    assert memory.why(exchange.id).usage == Usage(
        response.usage.prompt_tokens, response.usage.completion_tokens
    )
    again = memory.record(memory.prepare("And?"), response.choices[0].message)
    assert again.answer.text == "A fine name."
    plain = memory.record(memory.prepare("And more?"), response.model_dump())
    assert plain.answer.text == "A fine name."


def test_an_answer_that_reached_its_limit_is_incomplete(memory, openai_client):
    server, client = openai_client
    server.script.script = ScriptedReply("A fine", finish="length")
    context = memory.prepare("My boat is Kestrel.")
    response = client.chat.completions.create(model="test-model", messages=context.messages)
    assert memory.record(context, response).state is ExchangeState.INCOMPLETE


def test_a_piece_of_a_stream_is_no_answer_and_the_hint_says_what_is(memory, openai_client):
    _, client = openai_client
    context = memory.prepare("My boat is Kestrel.")
    stream = client.chat.completions.create(
        model="test-model", messages=context.messages, stream=True
    )
    pieces = list(stream)
    assert isinstance(pieces[0], ChatCompletionChunk)
    for given in (pieces[0], stream, iter(())):
        with pytest.raises(InputError) as refusal:
            memory.record(context, given)
        assert refusal.value.hint
    text = "".join(one.choices[0].delta.content or "" for one in pieces if one.choices)
    assert memory.record(context, text).state is ExchangeState.COMPLETE


def test_a_whole_response_of_the_ollama_package_is_an_answer_with_its_usage(memory):
    with OllamaTestServer("A fine name.") as server:
        client = ollama.Client(host=server.url)
        try:
            context = memory.prepare("My boat is Kestrel.")
            response = client.chat("llama3.2", context.messages)
            exchange = memory.record(context, response)
            assert exchange.answer.text == "A fine name."
            usage = memory.why(exchange.id).usage
            assert (usage.prompt, usage.answer) == (response.prompt_eval_count, response.eval_count)
            dumped = memory.record(memory.prepare("And?"), response.model_dump())
            assert dumped.answer.text == "A fine name."
        finally:
            transport_of(client).close()


def test_tool_rounds_of_both_packages_are_stored(memory, openai_client):
    server, client = openai_client
    server.script.script = ScriptedReply(calls=(ToolCall("c1", "weigh", '{"what": "boat"}'),))
    context = memory.prepare("How heavy is my boat?", tools=[weigh])
    response = client.chat.completions.create(
        model="test-model", messages=context.messages, tools=context.tool_schemas
    )
    message = response.choices[0].message
    talk = memory.conversation(context.scope.session)
    told = {"role": "tool", "tool_call_id": "c1", "content": "3 t"}
    exchange = talk.record_tools(context, [message, told])
    assert exchange.state is ExchangeState.OPEN
    assert talk.record(context, "Three tons.").state is ExchangeState.COMPLETE

    call = ollama.Message.ToolCall(
        function=ollama.Message.ToolCall.Function(name="weigh", arguments={"what": "boat"})
    )
    asked = ollama.Message(role="assistant", content="", tool_calls=[call])
    context = talk.prepare("And now?", tools=[weigh])
    talk.record_tools(context, [asked, {"role": "tool", "tool_name": "weigh", "content": "4 t"}])
    done = talk.record(context, ollama.Message(role="assistant", content="Four."))
    (result,) = [result for message in done.messages for result in message.results]
    (called,) = [call for message in done.messages for call in message.calls]
    assert (result.text, result.call_id) == ("4 t", called.id)
    roles = [one["role"] for one in memory.history(talk.session)]
    assert roles == ["user", "assistant", "tool", "assistant"] * 2


def weigh(what: str) -> str:
    """Weigh something."""
    return f"3 t of {what}"


CALL = {
    "role": "assistant",
    "tool_calls": [{"id": "c", "type": "function", "function": {"name": "w", "arguments": "{}"}}],
}
RESULT = {"role": "tool", "tool_call_id": "c", "content": "3 t"}
WRONG_ROUNDS = {
    "only the result": [RESULT],
    "the result of another call": [CALL, {**RESULT, "tool_call_id": "x"}],
    "nothing": [],
    "no call at all": [{"role": "assistant", "content": "Hm."}],
    "a user's message": [{"role": "user", "content": "Hm."}],
    "no list": 5,
    "text": "c",
}


@pytest.mark.parametrize("messages", WRONG_ROUNDS.values(), ids=WRONG_ROUNDS)
def test_what_is_no_tool_round_is_refused_and_nothing_is_stored(memory, messages):
    talk = memory.conversation("talk")
    context = talk.prepare("How heavy?")
    with pytest.raises(InputError) as refusal:
        talk.record_tools(context, messages)
    assert refusal.value.hint
    assert memory.stats().exchanges == 0


def test_a_round_that_is_recorded_as_the_answer_or_after_it_is_refused(memory):
    talk = memory.conversation("talk")
    context = talk.prepare("How heavy?")
    for one in (talk, memory):
        with pytest.raises(InputError, match="calls tools") as refusal:
            one.record(context, CALL)
        assert "record_tools" in refusal.value.hint
    assert memory.stats().exchanges == 0
    talk.record(context, "Three tons.")
    with pytest.raises(InputError) as refusal:
        talk.record_tools(context, [CALL, RESULT])
    assert refusal.value.hint
    assert len(memory.get(context.id).messages) == 2


NO_MESSAGES = [None, 5, 1.5, True, b"bytes", object(), object, [], {}, {"content": "x"},
               {"role": "user", "content": 5}, {"role": "nobody", "content": "x"},
               {"role": "user", "content": [{"type": "audio"}]}, {5: "x"}, lambda: "x"]  # fmt: skip


@pytest.mark.parametrize("given", NO_MESSAGES)
def test_what_is_no_message_is_refused_with_a_hint(memory, given):
    with pytest.raises(InputError) as refusal:
        memory.prepare(given)
    assert refusal.value.hint or "content" in str(refusal.value)
    with pytest.raises(UnabridgedError):
        memory.add([given])
    if given is not None:
        with pytest.raises(InputError):
            memory.record(memory.prepare("Hello"), given)
    assert memory.stats().exchanges == 0


def test_a_list_names_what_takes_a_list(memory):
    with pytest.raises(InputError) as refusal:
        memory.prepare([{"role": "user", "content": "Hello"}, {"role": "user", "content": "You?"}])
    assert "list of 2" in str(refusal.value)
    assert "sync()" in refusal.value.hint
    assert "add()" in refusal.value.hint


def test_the_role_must_fit_the_place(memory):
    with pytest.raises(InputError, match="assistant"):
        memory.prepare({"role": "assistant", "content": "I am you."})
    with pytest.raises(InputError, match="user"):
        memory.record(memory.prepare("Hello"), {"role": "user", "content": "I am me."})


@pytest.mark.parametrize("content", ["", "  ", [], [{"type": "text", "text": " "}], None])
def test_an_empty_message_is_refused_in_every_form(memory, content):
    with pytest.raises(EmptyMessageError):
        memory.prepare({"role": "user", "content": content})


def test_a_picture_alone_is_a_message(memory):
    context = memory.prepare({"role": "user", "content": PARTS[1:]})
    assert context.messages[-1]["content"][0]["type"] == "image_url"


@pytest.mark.parametrize("reply", [None, "", "  ", {"role": "assistant", "content": None}])
def test_no_answer_is_never_stored_as_complete(memory, reply):
    first = memory.record(memory.prepare("Hello?"), reply)
    assert memory.get(first.id).state is ExchangeState.UNANSWERED
    second = memory.record(memory.prepare("Hello?!"), reply, state="complete")
    assert memory.get(second.id).state is ExchangeState.UNANSWERED
    talk = memory.conversation("tools")
    context = talk.prepare("How heavy?")
    talk.record_tools(context, [CALL, RESULT])
    assert talk.record(context, reply).state is ExchangeState.INCOMPLETE


def test_a_context_of_another_memory_is_refused(tmp_path, memory):
    with Memory.open(tmp_path / "home", upstream="quote", user="bob") as other:
        context = other.prepare("My secret.")
        for call in (
            lambda: memory.record(context, "Yes."),
            lambda: memory.conversation().begin(context),
            lambda: memory.conversation().record(context, "Yes."),
        ):
            with pytest.raises(InputError, match="bob"):
                call()
    assert memory.stats().exchanges == 0


def test_messages_can_be_concatenated(memory):
    context = memory.prepare("Hello")
    more = [{"role": "assistant", "content": "Hi"}]
    assert (context.messages + more)[-1]["content"] == "Hi"
    assert [*memory.history(), *context.messages][0]["role"] == "system"


def test_add_keeps_the_time_and_begins_the_session(memory):
    at = datetime(2024, 5, 1, 9, 30, tzinfo=UTC)
    (exchange,) = memory.add(
        [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Hello"}],
        session="support-42",
        at=at,
    )
    assert (exchange.at, exchange.session) == (at, "support-42")
    naive = datetime.fromisoformat("2024-05-01T09:30")
    (local,) = memory.add("Hi", session="support-43", at=naive)
    assert local.at == naive.astimezone()


def test_a_session_of_ones_own_begins_with_the_first_write(tmp_path):
    home = tmp_path / "home"
    with Memory.open(home, upstream="quote", session="support-42") as memory:
        assert memory.history() == []
        assert memory.sessions() == []
        memory.record(memory.prepare("My parcel is late."), "Sorry.")
        memory.record(memory.prepare("Another topic.", session="7"), "Yes.")
        assert {line.session.id for line in memory.sessions()} == {"support-42", "7"}
        assert memory.search("parcel", session="7") == []
        assert memory.search("parcel", session="nobody's") == []
        assert memory.history("1") == []  # an id, never a number of the list
    with Memory.open(home, upstream="quote", session="support-42") as memory:
        assert memory.history()[0]["content"] == "My parcel is late."
        assert memory.ask("Where is my parcel?")
        assert len(memory.conversation("support-42").history()) == 2


def test_an_answer_from_outside_is_found_where_memory_itself_would_only_quote(tmp_path):
    with Memory.open(tmp_path, upstream="quote") as memory:
        memory.record(memory.prepare("Which cheese?"), "Azeitão, a sheep cheese from Setúbal.")
        talk = memory.conversation("sea")
        context = talk.prepare("Why is it blue?")
        talk.begin(context)
        talk.record(context, "The ocean near Peniche reflects the sky.")
        said = [memory.search(words)[0].exchange for words in ("sheep Setúbal", "ocean Peniche")]
        assert [one.model for one in said] == [None, None]
        recalled = memory.prepare("Which cheese was it?", session="new").prompt[-1].text
        assert "sheep cheese from Setúbal" in recalled
