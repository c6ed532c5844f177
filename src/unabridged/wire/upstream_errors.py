"""Translate refusals of servers into typed errors."""

import re
from collections.abc import Mapping
from typing import Any

from unabridged.errors import ContextRefusedError, UpstreamError, UpstreamRefusedError
from unabridged.language.lazy_pattern import lazy_pattern

_LENGTH_CODES = ("context_length_exceeded", "exceed_context_size_error", "string_above_max_length")

_NUMBER = r"[\d][\d,_]*"
_PROMPT = tuple(
    lazy_pattern(pattern, re.IGNORECASE)
    for pattern in (
        rf"({_NUMBER}) in the messages",  # OpenAI, vLLM: prompt and answer separately
        rf"(?:prompt|input)[^.\d]{{0,40}}contains (?:at least )?({_NUMBER})",  # Mistral, vLLM
        rf"(?:request|input) \(({_NUMBER}) tokens\)",  # llama.cpp, Ollama since 0.31
        rf"resulted in ({_NUMBER}) tokens",  # OpenAI
        rf"prompt \(length ({_NUMBER})\)",  # vLLM
        rf"too long:? \(?({_NUMBER}) tokens",  # Anthropic and similar servers
        rf"exceed context limit: ({_NUMBER}) \+",  # Anthropic: prompt and answer together
        rf"input token count \(({_NUMBER})\)",  # Gemini
        rf"keep the first ({_NUMBER}) tokens",  # LM Studio
        rf"requested (?:about )?({_NUMBER}) tokens",
    )
)
_WINDOW = tuple(
    lazy_pattern(pattern, re.IGNORECASE)
    for pattern in (
        rf"maximum context length (?:is|of) ({_NUMBER})",  # OpenAI, vLLM
        rf"({_NUMBER}) maximum context length",  # Mistral
        rf"context size \(({_NUMBER}) tokens\)",  # llama.cpp, Ollama since 0.31
        rf"current batch size: ({_NUMBER})",  # llama.cpp, of embeddings
        rf"maximum model length of ({_NUMBER})",  # vLLM
        rf"tokens > ({_NUMBER}) maximum",  # Anthropic
        rf"exceed context limit: [\d, +]+ > ({_NUMBER})",
        rf"tokens allowed \(({_NUMBER})\)",  # Gemini
        rf"context length of (?:only )?({_NUMBER})",  # LM Studio
        rf"configured limit of ({_NUMBER}) tokens",  # OpenAI
    )
)
_LENGTH_WORDS = lazy_pattern(
    r"context[ _-](?:length|size|window|limit)|maximum model length|prompt is too long"
    r"|input (?:length|tokens?|token count \(\d+\)) exceed|context the overflows|reduce the length"
    r"|input(?: \(\d+ tokens\))? is too large to process",
    re.IGNORECASE,
)
"""Texts of refusals for length. Sources: ollama/ollama v0.33.0-rc2 llm/llama_server.go and
server/routes.go; llama.cpp tools/server; OpenAI's and vLLM's error texts."""

_OVER_WORDS = lazy_pattern(
    r"exceed|longer than|too (?:long|large|many)|greater than|overflow|maximum context length"
    r"|reduce the length|> [\d,]+ maximum",
    re.IGNORECASE,
)

_FIELD = r"[`'\"]?([A-Za-z]\w*)(?![\w.\[])"
_UNKNOWN_FIELD = tuple(
    lazy_pattern(pattern, re.IGNORECASE)
    for pattern in (
        rf"(?:unknown|unrecognized|unsupported) (?:parameter|param|field|argument)s?:? {_FIELD}",
        rf"unrecognized request arguments? supplied: {_FIELD}",  # OpenAI, Azure
        rf"property {_FIELD}['\"]? is unsupported",  # Groq
        rf"unknown name {_FIELD}",  # Gemini
        rf"{_FIELD}: Extra inputs are not permitted",  # pydantic's first line, Anthropic
        rf"extra_forbidden.{{1,40}}body['\"], {_FIELD}",  # Mistral, vLLM
    )
)
"""Refusals of a field of the request, which name it."""

_HINTS: Mapping[int, str] = {
    401: "Check the key of this server (openai_key or anthropic_key), or sign in to it.",
    403: "Check the key and its rights.",
    404: "Check the address; one of an OpenAI-compatible server usually ends in /v1.",
    429: "Wait a little and ask again: the server is at its limit.",
    500: "Ask again, or read the server's log: it failed inside.",
    502: "Ask again in a moment: the server behind the gateway does not answer.",
    503: "Ask again in a moment: the server is busy or still loading.",
}


_HINTS_BY_WORDS: Mapping[str, str] = {
    "does not support tools": "Use chat mode, or a model that can call tools.",
    "does not support chat": "Choose a model that chats: this one makes vectors.",
    "requires more system memory": "Choose a smaller model, or a smaller window.",
    "out of memory": "Choose a smaller model, or a smaller window.",
}


def _number(patterns: tuple[re.Pattern[str], ...], text: str) -> int | None:
    for pattern in patterns:
        found = pattern.search(text)
        if found:
            return int(found.group(1).replace(",", "").replace("_", ""))
    return None


def is_length(text: str, code: str = "") -> bool:
    """Return whether a refusal is about the prompt's length."""
    if code in _LENGTH_CODES:
        return True
    return bool(_LENGTH_WORDS.search(text) and _OVER_WORDS.search(text))


def unknown_field(text: str) -> str:
    """Return the field of a request that a refusal calls unknown; empty if there is none."""
    found = (pattern.search(text) for pattern in _UNKNOWN_FIELD)
    return next((match[1] for match in found if match), "")


def refusal(text: str, *, status: int | None = None, code: str = "") -> UpstreamError:
    """Return the typed error of a server's refusal.

    The status is None for an error inside a stream.

    Returns:
        ``ContextRefusedError`` for a refusal for length, with its figures; ``UpstreamRefusedError``
        for anything else.
    """
    text = text.strip() or "no reason given"
    if is_length(text, code):
        return ContextRefusedError(
            f"The server refused the prompt for its length: {text}",
            prompt_tokens=_number(_PROMPT, text),
            window=_number(_WINDOW, text),
            hint="Prepare again with a smaller prompt, or raise the setting window.",
        )
    said = "The server said" if status is None else f"The server answered {status}"
    by_words = next((hint for words, hint in _HINTS_BY_WORDS.items() if words in text.lower()), "")
    hint = by_words or _HINTS.get(status or 500, "Read the server's log.")
    return UpstreamRefusedError(f"{said}: {text}", status=status, hint=hint)


def refusal_of(body: Mapping[str, Any], status: int | None = None) -> UpstreamError | None:
    """Return the error in an object of any dialect.

    Supports ``{"error": "…"}`` (Ollama), ``{"error": {"message", "type", "code"}}`` (OpenAI,
    llama.cpp), ``{"object": "error", "message"}`` (older vLLM) and ``{"detail": …}`` (FastAPI).

    Returns:
        The typed error, or None.
    """
    error = body.get("error")
    if error is None and (body.get("object") == "error" or status is not None):
        error = body if "message" in body else body.get("detail")
    if not error:
        return None
    if not isinstance(error, Mapping):
        return refusal(error if isinstance(error, str) else str(error), status=status)
    text = str(error.get("message") or error.get("type") or dict(error))
    codes = [error.get("code"), error.get("type")]
    known = next((code for code in codes if code in _LENGTH_CODES), "")
    code = codes[0]
    within = code if isinstance(code, int) and 400 <= code < 600 else None
    made = refusal(text, status=status or within, code=known)
    if isinstance(made, ContextRefusedError):
        _fill(made, error)
    return made


def _fill(refused: ContextRefusedError, error: Mapping[str, Any]) -> None:
    prompt, window = error.get("n_prompt_tokens"), error.get("n_ctx")
    if isinstance(prompt, int):
        refused.prompt_tokens = prompt
    if isinstance(window, int):
        refused.window = window
