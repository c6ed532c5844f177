"""OpenAI's Responses API, answers: typed events and the response object.

Source of the format: the official ``openai`` Python client 3.54.0 (types/responses and
lib/streaming/responses), against which it is tested. Pure: the caller passes the time.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from unabridged.domain.chat import StreamChunk, Usage
from unabridged.domain.message import Image, Message, Reasoning, Role, Text, ToolCall
from unabridged.wire.incoming_message import Wire
from unabridged.wire.stream_lines import encode

PREFIX = "resp_"
_STATUS = {"length": "max_output_tokens", "content_filter": "content_filter"}
"""The finish reasons of chat completions to reasons of incomplete answers."""


@dataclass(frozen=True, slots=True)
class ResponseHead:
    """The facts about a response before its first word.

    Attributes:
        id: Its id: ``resp_…``.
        created: Seconds since 1970.
        echo: The repeated part of its request.
        custom: The names of its custom tools, which take a text instead of JSON.
        spaces: The namespace of each tool that is in one, by its whole name.
    """

    id: str
    model: str
    created: float
    echo: Mapping[str, Any] = field(default_factory=dict)
    custom: frozenset[str] = frozenset()
    spaces: Mapping[str, str] = field(default_factory=dict)

    @property
    def key(self) -> str:
        """The id without its prefix; the ids of items contain it."""
        return self.id.removeprefix(PREFIX)


def frame(event: Mapping[str, Any]) -> bytes:
    """Return an event as bytes; streams of this dialect do not end with ``[DONE]``."""
    return b"event: %s\ndata: %s\n\n" % (str(event["type"]).encode(), encode(event))


class Speaker:
    """Makes the events of one response from an answer's chunks.

    The text is one message that stays open to the end, so that a client sends back one message for
    the stored one. Thinking is closed when text follows.
    """

    def __init__(self, head: ResponseHead) -> None:
        self._head = head
        self._count = 0
        self._items: list[Wire] = []
        self._open: dict[str, int] = {}
        self._finish = ""
        self._usage: Usage | None = None

    def begin(self) -> list[Wire]:
        """Return the two events before any text."""
        return [
            self._event("response.created", response=self._response("in_progress")),
            self._event("response.in_progress", response=self._response("in_progress")),
        ]

    def feed(self, chunk: StreamChunk) -> list[Wire]:
        """Return the events of a chunk; ``end`` returns those of the end."""
        made = list(self._thought(chunk.reasoning)) if chunk.reasoning else []
        if chunk.text:
            made += self._said(chunk.text)
        for call in chunk.calls:
            made += self._called(call)
        if chunk.done:
            self._finish, self._usage = chunk.finish, chunk.usage
        return made

    def end(self, completed: float) -> list[Wire]:
        """Return the events at the end of a complete answer.

        Args:
            completed: Seconds since 1970.
        """
        reason = _STATUS.get(self._finish)
        made = self._close("incomplete" if reason else "completed")
        if reason:
            whole = self._response("incomplete", incomplete_details={"reason": reason})
            return [*made, self._event("response.incomplete", response=whole)]
        whole = self._response("completed", completed_at=completed)
        return [*made, self._event("response.completed", response=whole)]

    def fail(self, message: str, code: str = "server_error") -> list[Wire]:
        """Return the events of an answer that broke off, with the part that arrived.

        The code must be one of ``ResponseError``.
        """
        made = self._close("incomplete")
        whole = self._response("failed", error={"code": code, "message": message})
        return [*made, self._event("response.failed", response=whole)]

    def whole(self, completed: float) -> Wire:
        """Return the complete response as one object."""
        response: Wire = self.end(completed)[-1]["response"]
        return response

    def _event(self, kind: str, **fields: Any) -> Wire:
        self._count += 1
        return {"type": kind, "sequence_number": self._count - 1, **fields}

    def _response(self, status: str, **fields: Any) -> Wire:
        ended = status != "in_progress"
        usage = usage_object(self._usage) if ended else None
        return response(self._head, status, output=self._items, usage=usage, **fields)

    def _id(self, kind: str) -> str:
        return f"{kind}_{self._head.key}_{len(self._items)}"

    def _added(self, kind: str, item: Wire) -> Wire:
        place = len(self._items)
        self._items.append(item)
        self._open[kind] = place
        return self._event("response.output_item.added", output_index=place, item=_copy(item))

    def _said(self, said: str) -> Iterator[Wire]:
        yield from self._shut("reasoning", "completed")
        if "message" not in self._open:
            item = {"type": "message", "id": self._id("msg"), "role": "assistant"}
            yield self._added("message", {**item, "status": "in_progress", "content": []})
            yield self._part("message", _words(""))
        yield self._grown("message", "response.output_text.delta", said, logprobs=[])

    def _thought(self, thought: str) -> Iterator[Wire]:
        if "reasoning" not in self._open:
            item = {"type": "reasoning", "id": self._id("rs"), "summary": [], "content": []}
            yield self._added("reasoning", {**item, "status": "in_progress"})
            yield self._part("reasoning", {"type": "reasoning_text", "text": ""})
        yield self._grown("reasoning", "response.reasoning_text.delta", thought)

    def _part(self, kind: str, part: Wire) -> Wire:
        self._items[self._open[kind]]["content"].append(part)
        return self._event("response.content_part.added", **self._where(kind), part=dict(part))

    def _where(self, kind: str) -> Wire:
        place = self._open[kind]
        return {"item_id": self._items[place]["id"], "output_index": place, "content_index": 0}

    def _grown(self, kind: str, event: str, delta: str, **fields: Any) -> Wire:
        self._items[self._open[kind]]["content"][0]["text"] += delta
        return self._event(event, **self._where(kind), delta=delta, **fields)

    def _called(self, call: ToolCall) -> Iterator[Wire]:
        yield from self._shut("reasoning", "completed")
        custom = call.name in self._head.custom
        whole = (_custom_item if custom else _call_item)(self._id("ctc" if custom else "fc"), call)
        if space := self._head.spaces.get(call.name):
            whole |= {"name": call.name.removeprefix(f"{space}__"), "namespace": space}
        name = "input" if custom else "arguments"
        written = whole[name]
        item = whole | {"status": "in_progress", name: ""}
        yield self._added("call", item)
        place = self._open.pop("call")
        where = {"item_id": item["id"], "output_index": place}
        kind = "custom_tool_call_input" if custom else "function_call_arguments"
        done = {"input": written} if custom else {"arguments": written, "name": whole["name"]}
        yield self._event(f"response.{kind}.delta", **where, delta=written)
        yield self._event(f"response.{kind}.done", **where, **done)
        item |= whole
        yield self._event("response.output_item.done", output_index=place, item=dict(item))

    def _shut(self, kind: str, status: str) -> Iterator[Wire]:
        if kind not in self._open:
            return
        where, place = self._where(kind), self._open.pop(kind)
        item = self._items[place]
        part = item["content"][0]
        item["status"] = status
        if kind == "message":
            done = {"text": part["text"], "logprobs": []}
            yield self._event("response.output_text.done", **where, **done)
        else:
            yield self._event("response.reasoning_text.done", **where, text=part["text"])
        yield self._event("response.content_part.done", **where, part=dict(part))
        yield self._event("response.output_item.done", output_index=place, item=_copy(item))

    def _close(self, status: str) -> list[Wire]:
        return [*self._shut("reasoning", status), *self._shut("message", status)]


def _words(said: str) -> Wire:
    return {"type": "output_text", "text": said, "annotations": [], "logprobs": []}


def _copy(item: Mapping[str, Any]) -> Wire:
    if "content" not in item:
        return dict(item)
    return {**item, "content": [dict(part) for part in item["content"]]}


def _call_item(item_id: str, call: ToolCall) -> Wire:
    return {
        "type": "function_call",
        "id": item_id,
        "call_id": call.id,
        "name": call.name,
        "arguments": call.arguments or "{}",
        "status": "completed",
    }


def _custom_item(item_id: str, call: ToolCall) -> Wire:
    return {
        "type": "custom_tool_call",
        "id": item_id,
        "call_id": call.id,
        "name": call.name,
        "input": custom_input(call.arguments),
        "status": "completed",
    }


def custom_input(arguments: str) -> str:
    """Return the text for a custom tool from the arguments of the function that represents it."""
    try:
        given = json.loads(arguments or "{}")
    except ValueError:
        return arguments
    inner = given.get("input") if isinstance(given, dict) else None
    return inner if isinstance(inner, str) else arguments


def response(head: ResponseHead, status: str, *, output: Iterable[Wire], **fields: Any) -> Wire:
    """Return a response object.

    The status is ``in_progress``, ``completed``, ``incomplete`` or ``failed``.
    """
    return {
        "id": head.id,
        "object": "response",
        "created_at": head.created,
        "status": status,
        "background": False,
        "error": None,
        "incomplete_details": None,
        "usage": None,
        **head.echo,
        "model": head.model,
        "output": [_copy(item) for item in output],
        **fields,
    }


def usage_object(figures: Usage | None) -> Wire:
    """Return a usage object; unknown values are 0, since the dialect requires numbers."""
    figures = figures or Usage()
    prompt, said = figures.prompt or 0, figures.answer or 0
    return {
        "input_tokens": prompt,
        "input_tokens_details": {"cached_tokens": figures.cached or 0, "cache_write_tokens": 0},
        "output_tokens": said,
        "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": prompt + said,
    }


# ---- stored messages -------------------------------------------------------------------------


def output_items(messages: Iterable[Message], key: str) -> list[Wire]:
    """Return stored messages of the assistant as the output of a response.

    Args:
        messages: Messages of an exchange; only the assistant's are used.
        key: The base of the items' ids, as ``ResponseHead.key``.
    """
    items: list[Wire] = []
    for message in messages:
        if message.role is not Role.ASSISTANT:
            continue
        thought = "".join(part.text for part in message.parts if isinstance(part, Reasoning))
        if thought:
            content = [{"type": "reasoning_text", "text": thought}]
            item = {"type": "reasoning", "id": f"rs_{key}_{len(items)}", "summary": []}
            items.append({**item, "content": content, "status": "completed"})
        if message.text:
            item = {"type": "message", "id": f"msg_{key}_{len(items)}", "role": "assistant"}
            items.append({**item, "status": "completed", "content": [_words(message.text)]})
        items += [
            _call_item(f"fc_{key}_{len(items) + nth}", call)
            for nth, call in enumerate(message.calls)
        ]
    return items


def input_items(messages: Iterable[Message]) -> list[Wire]:
    """Return stored messages of a user, a system or a tool as the input of a response."""
    items: list[Wire] = []
    for message in messages:
        if message.role is Role.TOOL:
            items += [
                {
                    "type": "function_call_output",
                    "id": f"fco_{message.id}_{nth}",
                    "call_id": result.call_id,
                    "output": result.text,
                    "status": "completed",
                }
                for nth, result in enumerate(message.results)
            ]
            continue
        content: list[Wire] = []
        for part in message.parts:
            if isinstance(part, Text):
                content.append({"type": "input_text", "text": part.text})
            elif isinstance(part, Image):
                image = {"type": "input_image", "image_url": part.uri, "detail": "auto"}
                content.append(image)
        item = {"type": "message", "id": f"msg_{message.id}", "role": message.role.value}
        items.append({**item, "status": "completed", "content": content})
    return items
