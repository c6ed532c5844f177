"""All that is in a request, in any dialect: who, what kind, and the thing itself.

Two requests of different dialects are compared by it.
"""

import base64
import json
import re

from tests.helpers.client_talks import ANTHROPIC, RESPONSES
from tests.helpers.strict_rules import blocks_of

MARK = re.compile(r"\[[0-9a-f]+-\d+\]")
"""What stands in each text, call, result and picture of a talk, and nowhere else."""


def schemas(body):
    """The tools of any dialect: name, words and schema."""
    found = []
    for tool in body.get("tools") or ():
        one = tool.get("function", tool)
        schema = one.get("parameters") or one.get("input_schema")
        found.append((one["name"], one.get("description"), schema))
    return found


def atoms(dialect, body):
    """The atoms of a request, a list for each message or item."""
    if dialect == RESPONSES:
        return [_item(item) for item in body["input"]]
    if dialect == ANTHROPIC:
        system = body.get("system") or ()
        system = [{"type": "text", "text": system}] if isinstance(system, str) else system
        first = [("system", "text", block["text"]) for block in system]
        turns = [
            [atom for block in blocks_of(message) for atom in _block(message["role"], block)]
            for message in body["messages"]
        ]
        return [first, *turns] if first else turns
    return [_message(message) for message in body["messages"]]


def holds(got, atom):
    """Whether an atom upstream holds one of the client."""
    if got[:2] != atom[:2]:
        return False
    return atom[2] in got[2] if isinstance(atom[2], str) else atom[2] == got[2]


def is_somewhere(atom, text):
    """Whether what an atom of a kind without translation carries is in a body at all."""
    marks = MARK.findall(json.dumps(atom[2], ensure_ascii=False))
    coded = [base64.b64encode(mark.encode()).decode() for mark in marks]
    return all(mark in text or code in text for mark, code in zip(marks, coded, strict=True))


def _message(message):
    """A message of OpenAI's or Ollama's chat."""
    role = {"developer": "system"}.get(message["role"], message["role"])
    thought = [message[n] for n in ("reasoning_content", "reasoning", "thinking") if message.get(n)]
    found = [(role, "reasoning", text) for text in thought[:1]]
    content = message.get("content") or ""
    parts = content if isinstance(content, list) else [{"type": "text", "text": content}]
    found += [_part(role, part) for part in parts if part.get("text") != ""]
    found += [(role, "image", data) for data in message.get("images") or ()]
    for call in message.get("tool_calls") or ():
        given = call["function"]["arguments"]
        given = json.loads(given) if isinstance(given, str) else given
        found.append((role, "call", [call["function"]["name"], given]))
    return found


def _part(role, part):
    if part["type"] in {"text", "input_text", "output_text"}:
        return role, "text", part["text"]
    if part["type"] == "refusal":
        return role, "text", part["refusal"]
    if part["type"] in {"image_url", "input_image"}:
        held = part["image_url"]
        url = held["url"] if isinstance(held, dict) else held
        return role, "image", url.partition("base64,")[2] or url
    return role, "other", part


def _block(role, block):
    kind = block["type"]
    if kind == "tool_result":
        inner = block.get("content") or ""
        parts = [{"type": "text", "text": inner}] if isinstance(inner, str) else inner
        return [atom for part in parts for atom in _block("tool", part)]
    if kind == "text":
        return [(role, "text", block["text"])]
    if kind == "thinking":
        return [(role, "reasoning", block["thinking"])]
    if kind == "tool_use":
        return [(role, "call", [block["name"], block["input"]])]
    if kind == "image":
        return [(role, "image", block["source"].get("data") or block["source"].get("url"))]
    return [(role, "other", block)]


def _item(item):
    kind = item["type"]
    if kind == "message":
        role = {"developer": "system"}.get(item["role"], item["role"])
        content = item["content"]
        parts = [{"type": "input_text", "text": content}] if isinstance(content, str) else content
        return [_part(role, part) for part in parts]
    if kind == "function_call":
        return [("assistant", "call", [item["name"], json.loads(item["arguments"])])]
    if kind == "function_call_output":
        output = item["output"]
        parts = [{"type": "input_text", "text": output}] if isinstance(output, str) else output
        return [_part("tool", part) for part in parts]
    if kind == "reasoning":
        return [("assistant", "reasoning", s["text"]) for s in item.get("summary") or ()]
    return [("", "other", item)]
