"""What memory changes in a client's request, and the record of it."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from unabridged.condense.history_summary import HistorySummary
from unabridged.context.render import earlier_text
from unabridged.context.types import Candidates, FittedRequest, PromptRequest
from unabridged.domain.client_history import RequestEdits, SyncedHistory
from unabridged.domain.message import Message, Role, Text


def request_edits(
    synced: SyncedHistory,
    fitted: FittedRequest,
    block: str,
    history: Sequence[Sequence[Message]],
    earlier: HistorySummary | None,
) -> RequestEdits:
    """Return the edits of a client's request.

    Args:
        synced: The request.
        fitted: What of it is sent.
        block: The recall block for its newest message, or an empty text.
        history: The session's earlier exchanges, for a client that sends only its newest message.
        earlier: What replaces those before them, or None.
    """
    places = _user_places(synced)
    after = {places[n]: one.text for n, one in fitted.blocks.items() if n in places and one.text}
    if block:
        after[synced.newest] = block
    gone = frozenset(
        place
        for place, one in enumerate(synced.messages)
        if one.exchange is not None and one.exchange < fitted.left_out
    )
    inserted = [message for messages in history for message in messages]
    before: dict[int, str] = {}
    if fitted.earlier is not None:
        before[places[fitted.left_out]] = earlier_text(fitted.earlier).lstrip()
    elif earlier is not None and inserted:
        told = Text(earlier_text(earlier).lstrip())
        inserted[0] = replace(inserted[0], parts=(told, *inserted[0].parts), tokens=None)
    elif earlier is not None:
        before[synced.newest] = earlier_text(earlier).lstrip()
    return RequestEdits(
        after=after,
        before=before,
        left_out=gone,
        left_out_items=sum(synced.messages[place].items for place in gone),
        left_out_tokens=fitted.left_out_tokens,
        inserted=tuple(inserted),
        newest=synced.newest,
    )


def _user_places(synced: SyncedHistory) -> dict[int, int]:
    places: dict[int, int] = {}
    for place, one in enumerate(synced.messages):
        if one.exchange is not None and one.message.role is Role.USER:
            places.setdefault(one.exchange, place)
    return places


def request_to_dict(material: Candidates, request: PromptRequest) -> dict[str, Any]:
    """Return how a client's request was fitted, as plain data for its manifest."""
    fitted, path = material.request, request.path
    if fitted is None or request.client is None:
        raise AssertionError("a client's request is fitted")
    unstored = request.client.synced.unstored
    kept = [(n, one.id) for n, one in enumerate(path) if one.id not in unstored]
    kept = [(n, name) for n, name in kept if n >= fitted.left_out]
    place, name = kept[0] if kept else (len(path), request.id)
    folder = request.client.synced.folder
    return {
        **({"folder": folder} if folder else {}),
        "messages": len(request.client.synced.messages),
        "since": fitted.since,
        "kept": name if fitted.left_out else "",
        "ahead": place - fitted.left_out if fitted.left_out else 0,
    }


def added_messages(block: str, at: datetime) -> tuple[Message, ...]:
    """Return what memory added as a message, as ``why`` shows it; none without a block."""
    return (Message("added", Role.USER, (Text(block),), at),) if block else ()
