"""Remove what was forgotten here from conversations that come from elsewhere."""

from collections.abc import Mapping
from dataclasses import replace

from unabridged.domain.exchange import Exchange
from unabridged.domain.message import Message, nearest_left
from unabridged.domain.results import Transcript
from unabridged.domain.session import bears_title
from unabridged.forgetting.tombstones import ForgottenIndex, spoken, spoken_last


def forgotten_in(conversation: Transcript, forgotten_index: ForgottenIndex) -> set[str]:
    """Return the exchanges of a conversation with a message that was forgotten here."""
    if forgotten_index.is_idle():
        return set()
    whole = {exchange.id: exchange for exchange in conversation.exchanges}
    return {e.id for e in whole.values() if _is_forgotten(e, whole, forgotten_index)}


def _is_forgotten(
    exchange: Exchange, whole: Mapping[str, Exchange], forgotten_index: ForgottenIndex
) -> bool:
    if forgotten_index.was_forgotten(exchange.id):
        return True
    before = spoken_last(whole.get(exchange.parent or ""))
    for role, text in spoken(exchange.messages):
        if forgotten_index.recognises(text, role, before):
            return True
        before = (role, text)
    return False


def without(conversation: Transcript, gone: set[str]) -> Transcript | None:
    """Return a conversation without some of its exchanges; None if nothing is left.

    What followed one of them follows what is left before it, as when a store forgets.
    """
    kept = [exchange for exchange in conversation.exchanges if exchange.id not in gone]
    if not kept:
        return None
    whole = {exchange.id: exchange for exchange in conversation.exchanges}
    held = {message.id for exchange in kept for message in exchange.messages}
    lost = {
        message.id: message
        for name in gone
        for message in whole[name].messages
        if message.id not in held
    }
    session = conversation.session
    head = nearest_left(session.head, lost)
    header = replace(
        session,
        head=head if head is not None else kept[-1].messages[-1].id,
        title="" if bears_title(session.title, lost.values()) else session.title,
    )
    lifted = [_lifted(exchange, whole, gone, lost) for exchange in kept]
    originals = {name: data for name, data in conversation.originals.items() if name in held}
    return Transcript(header, tuple(lifted), originals)


def _lifted(
    exchange: Exchange,
    whole: Mapping[str, Exchange],
    gone: set[str],
    lost: Mapping[str, Message],
) -> Exchange:
    parent = exchange.parent
    while parent is not None and parent in gone:
        parent = whole[parent].parent
    messages = tuple(replace(m, parent=nearest_left(m.parent, lost)) for m in exchange.messages)
    return replace(exchange, parent=parent, messages=messages)
