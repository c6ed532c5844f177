"""Translate options of a client into the dialect of the upstream.

Sources: ollama/ollama v0.33.0-rc2 openai/openai.go (how Ollama itself reads OpenAI's fields) and
docs/api.md; the official ``openai`` client's types. Options without a counterpart are left out.
"""

from collections.abc import Mapping
from typing import Any

from unabridged.errors import InputError
from unabridged.wire import anthropic_request
from unabridged.wire.lenient_json import mapping

_SAME = ("temperature", "top_p", "seed", "stop", "presence_penalty", "frequency_penalty")
_ALSO = ("top_k", "min_p", "repeat_penalty")
"""Options of local servers that OpenAI-compatible servers accept under the same names."""
_BESIDE = ("logprobs", "top_logprobs")
_OPENAI = (
    "response_format",
    "reasoning_effort",
    "tool_choice",
    "parallel_tool_calls",
    "logit_bias",
)
"""Options of OpenAI's dialect that an upstream inside this process may accept."""
_OLLAMA = ("format", "keep_alive", "think", "logprobs", "top_logprobs")
"""Fields of Ollama outside its options."""


_PRIVATE: Mapping[str, frozenset[str]] = {
    "codex": frozenset({"client_metadata"}),
}
"""Fields that a program sends to its own provider only (codex 0.171.0: installation and thread ids).
They are left out if a request is translated; a request in the upstream's dialect is not changed."""

_WANTED = frozenset(
    (
        "messages model audio frequency_penalty function_call functions logit_bias logprobs "
        "max_completion_tokens max_tokens modalities n parallel_tool_calls prediction "
        "presence_penalty reasoning reasoning_effort response_format seed stop stream temperature "
        "tool_choice tools top_logprobs top_p verbosity web_search_options top_k min_p typical_p "
        "repeat_penalty repetition_penalty min_tokens ignore_eos mirostat grammar json_schema "
        "guided_json guided_regex guided_choice structured_outputs think thinking enable_thinking "
        "chat_template_kwargs num_ctx"
    ).split()
)
"""Fields that say which answer is wanted: without one of them the answer would be another."""


def is_expendable(field: str) -> bool:
    """Return whether a field that an upstream refuses as unknown may be left out."""
    return field not in _WANTED


def without_private(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options of a translated request without the private fields of programs."""
    private = frozenset().union(*_PRIVATE.values())
    return {name: value for name, value in options.items() if name not in private}


def to_ollama(body: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options of an OpenAI request as ``ChatRequest.options`` for Ollama.

    Raises:
        InputError: ``response_format`` is unknown.
    """
    taken = {name: body[name] for name in (*_SAME, *_ALSO) if body.get(name) is not None}
    if isinstance(taken.get("stop"), str):
        taken["stop"] = [taken["stop"]]
    taken |= {name: body[name] for name in _BESIDE if body.get(name) is not None}
    if (wanted := _format(body.get("response_format"))) is not None:
        taken["format"] = wanted
    if (effort := body.get("reasoning_effort")) is not None:
        taken["think"] = False if effort == "none" else effort
    return taken


def _format(wanted: Any) -> Any:
    match wanted:
        case None | {"type": "text"}:
            return None
        case {"type": "json_object"}:
            return "json"
        case {"type": "json_schema", "json_schema": {"schema": dict() as schema}}:
            return schema
        case _:
            raise InputError(
                "The response_format is not supported.",
                hint="Use text, json_object, or json_schema with a schema.",
            )


def to_openai(body: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options of an Ollama request as ``ChatRequest.options`` for OpenAI's dialect."""
    options = mapping(body.get("options"))
    taken = {name: options[name] for name in (*_SAME, *_ALSO) if options.get(name) is not None}
    taken |= {name: body[name] for name in _BESIDE if body.get(name) is not None}
    wanted = body.get("format")
    if wanted == "json":
        taken["response_format"] = {"type": "json_object"}
    elif isinstance(wanted, dict):
        schema = {"name": "answer", "schema": wanted}
        taken["response_format"] = {"type": "json_schema", "json_schema": schema}
    if isinstance(think := body.get("think"), str):
        taken["reasoning_effort"] = think
    return taken


def options_for(dialect: str, upstream: str, body: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options of a request in the dialect of an upstream.

    An upstream inside this process accepts OpenAI's.
    """
    if dialect != upstream:
        given = anthropic_request.options(body) if dialect == "anthropic" else body
        if upstream == "ollama":
            return to_ollama(given)
        options = to_openai(body) if dialect == "ollama" else dict(given)
        return (
            anthropic_request.from_chat_completions(options) if upstream == "anthropic" else options
        )
    if upstream == "ollama":
        beside = {name: body[name] for name in _OLLAMA if body.get(name) is not None}
        return {**mapping(body.get("options")), **beside}
    names = (*_SAME, *_ALSO, *_BESIDE, *_OPENAI)
    return {name: body[name] for name in names if body.get(name) is not None}
