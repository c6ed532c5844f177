"""Ollama, by its native API over HTTP.

Facts from ollama/ollama v0.33.0-rc2: docs/api.md, api/types.go (ShowResponse, ListResponse,
ProcessResponse) and server/routes.go (status codes and error texts).
"""

from collections.abc import Iterator, Mapping
from contextlib import closing
from difflib import get_close_matches
from typing import Any

from unabridged.domain.chat import Abilities, ChatRequest, StreamChunk
from unabridged.errors import (
    ContextRefusedError,
    ModelNotFoundError,
    NoModelError,
    UpstreamError,
    UpstreamRefusedError,
)
from unabridged.models.abilities import AbilityCache
from unabridged.models.server_model import ServerModel
from unabridged.models.window_growth import WindowGrowth
from unabridged.net.http import HttpUpstream
from unabridged.wire import ollama as wire
from unabridged.wire.lenient_json import mapping, mappings, number, text
from unabridged.wire.stream_lines import Lines, cut, decode

DEFAULT_URL = "http://127.0.0.1:11434"
SUGGESTED = "llama3.2"
"""A model that suits most machines, for hints."""
_EMBEDDERS = ("bert", "nomic-bert", "nomic-bert-moe", "xlm-roberta")
"""Families of embedding models, which cannot chat."""
_NO_MEMORY = ("system memory", "out of memory", "unable to allocate", "failed to allocate")
"""Words of refusals to load a model (ollama/ollama v0.33.0-rc2: llm/, llama.cpp)."""
_UNKNOWN_FIELD = ("unknown field", "unexpected", "not permitted", "unrecognized", "extra input")


class OllamaServer:
    """An Ollama server.

    Args:
        timeout: Seconds to wait for the beginning of an answer.
    """

    def __init__(self, url: str = DEFAULT_URL, *, timeout: float = 300.0) -> None:
        hint = "Start it with `ollama serve`, or set ollama_url to its address."
        self.http = HttpUpstream(url, name="Ollama", timeout=timeout, hint=hint)
        self.growth = WindowGrowth()

    def version(self) -> str:
        """Return its version."""
        return str(self.http.get("/api/version").get("version", ""))

    def models(self) -> list[str]:
        """Return full names of models that chat: the loaded ones first, then the newest.

        Ollama records only which models are loaded (``/api/ps``, longest remaining first). Its list
        has the time when each model was pulled or changed.
        """
        found = mappings(self.http.get("/api/tags").get("models"))
        listed = sorted(found, key=lambda m: str(m.get("modified_at", "")), reverse=True)
        names = [wire.full_name(_name(m)) for m in listed if _chats(m)]
        running = [wire.full_name(_name(m)) for m in self.loaded()]
        first = [name for name in running if name in names]
        return first + [name for name in names if name not in first]

    def loaded(self) -> list[Mapping[str, Any]]:
        """Return the entries of ``/api/ps``; none from servers without it."""
        try:
            return mappings(self.http.get("/api/ps").get("models"))
        except UpstreamRefusedError:
            return []

    def running(self, model: str) -> Mapping[str, Any] | None:
        """Return the entry of a model in ``/api/ps``; None if it is not loaded."""
        name = wire.full_name(model)
        return next((m for m in self.loaded() if wire.full_name(_name(m)) == name), None)

    def abilities(self, model: str) -> Abilities:
        """Ask what a model can do: ``/api/show`` and ``/api/ps``.

        Raises:
            ModelNotFoundError: The server does not have it.
            UpstreamError: Any other failure.
        """
        try:
            shown = self.http.post("/api/show", {"model": model, "name": model})
        except UpstreamRefusedError as error:
            raise self.explained(error, model) from error
        info, details = mapping(shown.get("model_info")), mapping(shown.get("details"))
        family = text(info.get("general.architecture"))
        trained = number(info.get(f"{family}.context_length"))
        trained = trained or number(details.get("context_length"))
        length = number((self.running(model) or {}).get("context_length"))
        listed = shown.get("capabilities")
        known = isinstance(listed, list)
        can: list[str] = listed if isinstance(listed, list) else []
        return Abilities(
            model=wire.full_name(model),
            trained_window=trained or None,
            loaded_window=length or None,
            tools="tools" in can if known else None,
            vision="vision" in can if known else None,
            reasoning="thinking" in can if known else None,
            source="server",
            family=family,
        )

    def explained(self, error: UpstreamRefusedError, model: str) -> UpstreamError:
        """Return the better error if the server does not have the model."""
        if error.status != 404 and "not found" not in str(error):
            return error
        try:
            names = self.models()
        except UpstreamError:
            return error
        if not names:
            return no_model(wire.short_name(model))
        near = get_close_matches(wire.full_name(model), names, n=3, cutoff=0.4) or names[:3]
        shown = ", ".join(wire.short_name(name) for name in near)
        return ModelNotFoundError(
            f"Ollama does not have the model {wire.short_name(model)!r}.",
            hint=f"Get it with `ollama pull {wire.short_name(model)}`, or use one it has: {shown}.",
        )

    def close(self) -> None:
        """Close the connections."""
        self.http.close()


def no_model(model: str = SUGGESTED) -> NoModelError:
    """Return the error of a server without any model."""
    return NoModelError(
        "Ollama answers but has no model yet.", hint=f"Get one with `ollama pull {model}`."
    )


def _name(model: Mapping[str, Any]) -> str:
    return str(model.get("model") or model.get("name") or "")


def _chats(model: Mapping[str, Any]) -> bool:
    can = model.get("capabilities")
    if isinstance(can, list) and can:
        return "completion" in can
    family = text(mapping(model.get("details")).get("family"))
    return family not in _EMBEDDERS and "embed" not in _name(model)


class OllamaModel(ServerModel):
    """One model of an Ollama server; ``llama3`` is ``llama3:latest``."""

    dialect = "ollama"

    def __init__(self, model: str, server: OllamaServer, cache: AbilityCache | None = None) -> None:
        super().__init__(wire.full_name(model), server, cache)
        self._ollama = server
        self._refuse = True

    @property
    def grown_window(self) -> int | None:
        return self._ollama.growth.window(self._model)

    def grow_window(self, now: int, needed: int, most: int | None) -> int | None:
        loaded = self._ollama.running(self._model)
        return self._ollama.growth.grow(self._model, now, needed, most, loaded)

    def understood(self, refusal: UpstreamError, window: int | None) -> UpstreamError:  # type: ignore[explicit-override]  # typing.override came with 3.12
        if window is None or not any(words in str(refusal).lower() for words in _NO_MEMORY):
            return refusal
        before = self._ollama.growth.failed(self._model, window)
        if before is None:
            return refusal
        return ContextRefusedError(
            f"Ollama cannot load the model with a longer window: {refusal}",
            window=before,
            hint="Compact the conversation, or set window_max to what this machine can hold.",
        )

    def accent(self, body: Mapping[str, Any]) -> dict[str, Any]:
        left = () if self._refuse else ("truncate", "shift")
        return {name: value for name, value in body.items() if name not in left}

    def repair(self, refusal: UpstreamError) -> bool:  # type: ignore[explicit-override]  # typing.override came with 3.12
        known = isinstance(refusal, UpstreamRefusedError) and _knows_no_refusing(refusal)
        if not self._refuse or not known:
            return False
        self._refuse = False
        return True

    def _stream(self, request: ChatRequest) -> Iterator[StreamChunk]:  # type: ignore[explicit-override]  # as above
        before = sum(len(message.calls) for message in request.messages)
        assembler = wire.OllamaStreamAssembler(before)
        body = wire.body(request, self._model, refuse=self._refuse)
        with closing(self._server.http.stream("/api/chat", body, request.opened)) as pieces:
            for line in cut(pieces, Lines()):
                if (chunk := assembler.feed(decode(line))) is not None:
                    yield chunk
        assembler.end()


def _knows_no_refusing(error: UpstreamRefusedError) -> bool:
    text = str(error).lower()
    field = "truncate" in text or "shift" in text
    return error.status in (400, 422) and field and any(word in text for word in _UNKNOWN_FIELD)
