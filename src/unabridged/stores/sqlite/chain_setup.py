"""Taking up the chain of a file when it is opened; beginning one where there was none."""

from dataclasses import replace
from pathlib import Path

import apsw

from unabridged.domain.hash_chain import ChainHead, MacKey
from unabridged.errors import StoreDamagedError
from unabridged.stores.integrity_policy import IntegrityPolicy, fields_of
from unabridged.stores.json_codec import unpack
from unabridged.stores.sqlite import chain_head, read_rows, sqlite_errors, verify_file
from unabridged.stores.sqlite.chain_writer import (
    ChainWriter,
    checkpoint_of,
    name_in_anchor,
    refuse_key,
)
from unabridged.stores.sqlite.database import SqliteConnection
from unabridged.stores.sqlite.rows import (
    Row,
    link_of,
    message_of,
    meta_row,
    name_of,
    new_generation,
    plain,
)
from unabridged.stores.sqlite.sql import statements

_TABLES = (
    ("session", "digests of sessions", "stamp session"),
    ("exchange", "digests of exchanges", "stamp exchange"),
    ("record", "digests of records", "stamp record"),
)


def first_row(uuid: str, space: dict[str, str], mac_key: MacKey) -> Row:
    """Give the seal of a new file as a row."""
    first = chain_head.Seal(uuid=uuid, space=space, mark=mac_key.mark)
    return chain_head.stamped(mac_key, "seal", first.row())


def name_space(
    connection: apsw.Connection, path: Path, space: dict[str, str], mac_key: MacKey
) -> None:
    """Let a file hold another space; inside a transaction of a file that nobody else has open.

    Raises:
        StoreKeyError: It is sealed under another key.
        StoreTamperedError: Its seal is not what was written.
    """
    sql = statements()
    connection.execute(sql["set meta"], meta_row("space", space))
    if connection.execute(sql["has chain"]).fetchone() is None:
        return
    for row in connection.execute(sql["seal"]).fetchall():
        now = chain_head.from_row(row, path)
        if now.space == space:
            continue
        if now.mark and now.mark != mac_key.mark:
            raise refuse_key(path, now.mark, mac_key.mark)
        mine = mac_key if now.mark else MacKey()
        chain_head.prove(path, mine, "seal", row)
        now.space = space
        now.writes += 1
        connection.execute(sql["set seal"], chain_head.stamped(mine, "seal", now.row()))


def renew_generation(connection: apsw.Connection) -> None:
    """Let nothing that followed a file before it was restored be taken for current."""
    connection.execute(statements()["set meta"], meta_row("generation", new_generation()))


def load_chain(db: SqliteConnection, guard: IntegrityPolicy) -> None:
    """Let everything that is read and written be proved from now on.

    A file without a chain gets one, if it can be written. A damaged one gets none: its rows show
    what is damaged, and stay as they are.

    Raises:
        StoreKeyError: It was not sealed under the key, and is not to be now.
        StoreTamperedError: It is not as far as the anchor says, or its seal is not what was written.
    """
    chain_writer = ChainWriter(db, guard)
    check_anchor(db, guard)
    found = _load(db)
    if not guard.strict and (found is None or not found.mark):
        if found is None:
            return
        guard = replace(guard, mac_key=MacKey())
        chain_writer = ChainWriter(db, guard)
    if found is None or (guard.mac_key.mark and found.mark != guard.mac_key.mark):
        if found is not None and found.mark:
            raise refuse_key(db.path, found.mark, guard.mac_key.mark)
        if guard.mac_key.mark and not guard.adopts and not _is_empty(db):
            raise refuse_key(db.path, "", guard.mac_key.mark)
        if not db.writable:
            return
        found = _adopt(db, chain_writer)
        if found is None:
            return
    db.watcher = chain_writer
    db.mac_key = guard.mac_key if found.mark == guard.mac_key.mark else None


def _load(db: SqliteConnection) -> chain_head.Seal | None:
    with db.read():
        if db.one("has chain") is None:
            return None
        found = chain_head.load(db)
        if found is None:
            if db.one("any link") is not None:
                raise sqlite_errors.tampered(db.path, "its seal is gone.")
            return None
        said = read_rows.meta(db, "space")
    if said is not None and found[0].space not in ({}, unpack(said)):
        raise sqlite_errors.tampered(db.path, "it is the file of another space.")
    return found[0]


def _uuid(db: SqliteConnection) -> str:
    with db.read():
        said = read_rows.meta(db, "uuid")
    if said is None:
        raise sqlite_errors.damaged(db.path, "it does not say which file it is.")
    return str(unpack(said))


def _is_empty(db: SqliteConnection) -> bool:
    with db.read():
        return db.one("how many exchanges") == (0,)


def check_anchor(db: SqliteConnection, guard: IntegrityPolicy) -> None:
    """Compare a file with what the anchor remembers of it; an unknown one is noted.

    Raises:
        StoreTamperedError: It is behind, or went another way.
    """
    anchor = guard.anchor
    if anchor is None:
        return
    known_as = name_in_anchor(db, _uuid(db))
    held = anchor.recall(known_as)  # first: others may write meanwhile
    with db.read():
        found = chain_head.load(db) if db.one("has chain") else None
        if found is None:
            if held is not None:
                raise sqlite_errors.tampered(
                    db.path, f"its chain is gone; the anchor {anchor.path} knows it."
                )
            return
        now, digest = found
        there = checkpoint_of(db, now, digest)
        if held is None:
            known = True
        elif held.mark != now.mark:
            known = any(
                held.number == one["number"] and held.root == one["root"] for one in now.past
            )
        elif there.writes == held.writes:
            known = there.state == held.state
        else:
            row = db.one("root of a number", (held.number,))
            root = row[0].hex() if row else ("" if held.number else held.root)
            known = there.writes > held.writes and root == held.root
    if not known and held is not None:
        raise sqlite_errors.tampered(
            db.path,
            f"it is not the file that the anchor {anchor.path} remembers, or an older one: "
            f"write {there.writes}, message {there.number}, root {there.root}; the anchor has "
            f"write {held.writes}, message {held.number}, root {held.root}.",
        )
    if held is None or held.writes < there.writes or held.mark != there.mark:
        anchor.remember(known_as, there, anew=held is not None and held.mark != there.mark)


def sealed(db: SqliteConnection) -> ChainHead | None:
    """How far the chain of a file has come; None where it has none."""
    found = chain_head.load(db) if db.one("has chain") else None
    if found is None:
        return None
    now = found[0]
    return ChainHead(
        mark=now.mark,
        since=now.since,
        found=now.found,
        links=now.links,
        forgotten=(db.one("how many forgotten") or (0,))[0],
        writes=now.writes,
        root=now.root,
    )


def anchor_anew(db: SqliteConnection, guard: IntegrityPolicy) -> None:
    """Let the anchor remember a file as it is now: a backup was put back by right."""
    if guard.anchor is not None:
        with db.read():
            found = chain_head.load(db)
        if found is not None:
            name = name_in_anchor(db, found[0].uuid)
            guard.anchor.remember(name, checkpoint_of(db, *found), anew=True)


def _adopt(db: SqliteConnection, chain_writer: ChainWriter) -> chain_head.Seal | None:
    guard = chain_writer.guard
    try:
        uuid = _uuid(db)
        db.watcher = chain_writer
        with db.write():
            found = chain_head.load(db)
            if found is not None and found[0].mark == guard.mac_key.mark:
                return found[0]  # another process was faster
            if found is not None:
                _refuse_flaws(db)
            first = _first(db, guard, uuid, found[0] if found else None)
            chain_writer.start(first)
            if found is None:
                _link_all(db, chain_writer)
            else:
                _relink_all(db, chain_writer)
            _count_rows(db, chain_writer)
            return first
    except StoreDamagedError:
        if guard.mac_key.mark or guard.adopts:
            raise
        return None
    finally:
        db.watcher = None


def _first(
    db: SqliteConnection, guard: IntegrityPolicy, uuid: str, old: chain_head.Seal | None
) -> chain_head.Seal:
    found = old.number if old else (db.one("newest message") or (0,))[0]
    said = read_rows.meta(db, "space")
    first = chain_head.Seal(
        uuid=uuid,
        space={} if said is None else unpack(said),
        mark=guard.mac_key.mark,
        since=guard.now().isoformat() if guard.now and found else "",
        found=(db.one("how many messages") or (0,))[0],
    )
    if old is None:
        return first
    now = {"mark": old.mark, "number": old.number, "root": old.root, "since": old.since}
    return replace(first, writes=old.writes, past=[*old.past, now])


def _refuse_flaws(db: SqliteConnection) -> None:
    flaws = next(verify_file.flaws(db, MacKey()), "")
    if flaws:
        raise sqlite_errors.tampered(db.path, f"it cannot be sealed under a key: {flaws}")


def _link_all(db: SqliteConnection, chain_writer: ChainWriter) -> None:
    for *row, session in db.run("every message with its session"):
        message = message_of(tuple(row), db.path)
        if session is None:
            raise sqlite_errors.damaged(db.path, f"the exchange of message {message.id!r} is gone.")
        chain_writer.link(row[0], name_of(row[2]), name_of(session), message)


def _relink_all(db: SqliteConnection, chain_writer: ChainWriter) -> None:
    db.run("clear chains")
    for found in db.run("every link with its message"):
        link, session, row = link_of(found[:10], db.path), found[10], found[12:]
        if row[0] is None:
            chain_writer.relink(link, "", b"", ())
            continue
        message = message_of(row, db.path)
        held = chain_writer.mac_key.held(link.number, name_of(row[2]), message.parent)
        chain_writer.relink(link, name_of(session), held, fields_of(message))


def _count_rows(db: SqliteConnection, chain_writer: ChainWriter) -> None:
    for table, digests, stamp in _TABLES:
        for name, digest in db.rows(digests):
            bare = plain(digest)
            chain_writer.counts(table, bare)
            if chain_writer.mac_key.mark:
                db.run(stamp, (*chain_head.stamped(chain_writer.mac_key, table, (bare,)), name))
