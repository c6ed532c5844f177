"""Whatever a client sends to the dialects, it gets an answer or an error that says what is wrong."""

import json

import httpx2
import pytest
from hypothesis import HealthCheck, given, settings, strategies as st
from tests.helpers.examples import examples

from unabridged.testing.ollama_server import OllamaEntry, OllamaTestServer

MODEL = "llama3.2:latest"
texts = st.text(max_size=12) | st.sampled_from(
    ["", " ", "<think>", "</recalled>", "\x00", "\ud800"]
)
scalars = st.none() | st.booleans() | st.integers() | st.floats() | texts
json_values = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3)
)
roles = st.sampled_from(["user", "assistant", "system", "tool", "developer", "function", "USER"])
calls = st.lists(
    st.fixed_dictionaries(
        {"function": st.fixed_dictionaries({"name": texts}, optional={"arguments": json_values})},
        optional={"id": texts, "type": st.just("function")},
    )
    | json_values,
    max_size=2,
)
messages = st.lists(
    st.fixed_dictionaries(
        {"role": roles | json_values, "content": texts | json_values},
        optional={
            "tool_calls": calls,
            "tool_call_id": texts,
            "tool_name": texts,
            "images": st.lists(texts, max_size=2) | json_values,
            "thinking": json_values,
            "reasoning_content": json_values,
            "name": json_values,
        },
    )
    | json_values,
    max_size=5,
)
plain = st.lists(
    st.fixed_dictionaries(
        {"role": roles, "content": texts.filter(str.strip)}, optional={"x": texts}
    ),
    min_size=1,
    max_size=6,
)
bodies = st.fixed_dictionaries(
    {"messages": plain | messages | json_values},
    optional={
        "model": st.just(MODEL) | json_values,
        "stream": st.booleans() | json_values,
        "tools": st.lists(json_values, max_size=2) | json_values,
        "options": st.dictionaries(
            st.sampled_from(["num_ctx", "num_predict", "temperature", "seed"]), json_values
        )
        | json_values,
        "response_format": json_values,
        "format": json_values,
        "max_tokens": json_values,
        "user": texts | json_values,
        "stream_options": json_values,
        "think": json_values,
    },
) | st.fixed_dictionaries({"messages": plain, "model": st.just(MODEL), "stream": st.booleans()})


@pytest.fixture(scope="module")
def upstream():
    with OllamaTestServer(models=[OllamaEntry(MODEL)]) as server:
        yield server


@pytest.mark.slow
@pytest.mark.parametrize("path", ["/api/chat", "/v1/chat/completions"])
def test_any_body_gets_an_answer_or_an_error_of_its_dialect(serving, upstream, path):
    url = serving(upstream="ollama", ollama_url=upstream.url)
    answered = []

    @settings(
        max_examples=examples(150),
        deadline=None,
        suppress_health_check=list(HealthCheck),
        database=None,
    )
    @given(bodies)
    def asks(body):
        raw = json.dumps(body, ensure_ascii=True).encode()
        answer = client.post(url + path, content=raw)
        assert answer.status_code in (200, 400, 403, 404, 413, 422, 502), answer.text
        if answer.status_code != 200:
            assert answer.json()["error"]
        answered.append(answer.status_code)

    with httpx2.Client(timeout=30) as client:
        asks()
    assert 200 in answered
    assert 400 in answered
