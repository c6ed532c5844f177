"""An Ollama server for tests: the real protocol over HTTP, with answers from a script.

Behaviour follows ollama/ollama v0.33.0-rc2: docs/api.md, api/types.go, server/routes.go (routes,
status codes, error texts, errors in mid-stream), server/prompt.go (truncation, unless ``truncate``
is false: the oldest messages are removed, system messages and the newest stay) and
llm/llama_server.go with llama.cpp's own refusal otherwise. Facts only, no code. Not a model:
checked against the official ``ollama`` Python client.
"""

import hashlib
import json
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

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
from unabridged.wire import ollama as wire
from unabridged.wire.incoming_message import Wire

VERSION = "0.33.0"
NDJSON = "application/x-ndjson"
DEFAULT_CONTEXT = 4_096
"""The default window of Ollama in tokens (on machines without a large GPU)."""
_DATE = "2026-10-{:02d}T12:00:00Z"


@dataclass(frozen=True, slots=True)
class OllamaEntry:
    """A model that the server has.

    Attributes:
        name: Its full name.
        trained: Its ``context_length``.
        family: Its architecture.
        capabilities: Its abilities; None as for servers before 0.6.4, which do not report them.
        loaded: The window that it is loaded with, or None if it is not loaded.
        day: The day of the month on which it was pulled; a later day is more recent.
        memory: The longest window in tokens that the machine can load, or None for any.
        gpu: The longest window in tokens that lies wholly in the memory of a GPU; 0 without a GPU.
    """

    name: str = "llama3.2:latest"
    trained: int = 131_072
    family: str = "llama"
    capabilities: tuple[str, ...] | None = ("completion", "tools")
    loaded: int | None = None
    day: int = 1
    memory: int | None = None
    gpu: int = 0


class OllamaTestServer(ProtocolServer):
    """The server.

    Args:
        script: The answers.
        models: Its models, possibly none.
        count: Counts tokens for usage and for the window.
        truncates: Truncate long prompts even if a client forbids it, like servers before
            ``truncate``; otherwise ``truncate: false`` is obeyed.
        version: The value of ``/api/version``.
        strict: Refuse unknown fields, like some other servers with this dialect.
    """

    def __init__(
        self,
        script: Script = "Yes.",
        *,
        models: Sequence[OllamaEntry] = (OllamaEntry(),),
        count: Counter = words,
        truncates: bool = False,
        version: str = VERSION,
        strict: bool = False,
    ) -> None:
        self.script = Scripted(script)
        self.models = list(models)
        self.truncates = truncates
        self.cut: list[int] = []
        """For each chat request, the number of removed messages."""
        self._count = count
        self._version = version
        self._strict = strict
        self._loaded = {entry.name: entry.loaded for entry in models if entry.loaded}
        self.blobs: dict[str, bytes] = {}
        """The files that clients sent, by digest."""
        super().__init__(self._table(), self._elsewhere)

    def _table(self) -> Mapping[tuple[str, str], Route]:
        return {
            ("GET", "/"): lambda _: Answered(iter([b"Ollama is running"]), kind="text/plain"),
            ("GET", "/api/version"): lambda _: Answered({"version": self._version}),
            ("GET", "/api/tags"): lambda _: Answered({"models": [_tag(m) for m in self.models]}),
            ("GET", "/api/ps"): lambda _: Answered({"models": self._running()}),
            ("POST", "/api/show"): self._show,
            ("POST", "/api/chat"): self._chat,
            ("POST", "/api/generate"): self._generate,
            ("POST", "/api/embed"): self._embed,
            ("POST", "/api/embeddings"): self._embed_one,
            ("POST", "/api/pull"): lambda _: Answered(_progress(), kind=NDJSON),
            ("POST", "/api/push"): lambda _: Answered(_progress(), kind=NDJSON),
            ("POST", "/api/create"): lambda _: Answered(_progress(), kind=NDJSON),
            ("POST", "/api/copy"): self._copy,
            ("DELETE", "/api/delete"): self._delete,
        }

    def _elsewhere(self, received: Received) -> Answered:
        if received.path.startswith("/api/blobs/sha256:"):
            digest = received.path.removeprefix("/api/blobs/")
            if received.method == "POST":
                self.blobs[digest] = received.raw
                return Answered(iter(()), 201)
            return Answered(iter(()), 200 if digest in self.blobs else 404)
        return Answered(iter([b"404 page not found"]), 404, kind="text/plain")

    def _copy(self, received: Received) -> Answered:
        named = {**received.body, "model": received.body.get("source")}
        entry = self._find(replace(received, body=named))
        if isinstance(entry, Answered):
            return entry
        self.models.append(replace(entry, name=wire.full_name(str(received.body["destination"]))))
        return Answered(iter(()))

    def _delete(self, received: Received) -> Answered:
        entry = self._find(received)
        if isinstance(entry, Answered):
            return entry
        self.models.remove(entry)
        return Answered(iter(()))

    def _find(self, received: Received) -> OllamaEntry | Answered:
        name = received.body.get("model") or received.body.get("name") or ""
        if not name:
            return Answered({"error": "model is required"}, 400)
        full = wire.full_name(str(name))
        entry = next((m for m in self.models if wire.full_name(m.name) == full), None)
        return entry or Answered({"error": f"model '{name}' not found"}, 404)

    def _running(self) -> list[dict[str, Any]]:
        rows = []
        for entry in self.models:
            if entry.name in self._loaded:
                size = _tag(entry)["size"]
                share = min(1.0, entry.gpu / self._loaded[entry.name])
                row = _tag(entry) | {"expires_at": _DATE.format(20), "size_vram": int(size * share)}
                rows.append(row | {"context_length": self._loaded[entry.name]})
        return rows

    def _show(self, received: Received) -> Answered:
        entry = self._find(received)
        if isinstance(entry, Answered):
            return entry
        info = {
            "general.architecture": entry.family,
            f"{entry.family}.context_length": entry.trained,
        }
        shown = {"details": _details(entry), "model_info": info, "template": "{{ .Prompt }}"}
        if entry.capabilities is not None:
            shown["capabilities"] = list(entry.capabilities)
        return Answered(shown)

    def _chat(self, received: Received) -> Answered:
        entry = self._find(received)
        if isinstance(entry, Answered):
            return entry
        body = received.body
        if self._strict and "truncate" in body:
            return Answered({"error": 'json: unknown field "truncate"'}, 400)
        if body.get("tools") and entry.capabilities and "tools" not in entry.capabilities:
            return Answered({"error": f"{entry.name!r} does not support tools"}, 400)
        messages = list(body.get("messages") or ())
        window = self._load(entry, body)
        if (wanting := self._wanting(entry, window, messages)) is not None:
            return wanting
        kept = self._fit(messages, window, body)
        if kept is None:
            tokens = self._count(spoken(messages))
            return Answered({"error": _too_long(tokens, window)}, 400)
        reply = self.script.reply(body)
        return self._answer(reply, body, self._count(spoken(kept)), str(body["model"]))

    def _wanting(
        self, entry: OllamaEntry, window: int, messages: Sequence[Mapping[str, Any]]
    ) -> Answered | None:
        if entry.memory is not None and window > entry.memory:
            self._loaded.pop(entry.name)
            error = "model requires more system memory (24.0 GiB) than is available (8.0 GiB)"
            return Answered({"error": error}, 500)
        if not messages:
            return Answered(wire.answer((), model=entry.name, created=_now()))
        return None

    def _load(self, entry: OllamaEntry, body: Mapping[str, Any]) -> int:
        asked = (body.get("options") or {}).get("num_ctx") or self._loaded.get(entry.name)
        window = min(int(asked or DEFAULT_CONTEXT), entry.trained)
        self._loaded[entry.name] = window
        return window

    def _fit(
        self, messages: list[Mapping[str, Any]], window: int, body: Mapping[str, Any]
    ) -> list[Mapping[str, Any]] | None:
        for start in range(len(messages)):
            system = [m for m in messages[:start] if m.get("role") == "system"]
            kept = [*system, *messages[start:]]
            if self._count(spoken(kept)) <= window:
                self.cut.append(len(messages) - len(kept))
                return kept
            if body.get("truncate") is False and not self.truncates:
                return None
        self.cut.append(len(messages) - 1)
        return messages[-1:]

    def _answer(
        self, reply: ScriptedReply, body: Mapping[str, Any], prompt: int, model: str
    ) -> Answered:
        if reply.status >= 400:
            return Answered({"error": reply.error}, reply.status)
        if body.get("stream", True):
            return Answered(self._stream(reply, prompt, model), kind=NDJSON)
        if reply.error:
            return Answered({"error": reply.error}, 500)
        chunks = [*paced(reply), reply.end(prompt, self._count(reply.text))]
        return Answered(wire.answer(chunks, model=model, created=_now()))

    def _stream(
        self, reply: ScriptedReply, prompt: int, model: str, tell: Callable[[Wire], Wire] = dict
    ) -> Iterator[bytes]:
        began = time.monotonic()
        for place, chunk in enumerate(paced(reply)):
            if (reply.error or reply.breaks) and place >= reply.after:
                break
            yield _line(tell(wire.line(chunk, model=model, created=_now())))
        if reply.breaks:
            raise BreakOff
        if reply.error:
            yield _line({"error": reply.error})
            return
        end = reply.end(prompt, self._count(reply.text))
        seconds = time.monotonic() - began
        yield _line(tell(wire.line(end, model=model, created=_now(), seconds=seconds)))

    def _generate(self, received: Received) -> Answered:
        entry = self._find(received)
        if isinstance(entry, Answered):
            return entry
        body = received.body
        reply = self.script.reply(body)
        if reply.status >= 400:
            return Answered({"error": reply.error}, reply.status)
        prompt = self._count(f"{body.get('system', '')} {body.get('prompt', '')}")
        if body.get("stream", True):
            lines = self._stream(reply, prompt, str(body["model"]), tell=_generated)
            return Answered(lines, kind=NDJSON)
        if reply.error:
            return Answered({"error": reply.error}, 500)
        chunks = [*paced(reply), reply.end(prompt, self._count(reply.text))]
        return Answered(_generated(wire.answer(chunks, model=body["model"], created=_now())))

    def _embed(self, received: Received) -> Answered:
        entry = self._find(received)
        if isinstance(entry, Answered):
            return entry
        body = received.body
        texts = texts_of(body.get("input", []))
        if texts is None:
            return Answered({"error": "invalid input type"}, 400)
        window = self._load(entry, body)
        tokens = [self._count(text) for text in texts]
        refuses = body.get("truncate") is False and not self.truncates
        if refuses and max(tokens, default=0) > window:
            return Answered({"error": "the input length exceeds the context length"}, 400)
        kept = [" ".join(text.split()[:window]) for text in texts]
        vectors = [made_vector(text) for text in kept if text]
        answer = {"model": body["model"], "embeddings": vectors, "prompt_eval_count": sum(tokens)}
        return Answered({**answer, "total_duration": 14_143_917, "load_duration": 1_019_500})

    def _embed_one(self, received: Received) -> Answered:
        asked = {**received.body, "input": received.body.get("prompt", "")}
        answered = self._embed(replace(received, body=asked))
        if answered.status >= 400 or not isinstance(answered.body, Mapping):
            return answered
        return Answered({"embedding": next(iter(answered.body["embeddings"]), [])})


def _progress() -> Iterator[bytes]:
    yield _line({"status": "pulling manifest"})
    yield _line(
        {"status": "pulling dde5aa3fc5ff", "digest": "sha256:dde5", "total": 2, "completed": 1}
    )
    yield _line({"status": "success"})


def _too_long(tokens: int, window: int) -> str:
    return (
        f"request ({tokens} tokens) exceeds the available context size ({window} tokens), "
        "try increasing it"
    )


def _generated(line: Wire) -> Wire:
    message = line["message"]
    rest = {name: value for name, value in line.items() if name != "message"}
    thought = {"thinking": message["thinking"]} if "thinking" in message else {}
    return {**rest, "response": message["content"], **thought}


def _details(entry: OllamaEntry) -> dict[str, Any]:
    return {
        "parent_model": "",
        "format": "gguf",
        "family": entry.family,
        "families": [entry.family],
        "parameter_size": "3.2B",
        "quantization_level": "Q4_K_M",
    }


def _tag(entry: OllamaEntry) -> dict[str, Any]:
    tag = {
        "name": entry.name,
        "model": entry.name,
        "modified_at": _DATE.format(entry.day),
        "size": 2_019_393_189,
        "digest": hashlib.sha256(entry.name.encode()).hexdigest(),
        "details": _details(entry),
    }
    if entry.capabilities is not None:
        tag["capabilities"] = list(entry.capabilities)
    return tag


def _line(value: Mapping[str, Any]) -> bytes:
    return json.dumps(value, ensure_ascii=False).encode() + b"\n"


def _now() -> str:
    return datetime.fromtimestamp(0, UTC).isoformat().replace("+00:00", "Z")
