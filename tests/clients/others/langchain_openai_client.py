"""LangChain's ``ChatOpenAI`` against the server."""

from checks import HELLO, MODEL, OPENAI, run, step
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage
from langchain_core.tools import tool
from langchain_openai import ChatOpenAI, OpenAIEmbeddings
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
    return ChatOpenAI(base_url=OPENAI, api_key="sk-dummy", model=MODEL, max_retries=0, **more)


@step
def answers_whole():
    assert chat().invoke(HELLO).text


@step
def tells_usage():
    assert chat().invoke("And you?").usage_metadata["total_tokens"] > 0
    pieces = list(chat(stream_usage=True).stream("How do you do?"))
    assert sum((p.usage_metadata or {}).get("total_tokens", 0) for p in pieces) > 0


@step
def answers_in_a_stream():
    pieces = list(chat(stream_usage=True).stream("Tell me of the boat."))
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
def calls_tools_in_a_stream():
    whole = None
    for piece in chat().bind_tools([weather]).stream("And the weather in Perth?"):
        whole = piece if whole is None else whole + piece
    assert whole.tool_calls[0]["name"] == "weather"


@step
def gives_structured_output():
    for method in ("json_schema", "json_mode"):
        made = chat().with_structured_output(Boat, method=method).invoke("JSON: my boat")
        assert made == Boat(name="Petronella", length=12)


@step
def takes_a_history():
    said = [HumanMessage("Name a river."), AIMessage("The Tay."), HumanMessage("And its length?")]
    assert chat().invoke(said).text


@step
def speaks_through_responses():
    assert chat(use_responses_api=True).invoke("Name a lake.").text
    pieces = list(chat(use_responses_api=True).stream("Name a sea."))
    assert "".join(piece.text for piece in pieces)


@step
def embeds():
    made = OpenAIEmbeddings(
        base_url=OPENAI, api_key="sk-dummy", model=MODEL, check_embedding_ctx_length=False
    )
    assert len(made.embed_documents(["a", "b"])) == 2


run()
