"""Edit a client's list of messages: what memory adds to it, and nothing else."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from unabridged.domain.client_history import RequestEdits
from unabridged.domain.message import Message, Text
from unabridged.wire.incoming_message import Wire

BETWEEN = "\n\n"
"""What stands between the words of a message and what memory adds to them."""


def edited_items(
    items: Sequence[Mapping[str, Any]],
    edits: RequestEdits,
    render: Callable[[Sequence[Message]], Sequence[Wire]],
    kind: str = "text",
) -> list[Mapping[str, Any]]:
    """Return the items of a client's list with the edits of memory; all others are the same objects.

    Args:
        items: The items, as the client sent them.
        edits: What memory changes.
        render: Renders messages as items of the dialect.
        kind: The ``type`` of a text part in the dialect.
    """
    made: list[Mapping[str, Any]] = []
    for place, item in enumerate(items):
        if place == edits.newest:
            made += render(edits.inserted)
        if place in edits.left_out:
            continue
        before, after = edits.before.get(place, ""), edits.after.get(place, "")
        made.append(item_with(item, before, after, kind) if before or after else item)
    return made


def item_with(item: Mapping[str, Any], before: str, after: str, kind: str = "text") -> Wire:
    """Return an item with text before and after its content."""
    content = item.get("content")
    if isinstance(content, list):
        first = [{"type": kind, "text": before}] if before else []
        last = [{"type": kind, "text": after}] if after else []
        return {**item, "content": [*first, *content, *last]}
    words = (before, content if isinstance(content, str) else "", after)
    return {**item, "content": BETWEEN.join(text for text in words if text)}


def edited_messages(messages: Sequence[Message], edits: RequestEdits) -> list[Message]:
    """Return a client's messages, typed, with the edits of memory."""
    made: list[Message] = []
    for place, message in enumerate(messages):
        if place == edits.newest:
            made += edits.inserted
        if place in edits.left_out:
            continue
        before, after = edits.before.get(place, ""), edits.after.get(place, "")
        first = (Text(before),) if before else ()
        last = (Text(after),) if after else ()
        parts = (*first, *message.parts, *last)
        made.append(replace(message, parts=parts, tokens=None) if first or last else message)
    return made
