"""What each verb of the port does to the store in memory, and what has to be written for it."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from unabridged.domain.batch import Batch
from unabridged.domain.exchange import Exchange
from unabridged.domain.record import Record, RecordKind
from unabridged.domain.session import Session
from unabridged.stores.files.change import Change, header_line, news, said_line
from unabridged.stores.inmemory import InMemoryStore
from unabridged.stores.shelf import Packed


def append(engine: InMemoryStore, change: Change, batch: Batch, expect_head: str | None) -> None:
    """Write a batch."""
    engine.append(batch, expect_head)
    name = batch.session.id
    change.sessions.add(name)
    change.grown[name] = batch.exchange.id
    change.records += _kept(engine, batch.records)
    entry = news(engine.content.entries[batch.exchange.id], batch.exchange)
    change.said.append(said_line(engine, name, entry))


def append_later(engine: InMemoryStore, change: Change, batch: Batch) -> None:
    """Write a batch that was held back: where others talked on meanwhile it becomes a branch."""
    there = engine.session(batch.session.id)
    append(engine, change, batch, None if there is None else there.head)


def admit(
    engine: InMemoryStore, change: Change, session: Session, exchanges: Sequence[Exchange]
) -> int:
    """Take over a conversation from elsewhere."""
    before = engine.session(session.id)
    known = set(engine.content.entries)
    added = engine.admit(session, exchanges)
    if added or before is None:
        change.sessions.add(session.id)
        change.said.append(header_line(engine.content.sessions[session.id]))
    fresh = dict.fromkeys(each.id for each in exchanges if each.id not in known)
    entries = engine.content.entries
    change.said += [said_line(engine, session.id, entries[name]) for name in fresh]
    return added


def amend(engine: InMemoryStore, change: Change, session: Session, expect_head: str | None) -> None:
    """Change a session's header, or create it."""
    before = engine.session(session.id)
    engine.amend(session, expect_head)
    if before != session:
        change.sessions.add(session.id)
        change.said.append(header_line(session))


def amend_later(
    engine: InMemoryStore, change: Change, session: Session, expect_head: str | None
) -> None:
    """Change a header that was held back: where others moved the head on, theirs stays."""
    there = engine.session(session.id)
    found = None if there is None else there.head
    head = session.head if found == expect_head else found
    amend(engine, change, replace(session, head=head), found)


def put(engine: InMemoryStore, change: Change, records: Sequence[Record]) -> None:
    """Write records."""
    engine.put(records)
    change.records += _kept(engine, records)


def drop(engine: InMemoryStore, change: Change, kind: RecordKind, ids: Sequence[str]) -> None:
    """Remove records, bytes and all."""
    before = engine.last_revision()
    engine.drop(kind, ids)
    change.purge |= kind in engine.changes(before).kinds


def forget(engine: InMemoryStore, change: Change, ids: Sequence[str]) -> int:
    """Remove exchanges with everything drawn from them."""
    entries = engine.content.entries
    concerned = {entries[name].exchange.session for name in ids if name in entries}
    gone = engine.forget(ids)
    change.sessions |= concerned
    change.grown = {}
    change.purge |= gone > 0
    return gone


def rewrite(engine: InMemoryStore, change: Change) -> None:
    """Have everything written anew."""
    change.sessions |= set(engine.content.sessions)
    change.grown = {}
    change.purge = True


def _kept(engine: InMemoryStore, records: Iterable[Record]) -> Iterator[Packed]:
    """Those that were not passed over; of several with one id the last."""
    found = (engine.content.records.kept(record) for record in records)
    return (kept for kept in found if kept is not None)
