"""Answers of a scripted upstream in the three dialects, streamed and whole, without the package."""

import json
import time
from itertools import count

from tests.helpers.strict_rules import sign

from unabridged.testing.replies import split

SSE, NDJSON = "text/event-stream", "application/x-ndjson"
_numbers = count(1)


def _data(value, event=""):
    head = f"event: {event}\n" if event else ""
    return f"{head}data: {json.dumps(value, ensure_ascii=False)}\n\n".encode()


def paced(reply, pieces):
    """The pieces of a stream, with the reply's pause between them."""
    for piece in pieces:
        yield piece
        if reply.pause:
            time.sleep(reply.pause)


# Texts that are continued


def completion(reply, body, prompt):
    """OpenAI's ``/v1/completions``: whole, or the events of a stream."""
    head = {"id": f"cmpl-{next(_numbers)}", "object": "text_completion", "created": 1_700_000_000}
    head["model"] = body["model"]

    def made(text, finish):
        choice = {"index": 0, "text": text, "finish_reason": finish, "logprobs": None}
        return {**head, "choices": [choice]}

    if not body.get("stream"):
        return {**made(reply.text, "stop"), "usage": _usage(prompt, reply, 0)}
    pieces = [_data(made(word, None)) for word in split(reply.text)]
    return iter([*pieces, _data(made("", "stop")), b"data: [DONE]\n\n"])


def generated(reply, body, prompt):
    """Ollama's ``/api/generate``: whole, or the lines of a stream."""
    head, end = _ollama_head(body), _ollama_end(reply, prompt)
    if body.get("stream") is False:
        return {**head, "response": reply.text, **end}
    lines = [{**head, "response": word, "done": False} for word in split(reply.text)]
    return iter(
        [json.dumps(line).encode() + b"\n" for line in [*lines, {**head, "response": "", **end}]]
    )


# OpenAI's chat completions


def _calls(reply):
    return [
        {
            "id": call.id,
            "type": "function",
            "function": {"name": call.name, "arguments": call.arguments},
        }
        for call in reply.calls
    ]


def _usage(prompt, reply, cached):
    answer = len(split(reply.text))
    return {
        "prompt_tokens": prompt,
        "completion_tokens": answer,
        "total_tokens": prompt + answer,
        "prompt_tokens_details": {"cached_tokens": cached},
    }


def chat_whole(reply, body, prompt, cached):
    message = {"role": "assistant", "content": reply.text or None}
    if reply.reasoning:
        message["reasoning_content"] = reply.reasoning
    if reply.calls:
        message["tool_calls"] = _calls(reply)
    finish = "tool_calls" if reply.calls else "stop"
    return {
        "id": f"chatcmpl-{next(_numbers)}",
        "object": "chat.completion",
        "created": 1_700_000_000,
        "model": body["model"],
        "choices": [{"index": 0, "message": message, "finish_reason": finish, "logprobs": None}],
        "usage": _usage(prompt, reply, cached),
    }


def chat_stream(reply, body, prompt, cached):
    head = {
        "id": f"chatcmpl-{next(_numbers)}",
        "object": "chat.completion.chunk",
        "created": 1_700_000_000,
        "model": body["model"],
    }

    def event(delta, finish=None):
        choice = {"index": 0, "delta": delta, "finish_reason": finish}
        return _data({**head, "choices": [choice]})

    yield event({"role": "assistant", "content": ""})
    for word in split(reply.reasoning):
        yield event({"reasoning_content": word})
    for word in split(reply.text):
        yield event({"content": word})
    for place, call in enumerate(_calls(reply)):
        yield event({"tool_calls": [{"index": place, **call}]})
    yield event({}, "tool_calls" if reply.calls else "stop")
    if (body.get("stream_options") or {}).get("include_usage"):
        yield _data({**head, "choices": [], "usage": _usage(prompt, reply, cached)})
    yield b"data: [DONE]\n\n"


# Ollama


def _ollama_message(text, thinking="", calls=()):
    message = {"role": "assistant", "content": text}
    if thinking:
        message["thinking"] = thinking
    if calls:
        message["tool_calls"] = [
            {
                "id": call.id,
                "function": {"name": call.name, "arguments": json.loads(call.arguments)},
            }
            for call in calls
        ]
    return message


def _ollama_end(reply, prompt):
    return {
        "done": True,
        "done_reason": "stop",
        "total_duration": 1_000_000,
        "load_duration": 1000,
        "prompt_eval_count": prompt,
        "prompt_eval_duration": 1000,
        "eval_count": len(split(reply.text)),
        "eval_duration": 1000,
    }


def _ollama_head(body):
    return {"model": body["model"], "created_at": "2026-11-01T12:00:00Z"}


def ollama_whole(reply, body, prompt):
    message = _ollama_message(reply.text, reply.reasoning, reply.calls)
    return {**_ollama_head(body), "message": message, **_ollama_end(reply, prompt)}


def ollama_stream(reply, body, prompt):
    head = _ollama_head(body)

    def line(message):
        return json.dumps({**head, "message": message, "done": False}).encode() + b"\n"

    for word in split(reply.reasoning):
        yield line(_ollama_message("", word))
    for word in split(reply.text):
        yield line(_ollama_message(word))
    if reply.calls:
        yield line(_ollama_message("", calls=reply.calls))
    end = {**head, "message": _ollama_message(""), **_ollama_end(reply, prompt)}
    yield json.dumps(end).encode() + b"\n"


# Anthropic


def _blocks(reply):
    blocks = []
    if reply.reasoning:
        signed = sign(reply.reasoning)
        blocks.append({"type": "thinking", "thinking": reply.reasoning, "signature": signed})
    if reply.text:
        blocks.append({"type": "text", "text": reply.text})
    for call in reply.calls:
        given = json.loads(call.arguments)
        blocks.append({"type": "tool_use", "id": call.id, "name": call.name, "input": given})
    return blocks


def _anthropic_usage(prompt, cached):
    return {
        "input_tokens": prompt - cached,
        "cache_read_input_tokens": cached,
        "cache_creation_input_tokens": 0,
        "output_tokens": 1,
    }


def anthropic_whole(reply, body, prompt, cached):
    usage = _anthropic_usage(prompt, cached) | {"output_tokens": len(split(reply.text))}
    return {
        "id": f"msg_{next(_numbers)}",
        "type": "message",
        "role": "assistant",
        "model": body["model"],
        "content": _blocks(reply),
        "stop_reason": "tool_use" if reply.calls else "end_turn",
        "stop_sequence": None,
        "usage": usage,
    }


def _deltas(block):
    """The block as it begins, and what is then added to it."""
    if block["type"] == "thinking":
        empty = {"type": "thinking", "thinking": "", "signature": ""}
        pieces = [{"type": "thinking_delta", "thinking": each} for each in split(block["thinking"])]
        return empty, [*pieces, {"type": "signature_delta", "signature": block["signature"]}]
    if block["type"] == "text":
        pieces = [{"type": "text_delta", "text": each} for each in split(block["text"])]
        return {"type": "text", "text": ""}, pieces
    given = json.dumps(block["input"])
    pieces = [{"type": "input_json_delta", "partial_json": each} for each in (given[:3], given[3:])]
    return {**block, "input": {}}, pieces


def anthropic_stream(reply, body, prompt, cached):
    whole = anthropic_whole(reply, body, prompt, cached)
    begun = {**whole, "content": [], "stop_reason": None, "usage": _anthropic_usage(prompt, cached)}
    yield _data({"type": "message_start", "message": begun}, "message_start")
    for index, block in enumerate(whole["content"]):
        empty, pieces = _deltas(block)
        event = {"type": "content_block_start", "index": index, "content_block": empty}
        yield _data(event, event["type"])
        for piece in pieces:
            event = {"type": "content_block_delta", "index": index, "delta": piece}
            yield _data(event, event["type"])
        event = {"type": "content_block_stop", "index": index}
        yield _data(event, event["type"])
    reason = {"stop_reason": whole["stop_reason"], "stop_sequence": None}
    spent = {"output_tokens": whole["usage"]["output_tokens"]}
    yield _data({"type": "message_delta", "delta": reason, "usage": spent}, "message_delta")
    yield _data({"type": "message_stop"}, "message_stop")
