"""Adds messages that were said elsewhere to the end of a session."""

from dataclasses import replace
from datetime import datetime

from unabridged.domain.exchange import Exchange
from unabridged.domain.results import Transcript
from unabridged.domain.session import Session, title_from
from unabridged.errors import InputError
from unabridged.history_sync.import_new import ExchangeBuilder
from unabridged.history_sync.normalize_history import parted
from unabridged.recording.sessions import current_exchange
from unabridged.space.sessions import check_session_name
from unabridged.space.space import Space
from unabridged.turn.messages import listed
from unabridged.wire.any_message import read_messages
from unabridged.wire.incoming_message import IncomingMessage


def add_messages(
    space: Space, messages: object, session: str | None, at: datetime | None = None
) -> list[Exchange]:
    """Store messages after the newest exchange of a session; begin an unknown session.

    Args:
        space: The space.
        messages: One message, or several, in any form.
        session: The id of the session; None for a new one.
        at: When they were said, with a time zone; None for now.

    Returns:
        The exchanges as stored; what was forgotten before is not among them.

    Raises:
        InputError: There is no user message, or an item is not a message.
        NameRefusedError: No session can have this id.
    """
    read = read_messages(listed(messages))
    said = parted([IncomingMessage(one.role, one.parts) for one in read])
    if not any(one.user for one in said):
        raise InputError(
            "None of the messages is from a user.", hint="Add at least one of the role user."
        )
    if session is not None:
        check_session_name(session)
    known = space.sessions.get(session) if session is not None else None
    builder = ExchangeBuilder(space.clock, session or space.clock.new_id())
    builder.at = at or builder.at
    before = current_exchange(space.dependencies.store, known) if known else None
    exchanges: list[Exchange] = []
    for one in said:
        before = builder.exchange(one, before)
        exchanges.append(before)
    first, last = exchanges[0], exchanges[-1]
    header = known or Session(builder.session, title_from(first.user.text), first.at, first.at)
    updated = max(header.updated, last.at)
    header = replace(header, head=last.messages[-1].id, updated=updated)
    imported = space.log.import_transcript(Transcript(header, tuple(exchanges)))
    stored = space.dependencies.store.get(one.id for one in exchanges)
    return [replace(stored[one.id], notes=imported.notes) for one in exchanges if one.id in stored]
