"""The contract that every ``ChatModel`` passes.

Inherit ``ChatModelContract`` in a test class and define the fixture ``model``; set the class
attributes for what the model cannot do. Needs pytest.
"""

from datetime import UTC, datetime

import pytest

from unabridged.domain.chat import ChatRequest, StreamChunk, ToolSpec
from unabridged.domain.message import Message, Part, Role, Text, ToolResult
from unabridged.errors import ContextRefusedError
from unabridged.ports import ChatModel

_AT = datetime(2026, 11, 21, tzinfo=UTC)
WINDOW = 1_024
"""The window of the contract's requests, in tokens."""
SAY = "Say something about the sea."
"""The user's message that the model must answer with text, in at least three pieces."""
CALL = "What time is it? Use the tool."
"""The user's message on which the model must call the tool ``clock``."""
CLOCK = ToolSpec(
    "clock",
    "Tells the time.",
    {"type": "object", "properties": {"zone": {"type": "string"}}, "required": ["zone"]},
)


def message(role: Role, *parts: Part, place: int = 0) -> Message:
    """Return a message for a prompt."""
    return Message(id=f"m{place}", role=role, parts=parts, at=_AT)


def request(*prompt: Message, tools: tuple[ToolSpec, ...] = (), room: int = 64) -> ChatRequest:
    """Return a request."""
    return ChatRequest(messages=prompt, tools=tools, window=WINDOW, max_output=room)


def asking(text: str) -> ChatRequest:
    """Return a request of a system prompt and one question."""
    system = message(Role.SYSTEM, Text("You are brief."))
    return request(system, message(Role.USER, Text(text), place=1))


class ChatModelContract:
    """The contract of every model."""

    reports_usage = True
    """Whether it reports the tokens of a request."""
    refuses_length = True
    """Whether it refuses a prompt that is longer than the window."""
    calls_tools = True
    """Whether it calls tools on the contract's request."""

    def test_names_itself(self, model: ChatModel) -> None:
        """It has the name of a model and of a provider."""
        assert model.model
        assert model.provider

    def test_abilities_are_sane(self, model: ChatModel) -> None:
        """Its abilities have its name and plausible lengths."""
        abilities = model.abilities()
        assert abilities.model == model.model
        assert abilities.source
        for length in (abilities.trained_window, abilities.loaded_window, abilities.max_output):
            assert length is None or length >= 512

    def test_a_stream_ends_with_done(self, model: ChatModel) -> None:
        """Pieces of text, then one last piece with the finish reason."""
        chunks = list(model.chat(asking(SAY)))
        assert [chunk.done for chunk in chunks[:-1]] == [False] * (len(chunks) - 1)
        assert chunks[-1].done
        assert chunks[-1].finish
        assert "".join(chunk.text for chunk in chunks).strip()
        assert len(chunks) > 3

    def test_usage_comes_last_where_claimed(self, model: ChatModel) -> None:
        """Only the last piece has usage; it counts prompt and answer."""
        chunks = list(model.chat(asking(SAY)))
        assert all(chunk.usage is None for chunk in chunks[:-1])
        if self.reports_usage:
            usage = chunks[-1].usage
            assert usage is not None
            assert usage.prompt is not None
            assert usage.prompt > 0
            assert usage.answer is not None
            assert usage.answer > 0

    def test_closing_stops_and_the_next_request_works(self, model: ChatModel) -> None:
        """A reader that leaves does no harm."""
        stream = model.chat(asking(SAY))
        first = next(stream)
        assert isinstance(first, StreamChunk)
        close = getattr(stream, "close", None)
        assert close is not None
        close()
        assert list(stream) == []
        assert list(model.chat(asking(SAY)))[-1].done

    def test_a_round_with_a_tool(self, model: ChatModel) -> None:
        """A call arrives whole; its result can be sent back and is answered."""
        if not self.calls_tools:
            pytest.skip("this model calls no tools")
        ask = message(Role.USER, Text(CALL))
        chunks = list(model.chat(request(ask, tools=(CLOCK,))))
        calls = [call for chunk in chunks for call in chunk.calls]
        assert [call.name for call in calls] == ["clock"]
        assert calls[0].id
        assert calls[0].arguments.startswith("{")
        assert chunks[-1].finish == "tool_calls"
        said = message(Role.ASSISTANT, calls[0], place=1)
        result = ToolResult(calls[0].id, "clock", "noon")
        told = message(Role.TOOL, result, place=2)
        again = list(model.chat(request(ask, said, told, tools=(CLOCK,))))
        assert "".join(chunk.text for chunk in again).strip()

    def test_it_takes_a_whole_conversation(self, model: ChatModel) -> None:
        """System messages, rounds and odd characters are accepted unchanged."""
        prompt = (
            message(Role.SYSTEM, Text("You are brief."), place=0),
            message(Role.USER, Text('Zeile\u2028"quoted" \\ 海 🌊 \x85'), place=1),
            message(Role.ASSISTANT, Text("Yes."), place=2),
            message(Role.USER, Text(SAY), place=3),
        )
        assert list(model.chat(request(*prompt)))[-1].done

    def test_a_refusal_for_length_is_typed(self, model: ChatModel) -> None:
        """A prompt longer than the window is refused before any answer."""
        if not self.refuses_length:
            pytest.skip("this model does not limit its window")
        with pytest.raises(ContextRefusedError) as caught:
            list(model.chat(asking("the sea and the sky and the sand " * WINDOW)))
        assert caught.value.hint
        window = caught.value.window
        assert window is None or window >= WINDOW
