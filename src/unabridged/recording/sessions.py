"""Find, name, step back and branch sessions. Nothing here deletes anything."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime

from unabridged.budget.count import Counter
from unabridged.clock import ends_id, may_end_id
from unabridged.domain.exchange import Exchange
from unabridged.domain.message import Message
from unabridged.domain.results import Transcript
from unabridged.domain.session import Session
from unabridged.errors import InputError, NotFoundError
from unabridged.log.iterate import everything
from unabridged.ports import Store

_PAGE = 200
SHORTEST_PREFIX = 4
"""The fewest characters of a prefix of an id."""
_HALVES = range(0xD800, 0xE000)


def find_session(store: Store, wanted: str) -> Session:
    """Find a session by id, number (1 is the newest), title, or beginning or end of its id.

    Raises:
        NotFoundError: Nothing matches, or several do.
    """
    if (exact := store.session(wanted)) is not None:
        return exact
    sessions = store.sessions()
    if wanted.isdecimal() and 1 <= int(wanted) <= len(sessions):
        return sessions[int(wanted) - 1]
    folded = wanted.casefold()
    titled = [s for s in sessions if s.title.casefold() == folded]
    begun = [s for s in sessions if len(wanted) >= SHORTEST_PREFIX and s.id.startswith(wanted)]
    begun = begun or [s for s in sessions if ends_id(wanted, s.id)]
    near = [s for s in sessions if folded and folded in s.title.casefold()]
    for matches in (titled, begun, near):
        if len(matches) == 1:
            return matches[0]
    matches = titled or begun or near
    if matches:
        titles = ", ".join(f"{s.title!r} ({s.id})" for s in matches[:5])
        raise NotFoundError(f"{wanted!r} matches several sessions: {titles}.", hint="Give its id.")
    raise NotFoundError(
        f"There is no session {wanted!r}.",
        hint="List them: `unabridged sessions`, or sessions() in Python.",
    )


def find_exchange(store: Store, wanted: str) -> Exchange:
    """Find an exchange by id, or by the beginning or end of its id.

    Raises:
        NotFoundError: Nothing matches, or several do.
    """
    if found := store.get([wanted]):
        return found[wanted]
    if len(wanted) >= SHORTEST_PREFIX:
        near = [e for e in store.scan(after=_before(wanted), limit=2) if e.id.startswith(wanted)]
        if not near and may_end_id(wanted):
            near = [e for e in everything(store) if e.id.endswith(wanted)]
        if len(near) == 1:
            return near[0]
        if near:
            raise NotFoundError(f"Several ids match {wanted!r}.", hint="Give more characters.")
    raise NotFoundError(
        f"There is no exchange {wanted!r}.",
        hint="Find its id: `unabridged search WORDS`, or search() in Python.",
    )


def _before(prefix: str) -> str:
    before = ord(prefix[-1]) - 1
    if before in _HALVES:
        before = _HALVES.start - 1  # no store can search for half a character
    return prefix[:-1] + (chr(before) + "\uffff" if before >= 0 else "")


def current_exchange(store: Store, session: Session) -> Exchange | None:
    """Return the newest exchange on a session's current path."""
    newest = store.recent(session.id, 1)
    return newest[0] if newest else None


def step_back(store: Store, session: Session, at: datetime) -> Exchange | None:
    """Move a session's head before its newest exchange, which stays stored as a branch.

    Returns:
        The exchange that was undone, or None if the session is empty.
    """
    newest = current_exchange(store, session)
    if newest is None:
        return None
    parent = store.get([newest.parent]).get(newest.parent) if newest.parent else None
    head = parent.messages[-1].id if parent else None
    store.set_session(replace(session, head=head, updated=at), session.head)
    return newest


def retitle(store: Store, session: Session, title: str, at: datetime) -> Session:
    """Change a session's title; an equal title is not written again.

    Raises:
        InputError: The title is empty.
    """
    words = " ".join(title.split())
    if not words:
        raise InputError("A title cannot be empty.", hint="Give a title with at least one letter.")
    if words == session.title:
        return session
    changed = replace(session, title=words, updated=at)
    store.set_session(changed, session.head)
    return changed


def session_exchanges(store: Store, session_id: str) -> list[Exchange]:
    """Return every exchange of a session, all branches, in the order of their ids."""
    return [e for e in everything(store) if e.session == session_id]


def leaves(store: Store, session: Session) -> list[Exchange]:
    """Return the last exchange of every branch of a session, newest first."""
    held = session_exchanges(store, session.id)
    parents = {exchange.parent for exchange in held}
    return [exchange for exchange in reversed(held) if exchange.id not in parents]


def take_branch(store: Store, exchange: Exchange, at: datetime) -> Session:
    """Move a session's head to the end of an exchange.

    Raises:
        NotFoundError: The session was forgotten.
    """
    session = store.session(exchange.session)
    if session is None:
        raise NotFoundError(f"Session {exchange.session} is gone.", hint="It was forgotten.")
    changed = replace(session, head=exchange.messages[-1].id, updated=at)
    store.set_session(changed, session.head)
    return changed


def conversations(store: Store) -> Iterator[Transcript]:
    """Yield every session with its exchanges, the oldest session first."""
    by_session: dict[str, list[Exchange]] = {}
    for exchange in everything(store):
        by_session.setdefault(exchange.session, []).append(exchange)
    for session in sorted(store.sessions(), key=lambda s: (s.created, s.id)):
        yield Transcript(session, tuple(by_session.get(session.id, ())))


def with_originals(store: Store, conversation: Transcript) -> Transcript:
    """Return a conversation with the originals of its messages."""
    ids = (message.id for exchange in conversation.exchanges for message in exchange.messages)
    return replace(conversation, originals=store.originals(ids))


def held(store: Store, exchanges: Sequence[Exchange]) -> dict[str, str]:
    """Map the ids of those exchanges that the space already holds to their sessions."""
    ids = [exchange.id for exchange in exchanges]
    pages = (ids[at : at + _PAGE] for at in range(0, len(ids), _PAGE))
    return {name: known.session for page in pages for name, known in store.get(page).items()}


def at_home(conversation: Transcript, homes: Mapping[str, str]) -> Transcript:
    """Return a conversation as part of the session that already holds its exchanges.

    A shorter export, or one with another start date, gives the exchanges the same ids but the
    session a different one.

    Args:
        conversation: The conversation.
        homes: Its stored exchanges, as ``held`` returns them.
    """
    session = conversation.session
    if not homes or session.id in homes.values():
        return conversation
    home = next(homes[exchange.id] for exchange in conversation.exchanges if exchange.id in homes)
    moved = tuple(replace(exchange, session=home) for exchange in conversation.exchanges)
    return replace(conversation, session=replace(session, id=home), exchanges=moved)


def counted(exchange: Exchange, counter: Counter) -> Exchange:
    """Return an exchange with its messages' token counts; those of another tokenizer stay."""
    messages = (m if _elsewhere(m, counter) else weighed(m, counter) for m in exchange.messages)
    return replace(exchange, messages=tuple(messages))


def _elsewhere(message: Message, counter: Counter) -> bool:
    return message.tokens is not None and message.tokenizer not in {None, counter.identity}


def weighed(message: Message, counter: Counter) -> Message:
    """Return a message with its token count as stored: before calibration."""
    return Message(
        id=message.id,
        role=message.role,
        parts=message.parts,
        at=message.at,
        parent=message.parent,
        tokens=counter.plain(message),
        tokenizer=counter.identity,
        original=message.original,
    )
