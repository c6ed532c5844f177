"""A scripted upstream that refuses what real servers refuse, and logs every body that it gets.

One server speaks OpenAI's chat completions, Ollama's chat and Anthropic's messages. It answers from
a script; what it was asked is in ``chats``, with the bytes as they came.
"""

import json
from dataclasses import dataclass

from tests.helpers import strict_answers as answers, strict_rules as rules
from tests.helpers.strict_rules import Strictness

from unabridged.testing.http_server import Answered, ProtocolServer
from unabridged.testing.replies import Scripted

CHAT, OLLAMA, ANTHROPIC = "/v1/chat/completions", "/api/chat", "/v1/messages"
COMPLETION, GENERATE = "/v1/completions", "/api/generate"
UNMEASURED = frozenset(["data", "url", "file_data", "images", "signature"])
"""Fields whose length says nothing about tokens."""
FLAT_TOKENS = 128
OLLAMA_WINDOW = 4_096


@dataclass(frozen=True)
class StrictModel:
    """A model of the server.

    ``window``: what it takes, for Ollama what it was trained for. ``gpu``: the largest ``num_ctx``
    that stays wholly in GPU memory. ``loads``: the largest ``num_ctx`` that loads at all.
    ``system``: the SYSTEM of its Modelfile.
    """

    name: str = "m"
    window: int = 131_072
    gpu: int = 0
    loads: int = 1 << 40
    system: str = ""


@dataclass(frozen=True)
class Chat:
    """A chat request, and the status that it got."""

    dialect: str
    body: dict
    raw: bytes
    headers: dict
    status: int


class StrictServer(ProtocolServer):
    """The server: ``url`` for Ollama's and Anthropic's clients, ``url`` + ``/v1`` for OpenAI's."""

    def __init__(self, script="Yes.", *, models=(StrictModel(),), strict=None):
        self.script = Scripted(script)
        self.models = {model.name: model for model in models}
        self.strict = strict or Strictness()
        self.chats = []
        self.cut = []
        """For each Ollama request that it shortened in silence, how many messages it removed."""
        self.loaded = {}
        self.loads = []
        """Each time a model was loaded: its name and window."""
        routes = {
            ("GET", "/v1/models"): self._list,
            ("GET", "/api/version"): lambda _: Answered({"version": "0.33.0"}),
            ("GET", "/api/tags"): lambda _: Answered({"models": self._tags()}),
            ("GET", "/api/ps"): lambda _: Answered({"models": self._running()}),
            ("POST", "/api/show"): self._show,
            ("POST", CHAT): self._judged(CHAT, self._chat),
            ("POST", OLLAMA): self._judged(OLLAMA, self._ollama),
            ("POST", ANTHROPIC): self._judged(ANTHROPIC, self._anthropic),
            ("POST", f"{ANTHROPIC}/count_tokens"): self._count,
            ("POST", COMPLETION): self._texts(COMPLETION, answers.completion, answers.SSE),
            ("POST", GENERATE): self._texts(GENERATE, answers.generated, answers.NDJSON),
        }
        super().__init__(routes)

    @property
    def accepted(self):
        """The chat requests that it answered."""
        return [chat for chat in self.chats if chat.status == 200]

    def clear(self):
        """Forget the requests so far."""
        self.chats.clear()
        self.requests.clear()

    def reuse(self):
        """The share of all prompts' bytes that an earlier prompt began with: what a cache saves."""
        prompts = [prompt_bytes(chat.dialect, chat.body) for chat in self.accepted]
        saved = sum(
            max((_common(prompt, earlier) for earlier in prompts[:at]), default=0)
            for at, prompt in enumerate(prompts)
        )
        return saved / (sum(map(len, prompts)) or 1)

    def _judged(self, dialect, route):
        def judged(received):
            whole = isinstance(received.body, dict)
            if whole and isinstance(received.body.get("messages"), list):
                answered = route(received)
            else:
                refuse = rules.anthropic_error if dialect == ANTHROPIC else rules.openai_error
                answered = Answered(*reversed(refuse("messages: Input should be a valid list")))
            self._log(dialect, received, answered)
            return answered

        return judged

    def _log(self, dialect, received, answered):
        body = dict(received.body) if isinstance(received.body, dict) else {}
        chat = Chat(dialect, body, received.raw, dict(received.headers), answered.status)
        self.chats.append(chat)

    def _texts(self, dialect, answer, kind):
        """A route that continues a text."""

        def route(received):
            body = received.body
            model = self._model(body)
            if model is None:
                answered = Answered({"error": f"model '{body.get('model')}' not found"}, 404)
            else:
                reply, asked = self.script.reply(body), len(str(body.get("prompt") or "")) // 4
                made = answer(reply, body, asked)
                streams = not isinstance(made, dict)
                pieces = answers.paced(reply, made) if streams else made
                answered = Answered(pieces, kind=kind) if streams else Answered(pieces)
            self._log(dialect, received, answered)
            return answered

        return route

    def _model(self, body):
        name = str(body.get("model") or "")
        return self.models.get(name) or self.models.get(name.removesuffix(":latest"))

    def _cached(self, dialect, body):
        """Tokens of the prompt that the request before has too."""
        before = self.accepted[-1:]
        if not before or before[0].dialect != dialect:
            return 0
        earlier = prompt_bytes(dialect, before[0].body)
        return min(tokens(body), _common(prompt_bytes(dialect, body), earlier) // 4)

    # OpenAI

    def _list(self, received):
        if "anthropic-version" in received.headers:
            rows = [{"type": "model", "id": name, "display_name": name} for name in self.models]
            return Answered({"data": rows, "has_more": False})
        rows = [
            {"id": m.name, "object": "model", "owned_by": "test", "max_model_len": m.window}
            for m in self.models.values()
        ]
        return Answered({"object": "list", "data": rows})

    def _chat(self, received):
        body = received.body
        model = self._model(body)
        if model is None:
            text = f"The model `{body.get('model')}` does not exist."
            return Answered(rules.openai_error(text, "model_not_found")[1], 404)
        prompt = tokens(body)
        room = body.get("max_completion_tokens") or body.get("max_tokens") or 0
        refused = rules.chat_refusal(body, self.strict)
        if refused is None and prompt + room > model.window:
            refused = rules.chat_too_long(prompt, room, model.window)
        if refused is not None:
            return Answered(refused[1], refused[0])
        reply, cached = self.script.reply(body), self._cached(CHAT, body)
        if body.get("stream"):
            pieces = answers.paced(reply, answers.chat_stream(reply, body, prompt, cached))
            return Answered(pieces, kind=answers.SSE)
        return Answered(answers.chat_whole(reply, body, prompt, cached))

    # Ollama

    def _tags(self):
        return [_tag(model) for model in self.models.values()]

    def _running(self):
        rows = []
        for name, window in self.loaded.items():
            model, size = self.models[name], 2_000_000_000 + window * 100_000
            held = size if window <= model.gpu else model.gpu * 100_000
            row = {"size": size, "size_vram": held, "context_length": window}
            rows.append(_tag(model) | row | {"expires_at": "2026-12-20T12:00:00Z"})
        return rows

    def _show(self, received):
        model = self._model({"model": received.body.get("model") or received.body.get("name")})
        if model is None:
            return Answered({"error": "model not found"}, 404)
        info = {"general.architecture": "llama", "llama.context_length": model.window}
        shown = {"details": _tag(model)["details"], "model_info": info, "template": "{{ .Prompt }}"}
        if model.system:
            shown["system"] = model.system
            shown["modelfile"] = f'FROM llama\nSYSTEM """{model.system}"""\n'
        return Answered({**shown, "capabilities": ["completion", "tools", "vision", "thinking"]})

    def _load(self, model, body):
        """Load the model with the window asked for; None where that fails."""
        asked = (body.get("options") or {}).get("num_ctx")
        window = min(int(asked or OLLAMA_WINDOW), model.window)
        if window > model.loads:
            return None
        if self.loaded.get(model.name) != window:
            self.loaded[model.name] = window
            self.loads.append((model.name, window))
        return window

    def _ollama(self, received):
        body = received.body
        model = self._model(body)
        if model is None:
            return Answered({"error": f"model '{body.get('model')}' not found"}, 404)
        refused = rules.ollama_refusal(body)
        if refused is not None:
            return Answered(refused[1], refused[0])
        window = self._load(model, body)
        if window is None:
            text = "model requires more system memory (64.0 GiB) than is available (16.0 GiB)"
            return Answered({"error": text}, 500)
        prompt = tokens(body)
        if prompt > window:
            if body.get("truncate") is False:
                status, told = rules.ollama_too_long(prompt, window)
                return Answered(told, status)
            self.cut.append(_shorten(body, window))
        reply = self.script.reply(body)
        if body.get("stream", True):
            pieces = answers.paced(reply, answers.ollama_stream(reply, body, prompt))
            return Answered(pieces, kind=answers.NDJSON)
        return Answered(answers.ollama_whole(reply, body, prompt))

    # Anthropic

    def _anthropic(self, received):
        body = received.body
        refused = rules.anthropic_refusal(body, received.headers, self.strict)
        if refused is None and "max_tokens" not in body:
            refused = rules.anthropic_error("max_tokens: Field required")
        model = self._model(body)
        if refused is None and model is None:
            refused = rules.anthropic_error(f"model: {body['model']}", "not_found_error", 404)
        prompt = tokens(body)
        if refused is None and prompt > model.window:
            refused = rules.anthropic_too_long(prompt, model.window)
        if refused is not None:
            return Answered(refused[1], refused[0])
        reply, cached = self.script.reply(body), self._cached(ANTHROPIC, body)
        if body.get("stream"):
            pieces = answers.paced(reply, answers.anthropic_stream(reply, body, prompt, cached))
            return Answered(pieces, kind=answers.SSE)
        return Answered(answers.anthropic_whole(reply, body, prompt, cached))

    def _count(self, received):
        refused = rules.anthropic_refusal(received.body, received.headers, self.strict)
        if refused is not None:
            return Answered(refused[1], refused[0])
        return Answered({"input_tokens": tokens(received.body)})


def _tag(model):
    details = {"parent_model": "", "format": "gguf", "family": "llama", "families": ["llama"]}
    details |= {"parameter_size": "3.2B", "quantization_level": "Q4_K_M"}
    name = f"{model.name}:latest"
    tag = {"name": name, "model": name, "modified_at": "2026-10-01T12:00:00Z"}
    return tag | {"size": 2_000_000_000, "digest": "0" * 64, "details": details}


def tokens(body):
    """The tokens of a request's prompt: a quarter of its characters."""
    system, tools = body.get("system") or "", body.get("tools") or []
    return sum(_characters(each) for each in (system, tools, body.get("messages") or [])) // 4


def _characters(value, name=""):
    if name in UNMEASURED:
        return 4 * FLAT_TOKENS
    if isinstance(value, dict):
        return sum(_characters(inner, key) + 4 for key, inner in value.items())
    if isinstance(value, list):
        return sum(map(_characters, value))
    return len(value) if isinstance(value, str) else 4


def _shorten(body, window):
    """How many messages Ollama removes in silence so that the rest fits."""
    messages = list(body["messages"])
    removed = 0
    while len(messages) > 1 and tokens({**body, "messages": messages}) > window:
        at = next((n for n, m in enumerate(messages[:-1]) if m["role"] != "system"), 0)
        del messages[at]
        removed += 1
    return removed


def prompt_bytes(dialect, body):
    """What a model reads of a request, in the order in which it reads it."""
    parts = [*(body.get("tools") or ())]
    if dialect == ANTHROPIC:
        parts.append(body.get("system") or "")
    parts += body.get("messages") or ()
    return b"\n".join(json.dumps(_unmarked(part), sort_keys=True).encode() for part in parts)


def _unmarked(value):
    """A value without the marks of a cache, which no model reads."""
    if isinstance(value, dict):
        return {name: _unmarked(inner) for name, inner in value.items() if name != "cache_control"}
    return [_unmarked(inner) for inner in value] if isinstance(value, list) else value


def _common(one, other):
    """How many bytes two prompts begin with alike."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if one[:middle] == other[:middle] else (low, middle - 1)
    return low
