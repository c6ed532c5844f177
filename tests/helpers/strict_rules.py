"""What real servers refuse, and in which words: OpenAI, DeepSeek, Ollama, Anthropic.

Each function returns None, or the status and the body of the refusal. Nothing here imports the
package: what is tested must not be judged by its own code.
"""

import base64
import binascii
import hashlib
import json
from dataclasses import dataclass

CHAT_FIELDS = frozenset(
    "model messages stream stream_options tools tool_choice parallel_tool_calls max_tokens n"
    " max_completion_tokens temperature top_p stop seed response_format logprobs top_logprobs"
    " presence_penalty frequency_penalty logit_bias user metadata store reasoning_effort"
    " prompt_cache_key safety_identifier service_tier modalities audio prediction verbosity"
    " functions function_call web_search_options".split()
)
MESSAGE_FIELDS = frozenset(
    "role content name tool_calls tool_call_id refusal audio annotations function_call".split()
)
PARTS = ("text", "image_url", "input_audio", "refusal", "audio", "file")
ANTHROPIC_FIELDS = frozenset(
    "model messages system max_tokens metadata stop_sequences stream temperature top_p top_k tools"
    " tool_choice thinking service_tier container context_management mcp_servers output_config".split()
)
BLOCKS = frozenset(
    "text image document tool_use tool_result thinking redacted_thinking search_result"
    " server_tool_use web_search_tool_result".split()
)
OLLAMA_ROLES = ("system", "user", "assistant", "tool")
NEEDED = "The `reasoning_content` in the thinking mode must be passed back to the API."


@dataclass(frozen=True)
class Strictness:
    """What a server refuses beside what all refuse.

    ``unknown``: fields and parts that it does not know, as OpenAI does; most local servers ignore
    them. ``thinks``: assistant messages of an open tool loop without their reasoning, as DeepSeek
    does. ``alternates``: two messages of a role one after the other, ``system_first``: a system
    message elsewhere, as chat templates do. ``most_tools``: more tools (OpenAI: 128).
    """

    unknown: bool = True
    thinks: bool = False
    alternates: bool = False
    system_first: bool = False
    most_tools: int | None = None


def openai_error(text, code=None, param=None):
    kind = "invalid_request_error"
    return 400, {"error": {"message": text, "type": kind, "param": param, "code": code}}


def anthropic_error(text, kind="invalid_request_error", status=400):
    return status, {"type": "error", "error": {"type": kind, "message": text}}


def sign(thinking):
    """The signature that the server gives to a thought, and asks back with it."""
    return base64.b64encode(hashlib.sha256(thinking.encode()).digest()).decode()


# OpenAI's chat completions


def chat_refusal(body, strict):
    """Judge a body of ``/v1/chat/completions``."""
    messages = body.get("messages")
    if not isinstance(messages, list) or not messages:
        text = "Invalid 'messages': empty array. Expected an array with minimum length 1."
        return openai_error(text, "empty_array", "messages")
    found = _unknown(body, messages) if strict.unknown else None
    return (
        found
        or _chat_tools(body, strict)
        or _contents(messages)
        or _pairs(messages)
        or _order(messages, strict)
        or (_reasoned(messages, strict))
    )


def _unknown(body, messages):
    names = [name for name in body if name not in CHAT_FIELDS]
    for place, message in enumerate(messages):
        allowed = MESSAGE_FIELDS | {"reasoning_content"}
        names += [f"messages[{place}].{name}" for name in message if name not in allowed]
    if names:
        return openai_error(f"Unknown parameter: '{names[0]}'.", "unknown_parameter", names[0])
    for place, message in enumerate(messages):
        content = message.get("content")
        for part in content if isinstance(content, list) else ():
            if part.get("type") not in PARTS:
                known = ", ".join(f"'{name}'" for name in PARTS)
                text = f"Invalid value: '{part.get('type')}'. Supported values are: {known}."
                return openai_error(text, "invalid_value", f"messages[{place}].content")
            if message["role"] == "tool" and part["type"] == "image_url":
                return openai_error(
                    "Image URLs are only allowed for messages with role 'user', but this message"
                    " with role 'tool' contains an image URL."
                )
    return None


def _chat_tools(body, strict):
    tools = body.get("tools")
    choice = body.get("tool_choice")
    if tools == []:
        text = "Invalid 'tools': empty array. Expected an array with minimum length 1."
        return openai_error(text, "empty_array", "tools")
    if choice is not None and not tools:
        text = "Invalid value for 'tool_choice': 'tool_choice' is only allowed when 'tools' are"
        return openai_error(f"{text} specified.", None, "tool_choice")
    if strict.most_tools and len(tools or ()) > strict.most_tools:
        text = "Invalid 'tools': array too long. Expected an array with maximum length"
        text += f" {strict.most_tools}, but got an array with length {len(tools)} instead."
        return openai_error(text, "array_above_max_length", "tools")
    if isinstance(choice, dict) and choice.get("type") == "function":
        name = choice["function"]["name"]
        if name not in [each.get("function", {}).get("name") for each in tools]:
            text = f"Tool choice '{name}' not found in 'tools' parameter."
            return openai_error(text, None, "tool_choice")
    return None


def _contents(messages):
    for place, message in enumerate(messages):
        empty = message.get("content") is None
        silent = message["role"] == "assistant" and (
            message.get("tool_calls") or message.get("refusal") or message.get("audio")
        )
        if empty and not silent:
            text = "Invalid value for 'content': expected a string, got null."
            return openai_error(text, None, f"messages.[{place}].content")
    return None


def _pairs(messages):
    """Judge that results follow their calls, at once and all."""
    due = []
    for place, message in enumerate(messages):
        if message["role"] == "tool":
            if message.get("tool_call_id") not in due:
                text = "Invalid parameter: messages with role 'tool' must be a response to a"
                text += " preceeding message with 'tool_calls'."
                return openai_error(text, None, f"messages.[{place}].role")
            due.remove(message["tool_call_id"])
            continue
        if due:
            break
        due = [call["id"] for call in message.get("tool_calls") or ()]
    if due:
        text = "An assistant message with 'tool_calls' must be followed by tool messages"
        text += " responding to each 'tool_call_id'. The following tool_call_ids did not have"
        return openai_error(f"{text} response messages: {', '.join(due)}", None, "messages")
    return None


def _order(messages, strict):
    roles = [m["role"] for m in messages]
    if strict.system_first and "system" in roles[1:]:
        return openai_error("System message must be at the beginning.")
    spoken = [m["role"] for m in messages if m["role"] in {"user", "assistant"}]
    if strict.alternates and "tool" not in roles:
        wanted = ["user", "assistant"] * len(spoken)
        if spoken != wanted[: len(spoken)]:
            text = "Conversation roles must alternate user/assistant/user/assistant/..."
            return openai_error(text)
    return None


def _reasoned(messages, strict):
    if not strict.thinks:
        return None
    users = [place for place, m in enumerate(messages) if m["role"] == "user"]
    for message in messages[users[-1] if users else 0 :]:
        if message.get("tool_calls") and not message.get("reasoning_content"):
            return openai_error(NEEDED, "invalid_request_error")
    return None


def chat_too_long(asked, answer, window):
    text = f"This model's maximum context length is {window} tokens. However, you requested"
    text += f" {asked + answer} tokens ({asked} in the messages, {answer} in the completion)."
    text += " Please reduce the length of the messages or completion."
    return openai_error(text, "context_length_exceeded", "messages")


# Ollama


def ollama_refusal(body):
    """Judge a body of ``/api/chat`` as Go's decoder and the server do."""
    for message in body.get("messages") or ():
        role, content = message.get("role"), message.get("content", "")
        if role not in OLLAMA_ROLES:
            text = f"invalid role: {role}, must be one of [system, user, assistant, or tool]"
            return 400, {"error": text}
        if content is not None and not isinstance(content, str):
            return 400, {"error": _go("messages.content", content, "string")}
        for call in message.get("tool_calls") or ():
            given = call["function"].get("arguments")
            if not isinstance(given, dict):
                return 400, {"error": _go("messages.tool_calls.function.arguments", given, "map")}
        for image in message.get("images") or ():
            try:
                base64.b64decode(image, validate=True)
            except (binascii.Error, TypeError):
                return 400, {"error": "illegal base64 data at input byte 0"}
    return None


def _go(field, value, kind):
    names = {str: "string", list: "array", dict: "object", bool: "bool"}
    told = names.get(type(value), "number")
    return f"json: cannot unmarshal {told} into Go struct field ChatRequest.{field} of type {kind}"


def ollama_too_long(asked, window):
    text = f"request ({asked} tokens) exceeds the available context size ({window} tokens), "
    return 400, {"error": text + "try increasing it"}


# Anthropic


def anthropic_refusal(body, headers, strict):
    """Judge a body of ``/v1/messages``."""
    if "anthropic-version" not in headers:
        return anthropic_error("anthropic-version: header is required")
    for name in ("model", "messages"):
        if name not in body:
            return anthropic_error(f"{name}: Field required")
    extra = [name for name in body if name not in ANTHROPIC_FIELDS] if strict.unknown else ()
    if extra:
        return anthropic_error(f"{extra[0]}: Extra inputs are not permitted")
    marked = json.dumps(body).count('"cache_control": {')
    if marked > 4:
        text = f"A maximum of 4 blocks with cache_control may be provided. Found {marked}."
        return anthropic_error(text)
    names = [tool.get("name") for tool in body.get("tools") or ()]
    if len(set(names)) < len(names):
        return anthropic_error("tools: Tool names must be unique.")
    return _turns(body["messages"], strict) or _thoughts(body)


def blocks_of(message):
    """The content of a message as blocks."""
    content = message["content"]
    return [{"type": "text", "text": content}] if isinstance(content, str) else content


def _turns(messages, strict):
    if not messages or messages[0]["role"] != "user":
        return anthropic_error('messages: first message must use the "user" role')
    due = []
    for place, message in enumerate(messages):
        if message["role"] == "system" and not strict.unknown:
            continue  # Anthropic's newest models take it
        if message["role"] not in {"user", "assistant"}:
            text = f'messages: Unexpected role "{message["role"]}". The Messages API accepts a'
            return anthropic_error(f"{text} top-level `system` parameter.")
        blocks = blocks_of(message)
        found = _blocks(blocks, place, strict) or _results(blocks, place, due)
        if found:
            return found
        due = [b["id"] for b in blocks if b["type"] == "tool_use"]
    if due:
        return _due(len(messages) - 1, due)
    return None


def _due(place, due):
    text = f"messages.{place}: `tool_use` ids were found without `tool_result` blocks immediately"
    text += f" after: {', '.join(due)}. Each `tool_use` block must have a corresponding"
    return anthropic_error(f"{text} `tool_result` block in the next message.")


def _blocks(blocks, place, strict):
    for at, block in enumerate(blocks):
        if block["type"] == "text" and not block["text"]:
            return anthropic_error("messages: text content blocks must be non-empty")
        if block["type"] not in BLOCKS and strict.unknown:
            text = f"messages.{place}.content.{at}: Input tag '{block['type']}' found using 'type'"
            return anthropic_error(f"{text} does not match any of the expected tags")
        if block["type"] == "thinking":
            at_block = f"messages.{place}.content.{at}"
            if "signature" not in block:
                return anthropic_error(f"{at_block}.thinking.signature: Field required")
            if block["signature"] != sign(block["thinking"]):
                return anthropic_error(f"{at_block}: Invalid `signature` in `thinking` block")
    return None


def _results(blocks, place, due):
    """Judge that results stand first in the message after their calls."""
    leading = []
    for block in blocks:
        if block["type"] != "tool_result":
            break
        leading.append(block["tool_use_id"])
    every = [b["tool_use_id"] for b in blocks if b["type"] == "tool_result"]
    lost = [name for name in due if name not in leading]
    if lost:
        return _due(place - 1, lost)
    for name in every:
        if name not in due:
            text = f"messages.{place}.content.0: unexpected `tool_use_id` found in `tool_result`"
            text += f" blocks: {name}. Each `tool_result` block must have a corresponding"
            return anthropic_error(f"{text} `tool_use` block in the previous message.")
    return None


def _thoughts(body):
    """Judge that the turn of an open tool loop begins with its thought."""
    messages = body["messages"]
    enabled = (body.get("thinking") or {}).get("type") in {"enabled", "adaptive"}
    if not enabled or len(messages) < 2:
        return None
    if not any(b["type"] == "tool_result" for b in blocks_of(messages[-1])):
        return None
    first = blocks_of(messages[-2])[0]["type"]
    if first not in {"thinking", "redacted_thinking"}:
        text = f"messages.{len(messages) - 2}.content.0.type: Expected `thinking` or"
        text += f" `redacted_thinking`, but found `{first}`. When `thinking` is enabled, a final"
        return anthropic_error(f"{text} `assistant` message must start with a thinking block")
    return None


def anthropic_too_long(asked, window):
    return anthropic_error(f"prompt is too long: {asked} tokens > {window} maximum")
