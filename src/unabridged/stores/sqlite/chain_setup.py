"""Open the chain of a file: compare it with the anchor, seal it on request."""

from dataclasses import replace
from pathlib import Path

import apsw

from unabridged.domain.hash_chain import ChainHead, MacKey
from unabridged.stores import last_seen
from unabridged.stores.checkpoint_file import Checkpoint
from unabridged.stores.integrity_policy import IntegrityPolicy, fields_of
from unabridged.stores.last_seen import SeenFile
from unabridged.stores.sqlite import read_rows, sqlite_errors, verify_file
from unabridged.stores.sqlite.chain_writer import (
    ChainWriter,
    Seal,
    checkpoint_of,
    load_seal,
    name_in_anchor,
    refuse_key,
    seal_of,
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
    prove_row,
    stamped,
)
from unabridged.stores.sqlite.sql import statements

_TABLES = (
    ("session", "digests of sessions", "stamp session"),
    ("exchange", "digests of exchanges", "stamp exchange"),
    ("record", "digests of records", "stamp record"),
)


def first_row(uuid: str, space: dict[str, str], mac_key: MacKey) -> Row:
    """Return the seal of a new file as a row."""
    return stamped(mac_key, "seal", Seal(uuid=uuid, space=space, mark=mac_key.mark).row())


def name_space(
    connection: apsw.Connection, path: Path, space: dict[str, str], mac_key: MacKey
) -> None:
    """Change the space of a file, in a transaction of a file that nobody else has open.

    Raises:
        StoreKeyError: It is sealed under another key.
        StoreTamperedError: Its seal was changed.
    """
    sql = statements()
    connection.execute(sql["set meta"], meta_row("space", space))
    for row in connection.execute(sql["seal"]).fetchall():
        now = seal_of(row, path)
        if now.space == space:
            continue
        if now.mark and now.mark != mac_key.mark:
            raise refuse_key(path, now.mark, mac_key.mark)
        mine = mac_key if now.mark else MacKey()
        prove_row(path, mine, "seal", row)
        now.space = space
        now.writes += 1
        connection.execute(sql["set seal"], stamped(mine, "seal", now.row()))


def renew_generation(connection: apsw.Connection) -> str:
    """Make followers of a file rebuild after it was restored; return its new generation."""
    generation = new_generation()
    connection.execute(statements()["set meta"], meta_row("generation", generation))
    return generation


def load_chain(db: SqliteConnection, guard: IntegrityPolicy) -> None:
    """Prove everything that is read and written from now on.

    Raises:
        StoreKeyError: It is not sealed under the key, and may not be sealed now.
        StoreTamperedError: It is older than the anchor's checkpoint, or its seal was changed.
        StoreOlderError: It is older than when the home last used it, or another file.
    """
    check_anchor(db, guard)
    check_seen(db, guard)
    now, generation = _load(db)
    if not guard.strict and not now.mark:
        guard = replace(guard, mac_key=MacKey())
    mark = guard.mac_key.mark
    if mark and now.mark != mark:
        if now.mark or not (guard.adopts or _is_empty(db)):
            raise refuse_key(db.path, now.mark, mark)
        if not db.writable:
            return
        now = _seal_under_key(db, guard)
    db.watcher = ChainWriter(db, guard, generation)
    db.mac_key = guard.mac_key if now.mark == mark else None


def _load(db: SqliteConnection) -> tuple[Seal, str]:
    with db.read():
        now, _ = load_seal(db)
        space, generation = (read_rows.meta(db, name) for name in ("space", "generation"))
    if now.space != space:
        raise sqlite_errors.tampered(db.path, "it is the file of another space.")
    return now, generation


def _is_empty(db: SqliteConnection) -> bool:
    with db.read():
        return db.one("how many exchanges") == (0,)


def check_anchor(db: SqliteConnection, guard: IntegrityPolicy) -> None:
    """Compare a file with the anchor; add an unknown file to it.

    Raises:
        StoreTamperedError: It is older or differs.
    """
    anchor = guard.anchor
    if anchor is None:
        return
    with db.read():
        uuid = read_rows.meta(db, "uuid")
    known_as = name_in_anchor(db, uuid)
    held = anchor.recall(known_as)  # first, since others may write in the meantime
    with db.read():
        now, digest = load_seal(db)
        there = checkpoint_of(db, now, digest)
        known = held is None or _continues(db, now, there, held)
    if not known and held is not None:
        raise sqlite_errors.tampered(
            db.path,
            f"it is not the file in the anchor {anchor.path}, or an older one: "
            f"write {there.writes}, message {there.number}, root {there.root}; the anchor has "
            f"write {held.writes}, message {held.number}, root {held.root}.",
        )
    if held is None or held.writes < there.writes or held.mark != there.mark:
        anchor.remember(known_as, there, anew=held is not None and held.mark != there.mark)


def _continues(db: SqliteConnection, now: Seal, there: Checkpoint, held: Checkpoint) -> bool:
    if held.mark != now.mark:
        return any(held.number == one["number"] and held.root == one["root"] for one in now.past)
    if there.writes == held.writes:
        return there.state == held.state
    row = db.one("root of a number", (held.number,))
    root = row[0].hex() if row else ("" if held.number else held.root)
    return bool(there.writes > held.writes and root == held.root)


def check_seen(db: SqliteConnection, guard: IntegrityPolicy) -> None:
    """Compare a file with what the home last saw of it, and note it.

    Raises:
        StoreOlderError: It is older, or another file.
    """
    if guard.seen is None:
        return
    held = guard.seen.recall(db.path)  # first, since others may write in the meantime
    with db.read():
        now, digest = load_seal(db)
        there = SeenFile(read_rows.meta(db, "generation"), checkpoint_of(db, now, digest))
        if held is not None and there.generation != held.expected:
            known = there.generation == held.generation
            if not known or not _continues(db, now, there.checkpoint, held.checkpoint):
                raise last_seen.older(db.path, there.checkpoint, held.checkpoint)
    guard.seen.remember(db.path, there)


def accept_seen(db: SqliteConnection, guard: IntegrityPolicy) -> None:
    """Note a file as it is now, even if more was noted."""
    if guard.seen is not None:
        with db.read():
            now, digest = load_seal(db)
            there = SeenFile(read_rows.meta(db, "generation"), checkpoint_of(db, now, digest))
        guard.seen.remember(db.path, there, anew=True)


def chain_head(db: SqliteConnection) -> ChainHead:
    """Return the checkpoint of a file."""
    now, _ = load_seal(db)
    return ChainHead(
        mark=now.mark,
        since=now.since,
        found=now.found,
        links=now.links,
        forgotten=(db.one("how many forgotten") or (0,))[0],
        writes=now.writes,
        root=now.root,
    )


def renew_anchor(db: SqliteConnection, guard: IntegrityPolicy) -> None:
    """Set the anchor to the current state of a file, after a backup was restored."""
    if guard.anchor is not None:
        with db.read():
            now, digest = load_seal(db)
        name = name_in_anchor(db, now.uuid)
        guard.anchor.remember(name, checkpoint_of(db, now, digest), anew=True)


def _seal_under_key(db: SqliteConnection, guard: IntegrityPolicy) -> Seal:
    chain_writer = ChainWriter(db, guard)
    try:
        db.watcher = chain_writer
        with db.write():
            old, _ = load_seal(db)
            if old.mark == guard.mac_key.mark:
                return old  # another process was faster
            flaws = next(verify_file.flaws(db, MacKey()), "")
            if flaws:
                raise sqlite_errors.tampered(db.path, f"it cannot be sealed under a key: {flaws}")
            first = Seal(
                uuid=old.uuid,
                space=old.space,
                mark=guard.mac_key.mark,
                since=guard.now().isoformat() if guard.now and old.number else "",
                found=(db.one("how many messages") or (0,))[0],
                writes=old.writes,
                past=[
                    *old.past,
                    {"mark": old.mark, "number": old.number, "root": old.root, "since": old.since},
                ],
            )
            chain_writer.start(first)
            _relink_all(db, chain_writer)
            _count_rows(db, chain_writer)
            return first
    finally:
        db.watcher = None


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
                db.run(stamp, (*stamped(chain_writer.mac_key, table, (bare,)), name))
