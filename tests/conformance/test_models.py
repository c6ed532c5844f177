"""Every model passes one contract."""

from datetime import UTC, datetime

import pytest

from unabridged.domain.chat import ChatRequest
from unabridged.domain.message import ToolCall
from unabridged.errors import ContextRefusedError
from unabridged.models.ollama import OllamaModel, OllamaServer
from unabridged.models.openai import OpenAIModel, OpenAIServer
from unabridged.models.quote import Quotation, QuoteModel
from unabridged.models.scripted import ScriptedModel
from unabridged.testing.models import CALL, SAY, WINDOW, ChatModelContract
from unabridged.testing.ollama_server import OllamaTestServer
from unabridged.testing.openai_server import OpenAITestServer
from unabridged.testing.replies import ScriptedReply

AT = datetime(2026, 11, 21, 12, tzinfo=UTC)
CLOCK_CALL = ToolCall("call_7", "clock", '{"zone": "UTC"}')


class Clock:
    def now(self):
        return AT

    def new_id(self):
        return "0" * 26


def replier(body):
    last = body["messages"][-1]
    if last["role"] == "user" and last["content"] == CALL:
        return ScriptedReply(calls=(CLOCK_CALL,))
    return "The sea is wide and blue."


class TestOllama(ChatModelContract):
    @pytest.fixture
    def model(self):
        with OllamaTestServer(replier) as server:
            model = OllamaModel("llama3.2", OllamaServer(server.url))
            yield model
            model.close()


class TestOpenAI(ChatModelContract):
    @pytest.fixture
    def model(self):
        with OpenAITestServer(replier, window=WINDOW) as server:
            model = OpenAIModel("test-model", OpenAIServer(server.base_url))
            yield model
            model.close()


class TestScripted(ChatModelContract):
    @pytest.fixture
    def model(self):
        def say(request: ChatRequest):
            if sum(len(m.text.split()) for m in request.messages) > WINDOW:
                return ContextRefusedError("too long", window=WINDOW, hint="shorten it")
            return CLOCK_CALL if request.messages[-1].text == CALL else "The sea is wide and blue."

        model = ScriptedModel([say], count=lambda text: len(text.split()))
        yield model
        model.close()


class TestQuote(ChatModelContract):
    reports_usage = False
    refuses_length = False
    calls_tools = False

    @pytest.fixture
    def model(self):
        model = QuoteModel(lambda question: [Quotation("I love the sea in winter.", AT)], Clock())
        yield model
        model.close()


def test_the_contract_asks_different_things():
    assert SAY != CALL
