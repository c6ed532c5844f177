"""A server of Anthropic's Messages API for tests: the real protocol, with answers from a script.

Behaviour follows what the official ``anthropic`` Python client 2.14.0 sends and reads, against which
it is checked. It refuses what Anthropic's servers refuse: unknown fields, a call without its result,
thinking without its signature, too many cache breakpoints, an empty text, a prompt that is too long.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from hashlib import sha256
from typing import Any

from unabridged.testing.http_server import Answered, BreakOff, ProtocolServer, Received, Route
from unabridged.testing.replies import Counter, Script, Scripted, ScriptedReply, paced, words
from unabridged.wire.anthropic_answer import (
    AnswerHead,
    MessagesSpeaker,
    answer,
    error_body,
    frame,
)

SSE = "text/event-stream"
MODEL = "claude-test-1"
_FIELDS = frozenset(
    "cache_control container context_management diagnostics inference_geo max_tokens mcp_servers "
    "messages metadata model output_config output_format service_tier speed stop_sequences stream "
    "system temperature thinking tool_choice tools top_k top_p user_profile_id workspace_id".split()
)
_BREAKPOINTS = 4


class AnthropicTestServer(ProtocolServer):
    """The server.

    Args:
        script: The answers.
        models: The names of its models.
        window: Tokens for the prompt; a longer one is refused.
        count: Counts tokens for usage and for the window.
        key: The required key, as ``x-api-key`` or bearer token; empty for none.

    Attributes:
        counts: Whether it has ``/v1/messages/count_tokens``.
    """

    def __init__(
        self,
        script: Script = "Yes.",
        *,
        models: Sequence[str] = (MODEL,),
        window: int = 200_000,
        count: Counter = words,
        key: str = "",
    ) -> None:
        self.script = Scripted(script)
        self._models = tuple(models)
        self._window = window
        self._count = count
        self.key = key
        self.counts = True
        routes: dict[tuple[str, str], Route] = {
            ("GET", "/v1/models"): self._guarded(self._list),
            ("POST", "/v1/messages"): self._guarded(self._answer),
            ("POST", "/v1/messages/count_tokens"): self._guarded(self._counted),
            **{("GET", f"/v1/models/{m}"): self._guarded(self._one(m)) for m in self._models},
        }
        super().__init__(routes, _missing)

    def _guarded(self, route: Route) -> Route:
        def guarded(received: Received) -> Answered:
            headers = received.headers
            shown = (headers.get("x-api-key"), headers.get("authorization"))
            if self.key and self.key != shown[0] and f"Bearer {self.key}" != shown[1]:
                return _refused(401, "authentication_error", "invalid x-api-key")
            if not headers.get("anthropic-version"):
                return _invalid("anthropic-version: header is required")
            return route(received)

        return guarded

    def _list(self, _: Received) -> Answered:
        rows = [self._row(name) for name in self._models]
        return Answered({"data": rows, "has_more": False, "first_id": None, "last_id": None})

    def _one(self, name: str) -> Route:
        return lambda _: Answered(self._row(name))

    def _row(self, name: str) -> dict[str, Any]:
        about = {"type": "model", "id": name, "display_name": name, "lifecycle": "active"}
        lengths = {"max_input_tokens": self._window, "max_tokens": 64_000}
        return {**about, **lengths, "created_at": "2026-01-01T00:00:00Z"}

    def _counted(self, received: Received) -> Answered:
        if not self.counts:
            return _missing(received)
        return Answered({"input_tokens": self._prompt(received.body)})

    def _prompt(self, body: Mapping[str, Any]) -> int:
        asked = {name: body.get(name) for name in ("system", "messages", "tools")}
        return self._count(" ".join(_strings(asked)))

    def _answer(self, received: Received) -> Answered:
        body = received.body
        if fault := _fault(body):
            return _invalid(fault)
        if body["model"] not in self._models:
            return _refused(404, "not_found_error", f"model: {body['model']}")
        prompt = self._prompt(body)
        if prompt > self._window:
            return _invalid(f"prompt is too long: {prompt} tokens > {self._window} maximum")
        reply = self.script.reply(body)
        if reply.status >= 400:
            kind = "overloaded_error" if reply.status == 529 else "api_error"
            return _refused(reply.status, kind, reply.error)
        head = AnswerHead(f"msg_test{len(self.requests)}", str(body["model"]), prompt)
        if body.get("stream"):
            return Answered(self._stream(reply, head), kind=SSE)
        chunks = [*paced(reply), reply.end(prompt, self._count(reply.text))]
        made = answer(chunks, head)
        for block in made["content"]:
            if block["type"] == "thinking":
                block["signature"] = signature(block["thinking"])
        return Answered(made)

    def _stream(self, reply: ScriptedReply, head: AnswerHead) -> Iterator[bytes]:
        speaker = MessagesSpeaker(head)
        yield from map(frame, speaker.begin())
        thoughts: list[str] = []
        for place, chunk in enumerate(paced(reply)):
            if (reply.error or reply.breaks) and place >= reply.after:
                break
            yield from _signed(speaker.feed(chunk), thoughts)
        if reply.breaks:
            raise BreakOff
        if reply.error:
            yield frame(error_body("overloaded_error", reply.error))
            return
        if reply.ends == "done":
            end = reply.end(head.prompt, self._count(reply.text))
            yield from _signed(speaker.end(end), thoughts)


def _signed(events: Iterable[Mapping[str, Any]], thoughts: list[str]) -> Iterator[bytes]:
    for event in events:
        delta = event.get("delta", {})
        if delta.get("type") == "thinking_delta":
            thoughts.append(delta["thinking"])
        if event["type"] == "content_block_stop" and thoughts:
            signed = {"type": "signature_delta", "signature": signature("".join(thoughts))}
            thoughts.clear()
            index = event["index"]
            yield frame({"type": "content_block_delta", "index": index, "delta": signed})
        yield frame(event)


def signature(thought: str) -> str:
    """Return the signature of a thought, without which the server does not take it back."""
    return sha256(thought.encode()).hexdigest()


def _fault(body: Mapping[str, Any]) -> str:
    for name in body:
        if name not in _FIELDS:
            return f"{name}: Extra inputs are not permitted"
    for name in ("model", "messages", "max_tokens"):
        if name not in body:
            return f"{name}: Field required"
    marks = str(json.dumps(body)).count('"cache_control"')
    if marks > _BREAKPOINTS:
        return f"A maximum of 4 blocks with cache_control may be provided. Found {marks}."
    asked: set[str] = set()
    for place, message in enumerate(body["messages"]):
        if message.get("role") not in ("user", "assistant", "system"):
            return f"messages.{place}.role: unexpected value"
        fault, asked = _faulty_blocks(place, message, asked)
        if fault:
            return fault
    return (
        f"messages: `tool_use` ids without `tool_result` blocks: {sorted(asked)}" if asked else ""
    )


def _faulty_blocks(place: int, message: Mapping[str, Any], asked: set[str]) -> tuple[str, set[str]]:
    content = message.get("content")
    blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content or []
    where = f"messages.{place}"
    calls: set[str] = set()
    answered: set[str] = set()
    behind = False
    for block in blocks:
        match block:
            case {"type": "text", "text": ""}:
                return f"{where}: text content blocks must be non-empty", calls
            case {"type": "thinking", "thinking": thought, **more} if more.get(
                "signature"
            ) != signature(thought):
                return f"{where}: Invalid `signature` in `thinking` block", calls
            case {"type": "tool_use", "id": call}:
                calls.add(call)
            case {"type": "tool_result", "tool_use_id": call}:
                if call not in asked:
                    return f"{where}: unexpected `tool_use_id` found: {call}", calls
                if behind:
                    return f"{where}: `tool_result` blocks must come first", calls
                answered.add(call)
            case _:
                pass
        behind = block.get("type") != "tool_result"
    if left := asked - answered:
        return f"{where}: `tool_use` ids without `tool_result` blocks: {sorted(left)}", calls
    return ("" if blocks else f"{where}: content must be non-empty"), calls


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for each in value.values():
            yield from _strings(each)
    elif isinstance(value, list):
        for each in value:
            yield from _strings(each)


def _invalid(text: str) -> Answered:
    return _refused(400, "invalid_request_error", text)


def _refused(status: int, kind: str, text: str) -> Answered:
    return Answered(error_body(kind, text), status, headers={"request-id": "req_test"})


def _missing(received: Received) -> Answered:
    return _refused(404, "not_found_error", f"{received.method} {received.path}: Not found")
