"""Prove rows as they are read: messages by their links, headers by their seals.

Each function runs inside the transaction that read the rows.
"""

from collections.abc import Iterable, Mapping

from unabridged.domain.exchange import Exchange
from unabridged.domain.hash_chain import START, Link, MacKey
from unabridged.domain.message import Message
from unabridged.errors import StoreTamperedError
from unabridged.stores.integrity_policy import fields_from, fields_of
from unabridged.stores.json_codec import pack
from unabridged.stores.sqlite import sqlite_errors
from unabridged.stores.sqlite.database import SqliteConnection
from unabridged.stores.sqlite.rows import Row, checked, column, is_link, name_of, prove_row


def links_of(db: SqliteConnection, rows: Iterable[Row]) -> dict[int, Row]:
    """Return the links of messages by number; none without a key."""
    if db.mac_key is None:
        return {}
    numbers = pack([row[0] for row in rows]).decode()
    return {row[0]: row for row in db.rows("links with those before", (numbers,))}


def prove(
    db: SqliteConnection, exchange: Exchange, rows: Iterable[Row], links: Mapping[int, Row]
) -> None:
    """Prove the messages of an exchange by their rows and their links.

    Raises:
        StoreTamperedError: A message was changed, inserted or moved.
    """
    if db.mac_key is None:
        return
    by_name = {row[1]: row for row in rows}
    for message in exchange.messages:
        row = by_name[column(message.id)]
        found = links.get(row[0])
        said = _wrong(db.mac_key, found, row, exchange.session, message)
        if said:
            raise _altered(db, exchange.session, found, message.id, said)


def _wrong(mac_key: MacKey, found: Row | None, row: Row, session: str, message: Message) -> str:
    if found is None or not is_link(found) or not isinstance(found[-1], bytes | None):
        return "it was inserted" if found is None else "its link is not what was written"
    link = Link(*found[:-1])
    before = START if link.place == 1 else found[-1]
    if not link.salt:
        return "it was forgotten, but exists"
    if not _is_what_was_said(mac_key, link, row, session, message):
        return "it was changed"
    if mac_key.held(link.number, name_of(row[2]), message.parent) != link.held:
        return "it is in another place"
    if before is None or mac_key.link(before, link.where, link.promise) != link.link:
        return "its link, or the one before it, was changed"
    return ""


def _is_what_was_said(
    mac_key: MacKey, link: Link, row: Row, session: str, message: Message
) -> bool:
    if isinstance(row[1], str) and not isinstance(
        row[7], bytes
    ):  # else a text was encoded differently
        fields = fields_from(row[1], *row[4:8], parts=row[8])
        if mac_key.promise(link.salt, session, fields) == link.promise:
            return True
    return mac_key.promise(link.salt, session, fields_of(message)) == link.promise


def prove_stretch(
    db: SqliteConnection,
    session: str,
    links: Mapping[int, Row],
    *,
    to_the_end: bool,
    from_the_first: bool = False,
) -> None:
    """Prove that no message is missing between or after messages of a session.

    Args:
        db: The file.
        session: The session.
        links: The links of the messages.
        to_the_end: Whether the newest message of the session must be among them or before it.
        from_the_first: Whether every message of the session must be among them.

    Raises:
        StoreTamperedError: A message or the end of the session was removed.
    """
    if db.mac_key is None or not (links or from_the_first):
        return
    chains = {row[1] for row in links.values()}
    places = [row[2] for row in links.values()]
    last = max(places, default=0)
    if to_the_end:
        row = db.one("chain", (column(session),))
        if row is None:
            if not links:
                return  # nothing was said in it
            raise sqlite_errors.tampered(db.path, f"the chain of session {session!r} is missing.")
        prove_row(db.path, db.mac_key, "chain", row)
        _, number, last, end = checked("chain", row, db.path)
        chains.add(number)
        if db.one("last link", (number,)) != (last, end):
            raise sqlite_errors.tampered(
                db.path, f"session {session!r} does not end at position {last} as written."
            )
    if len(chains) != 1:
        raise sqlite_errors.tampered(
            db.path, f"session {session!r} contains messages of another one."
        )
    first = 1 if from_the_first else min(places)
    _prove_between(db, db.mac_key, session, (*chains, first, last))


def _prove_between(
    db: SqliteConnection, mac_key: MacKey, session: str, stretch: tuple[int, int, int]
) -> None:
    _, first, last = stretch
    there, missing, forgotten = db.one("stretch of a chain", stretch) or (0, 0, 0)
    if there != last - first + 1 or missing:
        raise sqlite_errors.tampered(
            db.path,
            f"session {session!r}: some messages at positions {first} to {last} were removed.",
        )
    for row in db.rows("forgotten in a stretch", stretch) if forgotten else ():
        if not _is_forgotten(mac_key, row):
            raise sqlite_errors.tampered(
                db.path,
                f"session {session!r}, position {row[2]}: the message was removed, not forgotten.",
            )


def _is_forgotten(mac_key: MacKey, row: Row) -> bool:
    if not is_link(row) or not isinstance(row[-1], bytes | None):
        return False
    link = Link(*row[:-1])
    before = START if link.place == 1 else row[-1]
    return (
        before is not None
        and mac_key.gone(link.link) == link.gone
        and mac_key.link(before, link.where, link.promise) == link.link
    )


def _altered(
    db: SqliteConnection, session: str, found: Row | None, message: str, said: str
) -> StoreTamperedError:
    place = f", position {found[2]}" if found else ""
    return sqlite_errors.tampered(
        db.path, f"session {session!r}{place}: the message {message!r} cannot be trusted: {said}."
    )
