"""A chat page in small: it keeps its own tree of messages, and sends what the real page sends."""

import itertools
import json
import threading
from contextlib import contextmanager
from dataclasses import dataclass, field

import httpx2

_NUMBERS = itertools.count(1)


@dataclass
class Node:
    """One message of the page's tree."""

    role: str
    text: str
    parent: "Node | None" = None
    model: str = ""
    thought: str = ""
    output: list = field(default_factory=list)
    """Tool rounds before the text, as wire messages."""
    images: tuple = ()
    id: str = field(default_factory=lambda: f"node-{next(_NUMBERS)}")

    @property
    def chain(self):
        """From the first message to this one."""
        before = self.parent.chain if self.parent else []
        return [*before, self]


def pairs(node):
    """The path to an answer, as pairs of what was asked and what was answered."""
    chain = node.chain
    return tuple(
        (chain[place].text.strip(), chain[place + 1].text.strip())
        for place in range(0, len(chain) - 1, 2)
    )


@dataclass
class Heard:
    """What came back for one request."""

    text: str = ""
    thought: str = ""
    calls: list = field(default_factory=list)
    usage: dict = field(default_factory=dict)
    headers: dict = field(default_factory=dict)
    done: bool = False


class Page:
    """What pages share.

    ``shown`` holds every path that the page ever had, whole or as the beginning of another: what
    must be in memory afterwards, each once. ``aside`` holds the words of its side requests.
    """

    def __init__(self, url, *, dialect="openai", model="m", headers=None):
        self.url = str(url)
        self.dialect = dialect
        self.model = model
        self.headers = dict(headers or {})
        self.current = None
        self.shown = set()
        self.aside = []
        self.lock = threading.Lock()

    def note(self, node):
        """Remember the path to an answer, and each beginning of it."""
        whole = pairs(node)
        with self.lock:
            self.shown |= {whole[:length] for length in range(1, len(whole) + 1)}

    def send(self, messages, *, stream=True, model=None, stop_after=None, partial=None, **more):
        """Send one request in the page's dialect; what comes is put into ``partial`` at once."""
        body = {"model": model or self.model, "messages": messages, "stream": stream, **more}
        send = self._openai if self.dialect == "openai" else self._ollama
        return send(body, stop_after, [] if partial is None else partial)

    @contextmanager
    def _posted(self, path, body):
        """Post, and give the answer before its body is read."""
        with (
            httpx2.Client(timeout=60) as client,
            client.stream("POST", self.url + path, json=body, headers=self.headers) as answer,
        ):
            if answer.status_code >= 400:
                answer.read()
                raise RefusedError(answer.status_code, answer.text)
            yield answer

    def _openai(self, body, stop_after, partial):
        heard = Heard()
        headers = {"Authorization": "Bearer sk-dummy", **self.headers}
        self.headers = headers
        with self._posted("/v1/chat/completions", body) as answer:
            heard.headers = dict(answer.headers)
            if not body["stream"]:
                made = json.loads(answer.read())
                message = made["choices"][0]["message"]
                heard.text = message.get("content") or ""
                heard.calls = message.get("tool_calls") or []
                heard.usage, heard.done = made.get("usage") or {}, True
                return heard
            calls = {}
            for count, line in enumerate(_data(answer.iter_lines())):
                if line == "[DONE]":
                    heard.done = True
                    break
                _take(json.loads(line), heard, calls)
                partial[:] = [heard.text]
                if stop_after is not None and count + 1 >= stop_after:
                    return heard
            heard.calls = [calls[place] for place in sorted(calls)]
        return heard

    def _ollama(self, body, stop_after, partial):
        heard = Heard()
        with self._posted("/api/chat", body) as answer:
            heard.headers = dict(answer.headers)
            lines = (line for line in answer.iter_lines() if line.strip())
            for count, line in enumerate(lines):
                piece = json.loads(line)
                if "error" in piece:
                    raise RefusedError(200, piece["error"])
                message = piece.get("message", {})
                heard.text += message.get("content") or ""
                partial[:] = [heard.text]
                heard.thought += message.get("thinking") or ""
                heard.calls += message.get("tool_calls") or []
                if piece.get("done"):
                    heard.usage, heard.done = piece, True
                if stop_after is not None and count + 1 >= stop_after:
                    return heard
        return heard


class RefusedError(Exception):
    """The server answered with an error: status and text."""


def _data(lines):
    for line in lines:
        if line.startswith("data:"):
            yield line[5:].strip()


def _take(event, heard, calls):
    if event.get("usage"):
        heard.usage = event["usage"]
    for choice in event.get("choices", []):
        delta = choice.get("delta") or {}
        heard.text += delta.get("content") or ""
        heard.thought += delta.get("reasoning_content") or delta.get("reasoning") or ""
        for part in delta.get("tool_calls") or []:
            call = calls.setdefault(
                part["index"],
                {"id": "", "type": "function", "function": {"name": "", "arguments": ""}},
            )
            call["id"] = part.get("id") or call["id"]
            function = part.get("function") or {}
            call["function"]["name"] += function.get("name") or ""
            call["function"]["arguments"] += function.get("arguments") or ""
