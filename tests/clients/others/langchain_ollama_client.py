"""LangChain's ``ChatOllama`` against the server."""

from checks import HELLO, MODEL, OLLAMA, run, step
from langchain_core.messages import HumanMessage, ToolMessage
from langchain_core.tools import tool
from langchain_ollama import ChatOllama, OllamaEmbeddings, OllamaLLM
from pydantic import BaseModel


class Boat(BaseModel):
    """A boat."""

    name: str
    length: int


@tool
def weather(city: str) -> str:
    """Tells the weather."""
    return f"Rain in {city}, 9 degrees."


def chat(**more):
    return ChatOllama(base_url=OLLAMA, model=MODEL, **more)


@step
def answers_whole():
    assert chat().invoke(HELLO).text


@step
def tells_usage():
    assert chat().invoke("And you?").usage_metadata["total_tokens"] > 0


@step
def answers_in_a_stream():
    pieces = list(chat(temperature=0.1).stream("Tell me of the boat."))
    assert len(pieces) > 1
    assert "".join(piece.text for piece in pieces)


@step
async def answers_asynchronously():
    assert (await chat().ainvoke("What is she called?")).text
    pieces = [piece async for piece in chat().astream("And how long is she?")]
    assert "".join(piece.text for piece in pieces)


@step
def calls_tools_and_takes_results():
    model = chat().bind_tools([weather])
    messages = [HumanMessage("What is the weather in Leith?")]
    answer = model.invoke(messages)
    (call,) = answer.tool_calls
    assert call["args"] == {"city": "Leith"}
    messages += [answer, ToolMessage(weather.invoke(call["args"]), tool_call_id=call["id"])]
    assert model.invoke(messages).text


@step
def gives_structured_output():
    made = chat().with_structured_output(Boat, method="json_schema").invoke("JSON: my boat")
    assert made == Boat(name="Petronella", length=12)


@step
def validates_the_model_when_it_starts():
    assert chat(validate_model_on_init=True).invoke("Are you there?").text


@step
def completes_a_text():
    assert OllamaLLM(base_url=OLLAMA, model=MODEL).invoke("Once upon a time")


@step
def embeds():
    assert len(OllamaEmbeddings(base_url=OLLAMA, model=MODEL).embed_documents(["a", "b"])) == 2


run()
