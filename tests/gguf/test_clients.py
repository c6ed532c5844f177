"""The official packages before the embedded model: behind llama.cpp's own server, and in-process."""

import json
import secrets
from collections import Counter

import ollama
import openai
import pytest
from pydantic import BaseModel
from tests.clients.held import conversations, states
from tests.opened import transport_of

from unabridged.net.llama_cpp import start_server

HELLO = [{"role": "user", "content": "Hello, my boat is called Petronella."}]
WINDOW = 2048


class Boat(BaseModel):
    name: str


def expected_states(*finishes):
    """States of exchanges by the reasons their answers ended; a sampled answer may use up its tokens."""
    return Counter("incomplete" if finish == "length" else "complete" for finish in finishes)


@pytest.fixture(scope="module")
def llama_cpp(smollm2):
    """llama.cpp's server, with a key: address, key and the model's name."""
    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path = str(smollm2)
    params.n_ctx = WINDOW
    params.n_parallel = 1
    params.verbosity = -1
    key = secrets.token_hex(8)
    params.api_keys = [key]
    server = start_server(params)
    url = f"{server.listening_address}/v1"
    with openai.OpenAI(base_url=url, api_key=key) as client:
        (model,) = client.models.list().data
    yield url, key, model.id
    del server


@pytest.fixture(params=["llama.cpp", "in-process"])
def started(request, serving, smollm2):
    """Our server before one of both, and the model's name."""
    if request.param == "in-process":
        return serving(upstream="gguf", gguf=str(smollm2), window=WINDOW), "any"
    url, key, model = request.getfixturevalue("llama_cpp")
    return serving(upstream="openai", openai_url=url, openai_key=key), model


def test_openai_whole_streamed_and_structured(started):
    served, model = started
    with openai.OpenAI(base_url=served.v1, api_key="none", max_retries=0) as client:
        chat = client.chat.completions
        whole = chat.create(model=model, messages=HELLO, max_tokens=24, temperature=0)
        answer = whole.choices[0].message.content
        assert answer
        assert whole.usage.prompt_tokens > 10
        said = [*HELLO, {"role": "assistant", "content": answer}]
        said.append({"role": "user", "content": "What is my boat called?"})
        events = list(chat.create(model=model, messages=said, max_tokens=24, stream=True))
        assert "".join(e.choices[0].delta.content or "" for e in events if e.choices)
    (conversation,) = conversations(served)
    assert len(conversation.exchanges) == 2
    (finish,) = (r for e in events for c in e.choices if (r := c.finish_reason))
    assert states(served) == expected_states(whole.choices[0].finish_reason, finish)


def test_structured_output_keeps_to_its_schema(serving, llama_cpp):
    url, key, model = llama_cpp
    served = serving(upstream="openai", openai_url=url, openai_key=key)
    with openai.OpenAI(base_url=served.v1, api_key="none", max_retries=0) as client:
        made = client.chat.completions.parse(
            model=model, messages=HELLO, response_format=Boat, max_tokens=60, temperature=0
        )
    assert isinstance(made.choices[0].message.parsed, Boat)
    talk = ollama.Client(host=str(served))
    said = talk.chat(
        model, HELLO, format=Boat.model_json_schema(), options={"num_predict": 60, "temperature": 0}
    )
    transport_of(talk).close()
    assert json.loads(said.message.content).keys() == {"name"}


def test_ollama_whole_and_streamed(started):
    served, model = started
    talk = ollama.Client(host=str(served))
    few = {"num_predict": 24, "temperature": 0}
    whole = talk.chat(model, HELLO, options=few)
    assert whole.message.content
    said = [*HELLO, whole.message, {"role": "user", "content": "What is my boat called?"}]
    parts = list(talk.chat(model, said, stream=True, options=few))
    transport_of(talk).close()
    assert "".join(part.message.content or "" for part in parts)
    assert parts[-1].done is True
    assert states(served) == expected_states(whole.done_reason, parts[-1].done_reason)


def test_what_cannot_fit_is_refused(started):
    served, model = started
    long = [{"role": "user", "content": "word " * 3 * WINDOW}]
    with (
        openai.OpenAI(base_url=served.v1, api_key="none", max_retries=0) as client,
        pytest.raises(openai.BadRequestError) as caught,
    ):
        client.chat.completions.create(model=model, messages=long)
    assert caught.value.code == "context_length_exceeded"
