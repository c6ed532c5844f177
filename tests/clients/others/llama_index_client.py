"""LlamaIndex's models for both dialects against the server."""

from checks import HELLO, MODEL, OLLAMA, OPENAI, run, step
from llama_index.core.base.llms.types import ChatMessage, MessageRole
from llama_index.core.tools import FunctionTool
from llama_index.llms.ollama import Ollama
from llama_index.llms.openai_like import OpenAILike
from pydantic import BaseModel


class Boat(BaseModel):
    """A boat."""

    name: str
    length: int


def weather(city: str) -> str:
    """Tells the weather."""
    return f"Rain in {city}, 9 degrees."


def openai_like(**more):
    return OpenAILike(
        api_base=OPENAI,
        api_key="sk-dummy",
        model=MODEL,
        is_chat_model=True,
        is_function_calling_model=True,
        max_retries=0,
        **more,
    )


def ollama(**more):
    return Ollama(base_url=OLLAMA, model=MODEL, request_timeout=60.0, **more)


def said(text):
    return [ChatMessage(role=MessageRole.USER, content=text)]


def _answers(model):
    assert model.chat(said(HELLO)).message.content
    pieces = list(model.stream_chat(said("Tell me of the boat.")))
    assert len(pieces) > 1
    assert pieces[-1].message.content


async def _answers_asynchronously(model):
    assert (await model.achat(said("What is she called?"))).message.content
    pieces = [piece async for piece in await model.astream_chat(said("How long is she?"))]
    assert pieces[-1].message.content


def _calls_tools(model):
    tool = FunctionTool.from_defaults(fn=weather)
    history = said("What is the weather in Leith?")
    answer = model.chat_with_tools([tool], chat_history=history)
    (call,) = model.get_tool_calls_from_response(answer)
    assert call.tool_kwargs == {"city": "Leith"}
    history += [
        answer.message,
        ChatMessage(
            role=MessageRole.TOOL,
            content=weather(**call.tool_kwargs),
            additional_kwargs={"tool_call_id": call.tool_id, "name": "weather"},
        ),
    ]
    assert model.chat_with_tools([tool], chat_history=history).message.content


@step
def openai_like_answers():
    _answers(openai_like())


@step
async def openai_like_answers_asynchronously():
    await _answers_asynchronously(openai_like())


@step
def openai_like_calls_tools():
    _calls_tools(openai_like())


@step
def openai_like_completes():
    assert openai_like().complete("Once upon a time").text


@step
def ollama_answers():
    _answers(ollama())


@step
async def ollama_answers_asynchronously():
    await _answers_asynchronously(ollama())


@step
def ollama_calls_tools():
    _calls_tools(ollama())


@step
def ollama_gives_structured_output():
    made = ollama().as_structured_llm(Boat).chat(said("JSON: my boat"))
    assert made.raw == Boat(name="Petronella", length=12)


run()
