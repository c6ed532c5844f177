"""A prompt that is too long is refused in the words that programs look for."""

import re

import httpx2
import pytest

from unabridged.errors import ContextRefusedError, NotFoundError, PromptTooLargeError
from unabridged.server.error_responses import body_in
from unabridged.testing.ollama_server import OllamaEntry, OllamaTestServer

MODEL = "llama3.2:latest"
LITELLM = ("this model's maximum context length is", "exceeds the available context size")
"""Of ``is_error_str_context_window_exceeded`` in LiteLLM 1.110.2, which compares in lower case."""
OPENCODE = (r"maximum context length is \d+ tokens", r"exceeds the available context size")
"""Of opencode 1.18.33, whatever the case."""
CLAUDE_CODE = r"prompt is too long[^0-9]*(\d+)\s*tokens?\s*>\s*(\d+)"
"""Of Claude Code 2.1.197."""
LONG = "rather a lot of words " * 400
SAID = [{"role": "user", "content": LONG}]
BODIES = {
    "/v1/chat/completions": {"messages": SAID},
    "/v1/responses": {"input": LONG},
    "/api/chat": {"messages": SAID},
    "/api/generate": {"prompt": LONG},
}
CASES = [("memory", path) for path in BODIES]
CASES += [("upstream", path) for path in BODIES if path.startswith("/v1/")]
"""An Ollama is asked in its own dialect as the client asks it, and cuts without a word."""


def message_of(body):
    error = body["error"]
    return error if isinstance(error, str) else error["message"]


@pytest.mark.parametrize(("refuses", "path"), CASES)
def test_clients_know_a_prompt_that_is_too_long(serving, path, refuses):
    with OllamaTestServer(models=[OllamaEntry(MODEL, trained=900)]) as server:
        window = {"window": 600} if refuses == "memory" else {}
        url = serving(upstream="ollama", ollama_url=server.url, **window)
        body = {"model": MODEL, "stream": False, **BODIES[path]}
        way = {} if refuses == "memory" else {"X-Unabridged": "off"}
        with httpx2.Client(timeout=30) as client:
            answer = client.post(url + path, json=body, headers=way)
    assert answer.status_code == 400
    message = message_of(answer.json())
    assert any(words in message.lower() for words in LITELLM)
    assert any(re.search(words, message, re.IGNORECASE) for words in OPENCODE)
    if path.startswith("/v1/"):
        assert answer.json()["error"]["code"] == "context_length_exceeded"
        assert message.startswith("This model's maximum context length is ")
    assert len(re.findall(r"\d{3,} tokens", message)) >= 2, "how much, and how much is possible"


@pytest.mark.parametrize(
    ("error", "figures"),
    [
        (PromptTooLargeError(9_000, 8_192, hint="Raise the window."), ("9000", "8192")),
        (ContextRefusedError("No.", prompt_tokens=70, window=60), ("70", "60")),
    ],
)
def test_anthropics_clients_read_the_figures(error, figures):
    body = body_in("anthropic", error)
    assert body["type"] == "error"
    assert body["error"]["type"] == "invalid_request_error"
    assert re.search(CLAUDE_CODE, body["error"]["message"]).groups() == figures
    assert str(error) in body["error"]["message"]


@pytest.mark.parametrize("dialect", ["openai", "ollama", "anthropic"])
def test_what_is_not_counted_is_known_all_the_same(dialect):
    words = {"anthropic": "prompt is too long"}.get(dialect, "")
    message = message_of(body_in(dialect, ContextRefusedError("The context overflows.")))
    assert any(each in message.lower() for each in (words or LITELLM[0], *LITELLM))
    other = message_of(body_in(dialect, NotFoundError("No.", hint="Look.")))
    assert other == "No. Look."


@pytest.mark.parametrize("dialect", ["openai", "ollama", "anthropic"])
def test_a_prompt_that_fits_without_its_answer_is_not_called_longer_than_the_window(dialect):
    """Anthropic refuses a prompt and ``max_tokens`` that exceed the window only together."""
    said = "input length and `max_tokens` exceed context limit: 188240 + 21333 > 200000"
    refused = ContextRefusedError(said, prompt_tokens=188_240, window=200_000)
    message = message_of(body_in(dialect, refused))
    assert said in message
    assert message.count("188240") == message.count("200000") == 1
    assert any(each in message.lower() for each in ("prompt is too long", *LITELLM))
