"""Anthropic's Messages API: its items as messages, and messages as its items.

An item of the dialect holds a list of blocks. One of the user's may hold results of tools and text:
it becomes several messages, all with the place of the item. Source of the format: the official
``anthropic`` Python client 2.14.0 (types), against which it is tested. Pure functions.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from unabridged.domain.client_history import RequestEdits
from unabridged.domain.message import (
    Foreign,
    Image,
    Message,
    Part,
    Reasoning,
    Role,
    Text,
    ToolCall,
    ToolResult,
)
from unabridged.errors import InputError
from unabridged.language.strip_pasted import is_reminder
from unabridged.wire.incoming_message import IncomingMessage, Wire, reminder_of, role_of
from unabridged.wire.lenient_json import mapping, text

DIALECT = "anthropic"
_DATA, _BASE64 = "data:", ";base64,"

Blocks = Sequence[Mapping[str, Any]]


# ---- from a client ----------------------------------------------------------------------------


def drafts(body: Mapping[str, Any]) -> tuple[IncomingMessage, ...]:
    """Read the system prompt and the messages of a request.

    Raises:
        InputError: A message has an unknown role, or content that is not accepted.
    """
    names: dict[str, str] = {}
    read = list(_system(body.get("system")))
    for place, item in enumerate(body.get("messages") or ()):
        for draft in _drafts(item, place, names):
            names.update((call.id, call.name) for call in draft.calls)
            read.append(draft)
    return tuple(read)


def _system(given: Any) -> Iterator[IncomingMessage]:
    if isinstance(given, str):
        blocks: Blocks = [{"type": "text", "text": given}] if given else []
    elif isinstance(given, list) and all(isinstance(one, Mapping) for one in given):
        blocks = given
    elif given is None:
        blocks = []
    else:
        raise InputError(
            "The system prompt is neither a text nor a list of blocks.",
            hint='Send "system": "…", or [{"type": "text", "text": "…"}].',
        )
    if blocks:
        yield IncomingMessage(Role.SYSTEM, tuple(map(_part, blocks)))


def _drafts(
    item: Mapping[str, Any], place: int, names: Mapping[str, str]
) -> Iterator[IncomingMessage]:
    role = role_of(item, place)
    if role is Role.TOOL:
        raise InputError(
            f"Message {place + 1} has the role {item.get('role')!r}.",
            hint="Send results of tools as tool_result blocks of a user message.",
        )
    blocks = blocks_of(item, place)
    owners = _owners(blocks) if role is Role.USER else [0] * len(blocks)
    for owner in range(max(owners, default=0) + 1):
        own = [block for block, one in zip(blocks, owners, strict=True) if one == owner]
        whole = item if len(own) == len(blocks) else {"role": "user", "content": own}
        if role is Role.ASSISTANT:
            parts = tuple(_said(own))
        else:
            real = any(not _is_reminder(block) for block in own)
            parts = tuple(part for block in own for part in _heard(block, names, real=real))
        tool = any(isinstance(part, ToolResult) for part in parts)
        items = int(owner == 0)  # an item counts once
        yield IncomingMessage(Role.TOOL if tool else role, parts, place, (DIALECT, whole), items)


def blocks_of(item: Mapping[str, Any], place: int) -> Blocks:
    """Return the content of an item as blocks.

    Raises:
        InputError: It is neither a text nor a list of blocks.
    """
    content = item.get("content")
    if content is None or content == "":
        return []
    if isinstance(content, str):
        return [{"type": "text", "text": content}]
    if isinstance(content, list) and all(
        isinstance(block, Mapping) and isinstance(block.get("type"), str) for block in content
    ):
        return content
    raise InputError(
        f"Message {place + 1} has content that is neither a text nor a list of blocks.",
        hint='Send blocks as objects with a type: {"type": "text", "text": "…"}.',
    )


def _owners(blocks: Blocks) -> list[int]:
    # Each result is a message, and what follows them is another, unless nobody said it.
    results = sum(block.get("type") == "tool_result" for block in blocks)
    own = any(block.get("type") != "tool_result" and not _is_reminder(block) for block in blocks)
    rest = results if own or not results else results - 1
    owners, count = [], 0
    for block in blocks:
        is_result = block.get("type") == "tool_result"
        owners.append(count if is_result else rest)
        count += is_result
    return owners


def _is_reminder(block: Mapping[str, Any]) -> bool:
    return block.get("type") == "text" and is_reminder(text(block.get("text")))


def _heard(block: Mapping[str, Any], names: Mapping[str, str], *, real: bool) -> Iterator[Part]:
    if block.get("type") == "tool_result":
        yield from _result(block, names)
    elif real and _is_reminder(block):
        yield reminder_of(text(block.get("text")))
    else:
        yield _part(block)


def _result(block: Mapping[str, Any], names: Mapping[str, str]) -> Iterator[Part]:
    content = block.get("content")
    told = [content] if isinstance(content, str) else []
    others: list[Part] = []
    for one in content if isinstance(content, list) else ():
        part = _part(mapping(one))
        if isinstance(part, Text):
            told.append(part.text)
        else:
            others.append(part)
    call = text(block.get("tool_use_id"))
    yield ToolResult(call, names.get(call, ""), "\n".join(told), block.get("is_error") is True)
    yield from others


def _said(blocks: Blocks) -> Iterator[Part]:
    # Texts in a row are one: a server splits a text where it cites something.
    words: list[str] = []
    for block in blocks:
        part = _part(block)
        if isinstance(part, Text):
            words.append(part.text)
            continue
        if words:
            yield Text("".join(words))
            words.clear()
        yield part
    if words:
        yield Text("".join(words))


def _part(block: Mapping[str, Any]) -> Part:
    match block:
        case {"type": "text", "text": str(said)}:
            return Text(said)
        case {"type": "thinking", "thinking": str(thought)}:
            return Reasoning(thought)
        case {"type": "tool_use", "id": str(call), "name": str(name)}:
            given = block.get("input")
            return ToolCall(call, name, json.dumps(given or {}, ensure_ascii=False))
        case {
            "type": "image",
            "source": {"type": "base64", "media_type": str(kind), "data": str(data)},
        }:
            return Image(f"{_DATA}{kind}{_BASE64}{data}")
        case {"type": "image", "source": {"type": "url", "url": str(uri)}}:
            return Image(uri)
        case _:
            return Foreign(text(block.get("type")), json.dumps(block, ensure_ascii=False))


# ---- for a server -----------------------------------------------------------------------------


def messages(prompt: Sequence[Message | IncomingMessage]) -> tuple[Wire, ...]:
    """Return a prompt as items; consecutive messages of one side are one item.

    Reasoning is left out: the dialect takes none without the signature that belongs to it.
    """
    items = (_item(message) for message in prompt)
    return tuple(_together(item for item in items if item["content"]))


def _together(items: Iterable[Wire]) -> list[Wire]:
    # All results of a round have to be in one item.
    made: list[Wire] = []
    for item in items:
        if made and made[-1]["role"] == item["role"]:
            both = [*_listed(made[-1]["content"]), *_listed(item["content"])]
            made[-1] = {"role": item["role"], "content": both}
        else:
            made.append(item)
    return made


def _listed(content: str | list[Wire]) -> list[Wire]:
    return [{"type": "text", "text": content}] if isinstance(content, str) else content


def _item(message: Message | IncomingMessage) -> Wire:
    role = Role.USER if message.role is Role.TOOL else message.role
    results = [part for part in message.parts if isinstance(part, ToolResult)]
    pictures = [_block(part) for part in message.parts if isinstance(part, Image)]
    content: list[Wire] = []
    for n, result in enumerate(results):
        content.append(_result_block(result, pictures if n == len(results) - 1 else []))
    for part in message.parts:
        inner = isinstance(part, ToolResult | Reasoning) or (results and isinstance(part, Image))
        if not inner and part != Text(""):
            content.append(_block(part))
    only = content[0] if len(content) == 1 else {}
    plain = only.get("text") if set(only) == {"type", "text"} else None
    return {"role": role.value, "content": plain or content}


def _result_block(result: ToolResult, pictures: list[Wire]) -> Wire:
    told: str | list[Wire] = result.text
    if pictures:
        told = [*([{"type": "text", "text": result.text}] if result.text else []), *pictures]
    block: Wire = {"type": "tool_result", "tool_use_id": result.call_id, "content": told}
    return {**block, "is_error": True} if result.failed else block


def _block(part: Part) -> Wire:
    match part:
        case ToolCall(id=call, name=name, arguments=arguments):
            return {"type": "tool_use", "id": call, "name": name, "input": object_of(arguments)}
        case Image(uri) if uri.startswith(_DATA) and _BASE64 in uri:
            kind, _, data = uri.removeprefix(_DATA).partition(_BASE64)
            source = {"type": "base64", "media_type": kind, "data": data}
            return {"type": "image", "source": source}
        case Image(uri):
            return {"type": "image", "source": {"type": "url", "url": uri}}
        case Foreign(data=data):
            return dict(mapping(json.loads(data)))
        case Text(said) | Reasoning(said) | ToolResult(text=said):
            return {"type": "text", "text": said}


def object_of(arguments: str) -> Wire:
    """Return the arguments of a call as an object, which the dialect requires."""
    try:
        value = json.loads(arguments) if arguments.strip() else {}
    except ValueError:
        value = arguments
    return value if isinstance(value, dict) else {"input": value}


# ---- a client's list with the edits of memory -------------------------------------------------


def edited(
    items: Sequence[Mapping[str, Any]],
    read: Sequence[IncomingMessage],
    edits: RequestEdits,
    render: Callable[[Sequence[Message]], Sequence[Wire]] = messages,
) -> list[Mapping[str, Any]]:
    """Return the items of a client with what memory changes; all others are the same objects.

    Args:
        items: The client's list.
        read: Its messages, as ``drafts`` returned them; the edits name them by their position.
        edits: What memory changes.
        render: Renders messages as items of the dialect.
    """
    positions: dict[int, list[int]] = {}
    for position, draft in enumerate(read):
        if draft.place is not None:
            positions.setdefault(draft.place, []).append(position)
    made: list[Mapping[str, Any]] = []
    for place, item in enumerate(items):
        own = positions.get(place, [])
        if edits.newest in own:
            made += _together(render(edits.inserted))
        if own and all(position in edits.left_out for position in own):
            continue
        touched = any(p in names for p in own for names in (edits.after, edits.before))
        left = touched or any(position in edits.left_out for position in own)
        made.append(_edited(item, place, own, edits) if left else item)
    return made


def _edited(
    item: Mapping[str, Any], place: int, own: Sequence[int], edits: RequestEdits
) -> Mapping[str, Any]:
    blocks = blocks_of(item, place)
    owners = _owners(blocks) if item.get("role") == "user" else [0] * len(blocks)
    content: list[Mapping[str, Any]] = []
    begun: set[int] = set()
    for block, owner in zip(blocks, owners, strict=True):
        position = own[owner]
        if position in edits.left_out:
            continue
        if position not in begun and (before := edits.before.get(position)):
            content.append({"type": "text", "text": before})
        begun.add(position)
        content.append(block)
    after = (edits.after.get(position) for position in own if position not in edits.left_out)
    content += [{"type": "text", "text": told} for told in after if told]
    return {**item, "content": content}
