"""Clients against the server, as it runs."""

import itertools

import pytest
from tests.server.conftest import serving  # noqa: F401 - a fixture

from unabridged.domain.message import ToolCall
from unabridged.testing.anthropic_server import AnthropicTestServer
from unabridged.testing.ollama_server import OllamaEntry, OllamaTestServer
from unabridged.testing.openai_server import OpenAIEntry, OpenAITestServer
from unabridged.testing.replies import ScriptedReply

MODELS = ("m", "n")


def answering(*, thinks=False):
    """Make a script whose answers are all different; a question for the weather calls a tool."""
    numbers = itertools.count(1)

    def reply(body):
        number = next(numbers)
        last = body["messages"][-1] if "messages" in body else {"role": "user"}
        words = last.get("content") or body.get("prompt") or ""
        words = words if isinstance(words, str) else str(words)
        thought = f"Thought {number}." if thinks else ""
        if body.get("tools") and last["role"] == "user" and "weather" in words:
            call = ToolCall(f"call_{number}", "weather", '{"city": "Leith"}')
            return ScriptedReply("", calls=(call,), reasoning=thought)
        return ScriptedReply(
            f"Answer number {number} it is, said in a few words.", reasoning=thought
        )

    return reply


@pytest.fixture
def behind(serving):  # noqa: F811 - the fixture above
    """Give a function that starts our server before a protocol server of a dialect."""
    opened = []

    def start(dialect, script=None, **settings):
        script = script or answering()
        if dialect == "ollama":
            upstream = OllamaTestServer(script, models=[OllamaEntry(f"{n}:latest") for n in MODELS])
            address = {"upstream": "ollama", "ollama_url": upstream.url}
        elif dialect == "anthropic":
            upstream = AnthropicTestServer(script, models=MODELS)
            address = {"upstream": "anthropic", "anthropic_url": upstream.url}
        else:
            upstream = OpenAITestServer(script, models=[OpenAIEntry(name) for name in MODELS])
            address = {"upstream": "openai", "openai_url": upstream.base_url}
        opened.append(upstream)
        served = serving(**address, **settings)
        return served, upstream

    yield start
    for upstream in opened:
        upstream.close()


@pytest.fixture
def start(behind, serving):  # noqa: F811 - the fixture of that name
    def begin(upstream, script=None):
        if upstream == "quote":
            return serving(upstream="quote"), "quote"
        return behind(upstream, script)[0], "m"

    return begin
