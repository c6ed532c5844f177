"""The reply of ``chat``: text, events, stopping; and tools that a model cannot call."""

import threading

import pytest

from unabridged import Memory, Reply
from unabridged.domain.chat import Abilities, ToolSpec
from unabridged.domain.exchange import ExchangeState
from unabridged.domain.message import ToolCall
from unabridged.errors import InputError, ToolError, UpstreamBrokenError
from unabridged.models.scripted import ScriptedModel
from unabridged.testing.ollama_server import OllamaTestServer
from unabridged.testing.openai_server import OpenAITestServer
from unabridged.testing.replies import ScriptedReply
from unabridged.turn.events import Called, Delta, Finished, Returned


def lucky(person: str) -> int:
    """Return somebody's lucky number."""
    return len(person) + 4


@pytest.fixture
def opened(tmp_path):
    def open_with(*script, **given):
        model = ScriptedModel(script, **given)
        memories.append(Memory.open(tmp_path / "home", upstream=model))
        return memories[-1]

    memories = []
    yield open_with
    for memory in memories:
        memory.close()


def test_iterating_gives_pieces_of_text_and_text_the_whole(opened):
    memory = opened("One two three.")
    reply = memory.chat("Count.")
    assert isinstance(reply, Reply)
    assert list(reply) == ["One ", "two ", "three."]
    assert reply.text() == "One two three."
    assert list(reply) == []
    assert reply.exchange.state is ExchangeState.COMPLETE
    assert reply.context.id == reply.exchange.id
    assert memory.chat("Again.").text() == "One two three."


def test_the_rest_comes_where_one_went_on_in_another_way(opened):
    reply = opened("One two three.").chat("Count.")
    first = next(iter(reply))
    rest = [event.text for event in reply.events() if isinstance(event, Delta)]
    assert [first, *rest] == ["One ", "two ", "three."]


def test_nothing_is_stored_or_asked_before_it_is_iterated(opened):
    memory = opened("Yes.")
    reply = memory.chat("Hello?")
    assert memory.stats().exchanges == 0
    assert memory.space.model.requests == []
    assert reply.exchange is None
    reply.text()
    assert memory.stats().exchanges == 1


def test_tools_are_called_and_seen_as_events(opened):
    memory = opened(ToolCall("c", "lucky", '{"person": "Ann"}'), "It is 7.")
    events = list(memory.chat("What is Ann's lucky number?", tools=[lucky]).events())
    kinds = [type(event) for event in events]
    assert kinds.index(Called) < kinds.index(Returned) < kinds.index(Finished)
    assert memory.history()[-1]["content"] == "It is 7."
    assert [one["content"] for one in memory.history() if one["role"] == "tool"] == ["7"]
    assert memory.ask("And now?", tools=[lucky]) == "It is 7."


@pytest.mark.parametrize("how", ["stop", "with"])
def test_what_came_is_kept_where_it_is_stopped(opened, how):
    memory = opened("one two three four")
    reply = memory.chat("Count.")
    if how == "with":
        with reply:
            next(iter(reply))
    else:
        next(iter(reply))
        reply.stop()
        reply.stop()
    assert reply.exchange.state is ExchangeState.INCOMPLETE
    assert memory.get(reply.exchange.id).answer.text == "one "
    assert reply.text() == "one "


def test_one_that_was_never_begun_is_stopped_without_a_trace(opened):
    memory = opened("one two three four")
    reply = memory.chat("Count.")
    reply.stop()
    assert reply.text() == ""
    assert memory.stats().exchanges == 0


def test_what_the_model_raises_is_raised_and_what_came_is_kept(opened):
    memory = opened(["One ", UpstreamBrokenError("It broke.", hint="Ask again.")])
    reply = memory.chat("Count.")
    with pytest.raises(UpstreamBrokenError):
        reply.text()
    assert reply.exchange.state is ExchangeState.INCOMPLETE


@pytest.mark.parametrize("dialect", ["openai", "ollama"])
@pytest.mark.parametrize(
    ("slow", "state"),
    [
        (ScriptedReply("late", delay=30), ExchangeState.UNANSWERED),
        (ScriptedReply("word " * 1_000, pause=0.02), ExchangeState.INCOMPLETE),
    ],
    ids=["before it begins", "in its midst"],
)
def test_another_thread_stops_an_answer_of_a_server(tmp_path, dialect, slow, state):
    kind = OpenAITestServer if dialect == "openai" else OllamaTestServer
    with kind(slow) as server:
        url = server.base_url if dialect == "openai" else server.url
        name = "test-model" if dialect == "openai" else "llama3.2"
        given = {"upstream": dialect, f"{dialect}_url": url, "model": name}
        with Memory.open(tmp_path / "home", **given) as memory:
            reply = memory.chat("Count.")
            came = []

            def read():
                came.extend(reply)
                came.append(None)

            thread = threading.Thread(target=read)
            thread.start()
            waiting = threading.Event()
            while len(server.requests) < 1 or not any(
                r.body.get("stream") for r in server.requests
            ):
                waiting.wait(0.02)
            waiting.wait(0.3)
            reply.stop()
            thread.join(20)
            assert not thread.is_alive()
            assert came[-1] is None
            assert memory.get(reply.context.id).state is state
            server.script.script = "Yes."
            assert memory.ask("Are you there?") == "Yes."
            chats = [r.connection for r in server.requests if r.body.get("messages")]
            assert chats[0] != chats[-1], "the connection was closed"


def test_tools_that_the_model_cannot_call_are_an_error_and_never_ignored(tmp_path, opened):
    with Memory.open(tmp_path / "quote", upstream="quote") as memory:
        for call in (memory.ask, memory.chat, memory.conversation().chat):
            with pytest.raises(ToolError, match="cannot call tools") as refusal:
                call("What is Ann's lucky number?", tools=[lucky])
            assert "upstream" in refusal.value.hint
        assert memory.stats().exchanges == 0
        assert memory.prepare("Hi", tools=[lucky]).tool_schemas  # with a client of one's own
    able = Abilities("m", trained_window=8192, tools=None)
    assert opened("Yes.", abilities=able).ask("Hi", tools=[lucky]) == "Yes."


def test_configured_tools_that_the_model_cannot_call_are_noted(tmp_path):
    with Memory.open(tmp_path / "home", upstream="quote", mode="tools") as memory:
        reply = memory.chat("Hello there")
        reply.text()
        assert any("cannot call tools" in note for note in reply.notes)
        assert not memory.chat("Hello there", mode="chat").notes


def test_a_tool_that_is_only_described_cannot_be_called(opened):
    memory = opened("Yes.")
    schema = {"type": "function", "function": {"name": "weigh", "parameters": {"type": "object"}}}
    for described in (ToolSpec("weigh", "Weigh.", {"type": "object"}), schema):
        with pytest.raises(ToolError, match="weigh"):
            memory.chat("How heavy?", tools=[described])
        (given,) = memory.prepare("How heavy?", tools=[described]).tool_schemas
        assert given["function"]["name"] == "weigh"


@pytest.mark.parametrize("tool", [5, "lucky", print, lambda x: x, {"name": "x"}, None, object()])
def test_what_is_no_tool_is_an_error(opened, tool):
    with pytest.raises(ToolError) as refusal:
        opened("Yes.").prepare("Hi", tools=[tool])
    assert refusal.value.hint


def test_tools_in_chat_mode_contradict_each_other(opened):
    with pytest.raises(InputError, match="Chat mode"):
        opened("Yes.").chat("Hi", tools=[lucky], mode="chat")
