"""Values between the engine and a model: request, chunks, usage, abilities."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from unabridged.domain.message import Message, ToolCall


@dataclass(frozen=True, slots=True)
class ToolSpec:
    """A tool as a model sees it.

    Attributes:
        name: Letters, digits, ``_`` and ``-``; at most 64.
        description: What the tool does, for the model.
        parameters: JSON Schema of its arguments, an object.
        given: The whole definition as a client sent it, if it is not a function; else None.
    """

    name: str
    description: str
    parameters: Mapping[str, Any]
    given: Mapping[str, Any] | None = field(default=None, metadata={"transient": True})

    @property
    def schema(self) -> dict[str, Any]:
        """The tool as an OpenAI-style dict, as chat completions take it."""
        if self.given is not None:
            return dict(self.given)
        parameters = dict(self.parameters) or {"type": "object", "properties": {}}
        about = {"name": self.name, "description": self.description, "parameters": parameters}
        return {"type": "function", "function": about}


@dataclass(frozen=True, slots=True)
class ChatRequest:
    """One request to a model.

    Attributes:
        window: Tokens that prompt and answer may take together; sent to servers that accept it.
        max_output: Tokens that the answer may have, or None to leave it to the server.
        options: Sampling options in the dialect of the upstream; passed on as they are.
        opened: Called with a function that closes the connection, as soon as there is one; any
            thread may call that. None if nobody stops the answer. A model may ignore it.
    """

    messages: tuple[Message, ...]
    tools: tuple[ToolSpec, ...] = ()
    window: int | None = None
    max_output: int | None = None
    options: Mapping[str, Any] = field(default_factory=dict)
    opened: Callable[[Callable[[], None]], None] | None = field(
        default=None, compare=False, repr=False
    )


@dataclass(frozen=True, slots=True)
class Usage:
    """The tokens of a request as the server reports them; None for what it does not report.

    Attributes:
        prompt: The whole prompt, with the cached part.
        answer: The answer.
        cached: The part of the prompt that came from a cache.
    """

    prompt: int | None = None
    answer: int | None = None
    cached: int | None = None


@dataclass(frozen=True, slots=True)
class StreamChunk:
    """A piece of a streamed answer. Any field may be empty; the last has ``done``.

    Attributes:
        calls: Tool calls, each whole.
        finish: Why it ended: ``stop``, ``length``, ``tool_calls`` …, with ``done`` only.
        usage: With ``done`` only.
    """

    text: str = ""
    reasoning: str = ""
    calls: tuple[ToolCall, ...] = ()
    done: bool = False
    finish: str = ""
    usage: Usage | None = None


@dataclass(frozen=True, slots=True)
class Abilities:
    """What a model and its server can do.

    Attributes:
        model: The model's full name: ``llama3`` is ``llama3:latest``.
        trained_window: Tokens that it was trained for, or None if unknown.
        loaded_window: Tokens that the server has loaded it with, or None.
        max_output: The most tokens of an answer, or None if unknown.
        tools: Whether it can call tools; None if unknown.
        vision: Whether it sees images; None if unknown.
        reasoning: Whether it returns its reasoning; None if unknown.
        source: Where this was learned: ``server``, ``cache``, ``stale cache``, ``table``, ``default``.
        family: The model family that the server names (``llama``, ``qwen2`` …), or empty.
    """

    model: str
    trained_window: int | None = None
    loaded_window: int | None = None
    max_output: int | None = None
    tools: bool | None = None
    vision: bool | None = None
    reasoning: bool | None = None
    source: str = "default"
    family: str = ""


@dataclass(frozen=True, slots=True)
class Address:
    """The address and dialect of a model server.

    Attributes:
        dialect: ``anthropic``, ``ollama`` or ``openai``.
        url: Its base address; OpenAI's and Anthropic's end in ``/v1``.
        key: Sent with each request, or empty.
        timeout: Seconds to wait for it to begin answering, and between two pieces.
    """

    dialect: str
    url: str
    key: str = field(default="", repr=False)
    timeout: float = 300.0
