"""Requests to OpenAI's API and their answers, one a line, from logs, batches and fine-tuning.

- a request with its answer: ``{"request": …, "response": …}``, or both in one object, as
  ``{"input": …, "output": …}`` of the Responses API and ``{"messages": …, "choices": …}``;
- a batch's input: ``{"custom_id", "method", "url", "body"}``; its output has only answers, which
  mean nothing without their questions, so they are reported and kept aside;
- pairs for preference tuning: ``{"input", "preferred_output", "non_preferred_output"}``: two
  branches.

Each line is a conversation. One that only lists ``messages`` is read by ``jsonl``. Facts:
platform.openai.com/docs/api-reference (batch, chat, responses) and
platform.openai.com/docs/guides/fine-tuning.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from unabridged.transfer.build_conversation import (
    ImportOrigin,
    RawMessage,
    build_transcript,
    content_key,
    outcome,
)
from unabridged.transfer.foreign_format import Format, each_record, signs
from unabridged.transfer.formats.jsonl import said_in
from unabridged.transfer.ids import digest
from unabridged.transfer.lenient_fields import Reasons, as_bytes, as_id, as_list, as_object, as_text
from unabridged.transfer.reader import Item
from unabridged.transfer.records import JsonRecord

_TIMES = ("created_at", "created", "timestamp", "time")
_NO_QUESTION = "an answer without its question, as a batch's output has them"


def _conversation(record: JsonRecord) -> Iterator[Item]:
    data, reasons = record.value, Reasons()
    if not isinstance(data, dict):
        yield record.unread("not a request: not an object")
        return
    response = as_object(data.get("response"))
    parts = [data, *map(as_object, (data.get("body"), data.get("request"), data.get("input")))]
    parts += [response, as_object(response.get("body"))]
    asked, answers = _asked(parts), list(_answers(parts))
    at = next((reasons.time(each[k]) for each in parts for k in _TIMES if each.get(k)), None)
    models = [model for each in parts if (model := as_text(each.get("model")))]
    messages = _messages(record.where, asked, answers, reasons, models[-1] if models else None)
    whole = response or data.get("object") == "response"
    own = as_id(data.get("id")) if whole else None
    made = digest(*(as_bytes(each).decode("utf-8", "surrogatepass") for each in asked))
    woven = build_transcript(ImportOrigin(FORMAT.name, own, created=at, seed=made), messages)
    if woven.conversation is not None:
        yield from outcome(record, woven, reasons)
    else:
        yield record.unread(_NO_QUESTION if answers else "not a request: it has no user message")


def _asked(parts: Iterable[Mapping[str, Any]]) -> list[Any]:
    for each in parts:
        for name in ("messages", "input"):
            held = each.get(name)
            if isinstance(held, str):
                return [{"role": "user", "content": held}]
            if isinstance(held, list):
                return held
    return []


def _answers(parts: Iterable[Mapping[str, Any]]) -> Iterator[list[Any]]:
    found: list[list[Any]] = []
    for each in parts:
        found += [[as_object(choice).get("message")] for choice in as_list(each.get("choices"))]
        for name in ("output", "preferred_output", "non_preferred_output"):
            if isinstance(each.get(name), list):
                found.append(each[name])
    yield from reversed(found)


def _messages(
    where: str, asked: list[Any], answers: list[list[Any]], reasons: Reasons, model: str | None
) -> list[RawMessage]:
    messages: list[RawMessage] = []

    def add(data: Any, parent: str | None) -> str | None:
        if not isinstance(data, dict):
            reasons.lost("not a message: not an object", data)
            return parent
        said = said_in(data, reasons)
        if said is None:
            return parent
        role, parts = said
        key = content_key(len(messages), role.value, parts)
        messages.append(RawMessage(key, role, parts, parent, model=model, where=where))
        return key

    end: str | None = None
    for each in asked:
        end = add(each, end)
    for answer in answers:
        above = end
        for each in answer:
            above = add(each, above)
    return messages


FORMAT = Format(
    "openai",
    "Requests to OpenAI's API and their answers",
    signs(
        "custom_id body",
        "custom_id response",
        "request/messages response",
        "request/input response",
        "messages choices",
        "input output model",
        "input/messages preferred_output",
    ),
    each_record(_conversation),
)
