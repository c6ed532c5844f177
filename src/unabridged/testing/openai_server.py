"""A server of OpenAI's chat completions for tests: the real protocol, with answers from a script.

Behaviour follows what the official ``openai`` Python client 3.54.0 sends and reads, against which
it is checked; error bodies as OpenAI's API documents them (``context_length_exceeded``,
``model_not_found``, ``invalid_api_key``); the extensions of ``/v1/models`` as vLLM, llama.cpp and
LM Studio send them.
"""

import base64
import json
import struct
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from unabridged.domain.chat import Usage
from unabridged.testing.http_server import Answered, BreakOff, ProtocolServer, Received, Route
from unabridged.testing.replies import (
    Counter,
    Script,
    Scripted,
    ScriptedReply,
    paced,
    spoken,
    words,
)
from unabridged.testing.vectors import made_vector, texts_of
from unabridged.wire import openai as wire

SSE = "text/event-stream"
_ID, _CREATED = "chatcmpl-test", 1_700_000_000


@dataclass(frozen=True, slots=True)
class OpenAIEntry:
    """A model that the server has.

    Attributes:
        name: Its id.
        extra: Fields that the server adds to the dialect's.
    """

    name: str = "test-model"
    extra: Mapping[str, Any] = field(default_factory=dict)


class OpenAITestServer(ProtocolServer):
    """The server.

    Args:
        script: The answers.
        models: Its models.
        window: Tokens for prompt and answer; a longer prompt is refused.
        count: Counts tokens for usage and for the window.
        key: The required key; empty for none.
        props: The answer of llama.cpp's ``/props``, or None without this route.
        native: The list of LM Studio's ``/api/v0/models``, or None without this route.
        refuses: Fields that it refuses as unknown, like some servers.
    """

    def __init__(
        self,
        script: Script = "Yes.",
        *,
        models: Sequence[OpenAIEntry] = (OpenAIEntry(),),
        window: int = 8_192,
        count: Counter = words,
        key: str = "",
        props: Mapping[str, Any] | None = None,
        native: Sequence[Mapping[str, Any]] | None = None,
        refuses: Sequence[str] = (),
    ) -> None:
        self.script = Scripted(script)
        self.models = list(models)
        self._window = window
        self._count = count
        self._key = key
        self._props = props
        self._native = native
        self._refuses = tuple(refuses)
        super().__init__(self._table(), _missing)

    @property
    def base_url(self) -> str:
        """The address for clients, with ``/v1``."""
        return f"{self.url}/v1"

    def _table(self) -> Mapping[tuple[str, str], Route]:
        routes: dict[tuple[str, str], Route] = {
            ("GET", "/v1/models"): self._guarded(self._list),
            ("POST", "/v1/chat/completions"): self._guarded(self._chat),
            ("POST", "/v1/embeddings"): self._guarded(self._embed),
            ("POST", "/v1/completions"): self._guarded(self._complete),
            ("POST", "/v1/moderations"): self._guarded(_moderated),
        }
        for entry in self.models:
            routes["GET", f"/v1/models/{entry.name}"] = self._guarded(_one(entry))
        if self._props is not None:
            props = self._props
            routes["GET", "/props"] = lambda _: Answered(props)
        if self._native is not None:
            native = list(self._native)
            routes["GET", "/api/v0/models"] = lambda _: Answered({"data": native})
        return routes

    def _guarded(self, route: Route) -> Route:
        def guarded(received: Received) -> Answered:
            if self._key and received.headers.get("authorization") != f"Bearer {self._key}":
                text = "Incorrect API key provided."
                return Answered(wire.error_body(text, code="invalid_api_key"), 401)
            return route(received)

        return guarded

    def _list(self, _: Received) -> Answered:
        return Answered({"object": "list", "data": [_row(entry) for entry in self.models]})

    def _complete(self, received: Received) -> Answered:
        body = received.body
        refused = self._refusal(body)
        if refused is not None:
            return refused
        reply = self.script.reply(body)
        if reply.status >= 400:
            return Answered(wire.error_body(reply.error, kind="server_error"), reply.status)
        prompt = self._count(str(body.get("prompt") or ""))
        end = reply.end(prompt, self._count(reply.text))
        if body.get("stream"):
            return Answered(self._completing(reply, str(body["model"])), kind=SSE)
        whole = _completed(reply.text, str(body["model"]), end.finish)
        return Answered({**whole, "usage": wire.usage_object(end.usage or Usage())})

    def _completing(self, reply: ScriptedReply, model: str) -> Iterator[bytes]:
        for chunk in paced(reply):
            yield _data(_completed(chunk.text, model, None))
        yield _data(_completed("", model, reply.finish or "stop"))
        yield b"data: " + wire.DONE.encode() + b"\n\n"

    def _chat(self, received: Received) -> Answered:
        body = received.body
        refused = self._refusal(body)
        if refused is not None:
            return refused
        prompt = self._count(spoken(body.get("messages") or ()))
        room = body.get("max_tokens") or body.get("max_completion_tokens") or 0
        if prompt + room > self._window:
            return Answered(_too_long(prompt, room, self._window), 400)
        reply = self.script.reply(body)
        if reply.status >= 400:
            return Answered(wire.error_body(reply.error, kind="server_error"), reply.status)
        if body.get("stream"):
            usage = bool((body.get("stream_options") or {}).get("include_usage"))
            pieces = self._stream(reply, prompt, str(body["model"]), usage=usage)
            return Answered(pieces, kind=SSE)
        if reply.error:
            return Answered(wire.error_body(reply.error, kind="server_error"), 500)
        chunks = [*paced(reply), reply.end(prompt, self._count(reply.text))]
        made = wire.completion(chunks, answer=_ID, created=_CREATED, model=str(body["model"]))
        return Answered(made)

    def _refusal(self, body: Mapping[str, Any]) -> Answered | None:
        for name in self._refuses:
            if name in body:
                text = f"Unsupported parameter: '{name}' is not supported with this model."
                return Answered(wire.error_body(text, code="unsupported_parameter"), 400)
        name = str(body.get("model") or "")
        if name not in [entry.name for entry in self.models]:
            text = f"The model `{name}` does not exist or you do not have access to it."
            return Answered(wire.error_body(text, code="model_not_found"), 404)
        return None

    def _stream(
        self, reply: ScriptedReply, prompt: int, model: str, *, usage: bool
    ) -> Iterator[bytes]:
        head: dict[str, Any] = {"answer": _ID, "created": _CREATED, "model": model}
        first = True
        for place, chunk in enumerate(paced(reply)):
            if (reply.error or reply.breaks) and place >= reply.after:
                break
            yield _data(wire.event(chunk, first=first, **head))
            first = False
        if reply.breaks:
            raise BreakOff
        if reply.error:
            yield _data(wire.error_body(reply.error, kind="server_error"))
            return
        if reply.ends == "cut":
            return
        end = reply.end(prompt, self._count(reply.text))
        yield _data(wire.event(end, first=first, **head))
        if usage and end.usage is not None:
            yield _data(wire.usage_event(end.usage, **head))
        if reply.ends == "done":
            yield b"data: " + wire.DONE.encode() + b"\n\n"

    def _embed(self, received: Received) -> Answered:
        body = received.body
        refused = self._refusal(body)
        if refused is not None:
            return refused
        texts = texts_of(body.get("input", []))
        if not texts or not all(texts):
            text = "'$.input' is invalid. Please check the API reference."
            return Answered(wire.error_body(text), 400)
        tokens = [self._count(text) for text in texts]
        if max(tokens) > self._window:
            return Answered(_too_long(max(tokens), 0, self._window), 400)
        packed = body.get("encoding_format") == "base64"
        data = [
            {"object": "embedding", "index": place, "embedding": _packed(row) if packed else row}
            for place, row in enumerate(map(made_vector, texts))
        ]
        usage = {"prompt_tokens": sum(tokens), "total_tokens": sum(tokens)}
        model = body.get("model")
        return Answered({"object": "list", "data": data, "model": model, "usage": usage})


def _row(entry: OpenAIEntry) -> dict[str, Any]:
    base = {"object": "model", "created": _CREATED, "owned_by": "test"}
    return {"id": entry.name, **base, **entry.extra}


def _one(entry: OpenAIEntry) -> Route:
    return lambda _: Answered(_row(entry))


def _moderated(received: Received) -> Answered:
    flags = {"flagged": False, "categories": {}, "category_scores": {}}
    return Answered({"id": "modr-test", "model": received.body.get("model"), "results": [flags]})


def _completed(text: str, model: str, finish: str | None) -> dict[str, Any]:
    choice = {"index": 0, "text": text, "logprobs": None, "finish_reason": finish}
    head = {"id": "cmpl-test", "object": "text_completion", "created": _CREATED, "model": model}
    return {**head, "choices": [choice]}


def _packed(vector: Sequence[float]) -> str:
    return base64.b64encode(struct.pack(f"<{len(vector)}f", *vector)).decode()


def _missing(received: Received) -> Answered:
    return Answered(wire.error_body(f"Invalid URL ({received.method} {received.path})"), 404)


def _too_long(prompt: int, room: int, window: int) -> dict[str, Any]:
    asked = f"you requested {prompt + room} tokens ({prompt} in the messages, {room} in the"
    text = (
        f"This model's maximum context length is {window} tokens. However, {asked} completion). "
        "Please reduce the length of the messages or completion."
    )
    return wire.error_body(text, code="context_length_exceeded")


def _data(value: Mapping[str, Any]) -> bytes:
    return b"data: " + json.dumps(value, ensure_ascii=False).encode() + b"\n\n"
