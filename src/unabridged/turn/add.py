"""Adds messages that were said elsewhere to the end of a session."""

from dataclasses import replace
from datetime import datetime

from unabridged.domain.exchange import Exchange, ExchangeState
from unabridged.domain.message import Role
from unabridged.domain.results import Transcript
from unabridged.domain.session import Session, title_from
from unabridged.errors import EmptyMessageError, InputError
from unabridged.history_sync.import_new import ExchangeBuilder
from unabridged.history_sync.normalize_history import NormalizedExchange, parted
from unabridged.recording.sessions import current_exchange
from unabridged.space.sessions import check_session_name
from unabridged.space.space import Space
from unabridged.turn.messages import listed
from unabridged.turn.record import resume
from unabridged.wire.any_message import is_cut, read_messages
from unabridged.wire.incoming_message import IncomingMessage, images


def add_messages(
    space: Space, messages: object, session: str | None, at: datetime | None = None
) -> list[Exchange]:
    """Store messages behind the newest exchange of a session; an unknown session begins.

    Args:
        space: The space.
        messages: One message, or several, in any form. An answer or a tool result at the front
            completes the newest exchange if that has no answer.
        session: The id of the session; None for a new one.
        at: When they were said, with a time zone; None for now.

    Returns:
        The exchanges as stored; what was forgotten before is not among them.

    Raises:
        EmptyMessageError: A message of a user has no content.
        InputError: There is no message of a user, or one of them is no message.
        NameRefusedError: No session can have this id.
    """
    drafts, cut = _read(listed(messages))
    said = parted(drafts)
    if not said:
        return []
    if session is not None:
        check_session_name(session)
    known = space.sessions.get(session) if session is not None else None
    builder = ExchangeBuilder(space.clock, session or space.clock.new_id())
    builder.at = at or builder.at
    before = current_exchange(space.dependencies.store, known) if known else None
    done: list[Exchange] = []
    if said[0].user is None and before is not None and _waits(before):
        done.append(_completed(space, builder, before, said.pop(0), cut))
        before, known = done[0], space.sessions.get(builder.session)
    elif not any(one.user for one in said):
        raise InputError(
            "None of the messages is of a user, and no message waits for an answer.",
            hint="Give the message of the user first, or with them.",
        )
    if not said:
        return done
    exchanges: list[Exchange] = []
    for one in said:
        made = builder.exchange(one, before)
        before = replace(made, state=_state(made.state, one, cut))
        exchanges.append(before)
    return [*done, *_import(space, builder, known, exchanges)]


def _read(messages: list[object]) -> tuple[list[IncomingMessage], set[int]]:
    """Return messages, and the ``id()`` of those that a model's limit cut short."""
    read = read_messages(messages)
    drafts = [IncomingMessage(one.role, one.parts) for one in read]
    for number, draft in enumerate(drafts, 1):
        if draft.role is Role.USER and not (draft.text.strip() or images(draft.parts)):
            raise EmptyMessageError(f"Message {number} is empty.", hint="Give some content.")
    cut = {id(draft) for given, draft in zip(messages, drafts, strict=True) if is_cut(given)}
    return drafts, cut


def _state(state: ExchangeState, said: NormalizedExchange, cut: set[int]) -> ExchangeState:
    is_short = bool(said.rest) and id(said.rest[-1]) in cut
    return ExchangeState.INCOMPLETE if is_short else state


def _waits(exchange: Exchange) -> bool:
    last = exchange.messages[-1]
    answered = last.role is Role.ASSISTANT and not last.calls
    return not answered and exchange.state not in (ExchangeState.COMPLETE, ExchangeState.OPEN)


def _completed(
    space: Space,
    builder: ExchangeBuilder,
    exchange: Exchange,
    said: NormalizedExchange,
    cut: set[int],
) -> Exchange:
    messages = [builder.message(draft) for draft in said.rest]
    state = _state(ExchangeState.COMPLETE, said, cut)
    recorded = resume(space, exchange, messages, state)
    return replace(recorded.exchange, notes=recorded.notes)


def _import(
    space: Space, builder: ExchangeBuilder, known: Session | None, exchanges: list[Exchange]
) -> list[Exchange]:
    first, last, now = exchanges[0], exchanges[-1], space.clock.now()
    title = title_from(first.user.text)
    header = known or Session(builder.session, title, first.at, min(first.at, now))
    # A date in the future must not make the session the newest one from now on.
    updated = max(header.updated, min(last.at, now))
    header = replace(header, head=last.messages[-1].id, updated=updated)
    imported = space.log.import_transcript(Transcript(header, tuple(exchanges)))
    stored = space.dependencies.store.get([one.id for one in exchanges])
    return [replace(stored[one.id], notes=imported.notes) for one in exchanges if one.id in stored]
