"""Going on with a text, in both dialects: ``/v1/completions`` and ``/api/generate``.

Sources: the official ``openai`` Python client 3.54.0 (types/completion.py and
completion_create_params.py); ollama/ollama v0.33.0-rc2 docs/api.md and api/types.go
(GenerateRequest, GenerateResponse) and openai/openai.go (which fields have a counterpart). Facts
only. Pure functions.
"""

from collections.abc import Mapping
from typing import Any

from unabridged.domain.chat import StreamChunk, Usage
from unabridged.domain.message import Role, Text
from unabridged.errors import InputError, UpstreamBrokenError
from unabridged.wire import ollama
from unabridged.wire.incoming_message import IncomingMessage, Wire
from unabridged.wire.lenient_json import mapping, mappings, number, text
from unabridged.wire.openai import usage_object
from unabridged.wire.translate_options import to_ollama, to_openai
from unabridged.wire.upstream_errors import refusal_of

# ---- OpenAI's request -------------------------------------------------------------------------

_ONE = {"n": 1, "best_of": 1}
"""Fields that may ask for several texts: only one is made by an upstream of another dialect."""


def prompt_of(body: Mapping[str, Any]) -> str:
    """Give the text that ``POST /v1/completions`` asks to be gone on with.

    Raises:
        InputError: It is no single text, or more is wanted than another dialect can do.
    """
    prompt = body.get("prompt")
    if isinstance(prompt, list) and len(prompt) == 1:
        prompt = prompt[0]
    if not isinstance(prompt, str):
        raise InputError(
            "The prompt is no single text.",
            hint="Send one text: this upstream takes no tokens and no lists.",
        )
    for name, most in _ONE.items():
        if (number(body.get(name)) or most) > most:
            raise InputError(f"The field {name} asks for several texts.", hint="Ask once for each.")
    if body.get("echo"):
        raise InputError("This upstream cannot echo the prompt.", hint="Leave echo out.")
    return prompt


def generate_body(body: Mapping[str, Any]) -> Wire:
    """Give ``POST /v1/completions`` as ``POST /api/generate``.

    Raises:
        InputError: As ``prompt_of``.
    """
    options = to_ollama(body)
    beside: Wire = {name: options.pop(name) for name in ("format", "think") if name in options}
    if (limit := number(body.get("max_tokens"))) is not None:
        options["num_predict"] = limit
    wire: Wire = {"model": body.get("model"), "prompt": prompt_of(body), **beside}
    if text(body.get("suffix")):
        wire["suffix"] = body["suffix"]
    wire["stream"] = body.get("stream") is True
    if options:
        wire["options"] = options
    return wire | {"truncate": False, "shift": False}


# ---- Ollama's request -------------------------------------------------------------------------


def is_conversation(body: Mapping[str, Any]) -> bool:
    """Whether ``POST /api/generate`` says something to the model.

    Otherwise it goes on with a text (``raw``, ``suffix``, a ``template`` of its own), loads or
    unloads a model (no prompt), or makes a picture (``width``, ``height``, ``steps``).
    """
    alone = ("raw", "suffix", "template", "width", "height", "steps")
    return bool(body.get("prompt")) and not any(body.get(name) for name in alone)


def generate_drafts(body: Mapping[str, Any]) -> tuple[IncomingMessage, ...]:
    """Give ``POST /api/generate`` as messages: a system message, and the user's.

    Raises:
        InputError: It cannot be taken.
    """
    prompt, system = body.get("prompt"), body.get("system")
    if not isinstance(prompt, str):
        raise InputError("The prompt is not a text.", hint='Send it: "prompt": "…".')
    if system is not None and not isinstance(system, str):
        raise InputError("The system prompt is not a text.")
    given = body.get("images") or []
    if not isinstance(given, list) or not all(isinstance(each, str) for each in given):
        raise InputError(
            "The images are no list of base64.", hint="Send them as Ollama takes them."
        )
    message = {"role": "user", "content": prompt, "images": given}
    said = ollama.drafts([message])
    return ((IncomingMessage(Role.SYSTEM, (Text(system),)),) if system else ()) + said


def completions_body(body: Mapping[str, Any]) -> Wire:
    """Give ``POST /api/generate`` that goes on with a text as ``POST /v1/completions``.

    Raises:
        InputError: It wants what that dialect has no words for.
    """
    for name in ("template", "images", "width", "height", "steps"):
        if body.get(name):
            raise InputError(f"This upstream takes no {name}.", hint="Ask an Ollama for that.")
    wire: Wire = {"model": body.get("model"), "prompt": text(body.get("prompt")), **to_openai(body)}
    if text(body.get("suffix")):
        wire["suffix"] = body["suffix"]
    if (limit := number(mapping(body.get("options")).get("num_predict"))) is not None:
        wire["max_tokens"] = limit
    wire["stream"] = body.get("stream") is not False
    return wire


# ---- answers ----------------------------------------------------------------------------------


def generated(line: Mapping[str, Any]) -> StreamChunk:
    """Read a line of ``/api/generate``.

    Raises:
        UpstreamError: It is an error, or no such line.
    """
    if (error := refusal_of(line)) is not None:
        raise error
    if not isinstance(line.get("response"), str):
        raise UpstreamBrokenError(
            "The server sent a line without a response.", hint="Check that the address is Ollama's."
        )
    done = bool(line.get("done"))
    finish = text(line.get("done_reason")) or "stop"
    return StreamChunk(
        text=line["response"],
        reasoning=text(line.get("thinking")),
        done=done,
        finish=finish if done else "",
        usage=ollama.usage(line) if done else None,
    )


def completed(event: Mapping[str, Any]) -> StreamChunk | None:
    """Read an event, or the whole answer, of ``/v1/completions``; None where it says nothing.

    Raises:
        UpstreamError: It is an error, or no such event.
    """
    if (error := refusal_of(event)) is not None:
        raise error
    choices = event.get("choices")
    if not isinstance(choices, list):
        raise UpstreamBrokenError(
            "The server sent an event without choices.",
            hint="Check that the address is an OpenAI-compatible server's.",
        )
    choice = next(iter(mappings(choices)), None)
    if choice is None:
        return None
    figures = mapping(event.get("usage"))
    counted = Usage(number(figures.get("prompt_tokens")), number(figures.get("completion_tokens")))
    said, finish = text(choice.get("text")), text(choice.get("finish_reason"))
    usage = counted if finish and figures else None
    return StreamChunk(said, done=bool(finish), finish=finish, usage=usage)


def completion(
    chunk: StreamChunk, *, answer: str, created: int, model: str, usage: Usage | None = None
) -> Wire:
    """Give an event, or the whole answer, of ``/v1/completions``."""
    finish = ("length" if chunk.finish == "length" else "stop") if chunk.done else None
    choice = {"index": 0, "text": chunk.text, "logprobs": None, "finish_reason": finish}
    head = {"id": answer, "object": "text_completion", "created": created, "model": model}
    said = {"usage": usage_object(usage)} if usage is not None else {}
    return {**head, "choices": [choice], **said}


def generation(chunk: StreamChunk, *, model: str, created: str, seconds: float = 0.0) -> Wire:
    """Give a line of ``/api/generate``: the chat's, with ``response`` in place of ``message``."""
    line = ollama.line(chunk, model=model, created=created, seconds=seconds)
    message = line.pop("message")
    thought = {"thinking": message["thinking"]} if "thinking" in message else {}
    return {**line, "response": message["content"], **thought}


# ---- where a conversation goes on --------------------------------------------------------------

_MARK = 0x756E6162
"""What our ``context`` begins with; no token of any vocabulary has so high a number."""


def context_of(name: str) -> list[int]:
    """Give the ``context`` that stands for an answer: numbers, as clients of Ollama keep them."""
    return [_MARK, *name.encode()]


def name_in(context: Any) -> str | None:
    """Give the name in a ``context`` of ours; None for none at all.

    Raises:
        InputError: It is another server's: its numbers say nothing here.
    """
    if not context:
        return None
    match context:
        case [int(mark), *rest] if mark == _MARK and all(_is_byte(each) for each in rest):
            return bytes(rest).decode("utf-8", "replace")
        case _:
            raise InputError(
                "The context was made by another server.",
                hint="Leave it out once: the conversation continues from the next answer.",
            )


def _is_byte(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 256
