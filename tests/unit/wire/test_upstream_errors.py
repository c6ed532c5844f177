import pytest

from unabridged.errors import ContextRefusedError, UpstreamRefusedError
from unabridged.wire.upstream_errors import refusal, refusal_of

LENGTHS = [
    ("request (6031 tokens) exceeds the available context size (2048 tokens), try", 6031, 2048),
    ("the input length exceeds the context length", None, None),
    (
        "input (3926 tokens) is too large to process. increase the physical batch size "
        "(current batch size: 2048)",
        3926,
        2048,
    ),
    ("input is too large to process. increase the physical batch size", None, None),
    (
        "the prompt is longer than the context length currently available to the model",
        None,
        None,
    ),
    ("input after truncation exceeds maximum context length", None, None),
    (
        "This model's maximum context length is 8192 tokens. However, your messages resulted in "
        "9000 tokens. Please reduce the length of the messages.",
        9000,
        8192,
    ),
    (
        "This model's maximum context length is 4,096 tokens. However, you requested 5000 tokens "
        "(4000 in the messages, 1000 in the completion).",
        4000,
        4096,
    ),
    (
        "The decoder prompt (length 5000) is longer than the maximum model length of 4096.",
        5000,
        4096,
    ),
    ("prompt is too long: 210000 tokens > 200000 maximum", 210000, 200000),
    (
        "input length and `max_tokens` exceed context limit: 188240 + 21333 > 200000, decrease "
        "input length or `max_tokens` and try again",
        188240,
        200000,
    ),
    (
        "Prompt contains 40000 tokens and 0 draft tokens, too large for model with 32768 maximum "
        "context length",
        40000,
        32768,
    ),
    (
        "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).",
        1200000,
        1048576,
    ),
    (
        "Trying to keep the first 5000 tokens when context the overflows. However, the model is "
        "loaded with context length of only 4096 tokens",
        5000,
        4096,
    ),
    ("Please reduce the length of the messages or completion.", None, None),
]


@pytest.mark.parametrize(("text", "prompt", "window"), LENGTHS)
def test_refusals_for_length_are_known_with_their_figures(text, prompt, window):
    error = refusal(text, status=400)
    assert isinstance(error, ContextRefusedError)
    assert (error.prompt_tokens, error.window) == (prompt, window)
    assert text in str(error)
    assert error.hint


@pytest.mark.parametrize(
    "text",
    [
        "max_tokens is too large: 5000",
        "model 'x' not found",
        "the context was cancelled",
        "'llama3' does not support tools",
        "rate limit exceeded",
    ],
)
def test_other_refusals_are_not_for_length(text):
    error = refusal(text, status=400)
    assert isinstance(error, UpstreamRefusedError)
    assert error.status == 400


@pytest.mark.parametrize(
    "body",
    [
        {"error": "too many eggs"},
        {"error": {"message": "too many eggs", "type": "server_error", "code": None}},
        {"object": "error", "message": "too many eggs", "code": 400},
        {"detail": "too many eggs"},
    ],
)
def test_every_shape_of_an_error_object_is_read(body):
    error = refusal_of(body, 500)
    assert isinstance(error, UpstreamRefusedError)
    assert "too many eggs" in str(error)
    assert error.status == 500


def test_llama_cpp_tells_its_figures_in_fields():
    error = refusal_of(
        {
            "error": {
                "code": 400,
                "message": "too much",
                "type": "exceed_context_size_error",
                "n_prompt_tokens": 6031,
                "n_ctx": 2048,
            }
        }
    )
    assert isinstance(error, ContextRefusedError)
    assert (error.prompt_tokens, error.window) == (6031, 2048)


def test_an_answer_is_no_error():
    assert refusal_of({"choices": []}) is None
    assert refusal_of({"message": {"content": "x"}}) is None
    assert refusal_of({"error": None, "choices": []}) is None


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ('"m" does not support tools', "chat mode"),
        ("model requires more system memory (9 GiB) than is available", "smaller"),
        ("CUDA error: out of memory", "smaller"),
        ("rate limited", "Wait"),
    ],
)
def test_hints_say_what_to_do(text, hint):
    assert hint in refusal(text, status=429).hint
