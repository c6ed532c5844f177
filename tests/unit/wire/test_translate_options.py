import pytest

from unabridged.wire.translate_options import options_for

SCHEMA = {"type": "object"}
OPENAI = {
    "model": "m", "messages": [], "stream": True, "temperature": 0.2, "stop": "#", "top_k": 4,
    "logprobs": True, "reasoning_effort": "low", "user": "ada", "tool_choice": "auto",
    "response_format": {"type": "json_schema", "json_schema": {"name": "n", "schema": SCHEMA}},
}  # fmt: skip
OLLAMA = {
    "model": "m", "messages": [], "stream": True, "format": SCHEMA, "think": "low",
    "keep_alive": "5m", "options": {"temperature": 0.2, "num_ctx": 8, "repeat_last_n": 3},
}  # fmt: skip


@pytest.mark.parametrize(
    ("dialect", "upstream", "body", "wanted"),
    [
        (
            "openai",
            "ollama",
            OPENAI,
            {
                "temperature": 0.2, "stop": ["#"], "top_k": 4, "logprobs": True,
                "format": SCHEMA, "think": "low",
            },
        ),
        (
            "ollama",
            "openai",
            OLLAMA,
            {
                "temperature": 0.2, "reasoning_effort": "low",
                "response_format": {
                    "type": "json_schema", "json_schema": {"name": "answer", "schema": SCHEMA},
                },
            },
        ),
        (
            "openai",
            "openai",
            OPENAI,
            {
                "temperature": 0.2, "stop": "#", "top_k": 4, "logprobs": True,
                "reasoning_effort": "low", "tool_choice": "auto",
                "response_format": OPENAI["response_format"],
            },
        ),
        (
            "ollama",
            "ollama",
            OLLAMA,
            {
                "temperature": 0.2, "num_ctx": 8, "repeat_last_n": 3, "format": SCHEMA,
                "think": "low", "keep_alive": "5m",
            },
        ),
    ],
)  # fmt: skip
def test_options_reach_the_upstream_in_its_words(dialect, upstream, body, wanted):
    assert options_for(dialect, upstream, body) == wanted
