"""Any server that speaks OpenAI's chat completions over HTTP.

Lengths and abilities come from ``/v1/models`` and what servers add to it: ``max_model_len``
(vLLM, SGLang), ``meta.n_ctx_train`` and ``/props`` (llama.cpp), ``max_context_length`` and
``loaded_context_length`` (LM Studio ``/api/v0/models``; Mistral the former), ``context_length``
and ``top_provider`` (OpenRouter, Together), ``context_window`` (Groq).
"""

from collections.abc import Iterator, Mapping
from contextlib import closing
from difflib import get_close_matches
from typing import Any

from unabridged.domain.chat import Abilities, ChatRequest, StreamChunk
from unabridged.errors import ModelNotFoundError, NoModelError, UpstreamError, UpstreamRefusedError
from unabridged.models.abilities import AbilityCache
from unabridged.models.server_model import ServerModel
from unabridged.net.http import HttpUpstream
from unabridged.wire import openai as wire
from unabridged.wire.lenient_json import mapping, mappings, number
from unabridged.wire.stream_lines import Events, cut, decode
from unabridged.wire.translate_options import is_expendable
from unabridged.wire.upstream_errors import unknown_field

OPENAI_HOST = "api.openai.com"
_TRAINED = (
    "max_model_len",
    "max_context_length",
    "context_length",
    "context_window",
    "max_input_tokens",
)
_LOADED = ("loaded_context_length", "n_ctx")
_OUTPUT = ("max_completion_tokens", "max_output_tokens", "max_output_length")


class OpenAIServer:
    """A server that speaks OpenAI's dialect.

    Args:
        url: Its base address, usually ending in ``/v1``.
        timeout: Seconds to wait for the beginning of an answer.
    """

    def __init__(self, url: str, *, key: str = "", timeout: float = 300.0) -> None:
        hint = "Check that it runs, and the setting openai_url (it usually ends in /v1)."
        self.http = HttpUpstream(url, name="The model server", key=key, timeout=timeout, hint=hint)

    def listed(self) -> list[Mapping[str, Any]]:
        """Return the entries of ``/models``, in their order."""
        return mappings(self.http.get("/models").get("data"))

    def models(self) -> list[str]:
        """Return the names of its models, in its order: the dialect has none by use."""
        return [str(entry["id"]) for entry in self.listed() if entry.get("id")]

    def abilities(self, model: str) -> Abilities:
        """Ask what a model can do.

        Raises:
            UpstreamError: The server does not answer.
        """
        entry: Mapping[str, Any] = next((m for m in self.listed() if m.get("id") == model), {})
        more = {} if _says_length(entry) else self._more(model)
        trained, loaded = (
            _length(entry, _TRAINED) or _length(more, _TRAINED),
            _length(more, _LOADED) or _length(entry, _LOADED),
        )
        trained = trained or number(mapping(entry.get("meta")).get("n_ctx_train")) or None
        if "max_model_len" in entry:
            # vLLM serves exactly this length, whatever the model was trained for.
            loaded = loaded or trained
        features = _features(entry, more)
        return Abilities(
            model=model,
            trained_window=trained,
            loaded_window=loaded,
            max_output=_length(entry, _OUTPUT) or _top_output(entry),
            tools=features.get("tools"),
            vision=features.get("vision"),
            source="server",
            family=str(more.get("arch") or ""),
        )

    def _more(self, model: str) -> Mapping[str, Any]:
        if self.http.host == OPENAI_HOST:
            return {}
        try:
            props = self.http.get("/props", beside=True).get("default_generation_settings")
        except UpstreamRefusedError:
            props = None  # not llama.cpp
        if isinstance(props, Mapping) and "n_ctx" in props:
            return props
        try:
            entries = mappings(self.http.get("/api/v0/models", beside=True).get("data"))
        except UpstreamRefusedError:
            return {}  # not LM Studio either
        return next((m for m in entries if m.get("id") == model), {})

    def explained(self, error: UpstreamRefusedError, model: str) -> UpstreamError:
        """Return the better error if the server does not have the model."""
        text = str(error).lower()
        missing = "model" in text and (
            error.status == 404 or "not found" in text or "does not exist" in text
        )
        if not missing:
            return error
        try:
            names = self.models()
        except UpstreamError:
            return error
        if not names:
            return no_model(self.http.shown)
        if model in names:
            return error
        near = get_close_matches(model, names, n=3, cutoff=0.3) or names[:3]
        return ModelNotFoundError(
            f"The server does not have the model {model!r}.",
            hint=f"Use one it has: {', '.join(near)}.",
        )

    def close(self) -> None:
        """Close the connections."""
        self.http.close()


def no_model(url: str) -> NoModelError:
    """Return the error of a server without any model."""
    return NoModelError(f"The server at {url} has no model.", hint="Load one there, or set model.")


def _length(entry: Mapping[str, Any], names: tuple[str, ...]) -> int | None:
    found = (number(entry.get(name)) for name in names)
    return next((length for length in found if length), None)


def _says_length(entry: Mapping[str, Any]) -> bool:
    return _length(entry, _TRAINED) is not None


def _top_output(entry: Mapping[str, Any]) -> int | None:
    return _length(mapping(entry.get("top_provider")), _OUTPUT)


def _features(entry: Mapping[str, Any], more: Mapping[str, Any]) -> dict[str, bool]:
    features: dict[str, bool] = {}
    can = entry.get("capabilities")
    if isinstance(can, Mapping):  # Mistral
        for name, key in (("tools", "function_calling"), ("vision", "vision")):
            if isinstance(can.get(key), bool):
                features[name] = can[key]
    listed = more.get("capabilities")
    if isinstance(listed, list):  # LM Studio
        features["tools"] = "tool_use" in listed
        features["vision"] = more.get("type") == "vlm"
    parameters = entry.get("supported_parameters")
    if isinstance(parameters, list):  # OpenRouter
        features["tools"] = "tools" in parameters
    return features


_OTHER_LIMIT = {"max_tokens": "max_completion_tokens", "max_completion_tokens": "max_tokens"}


class OpenAIModel(ServerModel):
    """One model of a server that speaks OpenAI's dialect.

    Attributes:
        unknown_fields: The fields that the server refused as unknown; models of one server may
            share them.
    """

    dialect = "openai"

    def __init__(self, model: str, server: OpenAIServer, cache: AbilityCache | None = None) -> None:
        super().__init__(model, server, cache)
        self.unknown_fields: set[str] = set()
        hosted = server.http.host == OPENAI_HOST
        self._limit = "max_completion_tokens" if hosted else "max_tokens"
        self._limit_changed = False
        self._usage = True

    def accent(self, body: Mapping[str, Any]) -> dict[str, Any]:
        spoken = {name: value for name, value in body.items() if name not in self.unknown_fields}
        other = _OTHER_LIMIT[self._limit]
        if self._limit_changed and other in spoken:
            spoken.setdefault(self._limit, spoken.pop(other))
        if not self._usage:
            spoken.pop("stream_options", None)
        return spoken

    def repair(self, refusal: UpstreamError) -> bool:  # type: ignore[explicit-override]  # typing.override came with 3.12
        if not isinstance(refusal, UpstreamRefusedError) or refusal.status not in (400, 422):
            return False
        text = str(refusal)
        if self._usage and "stream_options" in text:
            self._usage = False
            return True
        if not self._limit_changed and self._limit in text and "support" in text:
            self._limit_changed = True
            self._limit = _OTHER_LIMIT[self._limit]
            return True
        field = unknown_field(text)
        if not field or field in self.unknown_fields or not is_expendable(field):
            return False
        self.unknown_fields.add(field)
        return True

    def _stream(self, request: ChatRequest) -> Iterator[StreamChunk]:  # type: ignore[explicit-override]  # as above
        assembler = wire.OpenAIStreamAssembler()
        body = wire.body(request, self._model, limit=self._limit)
        if not self._usage:
            del body["stream_options"]
        with closing(self._server.http.stream("/chat/completions", body, request.opened)) as pieces:
            for event in cut(pieces, Events()):
                if (chunk := _take(assembler, event)) is not None:
                    yield chunk
        yield assembler.end()


def _take(assembler: wire.OpenAIStreamAssembler, event: str) -> StreamChunk | None:
    if event.strip() == wire.DONE:
        assembler.done()
        return None
    return assembler.feed(decode(event))
