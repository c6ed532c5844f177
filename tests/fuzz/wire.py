"""Targets: requests in every dialect, MCP messages, and answers of model servers."""

import socket
import threading
from contextlib import closing, contextmanager
from random import Random

import requests
from tests.fuzz.mutate import dumped
from tests.fuzz.target import Subject, Target, WrongError, refused, sign_of
from tests.helpers.web_server import WebServer

from unabridged import config
from unabridged.client.remote import RemoteMemory
from unabridged.factory.space_pool import SpacePool
from unabridged.home.api_keys import ApiKeys
from unabridged.mcp.http_transport import mcp_mount
from unabridged.net.http import HttpUpstream
from unabridged.operations import TABLE
from unabridged.server.app import create_app
from unabridged.server.resolve_scope import scope_of
from unabridged.server.state import Service
from unabridged.server.stream_parser import MessagesListener, OllamaListener, OpenAIListener

SECONDS = 10
"""Seconds to wait for an answer."""
AGAIN = 400
"""Requests after which a server begins again with an empty home, so that it stays small."""
_SAY = [{"role": "system", "content": "Be kind."}, {"role": "user", "content": "Where is Ida?"}]
_TOOL = {"name": "look", "description": "Look it up.", "parameters": {"type": "object"}}
_CALL = {"id": "c1", "type": "function", "function": {"name": "look", "arguments": '{"a": 1}'}}
_TALK = [
    *_SAY,
    {"role": "assistant", "content": None, "tool_calls": [_CALL]},
    {"role": "tool", "tool_call_id": "c1", "content": "In Oslo."},
    {"role": "user", "content": [{"type": "text", "text": "And Tom?"}]},
]
_IMAGE = {"type": "image_url", "image_url": {"url": "data:image/png;base64,iVBORw0KGgo="}}
_FUNCTION = {"type": "function", "function": _TOOL}
_USED = {"type": "tool_use", "id": "t1", "name": "look", "input": {}}
_RESULT = {"type": "tool_result", "tool_use_id": "t1", "content": "Oslo"}
REQUESTS = {
    "openai": (
        ("/v1/chat/completions", {"model": "m", "messages": _SAY}),
        ("/v1/chat/completions", {"model": "m", "messages": _TALK, "tools": [_FUNCTION], "stream": True,
                                  "stream_options": {"include_usage": True}, "max_tokens": 9}),
        ("/v1/chat/completions", {"model": "m", "messages": [{"role": "user", "content": [_IMAGE]}],
                                  "temperature": 0.5, "stop": ["x"], "n": 1, "user": "ada"}),
        ("/v1/completions", {"model": "m", "prompt": "Once", "max_tokens": 9, "stream": True}),
        ("/v1/embeddings", {"model": "m", "input": ["a", "b"], "dimensions": 8}),
    ),
    "ollama": (
        ("/api/chat", {"model": "m", "messages": _SAY, "stream": False, "options": {"num_ctx": 4096}}),
        ("/api/chat", {"model": "m", "messages": [*_SAY, {"role": "user", "content": "x", "images": ["iVBORw0KGgo="]}],
                       "tools": [_FUNCTION], "format": {"type": "object"}, "keep_alive": "5m"}),
        ("/api/generate", {"model": "m", "prompt": "Where?", "system": "x", "context": [1, 2], "stream": False}),
        ("/api/show", {"model": "m"}),
        ("/api/embed", {"model": "m", "input": ["a"], "truncate": True}),
    ),
    "anthropic": (
        ("/v1/messages", {"model": "m", "max_tokens": 9, "system": "Be kind.", "messages": _SAY[1:]}),
        ("/v1/messages", {"model": "m", "max_tokens": 9, "stream": True, "tools": [{**_TOOL, "input_schema": {}}],
                          "messages": [*_SAY[1:], {"role": "assistant", "content": [_USED]},
                                       {"role": "user", "content": [_RESULT, {"type": "text", "text": "And?"}]}],
                          "thinking": {"type": "enabled", "budget_tokens": 1024}}),
        ("/v1/messages/count_tokens", {"model": "m", "messages": _SAY[1:]}),
    ),
    "responses": (
        ("/v1/responses", {"model": "m", "input": "Where is Ida?", "store": True}),
        ("/v1/responses", {"model": "m", "stream": True, "instructions": "x", "tools": [{"type": "function", **_TOOL}],
                           "input": [{"type": "message", "role": "user", "content": [{"type": "input_text", "text": "a"}]},
                                     {"type": "function_call", "call_id": "c", "name": "look", "arguments": "{}"},
                                     {"type": "function_call_output", "call_id": "c", "output": "b"},
                                     {"type": "reasoning", "summary": [], "encrypted_content": "x"}]}),
        ("/v1/responses", {"model": "m", "input": "and?", "previous_response_id": "resp_x"}),
    ),
}  # fmt: skip
_CLIENT = {
    "protocolVersion": "2025-11-25",
    "capabilities": {"elicitation": {}},
    "clientInfo": {"name": "f", "version": "1"},
}
MESSAGES = (
    {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": _CLIENT},
    {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {"cursor": None}},
    {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "search", "arguments": {"query": "Ida"}}},
    {"jsonrpc": "2.0", "id": 1, "method": "tools/call",
     "params": {"name": "record", "arguments": {"user": "I am Ada.", "assistant": "Hello.", "session": None}}},
    {"jsonrpc": "2.0", "id": 1, "method": "resources/read", "params": {"uri": "unabridged://sessions"}},
    {"jsonrpc": "2.0", "id": 1, "method": "prompts/get", "params": {"name": "recall", "arguments": {}}},
    {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}},
)  # fmt: skip


class Served:
    """A server with its MCP route, which begins again from time to time."""

    def __init__(self, place):
        self.place, self.number, self.asked = place, 0, 0
        self.session = requests.Session()
        self.server = None
        self._start()

    def _start(self):
        self.number += 1
        home = self.place / f"home{self.number}"
        settings = config.load(home=home, environ={}, upstream="quote", json_files="none")
        service = Service(settings, SpacePool(settings))
        route = mcp_mount(service.pool, scope_of, max_body=settings.max_body)
        self.server = WebServer(create_app(service, [route]))
        self.server.start()
        self.session.headers["Authorization"] = f"Bearer {ApiKeys(settings.home).token()}"

    def post(self, path, body, **headers):
        """Send a body; give the status. A failure of the server is an error."""
        self.asked += 1
        if self.asked % AGAIN == 0:
            self.stop()
            self._start()
        try:
            answer = self.session.post(
                self.server.url + path,
                data=body,
                headers={"Content-Type": "application/json", **headers},
                timeout=SECONDS,
            )
        except requests.RequestException as error:
            raise WrongError(f"{path}: no answer, {type(error).__name__}: {error}") from error
        if answer.status_code == 500 or b"internal_error" in answer.content:
            raise WrongError(f"{path}: {answer.status_code} {answer.text[:300]}")
        return answer

    def stop(self):
        """End the server."""
        self.session.close()
        self.server.stop()


@contextmanager
def _served(place):
    served = Served(place)
    try:
        yield served
    finally:
        served.stop()


def _dialect(name):
    @contextmanager
    def opened(place):
        with _served(place) as served:

            def attempt(data):
                path, _, body = data.partition(b"\n")
                answer = served.post(path.decode(), body)
                return f"{path.decode()} {answer.status_code} {_told(answer)}"

            yield Subject([_request(*each) for each in REQUESTS[name]], attempt)

    return opened


def _told(answer):
    words = "".join(c for c in answer.text[:160] if c.isalpha() or c == " ")
    return words[:60] if answer.status_code >= 400 else ""


def _request(path, body):
    return path.encode() + b"\n" + dumped(body)


@contextmanager
def memory_bodies(place):
    """Bodies under ``/memory``, for each operation that takes one."""
    examples = {"text": "Ida", "query": "Ida", "message": "Where is Ida?", "ids": ["x"], "limit": 3,
                "messages": _SAY, "session": "s1", "reply": "In Oslo.", "title": "T", "kind": "fact"}  # fmt: skip
    paths = dict.fromkeys(each.path for each in TABLE if each.method == "POST")
    seeds = [
        _request(f"/memory{path}".replace("{", "").replace("}", ""), examples) for path in paths
    ]
    with _served(place) as served:

        def attempt(data):
            path, _, body = data.partition(b"\n")
            answer = served.post(path.decode(), body)
            return f"{path.decode()} {answer.status_code} {_told(answer)}"

        yield Subject(seeds, attempt)


@contextmanager
def mcp_messages(place):
    """Messages of MCP, over HTTP."""
    accept = {"Accept": "application/json, text/event-stream", "MCP-Protocol-Version": "2025-11-25"}
    with _served(place) as served:
        begun = served.post("/mcp", dumped(MESSAGES[0]), **accept)
        known = {"Mcp-Session-Id": begun.headers.get("Mcp-Session-Id", "")}

        def attempt(data):
            if served.asked % AGAIN >= AGAIN - 2:
                served.post("/mcp", b"{}", **accept)
                served.post("/mcp", b"{}", **accept)
                again = served.post("/mcp", dumped(MESSAGES[0]), **accept)
                known["Mcp-Session-Id"] = again.headers.get("Mcp-Session-Id", "")
            answer = served.post("/mcp", data, **accept, **known)
            return f"{answer.status_code} {_told(answer)}"

        yield Subject([dumped(each) for each in MESSAGES], attempt)


def _events(*events, names=False, end=b""):
    name = lambda each: f"event: {each['type']}\n".encode() if names else b""  # noqa: E731 - one use
    return b"".join(name(e) + b"data: " + dumped(e) + b"\n\n" for e in events) + end


STREAMS = {
    "ollama": [
        b"".join(dumped(each) + b"\n" for each in (
            {"model": "m", "message": {"role": "assistant", "content": "In ", "thinking": "hm"}, "done": False},
            {"model": "m", "message": {"content": "", "tool_calls": [{"function": {"name": "look", "arguments": {}}}]}},
            {"model": "m", "done": True, "done_reason": "stop", "prompt_eval_count": 3, "eval_count": 2},
        )),
        dumped({"error": "no such model"}),
    ],
    "openai": [
        _events(
            {"choices": [{"index": 0, "delta": {"role": "assistant", "content": "In "}}]},
            {"choices": [{"delta": {"tool_calls": [{"index": 0, **_CALL}], "reasoning_content": "x"}}]},
            {"choices": [{"delta": {}, "finish_reason": "stop"}]},
            {"choices": [], "usage": {"prompt_tokens": 3, "completion_tokens": 2}},
            end=b"data: [DONE]\n\n",
        ),
        dumped({"choices": [{"message": {"role": "assistant", "content": "x", "tool_calls": [_CALL]}}]}),
    ],
    "anthropic": [
        _events(
            {"type": "message_start", "message": {"id": "m", "usage": {"input_tokens": 3}}},
            {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
            {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "In"}},
            {"type": "content_block_stop", "index": 0},
            {"type": "content_block_start", "index": 1, "content_block": _USED},
            {"type": "content_block_delta", "index": 1, "delta": {"type": "input_json_delta", "partial_json": "{}"}},
            {"type": "content_block_stop", "index": 1},
            {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 2}},
            {"type": "message_stop"},
            names=True,
        ),
        dumped({"type": "message", "role": "assistant", "content": [{"type": "text", "text": "x"}, _USED],
                "stop_reason": "end_turn", "usage": {"input_tokens": 3, "output_tokens": 2}}),
    ],
}  # fmt: skip
_LISTENERS = {
    "ollama": OllamaListener,
    "openai": lambda: OpenAIListener(usage=True),
    "anthropic": MessagesListener,
}


def _answers(name):
    """Answers of a model server: in pieces, and as one object."""

    @contextmanager
    def opened(place):
        def attempt(data):
            whole = refused(lambda: list(_LISTENERS[name]().whole(data)))
            listener, chance, at = _LISTENERS[name](), Random(len(data)), 0
            while at < len(data):
                size = chance.choice([1, 7, 60, 4000])
                list(listener.feed(data[at : at + size]))
                at += size
            list(listener.end())
            return f"answered {sign_of(whole)}"

        yield Subject(STREAMS[name], attempt)

    return opened


class RawServer:
    """A server that answers every request with the same bytes."""

    def __init__(self):
        self.answer = b""
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._socket.getsockname()[1]}"
        threading.Thread(target=self._run, daemon=True).start()

    def _run(self):
        while True:
            try:
                connection, _ = self._socket.accept()
            except OSError:
                return
            with connection:
                try:
                    connection.settimeout(SECONDS)
                    connection.recv(65_536)
                    connection.sendall(self.answer)
                except OSError:
                    continue

    def close(self):
        """End it."""
        self._socket.close()


def _http(body, head=b"200 OK", kind=b"application/json", chunked=False):
    lines = [b"HTTP/1.1 " + head, b"Content-Type: " + kind, b"Connection: close"]
    if chunked:
        lines.append(b"Transfer-Encoding: chunked")
        body = f"{len(body):x}\r\n".encode() + body + b"\r\n0\r\n\r\n"
    else:
        lines.append(f"Content-Length: {len(body)}".encode())
    return b"\r\n".join(lines) + b"\r\n\r\n" + body


@contextmanager
def upstream_http(place):
    """Raw HTTP of a model server: lists, objects and streams."""
    tags = dumped({"models": [{"name": "m", "model": "m"}]})
    seeds = [
        _http(tags),
        _http(STREAMS["ollama"][0], kind=b"application/x-ndjson", chunked=True),
        _http(dumped({"error": {"message": "too long"}}), head=b"400 Bad Request"),
        _http(STREAMS["openai"][0], kind=b"text/event-stream", chunked=True),
    ]
    with closing(RawServer()) as server:

        def attempt(data):
            server.answer = data
            upstream = HttpUpstream(server.url, name="Ollama", timeout=2.0)
            with closing(upstream):
                signs = [
                    sign_of(refused(upstream.get, "/api/tags")),
                    sign_of(refused(upstream.post, "/api/show", {"model": "m"})),
                    sign_of(refused(lambda: list(upstream.stream("/api/chat", {"a": 1})))),
                ]
            return " | ".join(signs)

        yield Subject(seeds, attempt)


@contextmanager
def own_client(place):
    """Answers to our own client of a memory server."""
    page = {"items": [{"id": "s1", "title": "T", "user": "a"}], "next": None}
    seeds = [
        _http(dumped(page)),
        _http(dumped({"error": {"message": "x", "code": "c"}}), b"404 Not Found"),
    ]
    with closing(RawServer()) as server:

        def attempt(data):
            server.answer = data
            with closing(RemoteMemory(server.url, timeout=2.0)) as memory:
                signs = [sign_of(refused(memory.search, "Ida")), sign_of(refused(memory.stats))]
            return " | ".join(signs)

        yield Subject(seeds, attempt)


TARGETS = (
    *(Target(f"http-{name}", "request", _dialect(name)) for name in REQUESTS),
    Target("http-memory", "request", memory_bodies),
    Target("mcp", "json", mcp_messages),
    *(Target(f"answer-{name}", "text", _answers(name)) for name in STREAMS),
    Target("upstream-http", "text", upstream_http),
    Target("client-http", "text", own_client),
)
